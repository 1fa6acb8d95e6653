/* Instructions of PTX that no function of MUSA replaces: what `musa-build port` makes of inline PTX calls them.
 *
 * The semantics are those of NVIDIA's "PTX ISA". Only for mcc: other compilers see an empty header. The names of MUSA
 * that are used here and are not CUDA's own: __get_laneid and __get_lanemask_* (in the ported code itself).
 */
#ifndef MUSA_BUILD_MUSA_PTX_H
#define MUSA_BUILD_MUSA_PTX_H

#if defined(__MUSACC__)

#include <musa_runtime.h>

#include <musa_ptx_mbarrier.h>

/* The simulator has a check for races that has to know of asynchronous copies and barriers, and barriers by number. */
#if defined(__has_include)
#if __has_include(<musa_sim/async_copies.h>) && __has_include(<musa_sim/named_barriers.h>)
#include <musa_sim/async_copies.h>
#include <musa_sim/named_barriers.h>
#define MUSA_PTX_TELL(call) __musa_sim_##call
#define MUSA_PTX_HAS_NAMED_BARRIERS
#endif
#endif
#ifndef MUSA_PTX_TELL
#define MUSA_PTX_TELL(call) static_cast<void>(0)
#endif

#define MUSA_PTX_FUNCTION __device__ __forceinline__

namespace musa_ptx {

/* Results that are two values, or several. */
template <class T>
struct pair {
    T first;
    bool second;
};
template <class T, int N>
struct alignas(sizeof(T) * N) parts_of {
    T parts[N];
};

/* An integer or a vector of `size` bytes, of 16 at most: what one access reads or writes. LLVM takes a volatile integer of
 * 128 bits apart, but no volatile vector. */
template <unsigned size>
struct word_of {
    typedef unsigned long long type __attribute__((vector_size(16)));
};
template <>
struct word_of<8> {
    using type = unsigned long long;
};
template <>
struct word_of<4> {
    using type = unsigned;
};
template <>
struct word_of<2> {
    using type = unsigned short;
};

template <class To, class From>
MUSA_PTX_FUNCTION To bits_as(const From& from) {
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

template <class T>
struct limits_of;
#define MUSA_PTX_LIMITS(T, least, most)                                \
    template <>                                                        \
    struct limits_of<T> {                                              \
        static constexpr T lowest = static_cast<T>(least);             \
        static constexpr T highest = static_cast<T>(most);             \
        static constexpr int bits = static_cast<int>(8 * sizeof(T));   \
    };
MUSA_PTX_LIMITS(signed char, -128, 127)
MUSA_PTX_LIMITS(unsigned char, 0, 255)
MUSA_PTX_LIMITS(short, -32768, 32767)
MUSA_PTX_LIMITS(unsigned short, 0, 65535)
MUSA_PTX_LIMITS(int, -2147483647 - 1, 2147483647)
MUSA_PTX_LIMITS(unsigned, 0, 0xffffffffu)
MUSA_PTX_LIMITS(long long, -9223372036854775807ll - 1, 9223372036854775807ll)
MUSA_PTX_LIMITS(unsigned long long, 0, 0xffffffffffffffffull)
#undef MUSA_PTX_LIMITS

template <class T>
struct unsigned_of {
    using type = T;
};
template <>
struct unsigned_of<signed char> {
    using type = unsigned char;
};
template <>
struct unsigned_of<short> {
    using type = unsigned short;
};
template <>
struct unsigned_of<int> {
    using type = unsigned;
};
template <>
struct unsigned_of<long long> {
    using type = unsigned long long;
};

template <class T>
constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);

/* Threads. PTX does not fix how threads are numbered in a warp; like MUSA's __get_laneid, x is fastest. */
MUSA_PTX_FUNCTION unsigned warpid() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}
MUSA_PTX_FUNCTION unsigned nwarpid() { return (blockDim.x * blockDim.y * blockDim.z + 31) / 32; }
/* No function of MUSA tells the multiprocessor. One multiprocessor that runs all blocks is what PTX allows: the number
 * may change at any time, and blocks of the same number run at the same time. */
MUSA_PTX_FUNCTION unsigned smid() { return 0; }
MUSA_PTX_FUNCTION unsigned nsmid() { return 1; }

