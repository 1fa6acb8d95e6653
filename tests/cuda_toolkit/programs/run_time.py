"""NVRTC and the driver API by ctypes, as Python packages use them.

The arguments are NVRTC's options, and `load=` with the way to load what was compiled. Standard input has n, and three
arrays of n numbers.
"""

import ctypes
import sys
from pathlib import Path

cuda = ctypes.CDLL("libcuda.so.1")
cudart = ctypes.CDLL("libcudart.so")
nvrtc = ctypes.CDLL("libnvrtc.so.12")

SOURCE = rb"""
#include "weight.h"
#if __has_include(<lane.cuh>)
#include <lane.cuh>
#elif defined(BY_DEFAULT)
unsigned lane(unsigned thread) { return thread % 32; }
#else
__device__ unsigned lane(unsigned thread) { return thread % 32; }
#endif
static __constant__ float shifts[2] = {1000, 2000};
namespace more { static __constant__ float shift = 3000; }
template <class T> __global__ void sums(const T *a, const T *b, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mine;
    asm("mov.u32 %0, %%laneid;" : "=r"(mine));
    if (i < n) out[i] = weighted(a[i]) + b[i] + (mine - lane(threadIdx.x)) + shifts[i & 1] + more::shift;
}
"""
HEADER = b"__device__ float weighted(float x) { return WEIGHT * x; }\n"


def check(status: int) -> None:
    if status:
        raise SystemExit(f"status {status}")


def text_of(program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    check(getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    check(getattr(nvrtc, f"nvrtcGet{what}")(program, text))
    return text.raw


def compiled(options: list[str]) -> tuple[bytes, bytes]:
    program, name = ctypes.c_void_p(), ctypes.c_char_p()
    headers, names = (ctypes.c_char_p * 1)(HEADER), (ctypes.c_char_p * 1)(b"weight.h")
    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE, b"sums.cu", 1, headers, names))
    check(nvrtc.nvrtcAddNameExpression(program, b"&sums<float>"))
    words = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    status = nvrtc.nvrtcCompileProgram(program, len(options), words)
    if status:
        nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
        print(
            nvrtc.nvrtcGetErrorString(status).decode(), text_of(program, "ProgramLog").rstrip(b"\0").decode(), sep="\n"
        )
        raise SystemExit(0)
    check(nvrtc.nvrtcGetLoweredName(program, b"&sums<float>", ctypes.byref(name)))
    image, ptx = text_of(program, "CUBIN"), text_of(program, "PTX")
    lines = ptx.decode("ascii").splitlines()
    assert ptx.endswith(b"\n\0") and ptx.count(b"\0") == 1 and max(map(len, lines)) <= 80
    assert {".version 8.4", ".target sm_80", ".address_size 64"} < set(lines)
    return image, ptx[:-1], name.value or b""


def loaded(image: bytes, ptx: bytes, way: str) -> ctypes.c_void_p:
    """Load what was compiled as an image or as a text, from memory, a file or a link."""
    module, state, linked, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    if way == "image":
        check(cuda.cuModuleLoadDataEx(ctypes.byref(module), image, 0, None, None))
    elif way == "text":
        check(cuda.cuModuleLoadData(ctypes.byref(module), ptx))
    elif way == "options":
        check(cuda.cuModuleLoadDataEx(ctypes.byref(module), ptx, 0, None, None))
    elif way == "library":
        check(cuda.cuLibraryLoadData(ctypes.byref(state), ptx, None, None, 0, None, None, 0))
        check(cuda.cuLibraryGetModule(ctypes.byref(module), state))
    else:
        Path("kernels.ptx").write_bytes(ptx)
        if way == "file":
            check(cuda.cuModuleLoad(ctypes.byref(module), b"kernels.ptx"))
        else:
            check(cuda.cuLinkCreate_v2(0, None, None, ctypes.byref(state)))
            if way == "linked":
                check(cuda.cuLinkAddData_v2(state, 1, ptx, ctypes.c_size_t(len(ptx) + 1), b"kernels", 0, None, None))
            else:
                check(cuda.cuLinkAddFile_v2(state, 1, b"kernels.ptx", 0, None, None))
            check(cuda.cuLinkComplete(state, ctypes.byref(linked), ctypes.byref(size)))
            check(cuda.cuModuleLoadData(ctypes.byref(module), linked))
            check(cuda.cuLinkDestroy(state))
    return module


def main() -> None:
    options = [word for word in sys.argv[1:] if not word.startswith("load=")]
    ways = [word.partition("=")[2] for word in sys.argv[1:] if word.startswith("load=")] or ["image"]
    image, ptx, name = compiled(options)
    n, *numbers = map(float, sys.stdin.read().split())
    count = int(n)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    function = ctypes.c_void_p()
    check(cuda.cuInit(0))
    check(cuda.cuDeviceGet(ctypes.byref(device), 0))
    check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device))
    module = loaded(image, ptx, ways[0])
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, name))
    shift, size = ctypes.c_uint64(), ctypes.c_size_t()
    for variable, values in ((b"shifts", (0.5, -0.5)), (b"_ZN4moreL5shiftE", (0.25,))):
        check(cuda.cuModuleGetGlobal_v2(ctypes.byref(shift), ctypes.byref(size), module, variable))
        assert size.value == 4 * len(values)
        check(cuda.cuMemcpyHtoD_v2(shift, (ctypes.c_float * len(values))(*values), size))
    assert cuda.cuModuleGetGlobal_v2(ctypes.byref(shift), ctypes.byref(size), module, b"absent") == 500
    size = ctypes.c_size_t(4 * count)
    pointers = [ctypes.c_uint64() for _ in range(3)]
    arrays = [(ctypes.c_float * count)(*numbers[i * count : (i + 1) * count]) for i in range(3)]
    for pointer in pointers:
        check(cuda.cuMemAlloc_v2(ctypes.byref(pointer), size))
    check(cuda.cuMemcpyHtoD_v2(pointers[0], arrays[0], size))
    check(cudart.cudaMemcpy(pointers[1], arrays[1], size, 1))
    arguments = [*pointers, ctypes.c_int(count)]
    addresses = (ctypes.c_void_p * 4)(*(ctypes.addressof(each) for each in arguments))
    check(cuda.cuLaunchKernel(function, count // 64 + 1, 1, 1, 64, 1, 1, 0, None, addresses, None))
    check(cuda.cuMemcpyDtoH_v2(arrays[2], pointers[2], size))
    print(*arrays[2])


main()
