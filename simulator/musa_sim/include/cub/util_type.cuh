/* The types in cub's public interface. */
#ifndef MUSA_CUB_UTIL_TYPE_CUH
#define MUSA_CUB_UTIL_TYPE_CUH

#include <cub/config.cuh>
#include <musa_sim/radix_keys.h>
#include <musa_sim/type_traits.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

CUB_NAMESPACE_BEGIN

struct NullType {
    template <class T>
    __host__ __device__ NullType &operator=(const T &) {
        return *this;
    }
    __host__ __device__ bool operator==(const NullType &) const { return true; }
    __host__ __device__ bool operator!=(const NullType &) const { return false; }
};

template <int Value>
struct Int2Type {
    enum { VALUE = Value };
};

/* The least L with 2^L >= N. */
template <int N, int Current = N, int Count = 0>
struct Log2 {
    enum { VALUE = Log2<N, (Current >> 1), Count + 1>::VALUE };
};
template <int N, int Count>
struct Log2<N, 0, Count> {
    enum { VALUE = (1 << (Count - 1)) < N ? Count : Count - 1 };
};

template <int N>
struct PowerOfTwo {
    enum { VALUE = (N & (N - 1)) == 0 };
};

template <class A, class B>
struct Equals {
    enum { VALUE = std::is_same<A, B>::value, NEGATE = !VALUE };
};
template <bool Condition, class Then, class Else>
struct If {
    using Type = musa_sim_detail::conditional_t<Condition, Then, Else>;
};

template <class Key, class Value_>
struct KeyValuePair {
    using Key_t = Key;
    using Value = Value_;

    Key key;
    Value value;

    KeyValuePair() = default;
    __host__ __device__ KeyValuePair(const Key &k, const Value &v) : key(k), value(v) {}
    __host__ __device__ bool operator==(const KeyValuePair &other) const {
        return key == other.key && value == other.value;
    }
    __host__ __device__ bool operator!=(const KeyValuePair &other) const { return !(*this == other); }
};

/* Room for a T that no constructor has touched, so that it can stand in shared memory and in unions. Its size is a
 * multiple of 16 because kernels put vectors of 16 bytes behind a TempStorage in dynamic shared memory. */
template <class T>
struct Uninitialized {
    alignas(T) alignas(16) unsigned char storage[sizeof(T)];

    __host__ __device__ T &Alias() { return reinterpret_cast<T &>(storage); }
};

/* An initial value that is read when the kernel runs. */
template <class T, class Iterator = T *>
struct FutureValue {
    using value_type = T;
    using iterator_type = Iterator;

    __host__ __device__ __forceinline__ explicit FutureValue(Iterator iterator) : iterator_(iterator) {}
    __host__ __device__ __forceinline__ operator T() const { return *iterator_; }

private:
    Iterator iterator_;
};

/* The facts of a key's type that radix sorts use. Programs specialise FpLimits and NumericTraits for types of their own, as PyTorch
 * does for c10::BFloat16. */
enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

template <class T>
struct FpLimits {
    static __host__ __device__ __forceinline__ T Max() { return std::numeric_limits<T>::max(); }
    static __host__ __device__ __forceinline__ T Lowest() { return std::numeric_limits<T>::lowest(); }
};
template <>
struct FpLimits<__half> {
    static __host__ __device__ __forceinline__ __half Max() { return __ushort_as_half(0x7bff); }
    static __host__ __device__ __forceinline__ __half Lowest() { return __ushort_as_half(0xfbff); }
};
template <>
struct FpLimits<__mt_bfloat16> {
    static __host__ __device__ __forceinline__ __mt_bfloat16 Max() { return __ushort_as_bfloat16(0x7f7f); }
    static __host__ __device__ __forceinline__ __mt_bfloat16 Lowest() { return __ushort_as_bfloat16(0xff7f); }
};

template <Category Kind, bool Primitive, bool Null, class Bits, class T>
struct BaseTraits {
    static constexpr Category CATEGORY = Kind;
    enum { PRIMITIVE = Primitive, NULL_TYPE = Null };
    using UnsignedBits = Bits;
    static constexpr Bits HIGH_BIT = static_cast<Bits>(Bits(1) << (sizeof(Bits) * 8 - 1));
    /* Bits as they are, not in the order of the values */
    static constexpr Bits LOWEST_KEY = Kind == UNSIGNED_INTEGER ? Bits(0)
                                       : Kind == SIGNED_INTEGER ? HIGH_BIT
                                                                : static_cast<Bits>(-1);
    static constexpr Bits MAX_KEY = Kind == UNSIGNED_INTEGER ? static_cast<Bits>(-1) : static_cast<Bits>(~HIGH_BIT);

