// The handle, and how an operation comes to run in the order of its stream.
#pragma once

#include "base/device_abi.h"
#include <mublas.h>

#include <memory>
#include <typeinfo>
#include <utility>

#define MUBLAS_EXPORT extern "C" __attribute__((visibility("default")))

struct mublasContext {
    musaStream_t stream = nullptr;
    mublasPointerMode_t pointer_mode = MUBLAS_POINTER_MODE_HOST;
    mublasMath_t math_mode = MUBLAS_DEFAULT_MATH;
    mublasAtomicsMode_t atomics_mode = MUBLAS_ATOMICS_NOT_ALLOWED;
    int multiprocessors = 0;  // that an operation may take; 0 for all
};

namespace mublas {

// MUBLAS_STATUS_INVALID_HANDLE unless the handle was created and not yet destroyed.
mublasStatus check_handle(mublasHandle_t handle);

// alpha or beta: its value now, if the host holds it, or where it is to be read when the operation runs.
template <class T>
class Scalar {
public:
    Scalar(mublasHandle_t handle, const T* at)
        : at_(handle->pointer_mode == MUBLAS_POINTER_MODE_DEVICE ? at : nullptr), value_(at_ ? T() : *at) {}
    T get() const { return at_ ? *at_ : value_; }

private:
    const T* at_;
    T value_;
};

// Runs `work` on the host when the stream comes to it: to the simulator device memory is memory.
template <class Work>
mublasStatus enqueue(mublasHandle_t handle, Work work) {
    auto owned = std::make_unique<Work>(std::move(work));
    void (*run)(void*) = [](void* data) { (*static_cast<Work*>(data))(); };
    void (*discard)(void*) = [](void* data) { delete static_cast<Work*>(data); };
    const int error =
        __musa_sim_launch_library_work(handle->stream, run, discard, owned.get(), typeid(Work).name());
    if (error != musaSuccess) return MUBLAS_STATUS_INTERNAL_ERROR;
    owned.release();
    return MUBLAS_STATUS_SUCCESS;
}

// The same for an operation whose result is a number: if the host is to get it, it is there on return.
template <class Work>
mublasStatus enqueue_result(mublasHandle_t handle, Work work) {
    const mublasStatus status = enqueue(handle, std::move(work));
    if (status != MUBLAS_STATUS_SUCCESS || handle->pointer_mode == MUBLAS_POINTER_MODE_DEVICE) return status;
    return musaStreamSynchronize(handle->stream) == musaSuccess ? MUBLAS_STATUS_SUCCESS
                                                               : MUBLAS_STATUS_INTERNAL_ERROR;
}

inline bool is_operation(mublasOperation_t operation) {
    return operation == MUBLAS_OP_N || operation == MUBLAS_OP_T || operation == MUBLAS_OP_C;
}

}  // namespace mublas
