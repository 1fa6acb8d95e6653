"""Numbers, names and layouts of the CUDA toolkit's libraries, asked by ctypes."""

import ctypes

cuda, cudart = ctypes.CDLL("libcuda.so"), ctypes.CDLL("libcudart.so.12")
value = ctypes.c_int()


def number(call, *arguments):
    assert call(ctypes.byref(value), *arguments) == 0
    return value.value


major, minor, warp = (number(cudart.cudaDeviceGetAttribute, each, 0) for each in (75, 76, 10))
assert (major, minor, warp) == tuple(number(cuda.cuDeviceGetAttribute, each, 0) for each in (75, 76, 10))
properties = ctypes.create_string_buffer(b"\xee" * 2000, 2000)


def field(offset):
    return ctypes.c_int.from_buffer(properties, offset).value


assert cudart.cudaGetDeviceProperties_v2(properties, 0) == 0
assert (field(360), field(364), field(308)) == (major, minor, warp)
assert properties.raw[1032:] == b"\xee" * 968
older = ctypes.create_string_buffer(b"\xee" * 2000, 2000)
assert cudart.cudaGetDeviceProperties(older, 0) == 0
end = 2000 - len(older.raw) + len(older.raw.rstrip(b"\xee"))
assert older.raw[:end] == properties.raw[:end] and end == 728, end
for call in (cudart.cudaRuntimeGetVersion, cudart.cudaDriverGetVersion, cuda.cuDriverGetVersion):
    assert number(call) == 12040
name = ctypes.c_char_p()
cudart.cudaGetErrorName.restype = ctypes.c_char_p
assert cuda.cuGetErrorName(2, ctypes.byref(name)) == 0
print(cudart.cudaGetErrorName(2).decode(), name.value.decode())
function, status = ctypes.c_void_p(), ctypes.c_int()
for wanted, found in ((b"cuMemAlloc", True), (b"cuNoSuchFunction", False)):
    result = cuda.cuGetProcAddress_v2(wanted, ctypes.byref(function), 12040, ctypes.c_uint64(0), ctypes.byref(status))
    assert (bool(function.value), result == 0, status.value == 0) == (found,) * 3
    result = cudart.cudaGetDriverEntryPoint(wanted, ctypes.byref(function), ctypes.c_uint64(0), ctypes.byref(status))
    assert (bool(function.value), status.value == 0) == (found,) * 2 and result == 0
    by_version = cudart.cudaGetDriverEntryPointByVersion
    result = by_version(wanted, ctypes.byref(function), 12040, ctypes.c_uint64(0), ctypes.byref(status))
    assert (bool(function.value), status.value == 0) == (found,) * 2 and result == 0
assert not any(hasattr(cuda, each) for each in ("cuMemcpy3DBatchAsync_v2", "cuGraphGetEdges_v2", "musaMalloc_"))
