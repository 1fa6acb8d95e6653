// The handle, and operations in the order of its stream.
#pragma once

#include <mublas.h>

#include <utility>

#include "../enqueue.h"
#include "../scalar.h"
#include "enumerators.h"

struct mublasContext {
    musaStream_t stream = nullptr;
    mublasPointerMode_t pointer_mode = MUBLAS_POINTER_MODE_HOST;
    mublasMath_t math_mode = MUBLAS_DEFAULT_MATH;
    mublasAtomicsMode_t atomics_mode = MUBLAS_ATOMICS_NOT_ALLOWED;
    int multiprocessors = 0;  // the most that an operation takes; 0: all
};

namespace mublas {

// Return MUBLAS_STATUS_INVALID_HANDLE unless the handle was created and not yet destroyed.
mublasStatus check_handle(mublasHandle_t handle);

// alpha or beta, in the memory that the handle's pointer mode says.
template <class T>
struct Scalar : musa_sim::Scalar<T> {
    Scalar(mublasHandle_t handle, const T* address)
        : musa_sim::Scalar<T>(address, handle->pointer_mode == MUBLAS_POINTER_MODE_DEVICE) {}
};

inline mublasStatus status_of(musaError_t error) {
    return error == musaSuccess ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INTERNAL_ERROR;
}

template <class Work>
mublasStatus enqueue(mublasHandle_t handle, Work work) {
    return status_of(musa_sim::enqueue_work(handle->stream, std::move(work)));
}

// Enqueue an operation that returns a number; wait for it if the number goes to the host.
template <class Work>
mublasStatus enqueue_result(mublasHandle_t handle, Work work) {
    const mublasStatus status = enqueue(handle, std::move(work));
    if (status != MUBLAS_STATUS_SUCCESS || handle->pointer_mode == MUBLAS_POINTER_MODE_DEVICE) return status;
    return status_of(musaStreamSynchronize(handle->stream));
}

}  // namespace mublas
