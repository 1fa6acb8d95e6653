// Functions that the files of the driver API share. The driver API is written as calls of the runtime API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <musa.h>
#include <musa_runtime_api.h>
#include <musa_sim_activity.h>

#include "../exported.h"

// Define the first name of a function, beside its second version. Programs import the second one (musa.h).
#define MUSA_FIRST_NAME(name)                                                                     \
    MUSA_EXPORT __attribute__((alias(#name "_v2"))) decltype(name##_v2) name##_first __asm__(#name);

namespace driver {

inline musaArray_t runtimes(MUarray array) { return reinterpret_cast<musaArray_t>(array); }
inline musaMipmappedArray_t runtimes(MUmipmappedArray array) { return reinterpret_cast<musaMipmappedArray_t>(array); }
// Find the device of a context; return false for an invalid one.
bool device_of(MUcontext context, MUdevice* device);
MUresult primary_context(MUdevice device, MUcontext* context);
// Convert the element type of arrays between the driver's and the runtime's description; return false for an invalid
// one.
bool describe(MUarray_format format, unsigned channels, musaChannelFormatDesc* element);
MUarray_format format_of(const musaChannelFormatDesc& element);
unsigned channels_of(const musaChannelFormatDesc& element);
// Convert copies of boxes between the driver's and the runtime's description.
musaError_t runtime_copy(const MUSA_MEMCPY3D& box, musaMemcpy3DParms* same);
MUSA_MEMCPY3D driver_copy(const musaMemcpy3DParms& copy);

inline void* pointer(MUdeviceptr address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }
inline MUdeviceptr address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

MUresult result_of(musaError_t error);

// Return the length of the image in a buffer of `bytes`, 0 if it holds none.
std::size_t image_length(const void* image, std::size_t bytes);

// Return the length of the relocatable code (mcc -fgpu-rdc) at an address, 0 if there is none.
std::size_t relocatable_length(const void* code);
bool is_relocatable(const std::vector<char>& file);

// Code for the device link, with its name for messages.
struct LinkInput {
    std::string name;
    std::vector<char> bytes;
};

// Link relocatable code, objects and archives to an image, by mcc; an empty one if they have no device code. An error
// has a message in `why`.
MUresult link(const std::vector<LinkInput>& inputs, std::vector<char>& image, std::string& why);

// Return MUSA_ERROR_NOT_INITIALIZED before muInit.
MUresult check_initialised();

// A call that is reported to a profiler, for as long as the object lives: one that submits work or waits for it.
class RecordedCall {
public:
    explicit RecordedCall(const char* name) : entered_(musa_sim_activity_call_enter(name)) {}
    ~RecordedCall() { musa_sim_activity_call_leave(entered_); }
    RecordedCall(const RecordedCall&) = delete;
    RecordedCall& operator=(const RecordedCall&) = delete;

private:
    musa_sim_call* entered_;
};

// Make a call of the runtime if muInit was called.
template <class Call>
MUresult call(Call runtime) {
    const MUresult status = check_initialised();
    if (status != MUSA_SUCCESS) return status;
    const musaError_t error = runtime();
    // The driver has no last error: users of the runtime must not see an error that the driver has reported.
    if (error != musaSuccess) musaGetLastError();
    return result_of(error);
}

}  // namespace driver
