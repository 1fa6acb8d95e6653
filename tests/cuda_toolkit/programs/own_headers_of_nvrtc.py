"""Compile a kernel with headers from memory, one of them with the name of a header of the C library, and run it.

The first attempt lacks a header; the log must say so in NVRTC's words, by which programs find the header to add.
"""

import ctypes

nvrtc = ctypes.CDLL("libnvrtc.so.12")
cuda = ctypes.CDLL("libcuda.so.1")
# NVRTC has no C library: programs bring what they need of it
MATH = b"namespace own { using ::sqrt; using ::sqrtf; }\n"
SOURCE = b"""
#include <math.h>
#include "inner/scale.h"
extern "C" __global__ void k(float *p) { *p = own::sqrt(*p) * SCALE; }
"""
CU_JIT_INPUT_PTX = 1


def check(status: int) -> None:
    if status:
        raise SystemExit(f"status {status}")


def compiled(headers: dict[bytes, bytes]) -> tuple[int, bytes, bytes]:
    """Return the status, the log and the result of a compilation."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    names, texts = ((ctypes.c_char_p * len(headers))(*words) for words in (headers, headers.values()))
    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE, b"program", len(headers), texts, names))
    status = nvrtc.nvrtcCompileProgram(program, 0, None)
    check(nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
    log = ctypes.create_string_buffer(size.value)
    check(nvrtc.nvrtcGetProgramLog(program, log))
    if status:
        return status, log.value, b""
    check(nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)))
    result = ctypes.create_string_buffer(size.value)
    check(nvrtc.nvrtcGetPTX(program, result))
    return status, log.value, result.raw


status, log, _ = compiled({b"math.h": MATH})
assert status == 6, status
assert b'program(3): catastrophic error: cannot open source file "inner/scale.h"\n' in log, log
status, log, image = compiled({b"math.h": MATH, b"inner/scale.h": b"#define SCALE 10\n"})
assert status == 0, log

check(cuda.cuInit(0))
context, state, module, kernel = (ctypes.c_void_p() for _ in range(4))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
linked, size = ctypes.c_void_p(), ctypes.c_size_t()
check(cuda.cuLinkCreate_v2(0, None, None, ctypes.byref(state)))
check(cuda.cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, image, ctypes.c_size_t(len(image)), b"program.ptx", 0, None, None))
check(cuda.cuLinkComplete(state, ctypes.byref(linked), ctypes.byref(size)))
check(cuda.cuModuleLoadData(ctypes.byref(module), linked))
check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"k"))
memory, value = ctypes.c_uint64(), ctypes.c_float(16)
check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4)))
check(cuda.cuMemcpyHtoD_v2(memory, ctypes.byref(value), ctypes.c_size_t(4)))
arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
check(cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, arguments, None))
check(cuda.cuMemcpyDtoH_v2(ctypes.byref(value), memory, ctypes.c_size_t(4)))
print(value.value)
