// compute CASE [numbers]: arrays come on stdin, the result goes to stdout.
#include <musa_bf16.h>
#include <musa_fp16.h>

#include <cmath>

#include "program.h"

template <class T>
__global__ void axpb(const T* x, T* y, T a, T b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + b;
}

template <class T>
void run_axpb(int n) {
    auto& x = input<T>(n);
    DeviceArray<T> y(n);
    axpb<T><<<blocks_for(n, 256), 256>>>(x, y, T(2.0f), T(1.0f), n);
    check_kernel();
    y.write();
}

// The classic reduction: shuffles inside warps, shared memory between them, an atomic between
// blocks.
__global__ void sum_with_shuffles(const float* x, float* total, int n) {
    __shared__ float of_warp[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < static_cast<int>(blockDim.x) / warpSize ? of_warp[lane] : 0.0f;
        for (int offset = warpSize / 2; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (lane == 0) atomicAdd(total, sum);
    }
}

// A tree over shared memory whose size the launch decides.
template <class T>
__global__ void sum_with_shared(const T* x, double* total, int n) {
    extern __shared__ double partial[];
    const unsigned t = threadIdx.x;
    const unsigned i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? static_cast<double>(x[i]) : 0.0;
    __syncthreads();
    for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (t < offset) partial[t] += partial[t + offset];
        __syncthreads();
    }
    if (t == 0) atomicAdd(total, partial[0]);
}

