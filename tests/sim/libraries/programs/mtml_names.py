"""The card, as mthreads-ml-py asks for it: by ctypes, with its functions' buffers. Arguments: libmtml, libmusart."""

import ctypes
import sys

mtml, musart = (ctypes.CDLL(path) for path in sys.argv[1:])
SENSORS = (
    *("mtmlGpuGetUtilization", "mtmlGpuGetTemperature", "mtmlGpuGetClock", "mtmlGpuGetMaxClock"),
    *("mtmlMemoryGetUtilization", "mtmlMemoryGetClock", "mtmlMemoryGetMaxClock", "mtmlDeviceGetPowerUsage"),
    *("mtmlVpuGetUtilization", "mtmlVpuGetClock", "mtmlVpuGetMaxClock"),
)
ref, handle = ctypes.byref, ctypes.c_void_p


def text(function, *before, length=80):
    buffer = ctypes.create_string_buffer(length)
    assert function(*before, buffer, length) == 0
    return buffer.value.decode()


library, count, device, other = handle(), ctypes.c_uint(), handle(), handle()
assert mtml.mtmlLibraryInit(ref(library)) == 0
assert mtml.mtmlLibraryCountDevice(library, ref(count)) == 0
assert mtml.mtmlLibraryInitDeviceByIndex(library, 1, ref(device)) == 0
uuid = text(mtml.mtmlDeviceGetUUID, device, length=48)
assert mtml.mtmlLibraryInitDeviceByUuid(library, uuid.encode(), ref(other)) == 0
index, status, fans = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint(9)
assert mtml.mtmlDeviceGetIndex(other, ref(index)) == 0
assert mtml.mtmlDeviceGetP2PStatus(device, handle(1), 0, ref(status)) == 0
assert mtml.mtmlDeviceCountFan(device, ref(fans)) == 0
memory, total, used, block = handle(), ctypes.c_uint64(), ctypes.c_uint64(), handle()
assert mtml.mtmlDeviceInitMemory(device, ref(memory)) == 0
assert mtml.mtmlMemoryGetTotal(memory, ref(total)) == 0
assert musart.musaSetDevice(1) == 0 and musart.musaMalloc(ref(block), ctypes.c_size_t(1 << 20)) == 0
assert musart.musaSetDevice(0) == 0
assert mtml.mtmlMemoryGetUsed(memory, ref(used)) == 0
free, all_of_it, current = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_int(9)
assert musart.musaGetDevice(ref(current)) == 0
assert musart.musaSetDevice(1) == 0 and musart.musaMemGetInfo(ref(free), ref(all_of_it)) == 0
mtml.mtmlErrorString.restype = ctypes.c_char_p
short = mtml.mtmlDeviceGetName(device, ctypes.create_string_buffer(3), 3)
facts = {
    "count": count.value,
    "name": text(mtml.mtmlDeviceGetName, device, length=32),
    "same_device": index.value,
    "peers": status.value,
    "fans": fans.value,
    "total": int(total.value == all_of_it.value),
    "used": int(used.value == all_of_it.value - free.value >= 1 << 20),
    "current": current.value,
    "serial": mtml.mtmlErrorString(mtml.mtmlDeviceGetSerialNumber(device, ref(count))).decode(),
    "sensors": sum(hasattr(mtml, name) for name in SENSORS),
    "no_device": mtml.mtmlErrorString(mtml.mtmlLibraryInitDeviceByIndex(library, 2, ref(other))).decode(),
    "no_uuid": mtml.mtmlErrorString(mtml.mtmlLibraryInitDeviceByUuid(library, b"x", ref(other))).decode(),
    "short": mtml.mtmlErrorString(short).decode(),
    "driver": text(mtml.mtmlSystemGetDriverVersion, handle(1)),
}
assert mtml.mtmlLibraryShutDown(library) == 0
print("\n".join(f"{name}={value}" for name, value in facts.items()))
