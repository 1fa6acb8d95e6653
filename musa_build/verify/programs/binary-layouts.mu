// headers musa.h
// refuted by compile-error
// expect properties=1032
// expect properties_major=360
// expect properties_warp=308
// expect properties_reserved_shared=720
// expect copy_3d=160
// expect driver_copy_2d=128
// expect texture=72
// expect launch=56
// expect pointer=24
// expect host_to_device=1
// expect illegal_address=700
// expect not_ready=600
// expect driver_not_found=500
// expect attribute_major=75
// expect driver_attribute_major=75
#include <musa.h>

#include <cstddef>

#include "probe.h"
#define VALUE(name, value) fact(name, static_cast<long long>(value))
// the facts that a program with CUDA's own headers relies on, if it calls by symbols alone
int main() {
    VALUE("properties", sizeof(musaDeviceProp));
    VALUE("properties_major", offsetof(musaDeviceProp, major));
    VALUE("properties_warp", offsetof(musaDeviceProp, warpSize));
    VALUE("properties_reserved_shared", offsetof(musaDeviceProp, reservedSharedMemPerBlock));
    VALUE("copy_3d", sizeof(musaMemcpy3DParms));
    VALUE("driver_copy_2d", sizeof(MUSA_MEMCPY2D));
    VALUE("texture", sizeof(musaTextureDesc));
    VALUE("launch", sizeof(musaLaunchConfig_t));
    VALUE("pointer", sizeof(musaPointerAttributes));
    VALUE("host_to_device", musaMemcpyHostToDevice);
    VALUE("illegal_address", musaErrorIllegalAddress);
    VALUE("not_ready", musaErrorNotReady);
    VALUE("driver_not_found", MUSA_ERROR_NOT_FOUND);
    VALUE("attribute_major", musaDevAttrComputeCapabilityMajor);
    VALUE("driver_attribute_major", MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
}
