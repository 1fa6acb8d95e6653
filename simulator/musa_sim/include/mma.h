/* Warp-wide products of small matrices (wmma): fragments of half and bfloat16, with sums in float or half.
 *
 * Empty for other compilers than mcc. Names are those of CUDA's nvcuda::wmma, which the MUSA SDK has in mtmusa::wmma. A fragment is held by 32 lanes, each
 * element by one of them, also where a warp has 128: all lanes of a warp have to come to each function. Products are exact, and
 * summed in float in the order of k. Which lane holds which element is not documented, as in CUDA.
 */
#ifndef __MUSA_MMA_H__
#define __MUSA_MMA_H__

#if defined(__MUSACC__)

#include <musa_bf16.h>
#include <musa_fp16.h>
#include <musa_sim/runtime_functions.h>

namespace mtmusa {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

namespace detail {

constexpr unsigned all_lanes = 0xffffffffu;

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

template <class Use, class T>
struct IsElement {
    static constexpr bool value = false;
};
template <class Use>
struct IsElement<Use, __half> {
    static constexpr bool value = true;
};
template <>
struct IsElement<matrix_a, __mt_bfloat16> {
    static constexpr bool value = true;
};
template <>
struct IsElement<matrix_b, __mt_bfloat16> {
    static constexpr bool value = true;
};
template <>
struct IsElement<accumulator, float> {
    static constexpr bool value = true;
};

constexpr bool is_shape(int m, int n, int k) {
    return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
}

template <class T>
struct Convert {
    static __device__ __forceinline__ float number(T x) { return x; }
    static __device__ __forceinline__ T stored(float x) { return x; }
};
template <>
struct Convert<__half> {
    static __device__ __forceinline__ float number(__half x) { return __half2float(x); }
    static __device__ __forceinline__ __half stored(float x) { return __float2half_rn(x); }
};
template <>
struct Convert<__mt_bfloat16> {
    static __device__ __forceinline__ float number(__mt_bfloat16 x) { return __bfloat162float(x); }
};

__device__ __forceinline__ int lane() {
    const unsigned in_plane = __musa_sim_thread_idx_y() + __musa_sim_thread_idx_z() * __musa_sim_block_dim_y();
    return static_cast<int>((__musa_sim_thread_idx_x() + in_plane * __musa_sim_block_dim_x()) % 32);
}

/* Operations of __musa_sim_sync_lanes */
__device__ __forceinline__ void sync() { __musa_sim_sync_lanes(all_lanes, 0, 0, 0); }
__device__ __forceinline__ float* of_first_lane(float* mine) {
    return reinterpret_cast<float*>(
        __musa_sim_sync_lanes(all_lanes, 1, reinterpret_cast<unsigned long long>(mine), 0));
}

}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
    static_assert(detail::is_shape(m, n, k) && detail::IsElement<Use, T>::value,
                  "the simulator has wmma fragments of 16x16x16, 32x8x16 and 8x32x16: half and bfloat16, with "
                  "accumulators of float and half");
    typedef T element_type;
    typedef T storage_element_type;
    static constexpr int rows = detail::Shape<Use, m, n, k>::rows;
    static constexpr int columns = detail::Shape<Use, m, n, k>::columns;
    static constexpr int num_elements = rows * columns / 32;
    static constexpr int num_storage_elements = num_elements;

    /* Elements are numbered row by row; a lane holds some that follow one another. */
    static __device__ __forceinline__ int number(int i) { return detail::lane() * num_elements + i; }

    T x[num_elements];
};

template <class Use, int m, int n, int k, class T, class Layout>
__device__ __forceinline__ void fill_fragment(fragment<Use, m, n, k, T, Layout>& to, const T& value) {
    for (int i = 0; i < to.num_elements; ++i) to.x[i] = value;
}

namespace detail {

template <class Fragment, class T>
__device__ __forceinline__ void load(Fragment& to, const T* from, unsigned ldm, bool by_rows) {
    sync();
    for (int i = 0; i < to.num_elements; ++i) {
        const unsigned row = to.number(i) / to.columns, column = to.number(i) % to.columns;
        to.x[i] = from[by_rows ? row * ldm + column : row + column * ldm];
    }
    sync();
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
__device__ __forceinline__ void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& to, const T* from, unsigned ldm) {
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
    detail::sync();
    for (int i = 0; i < from.num_elements; ++i) {
        const unsigned row = from.number(i) / from.columns, column = from.number(i) % from.columns;
        to[layout == mem_row_major ? row * ldm + column : row + column * ldm] = from.x[i];
    }
    detail::sync();
}

namespace detail {

/* Puts the lane's elements where they belong in the whole matrix. */
template <class T, class Fragment>
__device__ __forceinline__ void give(float* whole, const Fragment& from) {
    float mine[Fragment::num_elements];
    for (int i = 0; i < Fragment::num_elements; ++i) mine[i] = Convert<T>::number(from.x[i]);
    __musa_sim_lane_copy(whole + from.number(0), mine, sizeof mine);
}

}  // namespace detail

/* d = a b + c. The lanes put the matrices together in memory of the first one, and copy them from there. */
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class Sum, class Result>
__device__ __forceinline__ void mma_sync(fragment<accumulator, m, n, k, Result>& d,
                                         const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                                         const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                                         const fragment<accumulator, m, n, k, Sum>& c) {
    using namespace detail;
    float whole[m * k + k * n];
    float* const first = of_first_lane(whole);
    give<T>(first, a);
    give<T>(first + m * k, b);
    sync();
    if (first != whole) __musa_sim_lane_copy(whole, first, sizeof whole);
    sync();
    const float* const whole_b = whole + m * k;
    for (int i = 0; i < d.num_elements; ++i) {
        const int row = d.number(i) / n, column = d.number(i) % n;
        float sum = 0;
        for (int j = 0; j < k; ++j) sum += whole[row * k + j] * whole_b[j * n + column];
        d.x[i] = Convert<Result>::stored(sum + Convert<Sum>::number(c.x[i]));
    }
}

}  // namespace wmma
}  // namespace mtmusa

#endif

#endif
