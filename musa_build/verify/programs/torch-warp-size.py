# expect as_the_runtime=True
"""Whether at::musa::warp_size(), the width that torch_musa tells C++ code, is the runtime's property."""

import ctypes
import importlib
import re
from pathlib import Path

from torch_probe import fact, torch_with_musa, undecided

torch = torch_with_musa()
torch_musa = importlib.import_module("torch_musa")

SYMBOL = "_ZN2at4musa9warp_sizeEv"
WARP_SIZE = 10  # musaDevAttrWarpSize
found = []
for library in sorted(Path(torch_musa.__file__).parent.glob("lib/*.so")):
    loaded = ctypes.CDLL(str(library))
    if hasattr(loaded, SYMBOL):
        found.append(int(getattr(loaded, SYMBOL)()))
if not found:
    undecided("no library of torch_musa has at::musa::warp_size()")
runtimes = re.findall(r"/\S*libmusart\.so[.\d]*$", Path("/proc/self/maps").read_text(), re.MULTILINE)
if not runtimes:
    undecided("torch_musa has loaded no libmusart")
width = ctypes.c_int()
if ctypes.CDLL(runtimes[0]).musaDeviceGetAttribute(ctypes.byref(width), WARP_SIZE, 0):
    undecided("the runtime does not tell its warpSize")
fact("torch_musa", found[0])
fact("the_runtime", width.value)
fact("as_the_runtime", found[0] == width.value)
