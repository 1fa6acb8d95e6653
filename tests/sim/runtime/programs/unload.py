"""Unload libmusart while one of its threads runs."""

import _ctypes
import ctypes
import sys
import time

runtime = ctypes.CDLL(sys.argv[1])
memory = ctypes.c_void_p()
assert runtime.musaMalloc(ctypes.byref(memory), ctypes.c_size_t(64)) == 0
assert runtime.musaMemsetAsync(memory, 0, ctypes.c_size_t(64), None) == 0  # starts a thread
_ctypes.dlclose(runtime._handle)
time.sleep(0.05)
print("alive")
