// Common parts of the driver's functions: all of them are calls of the runtime API in other words.
#pragma once

#include <cstdint>

#include <musa.h>
#include <musa_runtime_api.h>

#include "../exported.h"

// The first name of a function that programs import by that of its second version (musa.h), in the file that defines it.
#define MUSA_FIRST_NAME(name)                                                                     \
    MUSA_EXPORT __attribute__((alias(#name "_v2"))) decltype(name##_v2) name##_first __asm__(#name);

namespace driver {

inline musaArray_t runtimes(MUarray array) { return reinterpret_cast<musaArray_t>(array); }
// The device of a context; false if it is none.
bool device_of(MUcontext context, MUdevice* device);
MUresult primary_context(MUdevice device, MUcontext* context);
// An element of arrays in the runtime's words, and back; false if there is no such element.
bool describe(MUarray_format format, unsigned channels, musaChannelFormatDesc* element);
MUarray_format format_of(const musaChannelFormatDesc& element);
unsigned channels_of(const musaChannelFormatDesc& element);
// Copies of boxes in the runtime's words, and back.
musaError_t runtime_copy(const MUSA_MEMCPY3D& box, musaMemcpy3DParms* same);
MUSA_MEMCPY3D driver_copy(const musaMemcpy3DParms& copy);

inline void* pointer(MUdeviceptr address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }
inline MUdeviceptr address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

MUresult result_of(musaError_t error);

// The length of the image in so many bytes; 0 if they are none.
std::size_t image_length(const void* image, std::size_t bytes);

// MUSA_ERROR_NOT_INITIALIZED before muInit.
MUresult check_initialised();

// A call of the runtime, once muInit was called.
template <class Call>
MUresult call(Call runtime) {
    const MUresult status = check_initialised();
    if (status != MUSA_SUCCESS) return status;
    const musaError_t error = runtime();
    // The driver has no last error; what it reported must not be found by the runtime's users.
    if (error != musaSuccess) musaGetLastError();
    return result_of(error);
}

}  // namespace driver
