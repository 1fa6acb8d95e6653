// The C++ that kernels use: templates, pointers to functions, classes, memory of their own, printf and assert.
#include <assert.h>
#include <new>
#include <thread>

#include "idiom.h"

// --- recursion and pointers to functions

template <int N>
struct Power {
    static __device__ __forceinline__ int of(int x) { return x * Power<N - 1>::of(x); }
};
template <>
struct Power<0> {
    static __device__ __forceinline__ int of(int) { return 1; }
};
template <class First, class... Rest>
__device__ int total(First first, Rest... rest) {
    if constexpr (sizeof...(rest) == 0) {
        return first;
    } else {
        return first + total(rest...);
    }
}
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recurse(const int *in, int *out) {
    const int i = in[threadIdx.x];
    out[threadIdx.x] = Power<3>::of(i) + total(i, 2 * i, 1) + fibonacci(i % 10);
}

IDIOM(recursive_templates_and_functions) {
    Array<int> in(32), out(32);
    input("values", in.fill(100));
    recurse<<<1, 32>>>(in, out);
    output("out", out);
}

typedef int (*Operation)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ int times(int a, int b) { return a * b; }
__device__ Operation operations[] = {plus, minus, times};
__device__ int first_of_warp(int a, int) { return __shfl_sync(0xffffffffu, a, 0); }
__device__ Operation waits = first_of_warp;

__global__ void through_pointers(const int *in, int *out) {
    const int i = in[threadIdx.x];
    const Operation local[] = {times, plus};
    out[threadIdx.x] = operations[i % 3](i, 7) + local[i & 1](i, i) + waits(i, 0);
}

IDIOM(tables_of_function_pointers) {
    Array<int> in(64), out(64);
    input("values", in.fill(1000));
    through_pointers<<<1, 64>>>(in, out);
    output("out", out);
}

// --- classes

struct Shape {
    virtual __device__ float area() const = 0;
    virtual __device__ ~Shape() {}
};
struct Box : Shape {
    float a, b;
    __device__ Box(float a, float b) : a(a), b(b) {}
    __device__ float area() const override { return a * b; }
};
struct Triangle : Box {
    using Box::Box;
    __device__ float area() const override { return a * b / 2; }
};

__global__ void shapes(const int *in, float *out) {
    const int i = in[threadIdx.x];
    Shape *shape = i & 1 ? static_cast<Shape *>(new Triangle(i, 4)) : new Box(i, 3);
    float sum = shape->area();
    delete shape;
    alignas(Box) char memory_of_box[sizeof(Box)];
    Box *placed = new (memory_of_box) Box(2, i);
    sum += placed->area();
    placed->~Box();
    int *memory = static_cast<int *>(malloc(8 * sizeof(int)));
    for (int k = 0; k < 8; ++k) memory[k] = i + k;
    out[threadIdx.x] = sum + memory[i & 7];
    free(memory);
}

IDIOM(virtual_functions_new_and_malloc) {
    Array<int> in(40);
    Array<float> out(40);
    input("values", in.fill(1000));
    shapes<<<1, 40>>>(in, out);
    output("out", out);
}

// Operators on float3 as everybody's helper_math.h has them.
inline __host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
inline __host__ __device__ void operator-=(float3 &a, float3 b) { a.x -= b.x, a.y -= b.y, a.z -= b.z; }
inline __host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __host__ __device__ float3 reflected(float3 v, float3 n) {
    v -= 2 * dot(v, n) * n;
    return v + n;
}
__global__ void reflect_all(const float3 *in, const float3 *normals, float3 *out) {
    out[threadIdx.x] = reflected(in[threadIdx.x], normals[threadIdx.x]);
}

IDIOM(vector_operators) {
    Array<float> in(3 * 32), normals(3 * 32), out(3 * 32);
    input("vectors", in.fill(-1, 1));
    input("normals", normals.fill(-1, 1));
    reflect_all<<<1, 32>>>(reinterpret_cast<float3 *>(in.data()), reinterpret_cast<float3 *>(normals.data()),
                           reinterpret_cast<float3 *>(out.data()));
    output("out", out);
}

template <class F>
__global__ void for_each(int n, F f) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) f(i);
}

IDIOM(device_lambdas_in_a_grid_stride_loop) {
    Array<int> in(1000), out(1000);
    const int *from = in, factor = 3 + random_below(100);
    int *to = out;
    input("values", in.fill(1000));
    input("factor", &factor, 1);
    for_each<<<2, 96>>>(1000, [=] __device__(size_t i) { to[i] = from[i] * factor + static_cast<int>(i); });
    output("out", out);
}

// --- control flow

__global__ void fall_through(const int *in, int *out) {
    __shared__ int shared[64];
    const int i = threadIdx.x;
    int value = 0;
    shared[i] = i;
    switch (blockIdx.x) {
        case 0: value += 1;
        case 1: __syncthreads(); value += shared[63 - i];
        case 2: value += 100; break;
        default: __syncthreads(); value = -1;
    }
    for (int k = 0;; ++k) {
        if (k == in[i]) break;
        if (k % 2) continue;
        value += 1000;
    }
    out[blockIdx.x * 64 + i] = value;
}

