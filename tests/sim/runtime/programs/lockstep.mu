// Programs from before __syncwarp: lanes read through volatile pointers what other lanes of their warp wrote.
// argv: the number of blocks. Input: 256 ints for each. Output: a line for each program with its results.
#include <musa_runtime.h>

#include <cstdio>
#include <cstdlib>

constexpr int THREADS = 256;

// The last six steps of the classic reduction, by a function that takes a volatile pointer.
__device__ void add_last(volatile int* sums, int t) {
    sums[t] += sums[t + 32];
    sums[t] += sums[t + 16];
    sums[t] += sums[t + 8];
    sums[t] += sums[t + 4];
    sums[t] += sums[t + 2];
    sums[t] += sums[t + 1];
}

__global__ void reduce(const int* in, int* out) {
    __shared__ int sums[THREADS];
    const int t = threadIdx.x;
    sums[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int distance = THREADS / 2; distance > 32; distance /= 2) {
        if (t < distance) sums[t] += sums[t + distance];
        __syncthreads();
    }
    if (t < 32) add_last(sums, t);
    if (t == 0) out[blockIdx.x] = sums[0];
}

// The same in dynamic shared memory, with a pointer of the kernel's own.
__global__ void reduce_dynamic(const int* in, int* out) {
    extern __shared__ int dynamic[];
    const int t = threadIdx.x;
    dynamic[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int distance = THREADS / 2; distance > 32; distance /= 2) {
        if (t < distance) dynamic[t] += dynamic[t + distance];
        __syncthreads();
    }
    if (t < 32) {
        volatile int* sums = dynamic;
        for (int distance = 32; distance > 0; distance /= 2) sums[t] = sums[t] + sums[t + distance];
    }
    if (t == 0) out[blockIdx.x] = dynamic[0];
}

// An inclusive scan of each warp (Hillis and Steele) that writes where neighbours read.
__global__ void scan(const int* in, int* out) {
    __shared__ volatile int values[THREADS];
    const int t = threadIdx.x, lane = t % 32;
    values[t] = in[blockIdx.x * THREADS + t];
    for (int distance = 1; distance < 32; distance *= 2) {
        if (lane >= distance) values[t] = values[t] + values[t - distance];
    }
    out[blockIdx.x * THREADS + t] = values[t];
}

// Plain stores, then volatile reads of other lanes' (GPUJPEG's transposition).
__global__ void reversed(const int* in, int* out) {
    __shared__ int values[THREADS];
    const int t = threadIdx.x;
    values[t] = in[blockIdx.x * THREADS + t];
    volatile int* read = values;
    out[blockIdx.x * THREADS + t] = read[t ^ 31];
}

// One lane of each warp works alone, others wait at a barrier; and a flag that ends a loop.
__global__ void alone(const int* in, int* out) {
    __shared__ volatile int sums[THREADS / 32];
    __shared__ volatile int done;
    const int t = threadIdx.x;
    if (t == 0) done = 0;
    if (t % 32 == 0) {
        sums[t / 32] = 0;
        for (int i = 0; i < 32; ++i) sums[t / 32] += in[blockIdx.x * THREADS + t + i];
    }
    __syncthreads();
    if (t == 77) done = 1;
    while (!done) {
    }
    out[blockIdx.x * THREADS + t] = sums[t / 32];
}

static void print(const char* name, const int* out, int count) {
    std::printf("%s %s", name, musaGetErrorString(musaDeviceSynchronize()));
    for (int i = 0; i < count; ++i) std::printf(" %d", out[i]);
    std::printf("\n");
}

int main(int, char** argv) {
    const int blocks = std::atoi(argv[1]), n = blocks * THREADS;
    int *in, *out;
    musaMallocManaged(&in, n * sizeof(int));
    musaMallocManaged(&out, n * sizeof(int));
    if (std::fread(in, sizeof(int), n, stdin) != static_cast<size_t>(n)) return 1;
    reduce<<<blocks, THREADS>>>(in, out);
    print("reduce", out, blocks);
    reduce_dynamic<<<blocks, THREADS, THREADS * sizeof(int)>>>(in, out);
    print("reduce_dynamic", out, blocks);
    scan<<<blocks, THREADS>>>(in, out);
    print("scan", out, n);
    reversed<<<blocks, THREADS>>>(in, out);
    print("reversed", out, n);
    alone<<<blocks, THREADS>>>(in, out);
    print("alone", out, n);
}
