// faults CASE: a kernel that goes wrong, then what the API says about it, then life after a reset.
#include <cassert>

#include "program.h"

__global__ void fine(int* out) { out[threadIdx.x] = threadIdx.x; }

__global__ void null_pointer(int* p) {
    if (blockIdx.x == 1 && threadIdx.x == 3) *p = 1;
}

// Elements before any allocation where no memory is mapped: beyond the end the address could be impossible.
constexpr long long far = 1ll << 40;

__global__ void wild_pointer(int* p) { p[threadIdx.x - far] = 1; }

__global__ void impossible_pointer(int* p) { p[1ull << 50] = 1; }

__global__ void trap(int* out) {
    if (out[0] == 0) __trap();
}

__global__ void breakpoint(int* out) {
    if (out[0] == 0) __brkpt();
}

__device__ int recurse(int n, volatile int* p) {
    volatile char frame[512];
    frame[n % 512] = 1;
    return n == 0 ? *p : recurse(n - 1, p) + frame[n % 512];
}
__global__ void overflow(int* out) { out[0] = recurse(1 << 20, out); }

__global__ void failed_assert_behind_barrier(int* out) {
    __shared__ int shared[32];
    shared[threadIdx.x] = out[0];
    __syncthreads();
    assert(threadIdx.x != 7 || shared[31] == 42);
}
__global__ void trap_of_one(int* out) {
    if (threadIdx.x == 5 + out[0]) __trap();
}
__global__ void failed_assert(int* out) {
    assert(out[0] == 0);
    if (threadIdx.x == 7) assert(out[1] == 42 && "the answer");
}

// In the middle of a block that could be vectorised, and behind a barrier.
__global__ void out_of_many(int* out, int by) {
    const int i = threadIdx.x + blockDim.x * threadIdx.y;
    out[i == by ? -far : i] = 100;
}
__global__ void behind_barrier(int* out, int by) {
    __shared__ int shared[64];
    shared[threadIdx.x] = threadIdx.x - by;
    __syncthreads();
    out[shared[63 - threadIdx.x] == 0 ? -far : threadIdx.x] = 100;
}
// A second run of the block would not fault, and one would print again.
__device__ int times;
__global__ void once(int* out) {
    if (threadIdx.x == 3 && atomicAdd(&times, 1) == 0) out[-far] = 1;
}
__global__ void after_printing(int* out) {
    if (threadIdx.x == 2) printf("printed=%d\n", threadIdx.x);
    if (threadIdx.x == 3) out[-far] = 1;
}

// The shared memory that a reduction for wider warps would use: more than the launch asked for.
__global__ void past_shared(int* out) {
    extern __shared__ int shared[];
    shared[threadIdx.x * 4] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = shared[(threadIdx.x ^ 1) * 4];
}

// Half of a warp waits for the other half, which waits for the block.
__global__ void deadlock(int* out) {
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0);
    else
        __syncthreads();
}

__global__ void wrong_mask(int* out) { out[threadIdx.x] = __shfl_sync(0x0000ffffu, 1, 0); }

// A kernel made from templates, with a name of some thousand characters.
template <class First, class Second>
struct Both {};
using Both4 = Both<Both<int, int>, Both<int, int>>;
using Both16 = Both<Both<Both4, Both4>, Both<Both4, Both4>>;
using Both64 = Both<Both<Both16, Both16>, Both<Both16, Both16>>;
using Both256 = Both<Both<Both64, Both64>, Both<Both64, Both64>>;
template <class Type>
__global__ void long_name(int* p) {
    p[threadIdx.x - far] = sizeof(Type);
}

int main(int, char** argv) {
    const std::string name = argv[1];
    int* out = nullptr;
    CHECK(musaMalloc(&out, 4096));
    CHECK(musaMemset(out, 0, 4096));
    if (name == "null_pointer") null_pointer<<<2, 32>>>(nullptr);
    if (name == "wild_pointer") wild_pointer<<<1, 1>>>(out);
    if (name == "impossible_pointer") impossible_pointer<<<1, 1>>>(out);
    if (name == "trap") trap<<<1, 1>>>(out);
    if (name == "breakpoint") breakpoint<<<1, 1>>>(out);
    if (name == "overflow") overflow<<<1, 1>>>(out);
    if (name == "out_of_many") out_of_many<<<3, dim3(32, 4)>>>(out, 71);
    if (name == "behind_barrier") behind_barrier<<<1, 64>>>(out, 44);
    if (name == "past_shared") past_shared<<<2, 256, 256 * sizeof(int)>>>(out);
    if (name == "once") once<<<1, 32>>>(out);
    if (name == "after_printing") after_printing<<<1, 32>>>(out);
    if (name == "failed_assert_behind_barrier") failed_assert_behind_barrier<<<1, 32>>>(out);
    if (name == "trap_of_one") trap_of_one<<<1, 32>>>(out);
    if (name == "failed_assert") failed_assert<<<1, 32>>>(out);
    if (name == "deadlock") deadlock<<<1, 64>>>(out);
    if (name == "wrong_mask") wrong_mask<<<1, 32>>>(out);
    if (name == "long_name") long_name<Both256><<<1, 1>>>(out);
    int* more = nullptr;
    std::printf("synchronize=%s\n", musaGetErrorName(musaDeviceSynchronize()));
    std::printf("last=%s\n", musaGetErrorName(musaGetLastError()));
    std::printf("last_again=%s\n", musaGetErrorName(musaGetLastError()));
    std::printf("malloc=%s\n", musaGetErrorName(musaMalloc(&more, 4)));
    fine<<<1, 8>>>(out);
    std::printf("launch=%s\n", musaGetErrorName(musaPeekAtLastError()));
    CHECK(musaDeviceReset());
    fine<<<1, 8>>>(out);
    CHECK(musaDeviceSynchronize());
    int result[8];
    CHECK(musaMemcpy(result, out, sizeof result, musaMemcpyDeviceToHost));
    std::printf("after_reset=%d\n", result[7]);
}
