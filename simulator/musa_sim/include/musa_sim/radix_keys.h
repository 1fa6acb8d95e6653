/* Keys for radix sorts: unsigned numbers in the order of the values they stand for.
 *
 * Integers of any size, bool, float, double, __half and __mt_bfloat16. -0.0 and 0.0 are equal, and NaNs lie beyond the
 * infinity of their sign, as cub documents it.
 */
#ifndef MUSA_SIM_RADIX_KEYS_H
#define MUSA_SIM_RADIX_KEYS_H

#include <musa_bf16.h>
#include <musa_fp16.h>

#include <cstdint>
#include <type_traits>

namespace musa_sim_detail {

template <int Size>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
    using type = std::uint8_t;
};
template <>
struct unsigned_of_size<2> {
    using type = std::uint16_t;
};
template <>
struct unsigned_of_size<4> {
    using type = std::uint32_t;
};
template <>
struct unsigned_of_size<8> {
    using type = std::uint64_t;
};

template <class Key>
using radix_bits_t = typename unsigned_of_size<sizeof(Key)>::type;

template <class Key>
inline constexpr bool is_floating_key = std::is_floating_point<Key>::value || std::is_same<Key, __half>::value ||
                                        std::is_same<Key, __mt_bfloat16>::value;

template <class Key>
__host__ __device__ __forceinline__ radix_bits_t<Key> radix_bits(const Key &key) {
    using Bits = radix_bits_t<Key>;
    static_assert(is_floating_key<Key> || std::is_integral<Key>::value, "keys are numbers");
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (sizeof(Key) * 8 - 1));
    Bits bits;
    __builtin_memcpy(&bits, static_cast<const void *>(&key), sizeof bits);
    if (is_floating_key<Key>) {
        if (bits == sign) bits = 0;
        return static_cast<Bits>(bits & sign ? ~bits : bits | sign);
    }
    return std::is_signed<Key>::value ? static_cast<Bits>(bits ^ sign) : bits;
}

/* The bits [begin, end) of a key, for ascending or descending order. */
struct RadixRange {
    int begin;
    int end;
    bool descending;

    template <class Key>
    __host__ __device__ __forceinline__ std::uint64_t operator()(const Key &key) const {
        return of_ordered(radix_bits(key));
    }

    /* Of bits that are in the order of the values */
    template <class Bits>
    __host__ __device__ __forceinline__ std::uint64_t of_ordered(Bits bits) const {
        if (descending) bits = static_cast<Bits>(~bits);
        const int length = end - begin;
        const std::uint64_t shifted = static_cast<std::uint64_t>(bits) >> begin;
        return length >= 64 ? shifted : shifted & ((std::uint64_t{1} << length) - 1);
    }
};

}  // namespace musa_sim_detail

#endif
