// order CASE: in which order the threads of all blocks came by, in a kernel of three blocks.
#include "program.h"

__device__ int next_number;

__global__ void plain(int* order) {
    const int rank = blockIdx.x * blockDim.x + threadIdx.x;
    order[atomicAdd(&next_number, 1)] = rank;
}

__global__ void behind_barrier(int* order) {
    __syncthreads();
    const int rank = blockIdx.x * blockDim.x + threadIdx.x;
    order[atomicAdd(&next_number, 1)] = rank;
    __syncthreads();
}

// A sum that is right in any order, with barriers and shuffles on the way.
__global__ void sum(int* out) {
    __shared__ int parts[4];
    int value = threadIdx.x * threadIdx.x;
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 4) out[blockIdx.x * 4 + threadIdx.x] = parts[threadIdx.x];
}

int main(int, char** argv) {
    const std::string name = argv[1];
    constexpr int blocks = 3, threads = 128;
    DeviceArray<int> out(blocks * threads);
    if (name == "plain") plain<<<blocks, threads>>>(out);
    if (name == "behind_barrier") behind_barrier<<<blocks, threads>>>(out);
    if (name == "sum") sum<<<blocks, threads>>>(out);
    check_kernel();
    out.write();
}
