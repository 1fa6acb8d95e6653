/* Types of cub that stand in its public interface. */
#ifndef MUSA_CUB_UTIL_TYPE_CUH
#define MUSA_CUB_UTIL_TYPE_CUH

#include <cub/config.cuh>

#include <iterator>
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
    using Type = std::conditional_t<Condition, Then, Else>;
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

/* An initial value that is in memory only when a kernel needs it */
template <class T, class Iterator = T *>
struct FutureValue {
    using value_type = T;
    using iterator_type = Iterator;

    __host__ __device__ __forceinline__ explicit FutureValue(Iterator iterator) : iterator_(iterator) {}
    __host__ __device__ __forceinline__ operator T() const { return *iterator_; }

private:
    Iterator iterator_;
};

/* What radix sorts ask of a key's type */
enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

template <class T>
struct NumericTraits {
    static constexpr Category CATEGORY = std::is_floating_point<T>::value                             ? FLOATING_POINT
                                         : !std::is_integral<T>::value || std::is_same<T, bool>::value ? NOT_A_NUMBER
                                         : std::is_signed<T>::value                                   ? SIGNED_INTEGER
                                                                                                      : UNSIGNED_INTEGER;
    enum { PRIMITIVE = std::is_arithmetic<T>::value, NULL_TYPE = std::is_same<T, NullType>::value };
    using UnsignedBits = std::conditional_t<
        sizeof(T) == 1, unsigned char,
        std::conditional_t<sizeof(T) == 2, unsigned short,
                           std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>>;
    static constexpr UnsignedBits HIGH_BIT = static_cast<UnsignedBits>(UnsignedBits(1) << (sizeof(UnsignedBits) * 8 - 1));

    /* Bits in the order of the values, and back */
    static __host__ __device__ __forceinline__ UnsignedBits TwiddleIn(UnsignedBits key) {
        if (CATEGORY == FLOATING_POINT) return static_cast<UnsignedBits>(key & HIGH_BIT ? ~key : key ^ HIGH_BIT);
        return CATEGORY == SIGNED_INTEGER ? static_cast<UnsignedBits>(key ^ HIGH_BIT) : key;
    }
    static __host__ __device__ __forceinline__ UnsignedBits TwiddleOut(UnsignedBits key) {
        if (CATEGORY == FLOATING_POINT) return static_cast<UnsignedBits>(key & HIGH_BIT ? key ^ HIGH_BIT : ~key);
        return CATEGORY == SIGNED_INTEGER ? static_cast<UnsignedBits>(key ^ HIGH_BIT) : key;
    }
};
template <class T>
struct Traits : NumericTraits<std::remove_cv_t<T>> {};

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

/* Device-wide algorithms compute in the type of the output; where an output iterator has none, in that of the input. */
template <class Output, class Input>
using accumulator_t = std::conditional_t<std::is_void<value_t<Output>>::value, value_t<Input>, value_t<Output>>;

}  // namespace detail

CUB_NAMESPACE_END

#endif
