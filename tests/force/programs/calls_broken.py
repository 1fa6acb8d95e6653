import ctypes

import affine

call = ctypes.CDLL(affine.__file__).call_broken
call.restype = ctypes.c_char_p
print(call())
