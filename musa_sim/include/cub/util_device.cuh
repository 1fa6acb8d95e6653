/* How the device-wide algorithms run, and macros for checking calls.
 *
 * They are kernels of one thread. A GPU needs thousands of threads to be busy; here a thread is a loop on a CPU core,
 * so one that walks through the data is as fast as any, and sums come out in the order of the items. They are kernels
 * and not host functions because the function objects and iterators they are given may exist in device code only.
 */
#ifndef MUSA_CUB_UTIL_DEVICE_CUH
#define MUSA_CUB_UTIL_DEVICE_CUH

#include <cub/util_type.cuh>

#include <cstdio>

namespace cub {

inline __host__ musaError_t Debug(musaError_t error, const char *file, int line) {
    if (error != musaSuccess) std::fprintf(stderr, "%s:%d: %s\n", file, line, musaGetErrorString(error));
    return error;
}

#ifndef CubDebug
#define CubDebug(call) cub::Debug((musaError_t)(call), __FILE__, __LINE__)
#endif
#ifndef CubDebugExit
#define CubDebugExit(call)                                     \
    if (cub::Debug((musaError_t)(call), __FILE__, __LINE__)) { \
        exit(1);                                               \
    }
#endif

#if defined(__MUSACC__)

namespace detail {

template <class Body>
__global__ void one_thread(Body body) {
    body();
}

template <class Body>
musaError_t enqueue(musaStream_t stream, Body body) {
    void *arguments[] = {&body};
    return musaLaunchKernel(&one_thread<Body>, dim3(1), dim3(1), arguments, 0, stream);
}

/* The two-phase protocol: without storage, says how much is needed and returns true; with too little of it, fails. */
struct Storage {
    void *memory;
    size_t &bytes;
    size_t needed = 1;  // never 0: a null pointer must not mean both "how much" and "here it is"
    musaError_t error = musaSuccess;

    __host__ Storage(void *memory_, size_t &bytes_) : memory(memory_), bytes(bytes_) {}

    /* Room for `count` values; where it is, if there is storage. */
    template <class T>
    __host__ T *array(size_t count) {
        const size_t at = (needed + alignment - 1) / alignment * alignment;
        needed = at + count * sizeof(T);
        return memory ? reinterpret_cast<T *>(static_cast<char *>(memory) + at) : nullptr;
    }
    __host__ bool only_asked() {
        if (!memory) {
            bytes = needed;
            return true;
        }
        if (bytes < needed) error = musaErrorInvalidValue;
        return error != musaSuccess;
    }

    static constexpr size_t alignment = 256;
};

}  // namespace detail

#endif

}  // namespace cub

#endif
