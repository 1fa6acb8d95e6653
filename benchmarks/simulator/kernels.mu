// The kernels that benchmarks/simulator.py times, behind plain C functions. One call launches each kernel `repeat` times.
#include <musa_runtime.h>

namespace {

constexpr int block_size = 256;

__global__ void axpy(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = 2 * a[i] + b[i];
}

__global__ void horner(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = a[i], y = 0;
        for (int k = 0; k < 24; ++k) y = y * x + 0.5f;
        c[i] = y;
    }
}

__global__ void sigmoid(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = 1.0f / (1.0f + expf(-a[i]));
}

__global__ void grid_stride(const float* a, const float* b, float* c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = 2 * a[i] + b[i];
}

// Each block reverses its own elements: one barrier, no more.
__global__ void reverse_in_block(const float* a, float* c, int n) {
    __shared__ float tile[block_size];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    if (i < n) c[i] = tile[block_size - 1 - threadIdx.x];
}

// One element per thread, a tree in shared memory: nine barriers.
__global__ void block_sum(const float* a, float* sums, int n) {
    __shared__ float tile[block_size];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    for (int step = block_size / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) tile[threadIdx.x] += tile[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = tile[0];
}

// Many elements per thread, then the same tree: how reductions are usually written.
__global__ void strided_sum(const float* a, float* sums, int n) {
    __shared__ float tile[block_size];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i];
    tile[threadIdx.x] = sum;
    __syncthreads();
    for (int step = block_size / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) tile[threadIdx.x] += tile[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = tile[0];
}

__global__ void barriers(int count) {
    for (int k = 0; k < count; ++k) __syncthreads();
}

__global__ void empty() {}

int blocks_for(int n) { return (n + block_size - 1) / block_size; }

}  // namespace

extern "C" {

int launch(const char* name, const float* a, const float* b, float* c, int n) {
    switch (name[0]) {
        case 'a': axpy<<<blocks_for(n), block_size>>>(a, b, c, n); break;
        case 'h': horner<<<blocks_for(n), block_size>>>(a, c, n); break;
        case 's': sigmoid<<<blocks_for(n), block_size>>>(a, c, n); break;
        case 'g': grid_stride<<<256, block_size>>>(a, b, c, n); break;
        case 'r': reverse_in_block<<<blocks_for(n), block_size>>>(a, c, n); break;
        case 't': block_sum<<<blocks_for(n), block_size>>>(a, c, n); break;
        case 'u': strided_sum<<<128, block_size>>>(a, c, n); break;
        case 'b': barriers<<<1, block_size>>>(n); break;
        case 'e': empty<<<1, block_size>>>(); break;
        default: return -1;
    }
    return musaDeviceSynchronize();
}

float* device_array(int n) {
    float* p = nullptr;
    return musaMalloc(&p, n * sizeof(float)) == musaSuccess ? p : nullptr;
}
}
