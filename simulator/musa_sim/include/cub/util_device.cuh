/* How the device-wide algorithms ask for storage, and macros for checking calls. See musa_sim/one_thread.h. */
#ifndef MUSA_CUB_UTIL_DEVICE_CUH
#define MUSA_CUB_UTIL_DEVICE_CUH

#include <cub/util_type.cuh>
#include <musa_sim/one_thread.h>

#include <cstdio>

CUB_NAMESPACE_BEGIN

inline __host__ musaError_t Debug(musaError_t error, const char *file, int line) {
    if (error != musaSuccess) std::fprintf(stderr, "%s:%d: %s\n", file, line, musaGetErrorString(error));
    return error;
}

#ifndef CubDebug
#define CubDebug(call) CUB_NS_QUALIFIER::Debug((musaError_t)(call), __FILE__, __LINE__)
#endif
#ifndef CubDebugExit
#define CubDebugExit(call)                                     \
    if (CUB_NS_QUALIFIER::Debug((musaError_t)(call), __FILE__, __LINE__)) { \
        exit(1);                                               \
    }
#endif

#if defined(__MUSACC__)

namespace detail {

using musa_sim_detail::enqueue;

/* The two-phase protocol: without storage, return true and the size that is needed; with too little storage, fail. */
struct Storage {
    void *memory;
    size_t &bytes;
    size_t needed = 1;  // never 0: a null pointer must not mean both "how much" and "here it is"
    musaError_t error = musaSuccess;

    __host__ Storage(void *memory_, size_t &bytes_) : memory(memory_), bytes(bytes_) {}

    /* Reserve room for `count` values; return its address if there is storage. */
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

CUB_NAMESPACE_END

#endif
