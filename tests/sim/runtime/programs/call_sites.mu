// Kernels whose one barrier or vote comes behind a short branch: the machine code must not have it twice.
#include <cstdio>
#include <cstdlib>

__device__ float warp_sum(float value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
    return value;
}

// the usual sum of a row in two stages; the barrier comes behind a store of each warp's first lane
__global__ void two_stages(const float* in, float* out, int columns) {
    __shared__ float parts[32];
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += in[blockIdx.x * columns + i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.f);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
}

// a barrier behind one of three branches, in a loop
__global__ void steps(const float* in, float* out, int columns) {
    __shared__ float sums[128];
    float* row = out + blockIdx.x;
    sums[threadIdx.x] = in[blockIdx.x * columns + threadIdx.x];
    for (int distance = blockDim.x / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
        else if (threadIdx.x == distance) sums[threadIdx.x] = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) *row = sums[0];
}

// all lanes come to __activemask() together, whatever branch they took before
__global__ void masks(const float* in, float* out, int columns) {
    __shared__ unsigned found[128];
    float value = in[blockIdx.x * columns + threadIdx.x];
    if (threadIdx.x % 3 == 0) out[blockIdx.x] = 0;
    unsigned mask = __activemask();
    found[threadIdx.x] = mask;
    __syncthreads();
    if (threadIdx.x == 0) {
        bool full = true;
        for (int i = 0; i < blockDim.x; ++i) full = full && found[i] == 0xffffffffu;
        out[blockIdx.x] = full ? value : -1;
    }
}

int main() {
    const int rows = 5, columns = 128;
    void (*kernels[])(const float*, float*, int) = {two_stages, steps, masks};
    const char* names[] = {"two_stages", "steps", "masks"};
    float* in;
    float* out;
    musaMallocManaged(&in, rows * columns * sizeof(float));
    musaMallocManaged(&out, rows * sizeof(float));
    for (int i = 0; i < rows * columns; ++i) in[i] = i % 11;
    for (int k = 0; k < 3; ++k) {
        kernels[k]<<<rows, columns>>>(in, out, columns);
        musaError_t error = musaDeviceSynchronize();
        std::printf("%s: %s:", names[k], musaGetErrorString(error));
        for (int i = 0; i < rows; ++i) std::printf(" %g", out[i]);
        std::printf("\n");
    }
}