    /* Bits in the order of the values, and back */
    static __host__ __device__ __forceinline__ Bits TwiddleIn(Bits key) {
        if (Kind == FLOATING_POINT) return static_cast<Bits>(key & HIGH_BIT ? ~key : key ^ HIGH_BIT);
        return Kind == SIGNED_INTEGER ? static_cast<Bits>(key ^ HIGH_BIT) : key;
    }
    static __host__ __device__ __forceinline__ Bits TwiddleOut(Bits key) {
        if (Kind == FLOATING_POINT) return static_cast<Bits>(key & HIGH_BIT ? key ^ HIGH_BIT : ~key);
        return Kind == SIGNED_INTEGER ? static_cast<Bits>(key ^ HIGH_BIT) : key;
    }

    static __host__ __device__ __forceinline__ T Max() { return Kind == FLOATING_POINT ? FpLimits<T>::Max() : from(MAX_KEY); }
    static __host__ __device__ __forceinline__ T Lowest() {
        return Kind == FLOATING_POINT ? FpLimits<T>::Lowest() : from(LOWEST_KEY);
    }

private:
    static __host__ __device__ __forceinline__ T from(Bits bits) {
        T value;
        __builtin_memcpy(static_cast<void *>(&value), &bits, sizeof value);
        return value;
    }
};
template <bool Primitive, bool Null, class Bits, class T>
struct BaseTraits<NOT_A_NUMBER, Primitive, Null, Bits, T> {
    static constexpr Category CATEGORY = NOT_A_NUMBER;
    enum { PRIMITIVE = Primitive, NULL_TYPE = Null };
};

namespace detail {

template <class T>
constexpr Category category_of() {
    return musa_sim_detail::is_floating_key<T> ? FLOATING_POINT
           : !std::is_integral<T>::value       ? NOT_A_NUMBER
           : std::is_signed<T>::value          ? SIGNED_INTEGER
                                               : UNSIGNED_INTEGER;
}
template <class T, bool Number>
struct BitsOf {
    using Type = T;
};
template <class T>
struct BitsOf<T, true> {
    using Type = musa_sim_detail::radix_bits_t<T>;
};

}  // namespace detail

template <class T>
struct NumericTraits
    : BaseTraits<detail::category_of<T>(), detail::category_of<T>() != NOT_A_NUMBER, std::is_same<T, NullType>::value,
                 typename detail::BitsOf<T, detail::category_of<T>() != NOT_A_NUMBER>::Type, T> {};
template <class T>
struct Traits : NumericTraits<musa_sim_detail::remove_cv_t<T>> {};

namespace detail {

/* The digits that a sort compares. NumericTraits describes the keys of types that the SDK does not know. */
template <class Key>
__host__ __device__ __forceinline__ std::uint64_t digits_of(const Key &key, musa_sim_detail::RadixRange range) {
    if constexpr (category_of<Key>() != NOT_A_NUMBER) {
        return range(key);
    } else {
        using Of = Traits<Key>;
        static_assert(Of::CATEGORY != NOT_A_NUMBER, "keys are numbers, or types for which cub::NumericTraits is specialised");
        typename Of::UnsignedBits bits;
        __builtin_memcpy(&bits, static_cast<const void *>(&key), sizeof bits);
        if (Of::CATEGORY == FLOATING_POINT && bits == Of::HIGH_BIT) bits = 0;
        return range.of_ordered(Of::TwiddleIn(bits));
    }
}

}  // namespace detail

template <class A, class B>
__host__ __device__ __forceinline__ constexpr A DivideAndRoundUp(A n, B d) {
    return static_cast<A>(n / d + (n % d != 0 ? 1 : 0));
}

/* Two buffers of which one holds the data; an algorithm may write to both and switches `selector`. */
template <class T>
struct DoubleBuffer {
    T *d_buffers[2];
    int selector;

    __host__ __device__ DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
    __host__ __device__ DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate}, selector(0) {}
    __host__ __device__ T *Current() const { return d_buffers[selector]; }
    __host__ __device__ T *Alternate() const { return d_buffers[selector ^ 1]; }
};

namespace detail {

template <class Iterator>
using value_t = typename std::iterator_traits<Iterator>::value_type;

/* Device-wide algorithms compute in the output's type, or in the input's if the output iterator has none. */
template <class Output, class Input>
using accumulator_t =
    musa_sim_detail::conditional_t<std::is_void<value_t<Output>>::value, value_t<Input>, value_t<Output>>;

}  // namespace detail

CUB_NAMESPACE_END

#endif
