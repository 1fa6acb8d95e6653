// C = A B^T by CuTe: copies by cp.async into swizzled tiles, ldmatrix, mma.sync. Compared with sums in double.
#include <cute/tensor.hpp>

#include "compare.h"

using namespace cute;

template <class Mma, class Tile>
__global__ void multiply(const half_t* a, const half_t* b, float* c, int m, int n, int k, Mma mma, Tile tile) {
    extern __shared__ half_t shared[];
    auto of_a = local_tile(make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(k, _1{})), make_shape(_64{}, _32{}),
                           make_coord(blockIdx.x, _));
    auto of_b = local_tile(make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(k, _1{})), make_shape(_64{}, _32{}),
                           make_coord(blockIdx.y, _));
    auto of_c = local_tile(make_tensor(make_gmem_ptr(c), make_shape(m, n), make_stride(n, _1{})), make_shape(_64{}, _64{}),
                           make_coord(blockIdx.x, blockIdx.y));
    auto shared_a = make_tensor(make_smem_ptr(shared), tile);
    auto shared_b = make_tensor(make_smem_ptr(shared + cosize(tile)), tile);
    auto copies = make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>{},
                                  Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{});
    auto copy_of_thread = copies.get_slice(threadIdx.x);
    auto mma_of_thread = mma.get_slice(threadIdx.x);
    auto sums = mma_of_thread.partition_fragment_C(of_c);
    clear(sums);
    auto fragment_a = mma_of_thread.partition_fragment_A(shared_a);
    auto fragment_b = mma_of_thread.partition_fragment_B(shared_b);
    auto loads_a = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, mma);
    auto loads_b = make_tiled_copy_B(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, mma);
    auto load_a = loads_a.get_slice(threadIdx.x);
    auto load_b = loads_b.get_slice(threadIdx.x);
    for (int i = 0; i < size<2>(of_a); ++i) {
        copy(copies, copy_of_thread.partition_S(of_a(_, _, i)), copy_of_thread.partition_D(shared_a));
        copy(copies, copy_of_thread.partition_S(of_b(_, _, i)), copy_of_thread.partition_D(shared_b));
        cp_async_fence();
#ifndef NO_WAIT
        cp_async_wait<0>();
#endif
        __syncthreads();
        copy(loads_a, load_a.partition_S(shared_a), load_a.retile_D(fragment_a));
        copy(loads_b, load_b.partition_S(shared_b), load_b.retile_D(fragment_b));
        gemm(mma, fragment_a, fragment_b, sums);
        __syncthreads();
    }
    copy(sums, mma_of_thread.partition_C(of_c));
}

int main() {
    const int m = 128, n = 64, k = 96;
    Numbers<half_t> a(m * k), b(n * k);
    Numbers<float> c(m * n);
    auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{}, Tile<_32, _32, _16>{});
    auto rows = composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{});
    auto tile = tile_to_shape(rows, make_shape(_64{}, _32{}));
    multiply<<<dim3(m / 64, n / 64), 128, 2 * 64 * 32 * sizeof(half_t)>>>(a.device, b.device, c.device, m, n, k, mma, tile);
    return compare(c, 1e-4, [&](int at) {
        double sum = 0;
        for (int i = 0; i < k; ++i) sum += number(a.host[at / n * k + i]) * number(b.host[at % n * k + i]);
        return sum;
    });
}
