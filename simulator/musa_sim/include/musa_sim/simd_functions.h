/* Two halfwords or four bytes of a 32-bit word at a time: __vadd2, __vabsdiffu4, __vcmpgts2, __viaddmax_s16x2 and so on.
 *
 * mcc only. Each function is one line of a table below: its name, the type of a lane, and the result for two lanes
 * `a` and `b` (or three, with `c`), which are ints. Of the result, the lowest bits count.
 */
#ifndef MUSA_SIM_SIMD_FUNCTIONS_H
#define MUSA_SIM_SIMD_FUNCTIONS_H

#include <host_defines.h>

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__

namespace musa_sim_detail {

/* Bytes are lanes of 8 bits, halfwords of 16. */
template <class Lane>
struct Lanes {
    static constexpr int bits = 8 * sizeof(Lane), count = 32 / bits;
    static constexpr unsigned mask = (1u << bits) - 1;
    MUSA_SIM_FUNCTION static int get(unsigned word, int lane) {
        return static_cast<Lane>(word >> (bits * lane));
    }
    MUSA_SIM_FUNCTION static unsigned put(int value, int lane) {
        return (static_cast<unsigned>(value) & mask) << (bits * lane);
    }
};

/* The nearest value that a lane can hold */
template <class Lane>
MUSA_SIM_FUNCTION int saturated_lane(int value) {
    constexpr bool is_signed = static_cast<Lane>(-1) < 0;
    constexpr int least = is_signed ? -(1 << (Lanes<Lane>::bits - 1)) : 0;
    constexpr int greatest = least + static_cast<int>(Lanes<Lane>::mask);
    return value < least ? least : value > greatest ? greatest : value;
}
/* The value of a lane after an overflow */
template <class Lane>
MUSA_SIM_FUNCTION int wrapped_lane(int value) {
    return static_cast<Lane>(value);
}
MUSA_SIM_FUNCTION int lesser(int a, int b) { return b < a ? b : a; }
MUSA_SIM_FUNCTION int greater(int a, int b) { return a < b ? b : a; }
MUSA_SIM_FUNCTION int distance(int a, int b) { return a < b ? b - a : a - b; }

}  // namespace musa_sim_detail

#define MUSA_SIM_SIMD_1(name, Lane, result)                                    \
    MUSA_SIM_FUNCTION unsigned name(unsigned x) {                              \
        using namespace musa_sim_detail;                                       \
        unsigned word = 0;                                                     \
        for (int i = 0; i < Lanes<Lane>::count; ++i) {                         \
            const int a = Lanes<Lane>::get(x, i);                              \
            word |= Lanes<Lane>::put(result, i);                               \
        }                                                                      \
        return word;                                                           \
    }
#define MUSA_SIM_SIMD_2(name, Lane, result)                                    \
    MUSA_SIM_FUNCTION unsigned name(unsigned x, unsigned y) {                  \
        using namespace musa_sim_detail;                                       \
        unsigned word = 0;                                                     \
        for (int i = 0; i < Lanes<Lane>::count; ++i) {                         \
            const int a = Lanes<Lane>::get(x, i), b = Lanes<Lane>::get(y, i);  \
            word |= Lanes<Lane>::put(result, i);                               \
        }                                                                      \
        return word;                                                           \
    }
#define MUSA_SIM_SIMD_3(name, Lane, result)                                    \
    MUSA_SIM_FUNCTION unsigned name(unsigned x, unsigned y, unsigned z) {      \
        using namespace musa_sim_detail;                                       \
        unsigned word = 0;                                                     \
        for (int i = 0; i < Lanes<Lane>::count; ++i) {                         \
            const int a = Lanes<Lane>::get(x, i), b = Lanes<Lane>::get(y, i);  \
            const int c = Lanes<Lane>::get(z, i);                              \
            word |= Lanes<Lane>::put(result, i);                               \
        }                                                                      \
        return word;                                                           \
    }
#define MUSA_SIM_SIMD_SUM(name, Lane, term)                                    \
    MUSA_SIM_FUNCTION unsigned name(unsigned x, unsigned y) {                  \
        using namespace musa_sim_detail;                                       \
        unsigned sum = 0;                                                      \
        for (int i = 0; i < Lanes<Lane>::count; ++i) {                         \
            const int a = Lanes<Lane>::get(x, i), b = Lanes<Lane>::get(y, i);  \
            sum += static_cast<unsigned>(term);                                \
        }                                                                      \
        return sum;                                                            \
    }