/* Integers */
template <class To, class From>
MUSA_PTX_FUNCTION To saturate(From value) {
    if constexpr (is_signed<From>) {
        if (value < 0)
            return !is_signed<To> || value < static_cast<long long>(limits_of<To>::lowest) ? limits_of<To>::lowest
                                                                                             : static_cast<To>(value);
    }
    return static_cast<unsigned long long>(value) > static_cast<unsigned long long>(limits_of<To>::highest)
               ? limits_of<To>::highest
               : static_cast<To>(value);
}
template <class T>
MUSA_PTX_FUNCTION T mul_hi(T a, T b) {
    if constexpr (sizeof(T) == 2) return static_cast<T>((static_cast<int>(a) * static_cast<long long>(b)) >> 16);
    else if constexpr (sizeof(T) == 4 && is_signed<T>) return __mulhi(a, b);
    else if constexpr (sizeof(T) == 4) return __umulhi(a, b);
    else if constexpr (is_signed<T>) return __mul64hi(a, b);
    else return __umul64hi(a, b);
}
template <class T>
MUSA_PTX_FUNCTION T mul24_hi(T a, T b) {
    if constexpr (is_signed<T>) {
        const long long x = static_cast<int>(static_cast<unsigned>(a) << 8) >> 8;
        return static_cast<T>((x * (static_cast<int>(static_cast<unsigned>(b) << 8) >> 8)) >> 16);
    } else {
        return static_cast<T>((static_cast<unsigned long long>(a & 0xffffff) * (b & 0xffffff)) >> 16);
    }
}
template <class T>
MUSA_PTX_FUNCTION typename unsigned_of<T>::type sad(T a, T b, typename unsigned_of<T>::type c) {
    using U = typename unsigned_of<T>::type;
    return static_cast<U>(c + (a < b ? static_cast<U>(b) - static_cast<U>(a) : static_cast<U>(a) - static_cast<U>(b)));
}
template <class T>
MUSA_PTX_FUNCTION T absolute(T a) {
    using U = typename unsigned_of<T>::type;
    return static_cast<T>(a < 0 ? static_cast<U>(0) - static_cast<U>(a) : static_cast<U>(a));
}
template <class T>
MUSA_PTX_FUNCTION T smaller(T a, T b) {
    return b < a ? b : a;
}
template <class T>
MUSA_PTX_FUNCTION T larger(T a, T b) {
    return a < b ? b : a;
}
/* The highest bit that is not the sign; 0xffffffff if there is none. */
template <class T>
MUSA_PTX_FUNCTION unsigned bfind(T a) {
    using U = typename unsigned_of<T>::type;
    const U bits = static_cast<U>(a < 0 ? ~a : a);
    if (bits == 0) return 0xffffffffu;
    return static_cast<unsigned>(sizeof(T) == 8 ? 63 - __clzll(static_cast<long long>(bits))
                                                : 31 - __clz(static_cast<int>(bits)));
}
template <class T>
MUSA_PTX_FUNCTION unsigned bfind_shift(T a) {
    const unsigned found = bfind(a);
    return found == 0xffffffffu ? found : limits_of<T>::bits - 1 - found;
}
/* The n-th set bit from `base` on (upwards if n > 0, downwards if n < 0); for 0, `base` itself. */
MUSA_PTX_FUNCTION unsigned fns(unsigned mask, unsigned base, int n) {
    base &= 31;
    if (n == 0) return (mask >> base & 1) ? base : 0xffffffffu;
    const int step = n > 0 ? 1 : -1;
    for (int position = static_cast<int>(base), left = n > 0 ? n : -n; position >= 0 && position < 32; position += step)
        if ((mask >> position & 1) && --left == 0) return static_cast<unsigned>(position);
    return 0xffffffffu;
}
template <class T>
MUSA_PTX_FUNCTION T bfe(T a, unsigned first, unsigned count) {
    constexpr unsigned bits = limits_of<T>::bits;
    using U = typename unsigned_of<T>::type;
    first &= 0xff;
    count &= 0xff;
    if (count == 0) return 0;
    const unsigned last = first + count - 1 < bits - 1 ? first + count - 1 : bits - 1;
    const bool sign = is_signed<T> && (static_cast<U>(a) >> last & 1);
    U value = first < bits ? static_cast<U>(a) >> first : 0;
    const U inside = count < bits ? (static_cast<U>(1) << count) - 1 : ~static_cast<U>(0);
    const U existing = first < bits ? ~static_cast<U>(0) >> first : 0;
    value &= inside;
    return static_cast<T>(sign ? value | ~(inside & existing) : value);
}
template <class T>
MUSA_PTX_FUNCTION T bfi(T a, T b, unsigned first, unsigned count) {
    constexpr unsigned bits = limits_of<T>::bits;
    first &= 0xff;
    count &= 0xff;
    if (count == 0 || first >= bits) return b;
    const T inside = (count < bits ? (static_cast<T>(1) << count) - 1 : ~static_cast<T>(0)) << first;
    return (b & ~inside) | ((a << first) & inside);
}
template <class T>
MUSA_PTX_FUNCTION T szext_clamp(T a, unsigned count) {
    if (count >= 32) return a;
    if (count == 0) return 0;
    return static_cast<T>(static_cast<unsigned>(a) << (32 - count)) >> (32 - count);
}
template <class T>
MUSA_PTX_FUNCTION T szext_wrap(T a, unsigned count) {
    return szext_clamp(a, count & 31);
}
MUSA_PTX_FUNCTION unsigned bmsk_clamp(unsigned first, unsigned count) {
    if (first >= 32 || count == 0) return 0;
    return (count >= 32 ? 0xffffffffu : (1u << count) - 1) << first;
}
MUSA_PTX_FUNCTION unsigned bmsk_wrap(unsigned first, unsigned count) { return bmsk_clamp(first & 31, count & 31); }
// A selector with its fourth bit set takes the byte's sign eight times; __byte_perm ignores the bit.
MUSA_PTX_FUNCTION unsigned prmt(unsigned a, unsigned b, unsigned c) {
    const unsigned bytes = __byte_perm(a, b, c & 0x7777);
    const unsigned signs = ((bytes & 0x80808080) >> 7) * 0xff;
    const unsigned chosen = ((c & 8) >> 3 | (c & 0x80) << 1 | (c & 0x800) << 5 | (c & 0x8000) << 9) * 0xff;
    return (bytes & ~chosen) | (signs & chosen);
}
MUSA_PTX_FUNCTION unsigned prmt_f4e(unsigned a, unsigned b, unsigned c) { return __byte_perm(a, b, 0x3210 + 0x1111 * (c & 3)); }
MUSA_PTX_FUNCTION unsigned prmt_b4e(unsigned a, unsigned b, unsigned c) {
    c &= 3;
    return __byte_perm(a, b, (c | (c - 1 & 7) << 4 | (c - 2 & 7) << 8 | (c - 3 & 7) << 12));
}
MUSA_PTX_FUNCTION unsigned prmt_rc8(unsigned a, unsigned b, unsigned c) { return __byte_perm(a, b, 0x1111 * (c & 3)); }
MUSA_PTX_FUNCTION unsigned prmt_ecl(unsigned a, unsigned b, unsigned c) {
    c &= 3;
    return __byte_perm(a, b, c | (c > 1 ? c : 1) << 4 | (c > 2 ? c : 2) << 8 | 3 << 12);
}
MUSA_PTX_FUNCTION unsigned prmt_ecr(unsigned a, unsigned b, unsigned c) {
    c &= 3;
    return __byte_perm(a, b, 0 | (c < 1 ? c : 1) << 4 | (c < 2 ? c : 2) << 8 | c << 12);
}
MUSA_PTX_FUNCTION unsigned prmt_rc16(unsigned a, unsigned b, unsigned c) { return __byte_perm(a, b, c & 1 ? 0x3232 : 0x1010); }
MUSA_PTX_FUNCTION unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
    unsigned result = 0;
    result |= table & 0x01 ? ~a & ~b & ~c : 0;
    result |= table & 0x02 ? ~a & ~b & c : 0;
    result |= table & 0x04 ? ~a & b & ~c : 0;
    result |= table & 0x08 ? ~a & b & c : 0;
    result |= table & 0x10 ? a & ~b & ~c : 0;
    result |= table & 0x20 ? a & ~b & c : 0;
    result |= table & 0x40 ? a & b & ~c : 0;
    result |= table & 0x80 ? a & b & c : 0;
    return result;
}
/* Shifts by the width and more give zero, or only the sign. */
template <class T>
MUSA_PTX_FUNCTION T shl(T a, unsigned count) {
    return count < static_cast<unsigned>(limits_of<T>::bits) ? static_cast<T>(a << count) : 0;
}
template <class T>
MUSA_PTX_FUNCTION T shr(T a, unsigned count) {
    return count < static_cast<unsigned>(limits_of<T>::bits) ? static_cast<T>(a >> count) : a < 0 ? static_cast<T>(-1) : 0;
}
template <class A, class B>
MUSA_PTX_FUNCTION int byte_product(A a, B b, int byte_of_a, int byte_of_b) {
    const int x = is_signed<A> ? static_cast<signed char>(a >> (8 * byte_of_a)) : static_cast<unsigned char>(a >> (8 * byte_of_a));
    const int y = is_signed<B> ? static_cast<signed char>(b >> (8 * byte_of_b)) : static_cast<unsigned char>(b >> (8 * byte_of_b));
    return x * y;
}
template <class A, class B>
MUSA_PTX_FUNCTION unsigned dp4a(A a, B b, unsigned c) {
    for (int i = 0; i < 4; ++i) c += static_cast<unsigned>(byte_product(a, b, i, i));
    return c;
}
template <class A>
MUSA_PTX_FUNCTION int half_word(A a, int i) {
    return is_signed<A> ? static_cast<short>(a >> (16 * i)) : static_cast<unsigned short>(a >> (16 * i));
}
template <class A, class B>
MUSA_PTX_FUNCTION unsigned dp2a(A a, B b, unsigned c, int first) {
    for (int i = 0; i < 2; ++i) {
        const int byte = is_signed<B> ? static_cast<signed char>(b >> (8 * (first + i)))
                                      : static_cast<unsigned char>(b >> (8 * (first + i)));
        c += static_cast<unsigned>(half_word(a, i) * byte);
    }
    return c;
}
template <class A, class B>
MUSA_PTX_FUNCTION unsigned dp2a_lo(A a, B b, unsigned c) {
    return dp2a(a, b, c, 0);
}
template <class A, class B>
MUSA_PTX_FUNCTION unsigned dp2a_hi(A a, B b, unsigned c) {
    return dp2a(a, b, c, 2);
}

