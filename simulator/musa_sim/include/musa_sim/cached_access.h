/* Loads and stores with cache hints, of which a simulator has no use, of any type.
 *
 * mcc only.
 */
#ifndef MUSA_SIM_CACHED_ACCESS_H
#define MUSA_SIM_CACHED_ACCESS_H

#include <host_defines.h>

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__

namespace musa_sim_detail {

/* T, but not what T is deduced from: a store converts the value to what the address points to. */
template <class T>
struct Same {
    using Type = T;
};

/* The bytes that are read at once of an object of an alignment, 16 at most. They divide the size of each type so aligned. LLVM
 * takes a volatile integer of 128 bits apart, but no volatile vector. */
template <unsigned alignment>
struct WordOf {
    typedef unsigned long long Type __attribute__((vector_size(16)));
};
template <>
struct WordOf<8> {
    using Type = unsigned long long;
};
template <>
struct WordOf<1> {
    using Type = unsigned char;
};
template <>
struct WordOf<2> {
    using Type = unsigned short;
};
template <>
struct WordOf<4> {
    using Type = unsigned;
};

/* Each time anew from memory: another thread may have written. */
template <class Word, class T>
MUSA_SIM_FUNCTION T load_again(const T* address) {
    Word words[sizeof(T) / sizeof(Word)];
    const volatile Word* source = reinterpret_cast<const volatile Word*>(address);
    for (unsigned i = 0; i < sizeof(T) / sizeof(Word); ++i) words[i] = source[i];
    T value;
    __builtin_memcpy(static_cast<void*>(&value), words, sizeof value);
    return value;
}

}  // namespace musa_sim_detail

#define MUSA_SIM_LOAD(name)                           \
    template <class T>                                \
    MUSA_SIM_FUNCTION T name(const T* address) {      \
        return *address;                              \
    }
#define MUSA_SIM_STORE(name)                                                                   \
    template <class T>                                                                         \
    MUSA_SIM_FUNCTION void name(T* address, typename musa_sim_detail::Same<T>::Type value) {   \
        *address = value;                                                                      \
    }
MUSA_SIM_LOAD(__ldg)
MUSA_SIM_LOAD(__ldca)
MUSA_SIM_LOAD(__ldcg)
MUSA_SIM_LOAD(__ldcs)
MUSA_SIM_LOAD(__ldlu)
MUSA_SIM_STORE(__stwb)
MUSA_SIM_STORE(__stwt)
MUSA_SIM_STORE(__stcg)
MUSA_SIM_STORE(__stcs)
#undef MUSA_SIM_LOAD
#undef MUSA_SIM_STORE

template <class T>
MUSA_SIM_FUNCTION T __ldcv(const T* address) {
    return musa_sim_detail::load_again<typename musa_sim_detail::WordOf<alignof(T)>::Type>(address);
}

#undef MUSA_SIM_FUNCTION

#endif
