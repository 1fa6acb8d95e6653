"""Host functions in Python: in order, and some in flight at the end."""

import ctypes
import sys

runtime = ctypes.CDLL(sys.argv[1])
heard = []
function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda value: heard.append(value))
for i in range(1, 301):
    assert runtime.musaLaunchHostFunc(None, function, ctypes.c_void_p(i)) == 0
    if i % 100 == 0:
        assert runtime.musaDeviceSynchronize() == 0
assert heard == list(range(1, 301)), heard
for i in range(1000):
    runtime.musaLaunchHostFunc(None, function, ctypes.c_void_p(i))
print("done")