/* Video instructions compute with numbers from parts of registers, exactly, and then limit the result to its type. */
template <class Part>
MUSA_PTX_FUNCTION long long part(unsigned word, int index) {
    return static_cast<Part>(word >> (8 * sizeof(Part) * index));
}
template <class To, class From>
MUSA_PTX_FUNCTION To narrow(From value) {
    return static_cast<To>(value);
}
template <class To>
MUSA_PTX_FUNCTION To saturate(__int128 value) {
    return value < limits_of<To>::lowest    ? limits_of<To>::lowest
           : value > limits_of<To>::highest ? limits_of<To>::highest
                                            : static_cast<To>(value);
}
/* `word` with another part. */
template <class Part>
MUSA_PTX_FUNCTION unsigned merge(Part part, int index, unsigned word) {
    using U = typename unsigned_of<Part>::type;
    const int shift = 8 * static_cast<int>(sizeof(Part)) * index;
    return (word & ~(static_cast<unsigned>(limits_of<U>::highest) << shift)) |
           static_cast<unsigned>(static_cast<U>(part)) << shift;
}
template <class T>
MUSA_PTX_FUNCTION T then_add(T a, T b) {
    return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
template <class T>
MUSA_PTX_FUNCTION T then_min(T a, T b) {
    return smaller(a, b);
}
template <class T>
MUSA_PTX_FUNCTION T then_max(T a, T b) {
    return larger(a, b);
}
MUSA_PTX_FUNCTION long long vadd(long long a, long long b) { return a + b; }
MUSA_PTX_FUNCTION long long vsub(long long a, long long b) { return a - b; }
MUSA_PTX_FUNCTION long long vabsdiff(long long a, long long b) { return a < b ? b - a : a - b; }
MUSA_PTX_FUNCTION long long vmin(long long a, long long b) { return smaller(a, b); }
MUSA_PTX_FUNCTION long long vmax(long long a, long long b) { return larger(a, b); }
/* The mean; half up, but half down if it is negative. */
MUSA_PTX_FUNCTION long long vavrg(long long a, long long b) { return (a + b + (a + b >= 0)) >> 1; }
/* The result has 34 bits. */
MUSA_PTX_FUNCTION long long vshl(long long a, long long count) {
    return static_cast<long long>(static_cast<unsigned long long>(a) << count << 30) >> 30;
}
MUSA_PTX_FUNCTION long long vshr(long long a, long long count) { return a >> count; }
MUSA_PTX_FUNCTION long long count_clamp(long long count) { return smaller(count, 32ll); }
MUSA_PTX_FUNCTION long long count_wrap(long long count) { return count & 31; }
MUSA_PTX_FUNCTION long long vset_eq(long long a, long long b) { return a == b; }
MUSA_PTX_FUNCTION long long vset_ne(long long a, long long b) { return a != b; }
MUSA_PTX_FUNCTION long long vset_lt(long long a, long long b) { return a < b; }
MUSA_PTX_FUNCTION long long vset_le(long long a, long long b) { return a <= b; }
MUSA_PTX_FUNCTION long long vset_gt(long long a, long long b) { return a > b; }
MUSA_PTX_FUNCTION long long vset_ge(long long a, long long b) { return a >= b; }
/* The lanes of two registers, one by one: those in `mask` replace the lanes of `word`, or are added to it. */
template <class A, class B, class D>
MUSA_PTX_FUNCTION unsigned lanes(long long (*of)(long long, long long), D (*limit)(long long), unsigned a, unsigned b,
                                 unsigned word, unsigned mask) {
    for (int i = 0; i < static_cast<int>(4 / sizeof(D)); ++i)
        if (mask >> i & 1) word = merge(limit(of(part<A>(a, i), part<B>(b, i))), i, word);
    return word;
}
template <class A, class B>
MUSA_PTX_FUNCTION unsigned sum_of_lanes(long long (*of)(long long, long long), unsigned a, unsigned b, unsigned sum,
                                        unsigned mask) {
    for (int i = 0; i < static_cast<int>(4 / sizeof(A)); ++i)
        if (mask >> i & 1) sum += static_cast<unsigned>(of(part<A>(a, i), part<B>(b, i)));
    return sum;
}

/* Carries. `carry` is the flag CC.CF: a carry after additions, a borrow after subtractions. */
template <class U>
MUSA_PTX_FUNCTION U add_cc(U a, U b, bool& carry) {
    const U sum = a + b;
    carry = sum < a;
    return sum;
}
template <class U>
MUSA_PTX_FUNCTION U addc(U a, U b, bool carry) {
    return a + b + static_cast<U>(carry);
}
template <class U>
MUSA_PTX_FUNCTION U addc_cc(U a, U b, bool& carry) {
    const U sum = a + b, result = sum + static_cast<U>(carry);
    carry = sum < a || result < sum;
    return result;
}
template <class U>
MUSA_PTX_FUNCTION U sub_cc(U a, U b, bool& borrow) {
    borrow = a < b;
    return a - b;
}
template <class U>
MUSA_PTX_FUNCTION U subc(U a, U b, bool borrow) {
    return a - b - static_cast<U>(borrow);
}
template <class U>
MUSA_PTX_FUNCTION U subc_cc(U a, U b, bool& borrow) {
    const U difference = a - b, result = difference - static_cast<U>(borrow);
    borrow = a < b || difference < static_cast<U>(borrow);
    return result;
}

/* Parts of registers */
template <class T, class... Parts>
MUSA_PTX_FUNCTION T pack(Parts... values) {
    T result = 0;
    int shift = 0;
    ((result |= static_cast<T>(values) << shift, shift += static_cast<int>(8 * sizeof(values))), ...);
    return result;
}
template <class Part, class T>
MUSA_PTX_FUNCTION parts_of<Part, sizeof(T) / sizeof(Part)> unpack(T value) {
    return bits_as<parts_of<Part, sizeof(T) / sizeof(Part)>>(value);
}
template <class T>
MUSA_PTX_FUNCTION unsigned pack_bytes(int a, int b, unsigned c) {
    using U = typename unsigned_of<T>::type;
    return c << 16 | static_cast<unsigned>(static_cast<U>(saturate<T>(a))) << 8 | static_cast<U>(saturate<T>(b));
}
/* Parts of less than a byte, of `bits` bits from `low` to `high`. */
template <int low, int high, int bits>
MUSA_PTX_FUNCTION unsigned pack_part(int x) {
    return static_cast<unsigned>(x < low ? low : x > high ? high : x) & ((1u << bits) - 1);
}
template <int low, int high, int bits>
MUSA_PTX_FUNCTION unsigned pack_parts(int a, int b, unsigned c) {
    return c << 2 * bits | pack_part<low, high, bits>(a) << bits | pack_part<low, high, bits>(b);
}
MUSA_PTX_FUNCTION unsigned pack_u4(int a, int b, unsigned c) { return pack_parts<0, 15, 4>(a, b, c); }
MUSA_PTX_FUNCTION unsigned pack_s4(int a, int b, unsigned c) { return pack_parts<-8, 7, 4>(a, b, c); }
MUSA_PTX_FUNCTION unsigned pack_u2(int a, int b, unsigned c) { return pack_parts<0, 3, 2>(a, b, c); }
MUSA_PTX_FUNCTION unsigned pack_s2(int a, int b, unsigned c) { return pack_parts<-2, 1, 2>(a, b, c); }

/* Floating point */
MUSA_PTX_FUNCTION float flushed(float x) {
    const unsigned bits = __float_as_uint(x);
    return bits & 0x7f800000u ? x : __uint_as_float(bits & 0x80000000u);
}
template <class T>
MUSA_PTX_FUNCTION bool is_notanumber(T x) {
    return x != x;
}
MUSA_PTX_FUNCTION bool is_finite(float x) { return (__float_as_uint(x) & 0x7f800000u) != 0x7f800000u; }
MUSA_PTX_FUNCTION bool is_infinite(float x) { return (__float_as_uint(x) & 0x7fffffffu) == 0x7f800000u; }
MUSA_PTX_FUNCTION bool is_subnormal(float x) {
    return !(__float_as_uint(x) & 0x7f800000u) && (__float_as_uint(x) & 0x007fffffu);
}
MUSA_PTX_FUNCTION bool is_finite(double x) { return (__double_as_longlong(x) >> 52 & 0x7ff) != 0x7ff; }
MUSA_PTX_FUNCTION bool is_infinite(double x) { return (__double_as_longlong(x) & 0x7fffffffffffffffll) == 0x7ffll << 52; }
MUSA_PTX_FUNCTION bool is_subnormal(double x) {
    return !(__double_as_longlong(x) >> 52 & 0x7ff) && (__double_as_longlong(x) & 0xfffffffffffffll);
}
template <class T>
MUSA_PTX_FUNCTION bool is_number(T x) {
    return x == x;
}
/* Zero counts as normal. */
template <class T>
MUSA_PTX_FUNCTION bool is_normal(T x) {
    return is_finite(x) && !is_subnormal(x);
}
/* -0 counts as less than +0. */
template <class T>
MUSA_PTX_FUNCTION bool is_less(T a, T b) {
    return a < b || (a == b && a == 0 && 1 / a < 1 / b);
}
template <class T>
MUSA_PTX_FUNCTION T min_number(T a, T b) {
    return a != a ? (b != b ? static_cast<T>(__uint_as_float(0x7fffffffu)) : b) : b != b ? a : is_less(b, a) ? b : a;
}
template <class T>
MUSA_PTX_FUNCTION T max_number(T a, T b) {
    return a != a ? (b != b ? static_cast<T>(__uint_as_float(0x7fffffffu)) : b) : b != b ? a : is_less(a, b) ? b : a;
}
MUSA_PTX_FUNCTION float min_nan(float a, float b) { return a != a || b != b ? __uint_as_float(0x7fffffffu) : min_number(a, b); }
MUSA_PTX_FUNCTION float max_nan(float a, float b) { return a != a || b != b ? __uint_as_float(0x7fffffffu) : max_number(a, b); }
#define MUSA_PTX_COMPARE(name, condition)                \
    template <class T>                                   \
    MUSA_PTX_FUNCTION bool compare_##name(T a, T b) {    \
        return condition;                                \
    }
