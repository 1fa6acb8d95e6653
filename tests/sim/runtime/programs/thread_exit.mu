// thread_exit CASE N: kernels whose threads end in the middle (__musa_exit), in each of which the others go on.
#include "program.h"

namespace {

constexpr unsigned block = 128;

__device__ unsigned thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The call is in the kernel itself.
__global__ void plain(const int* x, int n, int* y) {
    const unsigned i = thread_of_grid();
    if (i >= static_cast<unsigned>(n)) __musa_exit();
    if (x[i] < 0) {
        y[i] = -1;
        __musa_exit();
    }
    y[i] = 2 * x[i];
}

// A function that is inlined, in a loop.
__device__ int checked(int value) {
    if (value < -900) __musa_exit();
    return value + 1;
}
__global__ void inlined(const int* x, int n, int* y) {
    for (unsigned i = thread_of_grid(); i < static_cast<unsigned>(n); i += gridDim.x * blockDim.x) y[i] = checked(x[i]);
}

// A function that is not.
__device__ __attribute__((noinline)) void end_if(bool wanted) {
    if (wanted) __musa_exit();
}
__global__ void called(const int* x, int n, int* y) {
    const unsigned i = thread_of_grid();
    end_if(i >= static_cast<unsigned>(n));
    y[i] = x[i];
    end_if(x[i] < 0);
    y[i] = 3 * x[i];
}

// The others meet at a barrier and in a shuffle.
__global__ void waiting(const int* x, int n, int* y) {
    __shared__ int count;
    const unsigned i = thread_of_grid();
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x % 32 >= 20) __musa_exit();
    atomicAdd(&count, 1);
    __syncthreads();
    const int value = i < static_cast<unsigned>(n) ? x[i] : 0;
    const int first = __shfl_sync(0x000fffffu, value, 0);
    if (i < static_cast<unsigned>(n)) y[i] = first + count;
}

// No thread comes to its kernel's end.
__global__ void all(const int* x, int n, int* y) {
    const unsigned i = thread_of_grid();
    if (i < static_cast<unsigned>(n)) y[i] = x[i] + 7;
    __musa_exit();
}

}  // namespace

int main(int, char** arguments) {
    const std::string name = arguments[1];
    const int n = std::atoi(arguments[2]);
    DeviceArray<int>& x = input<int>(static_cast<std::size_t>(n));
    DeviceArray<int> y(x.size());
    const unsigned blocks = blocks_for(x.size(), block);
    if (name == "plain") plain<<<blocks, block>>>(x, n, y);
    if (name == "inlined") inlined<<<2, block>>>(x, n, y);
    if (name == "called") called<<<blocks, block>>>(x, n, y);
    if (name == "waiting") waiting<<<blocks, block>>>(x, n, y);
    if (name == "all") all<<<blocks, block>>>(x, n, y);
    check_kernel();
    y.write();
}
