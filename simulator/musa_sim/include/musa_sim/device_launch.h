/* Launches from kernels, by the names of CUDA 11's device runtime: declared, because muThrust's templates name them, and
 * refused. There is no memory for parameters, and nothing is launched. Kernels may choose what a graph runs.
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

/* Set the value on which a conditional node of a graph depends. The handle is its address */
__device__ __forceinline__ void musaGraphSetConditional(musaGraphConditionalHandle handle, unsigned int value) {
    __atomic_store_n(reinterpret_cast<unsigned int*>(handle), value, __ATOMIC_RELAXED);
}

/* clang's CUDA mode looks for these when it compiles such a launch, with -fgpu-rdc also in lambdas of host code. mcc refuses
 * device code that calls them. */
extern "C" __device__ void* cudaGetParameterBuffer(size_t, size_t);
extern "C" __device__ int cudaLaunchDevice(void*, void*, dim3, dim3, unsigned, void*);

#endif
