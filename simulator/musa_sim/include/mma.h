/* Warp-wide products of small matrices (wmma): fragments of half and bfloat16 with sums in float or half, of integers of 8 bits
 * with sums in int, of tf32 with sums in float, of double; of integers of 4 bits, and single bits, with sums in int.
 *
 * Empty for other compilers than mcc. Names are those of CUDA's nvcuda::wmma, which the MUSA SDK has in mtmusa::wmma. A fragment
 * is held by 32 lanes, each element by one of them, also where a warp has 128: all lanes of a warp have to come to each
 * function. Products are exact, and summed in float (in int, in double) in the order of k; the old sum is added last. Which
 * lane holds which element is not documented, as in CUDA.
 */
#ifndef __MUSA_MMA_H__
#define __MUSA_MMA_H__

#if defined(__MUSACC__)

#include <musa_bf16.h>
#include <musa_fp16.h>
#include <musa_sim/lane_exchange.h>

namespace mtmusa {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}
/* Integers of four bits and single bits, as CUDA has them. */
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental
/* To the nearest with ten bits after the point, ties away from zero. */
__device__ __forceinline__ float __float_to_tf32(float x) {
    unsigned bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0x1000u) & ~0x1fffu;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

namespace detail {

template <class Use, int m, int n, int k>
struct Shape;
template <int m, int n, int k>
struct Shape<matrix_a, m, n, k> {
    static constexpr int rows = m, columns = k;
};
template <int m, int n, int k>
struct Shape<matrix_b, m, n, k> {
    static constexpr int rows = k, columns = n;
};
template <int m, int n, int k>
struct Shape<accumulator, m, n, k> {
    static constexpr int rows = m, columns = n;
};

/* A type of elements: how they are stored, in which numbers they are computed, and what shapes and sums they may have. */
constexpr bool is_wide(int m, int n, int k) {
    return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
}
constexpr bool is_of_16_16_8(int m, int n, int k) { return m == 16 && n == 16 && k == 8; }
constexpr bool is_of_8_8_4(int m, int n, int k) { return m == 8 && n == 8 && k == 4; }

template <class T, class Computed, bool factor, bool sum>
struct Numbers {
    using Stored = T;
    using Number = Computed;
    static constexpr bool is_factor = factor, is_sum = sum;
    static __device__ __forceinline__ Number number(T x) { return static_cast<Number>(x); }
    static __device__ __forceinline__ T stored(Number x) { return static_cast<T>(x); }
    static constexpr bool is_shape(int m, int n, int k) { return is_wide(m, n, k); }
};
template <class T>
struct Element {
    static constexpr bool is_factor = false, is_sum = false;
    static constexpr bool is_shape(int, int, int) { return false; }
    using Stored = T;
};
template <>
struct Element<__half> : Numbers<__half, float, true, true> {
    static __device__ __forceinline__ float number(__half x) { return __half2float(x); }
    static __device__ __forceinline__ __half stored(float x) { return __float2half_rn(x); }
};
template <>
struct Element<__mt_bfloat16> : Numbers<__mt_bfloat16, float, true, false> {
    static __device__ __forceinline__ float number(__mt_bfloat16 x) { return __bfloat162float(x); }
};
template <>
struct Element<float> : Numbers<float, float, false, true> {
    static constexpr bool is_shape(int m, int n, int k) { return is_wide(m, n, k) || is_of_16_16_8(m, n, k); }
};
/* The 13 lower bits have no meaning: an H200 cuts them off, like mma.sync. */
template <>
struct Element<precision::tf32> : Numbers<float, float, true, false> {
    static __device__ __forceinline__ float number(float x) {
        unsigned bits;
        __builtin_memcpy(&bits, &x, sizeof bits);
        bits &= 0xffffe000u;
        __builtin_memcpy(&x, &bits, sizeof x);
        return x;
    }
    static constexpr bool is_shape(int m, int n, int k) { return is_of_16_16_8(m, n, k); }
};
template <>
struct Element<signed char> : Numbers<signed char, int, true, false> {};
template <>
struct Element<unsigned char> : Numbers<unsigned char, int, true, false> {};
template <>
struct Element<int> : Numbers<int, int, false, true> {
    static constexpr bool is_shape(int m, int n, int k) {
        return is_wide(m, n, k) || (m == 8 && n == 8 && (k == 32 || k == 128));
    }
};
template <>
struct Element<double> : Numbers<double, double, true, true> {
    static constexpr bool is_shape(int m, int n, int k) { return is_of_8_8_4(m, n, k); }
};

template <class Use, class T>
constexpr bool is_element = Element<T>::is_factor;
template <class T>
constexpr bool is_element<accumulator, T> = Element<T>::is_sum;

__device__ __forceinline__ int lane() {
    const unsigned in_plane = __musa_sim_thread_idx_y() + __musa_sim_thread_idx_z() * __musa_sim_block_dim_y();
    return static_cast<int>((__musa_sim_thread_idx_x() + in_plane * __musa_sim_block_dim_x()) % 32);
}

}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
    static_assert(detail::Element<T>::is_shape(m, n, k) && detail::is_element<Use, T>,
                  "the simulator has wmma fragments of 16x16x16, 32x8x16 and 8x32x16: half and bfloat16 with accumulators of "
                  "float and half, char with int; of 16x16x8: tf32 with float; of 8x8x4: double; of 8x8x32: s4 and u4 with "
                  "int; of 8x8x128: b1 with int");
    typedef T element_type;
    typedef typename detail::Element<T>::Stored storage_element_type;
    static constexpr int rows = detail::Shape<Use, m, n, k>::rows;
    static constexpr int columns = detail::Shape<Use, m, n, k>::columns;
    static constexpr int num_elements = rows * columns / 32;
    static constexpr int num_storage_elements = num_elements;

    /* Elements are numbered row by row; a lane holds some that follow one another. */
    static __device__ __forceinline__ int number(int i) { return detail::lane() * num_elements + i; }

    storage_element_type x[num_elements];
};

