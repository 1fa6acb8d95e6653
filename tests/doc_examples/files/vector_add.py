"""Add two vectors by NVRTC and the driver API, which ctypes loads by CUDA's names."""

import ctypes
import random

cuda = ctypes.CDLL("libcuda.so.1")
nvrtc = ctypes.CDLL("libnvrtc.so.12")
N = 1000
SOURCE = b"""
extern "C" __global__ void vector_add(const float *a, const float *b, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}
"""


def check(status: int) -> None:
    if status:
        raise SystemExit(f"status {status}")


program, size = ctypes.c_void_p(), ctypes.c_size_t()
check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE, b"vector_add.cu", 0, None, None))
check(nvrtc.nvrtcCompileProgram(program, 0, None))
check(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)))
image = ctypes.create_string_buffer(size.value)
check(nvrtc.nvrtcGetCUBIN(program, image))

device, context = ctypes.c_int(), ctypes.c_void_p()
module, function = ctypes.c_void_p(), ctypes.c_void_p()
check(cuda.cuInit(0))
check(cuda.cuDeviceGet(ctypes.byref(device), 0))
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device))
check(cuda.cuModuleLoadData(ctypes.byref(module), image))
check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"vector_add"))

a, b = ((ctypes.c_float * N)(*(random.randrange(1000) for _ in range(N))) for _ in range(2))
total = (ctypes.c_float * N)()
pointers = [ctypes.c_uint64() for _ in range(3)]
for pointer in pointers:
    check(cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4 * N)))
for pointer, values in zip(pointers, (a, b)):
    check(cuda.cuMemcpyHtoD_v2(pointer, values, ctypes.c_size_t(4 * N)))
arguments = [*pointers, ctypes.c_int(N)]
addresses = (ctypes.c_void_p * 4)(*(ctypes.addressof(each) for each in arguments))
check(cuda.cuLaunchKernel(function, N // 128 + 1, 1, 1, 128, 1, 1, 0, None, addresses, None))
check(cuda.cuMemcpyDtoH_v2(total, pointers[2], ctypes.c_size_t(4 * N)))
assert list(total) == [x + y for x, y in zip(a, b)]
print("right")