MUSA_PTX_COMPARE(eq, a == b)
MUSA_PTX_COMPARE(ne, a < b || b < a)
MUSA_PTX_COMPARE(lt, a < b)
MUSA_PTX_COMPARE(le, a <= b)
MUSA_PTX_COMPARE(gt, a > b)
MUSA_PTX_COMPARE(ge, a >= b)
MUSA_PTX_COMPARE(equ, !(a < b || b < a))
MUSA_PTX_COMPARE(neu, !(a == b))
MUSA_PTX_COMPARE(ltu, !(a >= b))
MUSA_PTX_COMPARE(leu, !(a > b))
MUSA_PTX_COMPARE(gtu, !(a <= b))
MUSA_PTX_COMPARE(geu, !(a < b))
MUSA_PTX_COMPARE(num, a == a && b == b)
MUSA_PTX_COMPARE(nan, a != a || b != b)
#undef MUSA_PTX_COMPARE
MUSA_PTX_FUNCTION pair<bool> both(bool p) { return {p, !p}; }
/* A NaN of double precision is the sign bit alone. */
template <class To>
MUSA_PTX_FUNCTION To from_double(double value, int converted) {
    return value != value ? static_cast<To>(1u << (8 * sizeof(To) - 1)) : saturate<To>(converted);
}
MUSA_PTX_FUNCTION float integral_rn(float x) { return rintf(x); }
MUSA_PTX_FUNCTION float integral_rz(float x) { return truncf(x); }
MUSA_PTX_FUNCTION float integral_rd(float x) { return floorf(x); }
MUSA_PTX_FUNCTION float integral_ru(float x) { return ceilf(x); }
MUSA_PTX_FUNCTION double integral_rn(double x) { return rint(x); }
MUSA_PTX_FUNCTION double integral_rz(double x) { return trunc(x); }
MUSA_PTX_FUNCTION double integral_rd(double x) { return floor(x); }
MUSA_PTX_FUNCTION double integral_ru(double x) { return ceil(x); }
/* The 19 upper bits: rounded to the nearest, ties away from zero or to even, or cut off. A NaN becomes 0x7fffffff, but stays
 * one with its upper bits in tf32_rna, as on an H200. */
