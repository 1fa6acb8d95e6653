# expect cxx=32
# expect properties=32
"""Which warp width torch_musa tells C++ code: at::musa::warp_size(), and the device's properties."""

import ctypes
import importlib
from pathlib import Path

from torch_probe import fact, torch_with_musa, undecided

torch = torch_with_musa()
torch_musa = importlib.import_module("torch_musa")

SYMBOL = "_ZN2at4musa9warp_sizeEv"
found = []
for library in sorted(Path(torch_musa.__file__).parent.glob("lib/*.so")):
    loaded = ctypes.CDLL(str(library))
    if hasattr(loaded, SYMBOL):
        found.append(int(getattr(loaded, SYMBOL)()))
if not found:
    undecided("no library of torch_musa has at::musa::warp_size()")
fact("cxx", found[0])
properties = torch.musa.get_device_properties(0)
for name in ("warp_size", "warpSize"):
    if hasattr(properties, name):
        fact("properties", getattr(properties, name))
        break
