/* MUSA's own accesses within bounds: what is outside of an array reads as zero. As TileLang calls them (tl_templates/musa/copy.h)
 * for mp_31; here every architecture has them.
 *
 * An access that is not within the array as a whole gives zeros, and the size counts elements of the pointer's type: both are
 * guesses (TileLang's elements are bytes). mcc only.
 */
#ifndef MUSA_ROBUST_H
#define MUSA_ROBUST_H

#if defined(__MUSACC__)

#include <musa_sim/numbered_barriers.h>
#include <stdint.h>

namespace __musa {

struct robust_v4_addr_t {
    const void* base;
    uint64_t bytes;
};

template <class T>
class robust_ptr {
public:
    __device__ robust_ptr(T* pointer, uint64_t count) : address_{pointer, count * sizeof(T)} {}
    __device__ robust_v4_addr_t get_v4_robust_addr() const { return address_; }

private:
    robust_v4_addr_t address_;
};

}  // namespace __musa

namespace musa_sim_detail {

__device__ __forceinline__ bool is_within(const void* at, uint64_t bytes, __musa::robust_v4_addr_t array) {
    const uint64_t offset = reinterpret_cast<uint64_t>(at) - reinterpret_cast<uint64_t>(array.base);
    return offset <= array.bytes && bytes <= array.bytes - offset;
}
template <class T>
__device__ __forceinline__ T robust_load(const void* at, __musa::robust_v4_addr_t array) {
    T value = {};
    if (is_within(at, sizeof(T), array)) __builtin_memcpy(&value, at, sizeof(T));
    return value;
}

}  // namespace musa_sim_detail

#define MUSA_SIM_ROBUST(NAME, ...)                                                                                   \
    namespace musa_sim_detail {                                                                                      \
    struct robust_##NAME {                                                                                           \
        typedef __VA_ARGS__;                                                                                         \
    };                                                                                                               \
    }                                                                                                                \
    __device__ __forceinline__ musa_sim_detail::robust_##NAME::type __musa_ld_v4_robust_##NAME(                      \
        const void* at, __musa::robust_v4_addr_t array, int) {                                                       \
        return musa_sim_detail::robust_load<musa_sim_detail::robust_##NAME::type>(at, array);                        \
    }
MUSA_SIM_ROBUST(i8, int8_t type)
MUSA_SIM_ROBUST(i16, int16_t type)
MUSA_SIM_ROBUST(i32, int32_t type)
MUSA_SIM_ROBUST(i64, int64_t type)
MUSA_SIM_ROBUST(v3i32, struct { int32_t x[3]; } type)
MUSA_SIM_ROBUST(v4i32, int32_t type __attribute__((vector_size(16))))
MUSA_SIM_ROBUST(v8i32, int32_t type __attribute__((vector_size(32))))
MUSA_SIM_ROBUST(v16i32, int32_t type __attribute__((vector_size(64))))
MUSA_SIM_ROBUST(v32i32, int32_t type __attribute__((vector_size(128))))
#undef MUSA_SIM_ROBUST

__device__ __forceinline__ void __musa_memcpy_g2s_robust_v4(__attribute__((address_space(3))) void* to,
                                                            __attribute__((address_space(1))) const void* from,
                                                            unsigned bytes, __musa::robust_v4_addr_t array, unsigned) {
    if (musa_sim_detail::is_within((const void*)from, bytes, array)) return __musa_memcpy_g2s(to, from, bytes, 0);
    __builtin_memset((void*)to, 0, bytes);
    __musa_sim_copy_started((const void*)to, bytes);
}

#endif

#endif
