/* Launches from kernels, by the names of CUDA 11's device runtime: declared, because muThrust's templates name them, and
 * refused. There is no memory for parameters, and nothing is launched.
 *
 * mcc only.
 */
#ifndef MUSA_SIM_DEVICE_LAUNCH_H
#define MUSA_SIM_DEVICE_LAUNCH_H

#include <driver_types.h>
#include <host_defines.h>

__device__ __forceinline__ void* musaGetParameterBuffer(size_t, size_t) { return nullptr; }
__device__ __forceinline__ void* musaGetParameterBufferV2(void*, dim3, dim3, unsigned) { return nullptr; }
__device__ __forceinline__ musaError_t musaLaunchDevice(void*, void*, dim3, dim3, unsigned, musaStream_t) {
    return musaErrorNotSupported;
}
__device__ __forceinline__ musaError_t musaLaunchDeviceV2(void*, musaStream_t) { return musaErrorNotSupported; }

#endif