template <class Use, int m, int n, int k, class T, class Layout>
__device__ __forceinline__ void fill_fragment(fragment<Use, m, n, k, T, Layout>& to,
                                              const typename detail::Element<T>::Stored& value) {
    for (int i = 0; i < to.num_elements; ++i) to.x[i] = value;
}

namespace detail {

template <class Fragment, class T>
__device__ __forceinline__ void load(Fragment& to, const T* from, unsigned ldm, bool by_rows) {
    __musa_sim_meet_lanes();
    for (int i = 0; i < to.num_elements; ++i) {
        const unsigned row = to.number(i) / to.columns, column = to.number(i) % to.columns;
        to.x[i] = from[by_rows ? row * ldm + column : row + column * ldm];
    }
    __musa_sim_meet_lanes();
}

template <class Layout>
struct IsByRows;
template <>
struct IsByRows<row_major> {
    static constexpr bool value = true;
};
template <>
struct IsByRows<col_major> {
    static constexpr bool value = false;
};

}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout>
__device__ __forceinline__ void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& to,
                                                 const typename detail::Element<T>::Stored* from, unsigned ldm) {
    detail::load(to, from, ldm, detail::IsByRows<Layout>::value);
}

template <int m, int n, int k, class T>
__device__ __forceinline__ void load_matrix_sync(fragment<accumulator, m, n, k, T>& to, const T* from, unsigned ldm,
                                                 layout_t layout) {
    detail::load(to, from, ldm, layout == mem_row_major);
}

template <int m, int n, int k, class T>
__device__ __forceinline__ void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& from, unsigned ldm,
                                                  layout_t layout) {
    __musa_sim_meet_lanes();
    for (int i = 0; i < from.num_elements; ++i) {
        const unsigned row = from.number(i) / from.columns, column = from.number(i) % from.columns;
        to[layout == mem_row_major ? row * ldm + column : row + column * ldm] = from.x[i];
    }
    __musa_sim_meet_lanes();
}

namespace detail {

/* Copy the lane's elements to their positions in the whole matrix. */
template <class T, class Number, class Fragment>
__device__ __forceinline__ void give(Number* whole, const Fragment& from) {
    Number mine[Fragment::num_elements];
    for (int i = 0; i < Fragment::num_elements; ++i) mine[i] = Element<T>::number(from.x[i]);
    __musa_sim_lane_copy(whole + from.number(0), mine, sizeof mine);
}
template <class Number>
__device__ __forceinline__ Number limited(Number sum, Number c, bool) {
    return sum + c;
}
/* Integers wrap around or saturate. */
__device__ __forceinline__ int limited(int sum, int c, bool is_limited) {
    const long long wide = static_cast<long long>(sum) + c;
    if (!is_limited) return static_cast<int>(wide);
    return wide > 0x7fffffffll ? 0x7fffffff : wide < -0x80000000ll ? -0x7fffffff - 1 : static_cast<int>(wide);
}

}  // namespace detail

/* d = a b + c. The lanes write their parts of the matrices to memory of the first lane, and each copies its result. */
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class Sum, class Result>
__device__ __forceinline__ void mma_sync(fragment<accumulator, m, n, k, Result>& d,
                                         const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                                         const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                                         const fragment<accumulator, m, n, k, Sum>& c, bool is_limited = false) {
    using namespace detail;
    using Number = typename Element<T>::Number;
    __musa_sim_read_operand<Number>(a.x);
    __musa_sim_read_operand<Number>(b.x);
    __musa_sim_read_operand<typename Element<Sum>::Number>(c.x);
    Number whole[m * k + k * n];
    Number* const first = __musa_sim_of_first_lane(whole);
    give<T>(first, a);
    give<T>(first + m * k, b);
    __musa_sim_meet_lanes();
    if (first != whole) __musa_sim_lane_copy(whole, first, sizeof whole);
    __musa_sim_meet_lanes();
    const Number* const whole_b = whole + m * k;
    for (int i = 0; i < d.num_elements; ++i) {
        const int row = d.number(i) / n, column = d.number(i) % n;
        Number sum = 0;
        for (int j = 0; j < k; ++j) sum += whole[row * k + j] * whole_b[j * n + column];
        d.x[i] = Element<Result>::stored(limited(sum, Element<Sum>::number(c.x[i]), is_limited));
    }
}

