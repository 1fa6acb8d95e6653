// cub_reduce_many VALID: sums and maxima of the first VALID threads, which may be more than a block has, of ints from
// stdin. What is behind the block's storage must not count.
#include <cub/cub.cuh>

#include "program.h"

constexpr int threads = 64;

template <cub::BlockReduceAlgorithm Algorithm>
__global__ void reduce(const int* x, int* out, int valid) {
    using Reduce = cub::BlockReduce<int, threads, Algorithm>;
    __shared__ struct {
        typename Reduce::TempStorage storage;
        int behind[4 * threads];
    } memory;
    for (int i = threadIdx.x; i < 4 * threads; i += threads) memory.behind[i] = 1000000;
    __syncthreads();
    const int sum = Reduce(memory.storage).Sum(x[threadIdx.x], valid);
    __syncthreads();
    const int most = Reduce(memory.storage).Reduce(x[threadIdx.x], cub::Max(), valid);
    if (threadIdx.x == 0) {
        out[0] = sum;
        out[1] = most;
    }
}

int main(int, char** argv) {
    const int valid = std::atoi(argv[1]);
    auto& x = input<int>(threads);
    DeviceArray<int> out(4);
    reduce<cub::BLOCK_REDUCE_RAKING><<<1, threads>>>(x, out, valid);
    reduce<cub::BLOCK_REDUCE_WARP_REDUCTIONS><<<1, threads>>>(x, out + 2, valid);
    check_kernel();
    out.write();
}