/* Functions for both sizes: signed and unsigned lanes of it are S and U. A comparison gives a lane of ones, __vset a 1. */
#define MUSA_SIM_SIMD_COMPARISON(n, op, suffix, Lane, symbol)                  \
    MUSA_SIM_SIMD_2(__vcmp##op##suffix##n, Lane, a symbol b ? -1 : 0)          \
    MUSA_SIM_SIMD_2(__vset##op##suffix##n, Lane, a symbol b ? 1 : 0)
#define MUSA_SIM_SIMD_ORDER(n, op, S, U, symbol)                               \
    MUSA_SIM_SIMD_COMPARISON(n, op, s, S, symbol)                              \
    MUSA_SIM_SIMD_COMPARISON(n, op, u, U, symbol)

#define MUSA_SIM_SIMD(n, S, U)                                                 \
    MUSA_SIM_SIMD_1(__vabs##n, S, a < 0 ? -a : a)                              \
    MUSA_SIM_SIMD_1(__vabsss##n, S, saturated_lane<S>(a < 0 ? -a : a))         \
    MUSA_SIM_SIMD_1(__vneg##n, S, -a)                                          \
    MUSA_SIM_SIMD_1(__vnegss##n, S, saturated_lane<S>(-a))                     \
    MUSA_SIM_SIMD_2(__vadd##n, U, a + b)                                       \
    MUSA_SIM_SIMD_2(__vaddss##n, S, saturated_lane<S>(a + b))                  \
    MUSA_SIM_SIMD_2(__vaddus##n, U, saturated_lane<U>(a + b))                  \
    MUSA_SIM_SIMD_2(__vsub##n, U, a - b)                                       \
    MUSA_SIM_SIMD_2(__vsubss##n, S, saturated_lane<S>(a - b))                  \
    MUSA_SIM_SIMD_2(__vsubus##n, U, saturated_lane<U>(a - b))                  \
    MUSA_SIM_SIMD_2(__vabsdiffs##n, S, distance(a, b))                         \
    MUSA_SIM_SIMD_2(__vabsdiffu##n, U, distance(a, b))                         \
    MUSA_SIM_SIMD_SUM(__vsads##n, S, distance(a, b))                           \
    MUSA_SIM_SIMD_SUM(__vsadu##n, U, distance(a, b))                           \
    /* halves away from zero; __vhaddu rounds down */                          \
    MUSA_SIM_SIMD_2(__vavgs##n, S, (a + b + (a + b >= 0)) >> 1)                \
    MUSA_SIM_SIMD_2(__vavgu##n, U, (a + b + 1) >> 1)                           \
    MUSA_SIM_SIMD_2(__vhaddu##n, U, (a + b) >> 1)                              \
    MUSA_SIM_SIMD_2(__vmaxs##n, S, greater(a, b))                              \
    MUSA_SIM_SIMD_2(__vmaxu##n, U, greater(a, b))                              \
    MUSA_SIM_SIMD_2(__vmins##n, S, lesser(a, b))                               \
    MUSA_SIM_SIMD_2(__vminu##n, U, lesser(a, b))                               \
    MUSA_SIM_SIMD_COMPARISON(n, eq, , U, ==)                                   \
    MUSA_SIM_SIMD_COMPARISON(n, ne, , U, !=)                                   \
    MUSA_SIM_SIMD_ORDER(n, ge, S, U, >=)                                       \
    MUSA_SIM_SIMD_ORDER(n, gt, S, U, >)                                        \
    MUSA_SIM_SIMD_ORDER(n, le, S, U, <=)                                       \
    MUSA_SIM_SIMD_ORDER(n, lt, S, U, <)
MUSA_SIM_SIMD(2, short, unsigned short)
MUSA_SIM_SIMD(4, signed char, unsigned char)

/* Least and greatest of two or three, of a sum that wraps around, and with 0 ("relu"): halfwords first, then words */
#define MUSA_SIM_SIMD_EXTREMA(which, of, suffix, Lane)                                                     \
    MUSA_SIM_SIMD_3(__vi##which##3_##suffix, Lane, of(of(a, b), c))                                         \
    MUSA_SIM_SIMD_3(__viadd##which##_##suffix, Lane, of(wrapped_lane<Lane>(a + b), c))
#define MUSA_SIM_SIMD_RELU(which, of, suffix, Lane)                                                        \
    MUSA_SIM_SIMD_2(__vi##which##_##suffix##_relu, Lane, greater(of(a, b), 0))                              \
    MUSA_SIM_SIMD_3(__vi##which##3_##suffix##_relu, Lane, greater(of(of(a, b), c), 0))                      \
    MUSA_SIM_SIMD_3(__viadd##which##_##suffix##_relu, Lane, greater(of(wrapped_lane<Lane>(a + b), c), 0))
MUSA_SIM_SIMD_EXTREMA(max, greater, s16x2, short)
MUSA_SIM_SIMD_EXTREMA(min, lesser, s16x2, short)
MUSA_SIM_SIMD_EXTREMA(max, greater, u16x2, unsigned short)
MUSA_SIM_SIMD_EXTREMA(min, lesser, u16x2, unsigned short)
MUSA_SIM_SIMD_RELU(max, greater, s16x2, short)
MUSA_SIM_SIMD_RELU(min, lesser, s16x2, short)

#define MUSA_SIM_WORD_EXTREMA(which, T, suffix, symbol)                                                    \
    MUSA_SIM_FUNCTION T __vi##which##3_##suffix(T a, T b, T c) {                                            \
        const T first = a symbol b ? a : b;                                                                \
        return first symbol c ? first : c;                                                                 \
    }                                                                                                      \
    MUSA_SIM_FUNCTION T __viadd##which##_##suffix(T a, T b, T c) {                                          \
        const T sum = static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));                 \
        return sum symbol c ? sum : c;                                                                     \
    }                                                                                                      \
    /* which is the first's where both are equal */                                                        \
    MUSA_SIM_FUNCTION T __vib##which##_##suffix(T a, T b, bool* first) {                                    \
        *first = a symbol b;                                                                               \
        return *first ? a : b;                                                                             \
    }
MUSA_SIM_WORD_EXTREMA(max, int, s32, >=)
MUSA_SIM_WORD_EXTREMA(min, int, s32, <=)
MUSA_SIM_WORD_EXTREMA(max, unsigned, u32, >=)
MUSA_SIM_WORD_EXTREMA(min, unsigned, u32, <=)

#define MUSA_SIM_WORD_RELU(which, of)                                                                      \
    MUSA_SIM_FUNCTION int __vi##which##_s32_relu(int a, int b) {                                            \
        return musa_sim_detail::greater(musa_sim_detail::of(a, b), 0);                                     \
    }                                                                                                      \
    MUSA_SIM_FUNCTION int __vi##which##3_s32_relu(int a, int b, int c) {                                    \
        return musa_sim_detail::greater(__vi##which##3_s32(a, b, c), 0);                                    \
    }                                                                                                      \
    MUSA_SIM_FUNCTION int __viadd##which##_s32_relu(int a, int b, int c) {                                  \
        return musa_sim_detail::greater(__viadd##which##_s32(a, b, c), 0);                                  \
    }
MUSA_SIM_WORD_RELU(max, greater)
MUSA_SIM_WORD_RELU(min, lesser)

/* Which of two halfwords, high and low, were the first's */
#define MUSA_SIM_HALFWORD_CHOICE(which, suffix, plain, comparison)                                         \
    MUSA_SIM_FUNCTION unsigned __vib##which##_##suffix(unsigned a, unsigned b, bool* high, bool* low) {     \
        const unsigned first = comparison(a, b);                                                           \
        *high = first >> 16 != 0;                                                                          \
        *low = (first & 0xffffu) != 0;                                                                     \
        return plain(a, b);                                                                                \
    }
MUSA_SIM_HALFWORD_CHOICE(max, s16x2, __vmaxs2, __vcmpges2)
MUSA_SIM_HALFWORD_CHOICE(min, s16x2, __vmins2, __vcmples2)
MUSA_SIM_HALFWORD_CHOICE(max, u16x2, __vmaxu2, __vcmpgeu2)
MUSA_SIM_HALFWORD_CHOICE(min, u16x2, __vminu2, __vcmpleu2)

#undef MUSA_SIM_HALFWORD_CHOICE
#undef MUSA_SIM_WORD_RELU
#undef MUSA_SIM_WORD_EXTREMA
#undef MUSA_SIM_SIMD_RELU
#undef MUSA_SIM_SIMD_EXTREMA
#undef MUSA_SIM_SIMD
#undef MUSA_SIM_SIMD_ORDER
#undef MUSA_SIM_SIMD_COMPARISON
#undef MUSA_SIM_SIMD_SUM
#undef MUSA_SIM_SIMD_3
#undef MUSA_SIM_SIMD_2
#undef MUSA_SIM_SIMD_1
#undef MUSA_SIM_FUNCTION

#endif