MUSA_PTX_FUNCTION unsigned tf32_rna(float x) {
    const unsigned bits = __float_as_uint(x);
    return x != x || is_infinite(x) ? bits & ~0x1fffu : (bits + 0x1000u) & ~0x1fffu;
}
MUSA_PTX_FUNCTION unsigned tf32_rn(float x) {
    const unsigned bits = __float_as_uint(x);
    return x != x ? 0x7fffffffu : is_infinite(x) ? bits : (bits + 0xfffu + (bits >> 13 & 1)) & ~0x1fffu;
}
MUSA_PTX_FUNCTION unsigned tf32_rz(float x) { return x != x ? 0x7fffffffu : __float_as_uint(x) & ~0x1fffu; }

#define MUSA_PTX_F32X2_PART(x, i) __uint_as_float(static_cast<unsigned>((x) >> (32 * (i))))
MUSA_PTX_FUNCTION unsigned long long pack_floats(float low, float high) {
    return static_cast<unsigned long long>(__float_as_uint(high)) << 32 | __float_as_uint(low);
}
MUSA_PTX_FUNCTION unsigned long long flushed_f32x2(unsigned long long a) {
    return pack_floats(flushed(MUSA_PTX_F32X2_PART(a, 0)), flushed(MUSA_PTX_F32X2_PART(a, 1)));
}
MUSA_PTX_FUNCTION unsigned long long add_f32x2(unsigned long long a, unsigned long long b) {
    return pack_floats(MUSA_PTX_F32X2_PART(a, 0) + MUSA_PTX_F32X2_PART(b, 0), MUSA_PTX_F32X2_PART(a, 1) + MUSA_PTX_F32X2_PART(b, 1));
}
MUSA_PTX_FUNCTION unsigned long long sub_f32x2(unsigned long long a, unsigned long long b) {
    return pack_floats(MUSA_PTX_F32X2_PART(a, 0) - MUSA_PTX_F32X2_PART(b, 0), MUSA_PTX_F32X2_PART(a, 1) - MUSA_PTX_F32X2_PART(b, 1));
}
MUSA_PTX_FUNCTION unsigned long long mul_f32x2(unsigned long long a, unsigned long long b) {
    return pack_floats(MUSA_PTX_F32X2_PART(a, 0) * MUSA_PTX_F32X2_PART(b, 0), MUSA_PTX_F32X2_PART(a, 1) * MUSA_PTX_F32X2_PART(b, 1));
}
MUSA_PTX_FUNCTION unsigned long long fma_f32x2(unsigned long long a, unsigned long long b, unsigned long long c) {
    return pack_floats(fmaf(MUSA_PTX_F32X2_PART(a, 0), MUSA_PTX_F32X2_PART(b, 0), MUSA_PTX_F32X2_PART(c, 0)),
                       fmaf(MUSA_PTX_F32X2_PART(a, 1), MUSA_PTX_F32X2_PART(b, 1), MUSA_PTX_F32X2_PART(c, 1)));
}
#undef MUSA_PTX_F32X2_PART