IDIOM(switch_that_falls_through_a_barrier) {
    Array<int> in(64), out(256);
    input("values", in.fill(9));
    fall_through<<<4, 64>>>(in, out);
    output("out", out);
}

__global__ void early_return(const float *in, float *out, int n) {
    __shared__ float shared[128];
    const int i = threadIdx.x;
    if (i >= n) return;
    shared[i] = in[i];
    __syncthreads();
    out[i] = shared[n - 1 - i];
}

IDIOM(return_before_a_barrier) {
    Array<float> in(128), out(128);
    input("values", in.fill(-1, 1));
    early_return<<<1, 128>>>(in, out, 70);
    output("out", out);
}

__global__ void local_array(const int *in, int *out) {
    int counts[10], order[10];
    for (int k = 0; k < 10; ++k) counts[k] = 0, order[k] = k;
    for (int k = 0; k < 32; ++k) ++counts[in[(threadIdx.x + k) % 64]];
    for (int a = 1; a < 10; ++a) {
        for (int b = a; b > 0 && counts[order[b]] > counts[order[b - 1]]; --b) {
            const int t = order[b];
            order[b] = order[b - 1], order[b - 1] = t;
        }
    }
    out[threadIdx.x] = order[0] * 100 + counts[order[0]];
}

IDIOM(local_arrays_with_computed_indices) {
    Array<int> in(64), out(64);
    input("values", in.fill(10));
    local_array<<<1, 64>>>(in, out);
    output("out", out);
}

// --- memory of every kind

__constant__ float weights[8];
__constant__ struct {
    int shift;
    float table[4];
} settings = {2, {1, 10, 100, 1000}};
__device__ int launches;
__managed__ int shown = 5;

__global__ void all_memory(const float *__restrict__ in, float *out) {
    extern __shared__ __align__(16) unsigned char raw[];
    float *floats = reinterpret_cast<float *>(raw);
    short *shorts = reinterpret_cast<short *>(floats + blockDim.x);
    const int i = threadIdx.x;
    floats[i] = __ldg(in + i) * weights[i & 7];
    shorts[i] = static_cast<short>(i << settings.shift);
    __syncthreads();
    const int other = blockDim.x - 1 - i;
    out[i] = floats[other] + shorts[other] + settings.table[i & 3] + shown;
    __syncthreads();
    if (i == 0) atomicAdd(&launches, 1), shown = 6;
}

IDIOM(constant_dynamic_and_managed_memory) {
    Array<float> in(64), host(8), out(64);
    input("values", in.fill(50));
    input("weights", host.fill(20));
    musaMemcpyToSymbol(weights, host.data(), 8 * sizeof(float));
    shown = random_below(100);
    input("shown", &shown, 1);
    all_memory<<<1, 64, 64 * (sizeof(float) + sizeof(short))>>>(in, out);
    output("out", out);
    output("shown", &shown, 1);
    int count = 0;
    musaMemcpyFromSymbol(&count, launches, sizeof count);
    output("launches", &count, 1);
}

// Scalar shared variables that all threads write with the same or another value.
__global__ void concurrent_writes(const int *in, int *out, int n) {
    __shared__ bool found;
    __shared__ int where;
    found = false;
    where = threadIdx.x;
    __syncthreads();
    const int everyones = where;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (in[i] == 17) found = true;
    }
    __syncthreads();
    out[threadIdx.x] = found * 1000 + everyones;
}

IDIOM(concurrent_writes_to_shared_scalars) {
    Array<int> in(500), out(64);
    in.fill(2000);
    if (random_below(2)) in[333] = 17;
    input("values", in);
    concurrent_writes<<<1, 64>>>(in, out, 500);
    output("out", out);
}

// --- printf, assert, clocks, threads of the host

__global__ void talk(int *out) {
    assert(blockDim.x == 4);
    if (threadIdx.x == 2) printf("thread %d of %u says %.1f %s\n", threadIdx.x, blockDim.x, 2.5, "hello");
    const long long start = clock64();
    while (clock64() - start < 1000) {
    }
    out[threadIdx.x] = clock64() > start;
}

IDIOM(printf_assert_and_clock_loops) {
    Array<int> out(4);
    talk<<<1, 4>>>(out);
    finish();
    for (int i = 0; i < 4; ++i) EXPECT(out[i] == 1);
}

__global__ void fill(int *out, int value, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = value;
}

IDIOM(launches_from_several_host_threads) {
    Array<int> out(4 * 256), base(4);
    input("base", base.fill(1000));
    std::thread threads[4];
    for (int t = 0; t < 4; ++t) {
        threads[t] = std::thread([&out, &base, t] {
            musaStream_t stream;
            musaStreamCreate(&stream);
            for (int round = 0; round < 10; ++round)
                fill<<<1, 64, 0, stream>>>(out.data() + t * 256, base[t] + round, 256);
            musaStreamSynchronize(stream);
            musaStreamDestroy(stream);
        });
    }
    for (auto &thread : threads) thread.join();
    output("out", out);
}
