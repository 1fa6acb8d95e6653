"""Unload a library while its kernel runs."""

import _ctypes
import ctypes
import sys
from pathlib import Path

runtime = ctypes.CDLL(sys.argv[1])
library = ctypes.CDLL(sys.argv[2])
memory = ctypes.c_void_p()
assert runtime.musaMallocManaged(ctypes.byref(memory), ctypes.c_size_t(4096), 1) == 0
ctypes.memset(memory, 0, 4096)
out = ctypes.c_void_p(memory.value + 2048)
assert library.launch(int(sys.argv[3]), memory, out) == 0
_ctypes.dlclose(library._handle)
print("loaded" if sys.argv[2] in Path("/proc/self/maps").read_text() else "unloaded")
ctypes.c_int.from_address(memory.value).value = 1
print(runtime.musaDeviceSynchronize(), ctypes.c_int.from_address(out.value).value)