/* Memory. A volatile asm statement is a volatile access. Hints for caches have no effect. */
template <class T>
MUSA_PTX_FUNCTION T load(const T* address) {
    return *address;
}
template <class T>
MUSA_PTX_FUNCTION T load_volatile(const volatile T* address) {
    return *address;
}
template <class T, int N>
MUSA_PTX_FUNCTION parts_of<T, N> load_vector(const T* address) {
    return *reinterpret_cast<const parts_of<T, N>*>(address);
}
template <class T, int N>
MUSA_PTX_FUNCTION parts_of<T, N> load_volatile_vector(const volatile T* address) {
    using word = typename word_of<sizeof(parts_of<T, N>)>::type;
    parts_of<word, sizeof(parts_of<T, N>) / sizeof(word)> words;
    for (word& each : words.parts) each = reinterpret_cast<const volatile word*>(address)[&each - words.parts];
    return bits_as<parts_of<T, N>>(words);
}
template <class T>
MUSA_PTX_FUNCTION void store(T* address, T value) {
    *address = value;
}
template <class T>
MUSA_PTX_FUNCTION void store_volatile(volatile T* address, T value) {
    *address = value;
}
template <class T, class... Values>
MUSA_PTX_FUNCTION void store_vector(T* address, Values... values) {
    *reinterpret_cast<parts_of<T, sizeof...(Values)>*>(address) = {{values...}};
}
template <class T, class... Values>
MUSA_PTX_FUNCTION void store_volatile_vector(volatile T* address, Values... values) {
    using whole = parts_of<T, sizeof...(Values)>;
    using word = typename word_of<sizeof(whole)>::type;
    const auto words = bits_as<parts_of<word, sizeof(whole) / sizeof(word)>>(whole{{static_cast<T>(values)...}});
    for (const word& each : words.parts) reinterpret_cast<volatile word*>(address)[&each - words.parts] = each;
}

/* Addresses of shared memory have 32 bits. Those of the dynamic array are small: about 1 MiB, and aligned as the pointers
 * are. That of a static variable is the lower half of its pointer, with the top bit changed where the half is small; the
 * upper half comes back from a static variable, because all of a program's lie within 1 GiB. */
extern __shared__ __attribute__((aligned(16))) char musa_ptx_dynamic[];
constexpr unsigned MiB = 1u << 20, top_bit = 1u << 31;
constexpr unsigned end_of_small = 2 * MiB;

constexpr unsigned dynamic_begin(unsigned long long dynamic) { return 15 * MiB / 16 + (dynamic & 0xffff); }
constexpr unsigned shared_address_of(unsigned long long generic, unsigned long long dynamic) {
    const unsigned long long small = generic - dynamic + dynamic_begin(dynamic);
    if (small < end_of_small) return static_cast<unsigned>(small);
    const unsigned half = static_cast<unsigned>(generic);
    return half + MiB < end_of_small + 2 * MiB ? half ^ top_bit : half;  // all of a variable, also at the edges
}
constexpr unsigned long long generic_address_of(unsigned address, unsigned long long dynamic, unsigned long long near) {
    if (address < end_of_small) return dynamic + address - dynamic_begin(dynamic);
    const int distance = static_cast<int>(address - static_cast<unsigned>(near));
    const bool has_other_bit = distance >= (1 << 30) || distance < -(1 << 30);
    return near + static_cast<int>(has_other_bit ? static_cast<unsigned>(distance) ^ top_bit : static_cast<unsigned>(distance));
}

