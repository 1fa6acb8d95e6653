"""Compile a kernel that includes a header in quotes. The arguments: the program's name, the header, NVRTC's options."""

import ctypes
import sys

nvrtc = ctypes.CDLL("libnvrtc.so.12")
name, header, *options = (word.encode() for word in sys.argv[1:])
source = b'#include "%s"\n__global__ void k(int *p) { *p = SEVEN; }\n' % header
program = ctypes.c_void_p()
if nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, name, 0, None, None):
    raise SystemExit("no program")
print(nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * max(1, len(options)))(*options)))
