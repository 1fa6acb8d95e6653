/* A device's properties in CUDA's terms: the compute capability is that of __CUDA_ARCH__ in device code, and a
 * warp has the 32 lanes that CUDA code counts on. Everything else is the device's own.
 */
#ifndef MUSA_CUDA_ADAPTER_RUNTIME_H
#define MUSA_CUDA_ADAPTER_RUNTIME_H

#include <musa_cuda/capability.h>

static inline musaError_t musa_cuda_get_device_properties(struct musaDeviceProp *properties, int device) {
    musaError_t error = musaGetDeviceProperties(properties, device);
    if (error == musaSuccess) {
        const int capability = musa_cuda_capability(properties->major, properties->minor);
        properties->major = capability / 10;
        properties->minor = capability % 10;
        properties->warpSize = 32;
    }
    return error;
}

static inline musaError_t musa_cuda_device_get_attribute(int *value, enum musaDeviceAttr attribute, int device) {
    int major, minor;
    musaError_t error;
    switch (attribute) {
        case musaDevAttrWarpSize:
            error = musaDeviceGetAttribute(value, attribute, device);
            if (error == musaSuccess) *value = 32;
            return error;
        case musaDevAttrComputeCapabilityMajor:
        case musaDevAttrComputeCapabilityMinor:
            error = musaDeviceGetAttribute(&major, musaDevAttrComputeCapabilityMajor, device);
            if (error == musaSuccess) error = musaDeviceGetAttribute(&minor, musaDevAttrComputeCapabilityMinor, device);
            if (error != musaSuccess) return error;
            *value = musa_cuda_capability(major, minor);
            *value = attribute == musaDevAttrComputeCapabilityMajor ? *value / 10 : *value % 10;
            return musaSuccess;
        default: return musaDeviceGetAttribute(value, attribute, device);
    }
}

#undef cudaGetDeviceProperties
#undef cudaDeviceGetAttribute
#define cudaGetDeviceProperties musa_cuda_get_device_properties
#define cudaGetDeviceProperties_v2 musa_cuda_get_device_properties
#define cudaDeviceGetAttribute musa_cuda_device_get_attribute

#endif