/* Elements of less than a byte: a row of A and a column of B is four words, and each lane holds one. */
namespace detail {

template <class T, class Word, int count>
struct WordOfElements {
    typedef T element_type;
    typedef Word storage_element_type;
    static constexpr int num_elements = count, num_storage_elements = 1;
    Word x[1];
};
/* The sums of a row of A and two columns of B: `product` adds the products of two words. */
template <class Fragment, class A, class B, class Product>
__device__ __forceinline__ void add_words(Fragment& d, const A& a, const B& b, const Fragment& c, Product product,
                                          bool is_limited) {
    const __musa_sim_registers<unsigned, 2> all({static_cast<unsigned>(a.x[0]), static_cast<unsigned>(b.x[0])});
    for (int i = 0; i < d.num_elements; ++i) {
        const int row = d.number(i) / 8, column = d.number(i) % 8;
        int sum = 0;
        for (int word = 0; word < 4; ++word) sum += product(all.of[4 * row + word][0], all.of[4 * column + word][1]);
        d.x[i] = limited(sum, c.x[i], is_limited);
    }
}
template <bool has_sign>
__device__ __forceinline__ int product_of_four_bits(unsigned a, unsigned b) {
    int sum = 0;
    for (int shift = 28; shift >= 0; shift -= 4) {
        const unsigned x = a << shift, y = b << shift;
        sum += has_sign ? (static_cast<int>(x) >> 28) * (static_cast<int>(y) >> 28) : static_cast<int>((x >> 28) * (y >> 28));
    }
    return sum;
}

}  // namespace detail

template <class Use, class Layout>
struct fragment<Use, 8, 8, 32, experimental::precision::u4, Layout>
    : detail::WordOfElements<experimental::precision::u4, unsigned, 8> {};
template <class Use, class Layout>
struct fragment<Use, 8, 8, 32, experimental::precision::s4, Layout>
    : detail::WordOfElements<experimental::precision::s4, int, 8> {};
template <class Use, class Layout>
struct fragment<Use, 8, 8, 128, experimental::precision::b1, Layout>
    : detail::WordOfElements<experimental::precision::b1, unsigned, 32> {};

/* A is row_major, B col_major; `ldm` counts elements. */
#define MUSA_SIM_LOAD_WORD(k, type)                                                                                       \
    template <class Use, class Layout>                                                                                    \
    __device__ __forceinline__ void load_matrix_sync(fragment<Use, 8, 8, k, experimental::precision::type, Layout>& to,   \
                                                     const void* from, unsigned ldm) {                                    \
        __musa_sim_meet_lanes();                                                                                          \
        to.x[0] = static_cast<const decltype(+to.x[0])*>(from)[detail::lane() / 4 * (ldm * 4 / k) + detail::lane() % 4];  \
        __musa_sim_meet_lanes();                                                                                          \
    }
MUSA_SIM_LOAD_WORD(32, u4)
MUSA_SIM_LOAD_WORD(32, s4)
MUSA_SIM_LOAD_WORD(128, b1)
#undef MUSA_SIM_LOAD_WORD

#define MUSA_SIM_MULTIPLY_WORDS(type, has_sign)                                                                           \
    __device__ __forceinline__ void mma_sync(                                                                             \
        fragment<accumulator, 8, 8, 32, int>& d, const fragment<matrix_a, 8, 8, 32, experimental::precision::type, row_major>& a, \
        const fragment<matrix_b, 8, 8, 32, experimental::precision::type, col_major>& b,                                  \
        const fragment<accumulator, 8, 8, 32, int>& c, bool is_limited = false) {                                         \
        __musa_sim_read_operand<int>(a.x);                                                                                \
        __musa_sim_read_operand<int>(b.x);                                                                                \
        __musa_sim_read_operand<int>(c.x);                                                                                \
        detail::add_words(d, a, b, c, detail::product_of_four_bits<has_sign>, is_limited);                                \
    }
MUSA_SIM_MULTIPLY_WORDS(u4, false)
MUSA_SIM_MULTIPLY_WORDS(s4, true)
#undef MUSA_SIM_MULTIPLY_WORDS

__device__ __forceinline__ void bmma_sync(fragment<accumulator, 8, 8, 128, int>& d,
                                          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>& a,
                                          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>& b,
                                          const fragment<accumulator, 8, 8, 128, int>& c,
                                          experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
                                          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    const bool is_and = operation == experimental::bmmaBitOpAND;
    const auto product = [=](unsigned x, unsigned y) { return __popc(is_and ? x & y : x ^ y); };
    __musa_sim_read_operand<int>(c.x);
    detail::add_words(d, a, b, c, product, false);
}

}  // namespace wmma
}  // namespace mtmusa

#endif

#endif
