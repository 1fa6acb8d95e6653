#pragma once

#include "../../core/Allocator.h"
#include "../../core/Device.h"
#include "../../core/MUSAFunctions.h"
#include "../../core/MUSAStream.h"

// Ported sources rely on the headers that CUDAContextLight.h includes.
#include <c10/core/Allocator.h>
#include <c10/core/Device.h>
#include <mublas.h>
#include <mublasLt.h>
#include <musa_runtime_api.h>
#include <musolver.h>
#include <musparse.h>

#include <cstdint>
#include <map>
#include <shared_mutex>

namespace at::musa {

/// Number of devices, as an int64_t because at::cuda::getNumGPUs() is one.
inline int64_t getNumGPUs() {
  return c10::musa::device_count();
}

/// True if there is at least one device. Never throws.
inline bool is_available() {
  return c10::musa::device_count() > 0;
}

/// Properties of the current device; the pointer is valid until the process ends. warpSize is warp_size(), which up to
/// mp_22 is not what musaGetDeviceProperties says.
musaDeviceProp* getCurrentDeviceProperties();

/// Properties of `device`; throws if there is no such device.
musaDeviceProp* getDeviceProperties(c10::DeviceIndex device);

/// The lanes of a warp in device code of the current device: 32, or what MUSA_SIM_WARP says. PyTorch's reductions size
/// shared memory by it, so it must be the width that their kernels see.
int warp_size();

bool canDeviceAccessPeer(c10::DeviceIndex device, c10::DeviceIndex peer);

/// The number that __MUSA_ARCH__ has in device code of `device` (-1: the current one): 210, 220, 310.
int getMUSAArch(c10::DeviceIndex device = -1);

/// bfloat16 exists from mp_22 on.
inline bool maybeDNNOpSupportBFloat16() {
  return getMUSAArch() >= 220;
}

/// The calling thread's muBLAS handle for the current device, set to the current stream. It stays the library's.
mublasHandle_t getCurrentMUSABlasHandle();

/// The calling thread's handles of the other libraries for the current device, set to the current stream where they
/// have one. They stay the libraries'.
mublasLtHandle_t getCurrentMUSABlasLtHandle();
musolverDnHandle_t getCurrentMUSASolverDnHandle();
musparseHandle_t getCurrentMUSASparseHandle();

/// Real torch_musa initialises itself lazily; here loading the library is enough.
inline void lazyInitMUSA() {}

} // namespace at::musa
