// Copies whose elements are each read and written at once. LLVM makes calls of these of loops of such accesses, which mcc
// writes for aligned classes (mcc/passes/atomic_accesses.py).
#include <emmintrin.h>

#include "base/device_abi.h"

namespace {

template <class T>
void copy(void* to, const void* from, std::size_t bytes) {
    T* const target = static_cast<T*>(to);
    const T* const source = static_cast<const T*>(from);
    for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
        __atomic_store_n(target + i, __atomic_load_n(source + i, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    }
}

// An aligned access of 16 bytes is one on every CPU with AVX.
template <>
void copy<__m128i>(void* to, const void* from, std::size_t bytes) {
    volatile __m128i* const target = static_cast<__m128i*>(to);
    const volatile __m128i* const source = static_cast<const __m128i*>(from);
    for (std::size_t i = 0; i < bytes / sizeof(__m128i); ++i) target[i] = source[i];
}

}  // namespace

// Names of LLVM: the number is the size of an element.
#define MUSA_SIM_WHOLE_COPY(size, type)                                                                              \
    extern "C" MUSA_SIM_EXPORT void __llvm_memcpy_element_unordered_atomic_##size(void* to, const void* from,        \
                                                                                  std::size_t bytes) {               \
        copy<type>(to, from, bytes);                                                                                 \
    }
MUSA_SIM_WHOLE_COPY(1, std::uint8_t)
MUSA_SIM_WHOLE_COPY(2, std::uint16_t)
MUSA_SIM_WHOLE_COPY(4, std::uint32_t)
MUSA_SIM_WHOLE_COPY(8, std::uint64_t)
MUSA_SIM_WHOLE_COPY(16, __m128i)