MUSA_PTX_FUNCTION unsigned shared_address(const void* generic) {
    return shared_address_of(reinterpret_cast<unsigned long long>(generic),
                             reinterpret_cast<unsigned long long>(musa_ptx_dynamic));
}
template <class T>
MUSA_PTX_FUNCTION T* shared_pointer(unsigned address) {
    __shared__ char near[0];  // no byte: a kernel may ask for all shared memory that a block can have
    return reinterpret_cast<T*>(generic_address_of(address, reinterpret_cast<unsigned long long>(musa_ptx_dynamic),
                                                   reinterpret_cast<unsigned long long>(near)));
}
/* CUDA's __cvta_ functions */
MUSA_PTX_FUNCTION size_t generic_to_shared(const void* generic) { return shared_address(generic); }
MUSA_PTX_FUNCTION void* shared_to_generic(size_t address) { return shared_pointer<char>(static_cast<unsigned>(address)); }
MUSA_PTX_FUNCTION size_t generic_to_global(const void* generic) { return reinterpret_cast<size_t>(generic); }
MUSA_PTX_FUNCTION void* global_to_generic(size_t address) { return reinterpret_cast<void*>(address); }

/* A copy that is complete when it returns. Then what waits for it has nothing to do; barriers order it as any store.
 * Both addresses are multiples of the size. */
template <class Whole>
MUSA_PTX_FUNCTION void copy_async_of(unsigned char* to, const unsigned char* from, unsigned from_size) {
    Whole value = {};
    if (from_size >= sizeof(Whole))
        value = *reinterpret_cast<const Whole*>(from);
    else
        for (unsigned i = 0; i < from_size; ++i) reinterpret_cast<unsigned char*>(&value)[i] = from[i];
    *reinterpret_cast<Whole*>(to) = value;
    MUSA_PTX_TELL(copy_started(to, sizeof(Whole)));
}
MUSA_PTX_FUNCTION void copy_async(unsigned char* to, const unsigned char* from, unsigned size, unsigned from_size) {
    if (size == 16) copy_async_of<parts_of<unsigned, 4>>(to, from, from_size);
    else if (size == 8) copy_async_of<parts_of<unsigned, 2>>(to, from, from_size);
    else copy_async_of<unsigned>(to, from, from_size);
}
MUSA_PTX_FUNCTION void commit_copies() { MUSA_PTX_TELL(copies_committed()); }
MUSA_PTX_FUNCTION void wait_for_copies(unsigned left) {
    (void)left;
    MUSA_PTX_TELL(copies_awaited(left));
}
MUSA_PTX_FUNCTION void wait_for_all_copies() {
    commit_copies();
    wait_for_copies(0);
}

/* Atomic operations. CUDA's functions have them for these types only. */
#define MUSA_PTX_ATOMIC(name, function)                                                    \
    template <class T>                                                                     \
    MUSA_PTX_FUNCTION T name(T* address, T value) {                                        \
        return function(address, value);                                                   \
    }
MUSA_PTX_ATOMIC(atomic_add, atomicAdd)
MUSA_PTX_ATOMIC(atomic_min, atomicMin)
MUSA_PTX_ATOMIC(atomic_max, atomicMax)
MUSA_PTX_ATOMIC(atomic_and, atomicAnd)
MUSA_PTX_ATOMIC(atomic_or, atomicOr)
MUSA_PTX_ATOMIC(atomic_xor, atomicXor)
#undef MUSA_PTX_ATOMIC
template <class T>
MUSA_PTX_FUNCTION T atomic_exchange(T* address, T value) {
    return atomicExch(address, value);
}
template <class... Values>
MUSA_PTX_FUNCTION void atomic_add_vector(float* address, Values... values) {
    (atomicAdd(address++, values), ...);
}

/* Barriers by number, for some of the block's threads. No counterpart of MUSA is known (docs/unverified.md): outside the
 * simulator a barrier of all threads is __syncthreads, and any other is a trap. */
MUSA_PTX_FUNCTION void barrier_sync(unsigned number, unsigned threads) {
    const bool of_all = threads == blockDim.x * blockDim.y * blockDim.z;
#ifdef MUSA_PTX_HAS_NAMED_BARRIERS
    if (number == 0 && of_all) __syncthreads();
    else __musa_sim_barrier_sync(number, threads);
#else
    (void)number;
    if (!of_all) __trap();
    __syncthreads();
#endif
}
MUSA_PTX_FUNCTION void barrier_arrive(unsigned number, unsigned threads) {
#ifdef MUSA_PTX_HAS_NAMED_BARRIERS
    __musa_sim_barrier_arrive(number, threads);
#else
    (void)number, (void)threads;
    __trap();
#endif
}

