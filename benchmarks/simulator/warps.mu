// Kernels that benchmarks/simulator.py times against the loops of warps.cpp: what people write with warps.
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <musa_runtime.h>

#include <cstring>

namespace {

namespace cg = cooperative_groups;
constexpr int block_size = 256;
constexpr unsigned all = 0xffffffffu;

__device__ float warp_sum(float value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(all, value, distance);
    return value;
}

__global__ void shuffle_sum(const float* a, float* sums, int n) {
    __shared__ float tile[block_size / 32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = warp_sum(i < n ? a[i] : 0);
    if (threadIdx.x % 32 == 0) tile[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(threadIdx.x < block_size / 32 ? tile[threadIdx.x] : 0);
        if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    }
}

__global__ void shuffle_scan(const float* a, float* out, int n) {
    __shared__ float sums[block_size / 32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = i < n ? a[i] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
        const float other = __shfl_up_sync(all, sum, distance);
        if (lane >= distance) sum += other;
    }
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    for (int before = 0; before < warp; ++before) sum += sums[before];
    if (i < n) out[i] = sum;
}

__global__ void cub_reduce(const float* a, float* sums, int n) {
    using Reduce = cub::BlockReduce<float, block_size>;
    __shared__ typename Reduce::TempStorage memory;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float sum = Reduce(memory).Sum(i < n ? a[i] : 0);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void cub_scan(const float* a, float* out, int n) {
    using Scan = cub::BlockScan<float, block_size>;
    __shared__ typename Scan::TempStorage memory;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? a[i] : 0;
    Scan(memory).InclusiveSum(sum, sum);
    if (i < n) out[i] = sum;
}

// The positive elements, in any order: one atomic operation per warp.
__global__ void ballot_compact(const float* a, int* count, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const bool is_taken = i < n && a[i] > 0;
    const unsigned taken = __ballot_sync(all, is_taken);
    int at = 0;
    if (lane == 0) at = atomicAdd(count, __popc(taken));
    at = __shfl_sync(all, at, 0) + __popc(taken & ((1u << lane) - 1));
    if (is_taken) out[at] = a[i];
}

// The same, in the branch itself.
__global__ void aggregated_atomics(const float* a, int* count, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || a[i] <= 0) return;
    const auto group = cg::coalesced_threads();
    int at = 0;
    if (group.thread_rank() == 0) at = atomicAdd(count, static_cast<int>(group.size()));
    out[group.shfl(at, 0) + group.thread_rank()] = a[i];
}

__global__ void tile_sums(const float* a, float* sums, int n) {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? a[i] : 0;
    for (int distance = 8; distance > 0; distance /= 2) sum += tile.shfl_down(sum, distance);
    if (tile.thread_rank() == 0) sums[i / 16] = sum;
}

}  // namespace

extern "C" int launch_warps(const char* name, const float* a, const float*, float* c, int n) {
    static int* const count = [] {
        int* made = nullptr;
        return musaMalloc(&made, sizeof(int)) == musaSuccess ? made : nullptr;
    }();
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    const int blocks = (n + block_size - 1) / block_size;
    musaMemset(count, 0, sizeof(int));
    if (is("shuffle_sum")) shuffle_sum<<<blocks, block_size>>>(a, c, n);
    if (is("shuffle_scan")) shuffle_scan<<<blocks, block_size>>>(a, c, n);
    if (is("cub_reduce")) cub_reduce<<<blocks, block_size>>>(a, c, n);
    if (is("cub_scan")) cub_scan<<<blocks, block_size>>>(a, c, n);
    if (is("ballot_compact")) ballot_compact<<<blocks, block_size>>>(a, count, c, n);
    if (is("aggregated_atomics")) aggregated_atomics<<<blocks, block_size>>>(a, count, c, n);
    if (is("tile_sums")) tile_sums<<<blocks, block_size>>>(a, c, n);
    return musaDeviceSynchronize();
}