__global__ void matmul(const double* a, const double* b, double* c, int n, int tile) {
    extern __shared__ char shared[];
    double* tile_a = reinterpret_cast<double*>(shared);
    double* tile_b = tile_a + tile * tile;
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
    double sum = 0;
    for (int k = 0; k < n; k += tile) {
        tile_a[y * tile + x] = row < n && k + x < n ? a[row * n + k + x] : 0.0;
        tile_b[y * tile + x] = k + y < n && column < n ? b[(k + y) * n + column] : 0.0;
        __syncthreads();
        for (int j = 0; j < tile; ++j) sum += tile_a[y * tile + j] * tile_b[j * tile + x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

__global__ void atomics(const int* x, int* i, unsigned* u, unsigned long long* l, float* f,
                        double* d, __half* h, int n) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    const int v = x[at];
    atomicAdd(&i[0], v);
    atomicSub(&i[1], v);
    atomicMax(&i[2], v);
    atomicMin(&i[3], v);
    atomicOr(&i[4], v);
    atomicXor(&i[5], v);
    atomicAnd(&u[0], ~(1u << (at % 7)));
    atomicInc(&u[1], 9);
    atomicDec(&u[2], 6);
    atomicMax(&u[3], static_cast<unsigned>(v));
    atomicAdd(&l[0], static_cast<unsigned long long>(v) << 32);
    atomicCAS(&l[1], 0ull, static_cast<unsigned long long>(at) + 1);
    atomicAdd(&f[v & 15], 0.5f);
    atomicAdd(&d[v & 15], 0.25);
    atomicAdd(&h[0], __float2half(1.0f));
}

struct Scale {
    float factor;
    double offsets[3];
    unsigned char index;
};
struct Empty {};

__global__ void by_value(float* out, Scale scale, Empty, float3 v, long long big, bool negate,
                         __half half, dim3 d) {
    float value = scale.factor * static_cast<float>(scale.offsets[scale.index]) + v.x * v.y + v.z;
    value += static_cast<float>(big >> 40) + __half2float(half) + d.x * 100 + d.z;
    out[threadIdx.x] = (negate ? -value : value) + threadIdx.x;
}

// Empty classes at the start, between and at the end of what registers take; `a` and `b` are what counts.
struct OtherEmpty {};
template <class First, class A, class B>
struct Behind {
    First first;
    A a;
    B b;
};
template <class First, class A>
struct Alone {
    First first;
    A a;
    static constexpr int b = 0;
};
template <class... Bases>
struct Derived : Bases... {
    double a;
    int b;
};
template <class A, class B>
struct Between {
    A a;
    Empty between;
    B b;
    OtherEmpty last;
};
template <class A>
struct NoAddress {
    [[no_unique_address]] Empty first;
    [[no_unique_address]] Empty second;
    A a;
    static constexpr int b = 0;
};
template <class Inner>
struct Nested {
    Inner inner;
    __device__ double sum() const { return inner.a + 100 * inner.b; }
};
template <class T>
__global__ void sum_of_members(char before, Nested<T> given, float after, double* out) {
    out[0] = before + 10 * given.sum() + 10000 * static_cast<double>(after);
}
template <class... T>
void sums_of_members(double* out) {
    const auto launch = [&](auto object) {
        object.a = 1;
        if constexpr (!std::is_const_v<std::remove_reference_t<decltype((object.b))>>) object.b = 2;
        sum_of_members<<<1, 1>>>(3, Nested<decltype(object)>{object}, 4, out++);
    };
    (launch(T{}), ...);
}

// Not trivially copyable, so that it is passed by its address; each thread changes its own.
struct Tally {
    double counts[3];
    __host__ __device__ explicit Tally(double start) : counts{start, start, start} {}
    __host__ __device__ Tally(const Tally& other) {
        for (int i = 0; i < 3; ++i) counts[i] = other.counts[i];
    }
    __device__ void add(double x) { counts[1] += x; }
};
__global__ void own_copy(Tally tally, float* out) {
    tally.add(threadIdx.x);
    __syncthreads();
    tally.add(blockIdx.x * 100);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<float>(tally.counts[1] + tally.counts[2]);
}
__global__ void own_copy_in_turns(Tally tally, float* out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        tally.add(1);
        out[i] = static_cast<float>(tally.counts[1]);
    }
}

// Per lane of a warp: what each warp function returns.
__global__ void warp_functions(const int* x, int* out, int count) {
    const int t = threadIdx.x;
    const int v = x[t];
    const unsigned all = 0xffffffffu;
    int* row = out + t * count;
    row[0] = __shfl_sync(all, v, 5);
    row[1] = __shfl_sync(all, v, t + 3, 8);
    row[2] = __shfl_up_sync(all, v, 2, 16);
    row[3] = __shfl_down_sync(all, v, 3);
    row[4] = __shfl_xor_sync(all, v, 9);
    row[5] = static_cast<int>(__ballot_sync(all, v & 1));
    row[6] = __any_sync(all, v == 7) * 2 + __all_sync(all, v < 1000);
    row[7] = static_cast<int>(__match_any_sync(all, v & 3));
    int same = 0;
    row[8] = static_cast<int>(__match_all_sync(all, v / 4096, &same)) + same;
    // two halves of each warp, each on its own, at different instructions
    if (t & 16) {
        row[9] = static_cast<int>(__ballot_sync(0xffff0000u, v & 2));
        row[10] = static_cast<int>(__activemask());
    } else {
        row[9] = __shfl_xor_sync(0x0000ffffu, v, 15);
        row[10] = static_cast<int>(__activemask());
    }
    __syncwarp();
    row[11] = static_cast<int>(__double2int_rn(__shfl_down_sync(all, v + 0.25, 1)));
    row[12] = static_cast<int>(__get_laneid());
    row[13] = __syncthreads_count(v & 1);
    row[14] = __syncthreads_or(v == 7) * 2 + __syncthreads_and(v < 1000);
}

// In every second group of 32 lanes the first half works, with a mask of its own.
__global__ void partial_masks(const int* x, int* out) {
    const int t = threadIdx.x;
    const unsigned half = 0x0000ffffu;
    if (!(t & 32) || (t & 16)) return;
    const int v = x[t];
    int* row = out + t * 5;
    row[0] = static_cast<int>(__ballot_sync(half, v & 1));
    row[1] = __shfl_sync(half, v, t + 1, 16);
    row[2] = __any_sync(half, v == 7);
    row[3] = __all_sync(half, v < 850);
    row[4] = static_cast<int>(__match_any_sync(half, v & 3));
    __syncwarp(half);
}

// The two calls are alike, and a compiler would make one of them.
__global__ void active_masks(unsigned* out) {
    if (threadIdx.x % 3 == 0) {
        out[threadIdx.x] = __activemask();
    } else {
        out[threadIdx.x] = __activemask();
    }
}

// One lane of each warp asks for the active lanes, then ends the waiting of the others, which spin.
__global__ void active_among_spinning(const int* elected, unsigned* out) {
    __shared__ int flags[32];
    const int warp = threadIdx.x / 32;
    volatile int* flag = flags + warp;
    if (threadIdx.x % 32 == 0) *flag = 0;
    __syncthreads();
    if (static_cast<int>(threadIdx.x % 32) == elected[warp]) {
        out[warp] = __activemask();
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
    }
}

// Threads that leave early are not waited for; the others meet at textually different barriers.
__global__ void early_exit(int* out) {
    __shared__ int seen[64];
    const int t = threadIdx.x;
    if (t % 3 == 0) return;
    seen[t] = t;
    if (t % 3 == 1) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    int sum = 0;
    for (int i = 0; i < 64; ++i) sum += i % 3 ? seen[i] : 0;
    out[t] = sum;
}

// One thread spins until another has set a flag: makes progress because __nanosleep lets the others
// run.
__global__ void spin(int* flag, int* out) {
    if (threadIdx.x == 0) {
        while (*reinterpret_cast<volatile int*>(flag) == 0) __nanosleep(100);
        out[0] = 42;
    } else if (threadIdx.x == 33) {
        *flag = 1;
    }
}

__global__ void indices(unsigned* out) {
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] =
        threadIdx.x | threadIdx.y << 4 | threadIdx.z << 8 | blockIdx.x << 12 | blockIdx.y << 16 |
        blockIdx.z << 20;
}

