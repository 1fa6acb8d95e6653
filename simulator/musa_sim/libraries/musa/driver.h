// Common parts of the driver's functions: all of them are calls of the runtime API in other words.
#pragma once

#include <musa.h>
#include <musa_runtime_api.h>

#define MUSA_EXPORT extern "C" __attribute__((visibility("default")))

namespace driver {

MUresult result_of(musaError_t error);

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
