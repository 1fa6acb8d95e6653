# expect same=True
"""Whether torch.version.musa is the number of the runtime's version, as text."""

import ctypes
import os

from torch_probe import fact, torch_with_musa, undecided

torch = torch_with_musa(device=False)
version = getattr(torch.version, "musa", None)
number = ctypes.c_int(0)
if ctypes.CDLL(os.environ["VERIFY_RUNTIME"]).musaRuntimeGetVersion(ctypes.byref(number)):
    undecided("musaRuntimeGetVersion fails")
runtime = str(number.value)
fact("torch_version_musa", version)
fact("runtime", runtime)
fact("same", version == runtime)
