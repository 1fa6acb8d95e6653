// exits CASE: threads exit before a barrier that others come to; each kernel is launched three times. Prints a sum.
#include <cooperative_groups.h>

#include "program.h"

namespace cg = cooperative_groups;

// 128 threads, of which two warps leave.
__global__ void rows(int* out, int n) {
    __shared__ int shared[128];
    if (threadIdx.x >= n) return;
    shared[threadIdx.x] = 1;
    __syncthreads();
    atomicAdd(out, shared[n - 1 - threadIdx.x]);
}
__global__ void flat(int* out, int n) {
    __shared__ int shared[4];
    if (threadIdx.y * 32 >= n) return;
    if (threadIdx.x == 0) shared[threadIdx.y] = 1;
    __syncthreads();
    atomicAdd(out, shared[n / 32 - 1 - threadIdx.y]);
}
__global__ void counted(int* out, int n) {
    if (threadIdx.x >= n) return;
    const int count = __syncthreads_count(threadIdx.x % 2);
    if (threadIdx.x == 0) atomicAdd(out, count + __syncthreads_and(1));
    else __syncthreads_and(1);
}
__global__ void group(int* out, int n) {
    if (threadIdx.x >= n) return;
    cg::this_thread_block().sync();
    atomicAdd(out, 1);
}
__global__ void shuffled(int* out, int n) {
    __shared__ int shared[128];
    if (threadIdx.x >= n) return;
    shared[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1, 1);
    __syncthreads();
    atomicAdd(out, shared[n - 1 - threadIdx.x]);
}
// The warps leave a loop one after the other.
__global__ void one_by_one(int* out, int n) {
    for (int i = 0; i < 4; ++i) {
        if (threadIdx.x / 32 == 3 - i && threadIdx.x >= n) return;
        __syncthreads();
    }
    atomicAdd(out, 1);
}
__global__ void of_grid(int* out, int n) {
    if (threadIdx.x >= n) return;
    cg::this_grid().sync();
    atomicAdd(out, 1);
}
__global__ void blocks_of_grid(int* out, int n) {
    if (blockIdx.x * 128 >= n) return;
    cg::this_grid().sync();
    atomicAdd(out, 1);
}

// Lanes leave, warps do not: CUDA has allowed it since Volta.
__global__ void good_lanes(int* out, int n) {
    if (threadIdx.x % 32 >= n / 4) return;
    __syncthreads();
    atomicAdd(out, 1);
}
__global__ void good_condition(int* out, int n) {
    __shared__ int shared[128];
    if (threadIdx.x < n) shared[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x < n) atomicAdd(out, shared[n - 1 - threadIdx.x]);
}
__global__ void good_after_the_last(int* out, int n) {
    __syncthreads();
    if (threadIdx.x >= n) return;
    atomicAdd(out, 1);
}
__global__ void good_whole_block(int* out, int n) {
    if (blockIdx.x * 128 >= n) return;
    __syncthreads();
    atomicAdd(out, 1);
}
__global__ void good_grid(int* out, int n) {
    cg::this_grid().sync();
    if (threadIdx.x < n) atomicAdd(out, 1);
}

template <class Kernel>
void run(Kernel kernel, int n, dim3 grid, dim3 block, bool cooperative = false) {
    DeviceArray<int> out(1);
    int* data = out;
    void* arguments[] = {&data, &n};
    for (int i = 0; i < 3; ++i) {
        if (cooperative) {
            CHECK(musaLaunchCooperativeKernel(kernel, grid, block, arguments));
        } else {
            CHECK(musaLaunchKernel(kernel, grid, block, arguments));
        }
    }
    check_kernel();
    std::printf("%d\n", out.host()[0]);
}

int main(int, char** argv) {
    const std::string name = argv[1];
    if (name == "rows") run(rows, 64, 2, 128);
    if (name == "rows_of_1_warp") run(rows, 32, 2, 33);
    if (name == "flat") run(flat, 64, 2, dim3(32, 4));
    if (name == "counted") run(counted, 64, 2, 128);
    if (name == "group") run(group, 64, 2, 128);
    if (name == "shuffled") run(shuffled, 64, 2, 128);
    if (name == "one_by_one") run(one_by_one, 64, 2, 128);
    if (name == "of_grid") run(of_grid, 64, 2, 128, true);
    if (name == "blocks_of_grid") run(blocks_of_grid, 256, 4, 128, true);
    if (name == "good_lanes") run(good_lanes, 64, 2, 128);
    if (name == "good_ragged") run(rows, 40, 2, 50);
    if (name == "good_condition") run(good_condition, 64, 2, 128);
    if (name == "good_after_the_last") run(good_after_the_last, 64, 2, 128);
    if (name == "good_whole_block") run(good_whole_block, 128, 2, 128);
    if (name == "good_grid") run(good_grid, 64, 2, 128, true);
    if (name == "two_kernels") {
        run(rows, 64, 2, 128);
        run(group, 64, 2, 128);
    }
}
