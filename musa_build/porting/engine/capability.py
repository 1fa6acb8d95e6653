"""The names by which a program reads a device's compute capability, and the messages about it.

MUSA's devices report 2.1, 2.2 or 3.1. Whatever a program does with such a number was written for NVIDIA's numbers. So
each read is reported at its line, unless all its uses are visible and harmless (`capability_uses`).
Conditions on `__CUDA_ARCH__` are in `rewrites`.
"""

from __future__ import annotations

# Attributes of a device, and functions that store the two numbers.
ATTRIBUTES = frozenset(
    {
        *("cudaDevAttrComputeCapabilityMajor", "cudaDevAttrComputeCapabilityMinor"),
        *("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR"),
    }
)
STORING = frozenset({"cuDeviceComputeCapability", "nvmlDeviceGetCudaComputeCapability", "PtxVersion", "SmVersion"})
# Functions that get an attribute as an argument, some by its number: 75 and 76 in both enumerations.
ASKING = frozenset({"cudaDeviceGetAttribute", "cuDeviceGetAttribute"})
# In a file with one of these, a member `major` is a device's.
PROPERTIES = frozenset(
    {
        *("cudaDeviceProp", "cudaGetDeviceProperties", "cudaGetDeviceProperties_v2", "cudaChooseDevice"),
        *("getCurrentDeviceProperties", "getDeviceProperties"),
    }
)
# Usual names of variables that hold the number, and of functions that return it.
USUAL_NAMES = frozenset(
    f"{get}{name}"
    for get in ("", "get_", "get", "Get")
    for name in (
        *("sm_version", "sm_version_num", "sm_arch", "SMVersion", "SmVersion", "smVersion"),
        *("compute_capability", "device_capability", "computeCapability", "ComputeCapability", "DeviceCapability"),
    )
)
# In a file without the others, `major` is a device's where the code around it says so.
MEMBERS = frozenset({"major"})
CAPABILITY_IDENTIFIERS = ATTRIBUTES | STORING | ASKING | PROPERTIES | USUAL_NAMES | MEMBERS

OF_TEST = "MUSA's devices have compute capability 2.1, 2.2 or 3.1: a test against NVIDIA's numbers decides otherwise"
OF_READ = (
    "the compute capability is read here, and porting does not see all that becomes of it: MUSA's devices have 2.1, "
    "2.2 or 3.1, so whatever holds it against NVIDIA's numbers decides otherwise"
)