__global__ void print(int n) {
    if (threadIdx.x < n)
        printf("thread %d of %u: %.2f %s\n", threadIdx.x, blockDim.x, threadIdx.x * 0.5, "ok");
}

template <class Function>
__global__ void apply(Function f, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void device_heap(int* out) {
    int* p = new int[4];
    p[2] = fibonacci(threadIdx.x % 12);
    __syncthreads();
    out[threadIdx.x] = p[2];
    delete[] p;
}

int main(int argc, char** argv) {
    const std::string name = argv[1];
    const int n = argc > 2 ? std::atoi(argv[2]) : 0;
    if (name == "axpb_float") run_axpb<float>(n);
    if (name == "axpb_double") run_axpb<double>(n);
    if (name == "axpb_half") run_axpb<__half>(n);
    if (name == "axpb_bfloat16") run_axpb<__mt_bfloat16>(n);
    if (name == "axpb_int") run_axpb<int>(n);
    if (name == "sum_with_shuffles") {
        auto& x = input<float>(n);
        DeviceArray<float> total(1);
        sum_with_shuffles<<<16, 256>>>(x, total, n);
        check_kernel();
        total.write();
    }
    if (name == "sum_with_shared") {
        auto& x = input<int>(n);
        DeviceArray<double> total(1);
        sum_with_shared<<<blocks_for(n, 128), 128, 128 * sizeof(double)>>>(
            static_cast<const int*>(x), total, n);
        check_kernel();
        total.write();
    }
    if (name == "matmul") {
        const int tile = std::atoi(argv[3]);
        auto& a = input<double>(n * n);
        auto& b = input<double>(n * n);
        DeviceArray<double> c(n * n);
        const unsigned tiles = blocks_for(n, tile);
        matmul<<<dim3(tiles, tiles), dim3(tile, tile), 2 * tile * tile * sizeof(double)>>>(a, b, c,
                                                                                           n, tile);
        check_kernel();
        c.write();
    }
    if (name == "atomics") {
        auto& x = input<int>(n);
        DeviceArray<int> i(6);
        DeviceArray<unsigned> u(4);
        DeviceArray<unsigned long long> l(2);
        DeviceArray<float> f(16);
        DeviceArray<double> d(16);
        DeviceArray<__half> h(1);
        CHECK(musaMemset(u, 0xff, 4));
        atomics<<<blocks_for(n, 64), 64>>>(x, i, u, l, f, d, h, n);
        check_kernel();
        i.write(), u.write(), l.write(), f.write(), d.write(), h.write();
    }
    if (name == "own_copy") {
        DeviceArray<float> out(3 * 64);
        const Tally tally(5);
        own_copy<<<2, 64>>>(tally, out);
        own_copy_in_turns<<<1, 16>>>(tally, out + 128, 64);
        check_kernel();
        out.write();
    }
    if (name == "empty_classes") {
        DeviceArray<double> out(n);
        sums_of_members<Behind<Empty, double, int>, Behind<Empty, float, float>, Behind<Empty[3], short, long>,
                        Behind<Empty[9], char, float>, Behind<Alone<Empty, long>, float, int>, Derived<Empty>,
                        Derived<Empty, OtherEmpty>, Between<float, double>, Between<long, char>, Between<char, float>,
                        Alone<Empty, long>, Alone<Empty, double>, Alone<Empty, float>, Alone<Empty[8], char>,
                        Alone<Alone<Empty, char>, long>, NoAddress<long>, NoAddress<double>>(out);
        check_kernel();
        out.write();
    }
    if (name == "by_value") {
        DeviceArray<float> out(8);
        Scale scale{1.5f, {1, 2, 4}, 2};
        by_value<<<1, 8>>>(out, scale, Empty(), make_float3(2, 3, 4), 5ll << 40, true,
                           __float2half(0.25f), dim3(7, 8, 9));
        check_kernel();
        out.write();
    }
    if (name == "warp_functions") {
        const int count = 15;
        auto& x = input<int>(n);
        DeviceArray<int> out(n * count);
        warp_functions<<<1, n>>>(x, out, count);
        check_kernel();
        out.write();
    }
    if (name == "active_masks") {
        DeviceArray<unsigned> out(64);
        active_masks<<<1, 64>>>(out);
        check_kernel();
        out.write();
    }
    if (name == "active_among_spinning") {
        auto& elected = input<int>(n);
        DeviceArray<unsigned> out(n);
        active_among_spinning<<<1, 32 * n>>>(elected, out);
        check_kernel();
        out.write();
    }
    if (name == "partial_masks") {
        auto& x = input<int>(n);
        DeviceArray<int> out(n * 5);
        partial_masks<<<1, n>>>(x, out);
        check_kernel();
        out.write();
    }
    if (name == "early_exit") {
        DeviceArray<int> out(64);
        early_exit<<<1, 64>>>(out);
        check_kernel();
        out.write();
    }
    if (name == "spin") {
        DeviceArray<int> flag(1), out(1);
        spin<<<1, 64>>>(flag, out);
        check_kernel();
        out.write();
    }
    if (name == "indices") {
        const dim3 grid(2, 3, 4), block(3, 2, 5);
        DeviceArray<unsigned> out(24 * 30);
        indices<<<grid, block>>>(out);
        check_kernel();
        out.write();
    }
    if (name == "print") {
        print<<<1, 8>>>(n);
        check_kernel();
    }
    if (name == "lambda") {
        DeviceArray<int> out(n);
        int* p = out;
        apply<<<blocks_for(n, 32), 32>>>([=] __device__(int i) { p[i] = i * i + n; }, n);
        check_kernel();
        out.write();
    }
    if (name == "device_heap") {
        DeviceArray<int> out(64);
        device_heap<<<1, 64>>>(out);
        check_kernel();
        out.write();
    }
}