namespace mbarrier {
MUSA_PTX_FUNCTION void init(state* object, unsigned count) { *object = first(count); }
/* The check for races tells the phases apart by addresses: a wait for one must not seem to order the next one's accesses. */
MUSA_PTX_FUNCTION const void* of_phase(const state* object, state phase) {
    return reinterpret_cast<const char*>(object) + (phase & 7);
}
MUSA_PTX_FUNCTION void complete(const state*, state, nothing_to_complete&) {}
/* The last thread to arrive sees what the others wrote before they arrived. */
template <class Completion>
MUSA_PTX_FUNCTION void complete(const state* object, state phase, Completion& completion) {
    __threadfence_block();
    MUSA_PTX_TELL(acquired(of_phase(object, phase)));
    static_cast<void>(object), static_cast<void>(phase);
    completion();
    __threadfence_block();
}
/* The state before the arrival. `dropped` threads are not awaited in later phases. The last thread calls `completion`. */
template <class Completion>
MUSA_PTX_FUNCTION state arrive(state* object, unsigned count, unsigned dropped, Completion& completion) {
    __threadfence_block();
    state now = atomicAdd(object, 0ull);
    for (;;) {
        if (missing(now) <= count) complete(object, now >> phase_at, completion);
        MUSA_PTX_TELL(released(of_phase(object, now >> phase_at)));
        const state before = atomicCAS(object, now, arrived(now, count, dropped));
        if (before == now) return before;
        now = before;
    }
}
MUSA_PTX_FUNCTION state arrive(state* object, unsigned count = 1, unsigned dropped = 0) {
    nothing_to_complete nothing;
    return arrive(object, count, dropped, nothing);
}
/* Whether a phase is complete. If not, other threads get to run: callers ask again in a loop. */
MUSA_PTX_FUNCTION bool passed(state* object, state phase, bool is_complete) {
    if (is_complete) {
        __threadfence_block();
        MUSA_PTX_TELL(acquired(of_phase(object, phase)));
    } else {
        __nanosleep(20);
    }
    return is_complete;
}
MUSA_PTX_FUNCTION bool wait(state* object, state token) {
    const state phase = token >> phase_at;
    return passed(object, phase, atomicAdd(object, 0ull) >> phase_at != phase);
}
MUSA_PTX_FUNCTION bool wait_parity(state* object, unsigned parity) {
    const state phase = atomicAdd(object, 0ull) >> phase_at;
    return passed(object, phase - 1, (phase & 1) != (parity & 1));
}
/* The arrival counts once the thread's copies have come, which they have. */
MUSA_PTX_FUNCTION void arrive_with_copies(state* object) {
    wait_for_all_copies();
    arrive(object);
}
/* It adds the arrival that it then makes: the phase lacks as many as before, and cannot end meanwhile. */
MUSA_PTX_FUNCTION void join_with_copies(state* object) {
    wait_for_all_copies();
    MUSA_PTX_TELL(released(of_phase(object, atomicAdd(object, 0ull) >> phase_at)));
}
}  // namespace mbarrier

/* Warps of 32 lanes */
template <class T>
MUSA_PTX_FUNCTION pair<T> shuffled(unsigned mask, T value, unsigned source, bool exists) {
    const T other = __shfl_sync(mask, value, static_cast<int>(exists ? source & 31 : __get_laneid() & 31), 32);
    return {other, exists};
}
#define MUSA_PTX_SHUFFLE(name, source_lane, condition)                                                    \
    template <class T>                                                                                    \
    MUSA_PTX_FUNCTION pair<T> shfl_##name(unsigned mask, T value, unsigned b, unsigned c) {               \
        const unsigned lane = __get_laneid() & 31, segment = c >> 8 & 31, clamp = c & 31;                 \
        const unsigned last = (lane & segment) | (clamp & ~segment), first = lane & segment;              \
        b &= 31;                                                                                          \
        const int source = static_cast<int>(source_lane);                                                 \
        const int end = static_cast<int>(last);                                                           \
        (void)first;                                                                                      \
        return shuffled(mask, value, static_cast<unsigned>(source), condition);                           \
    }
MUSA_PTX_SHUFFLE(up, lane - b, source >= end)
MUSA_PTX_SHUFFLE(down, lane + b, source <= end)
MUSA_PTX_SHUFFLE(bfly, lane ^ b, source <= end)
MUSA_PTX_SHUFFLE(idx, first | (b & ~segment), source <= end)
#undef MUSA_PTX_SHUFFLE
MUSA_PTX_FUNCTION bool vote_uni(unsigned mask, bool value) {
    const unsigned votes = __ballot_sync(mask, value);
    return votes == 0 || votes == mask;
}
template <class T>
MUSA_PTX_FUNCTION pair<unsigned> match_all(unsigned mask, T value) {
    int all = 0;
    const unsigned lanes = __match_all_sync(mask, value, &all);
    return {lanes, all != 0};
}
template <class T, class Operation>
MUSA_PTX_FUNCTION T reduced(unsigned mask, T value, Operation operation) {
    T result = __shfl_sync(mask, value, __ffs(static_cast<int>(mask)) - 1, 32);
    for (unsigned rest = mask & (mask - 1); rest; rest &= rest - 1)
        result = operation(result, __shfl_sync(mask, value, __ffs(static_cast<int>(rest)) - 1, 32));
    return result;
}
#define MUSA_PTX_REDUCTION(name, expression)                                              \
    template <class T>                                                                    \
    MUSA_PTX_FUNCTION T reduce_##name(unsigned mask, T value) {                           \
        return reduced(mask, value, [](T a, T b) { return static_cast<T>(expression); }); \
    }
MUSA_PTX_REDUCTION(add, static_cast<unsigned>(a) + static_cast<unsigned>(b))
MUSA_PTX_REDUCTION(min, b < a ? b : a)
MUSA_PTX_REDUCTION(max, a < b ? b : a)
MUSA_PTX_REDUCTION(min_number, min_number(a, b))
MUSA_PTX_REDUCTION(max_number, max_number(a, b))
MUSA_PTX_REDUCTION(min_nan, min_nan(a, b))
MUSA_PTX_REDUCTION(max_nan, max_nan(a, b))
MUSA_PTX_REDUCTION(and, a& b)
MUSA_PTX_REDUCTION(or, a | b)
MUSA_PTX_REDUCTION(xor, a ^ b)
#undef MUSA_PTX_REDUCTION
/* A lane's part of a reduction of floats. */
template <bool is_size>
MUSA_PTX_FUNCTION float float_to_reduce(float value) {
    if (value != value) return __uint_as_float(0x7fffffffu);
    return is_size ? fabsf(value) : value;
}
MUSA_PTX_FUNCTION pair<unsigned> elect(unsigned mask) {
    const unsigned leader = static_cast<unsigned>(__ffs(static_cast<int>(mask)) - 1);
    __syncwarp(mask);
    return {leader, leader == (__get_laneid() & 31)};
}

}  // namespace musa_ptx

#undef MUSA_PTX_TELL
#undef MUSA_PTX_HAS_NAMED_BARRIERS
#undef MUSA_PTX_FUNCTION

#endif

#endif
