// Kernels that benchmarks/simulator.py times against the loops of numbers.cpp: 16-bit numbers, strides, shared memory.
#include <musa_bf16.h>
#include <musa_fp16.h>
#include <musa_runtime.h>

#include <cstring>

namespace {

constexpr int block_size = 256;
constexpr int tile = 16;
constexpr int bins = 256;

template <class T>
__global__ void multiply(const T* a, const T* b, T* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] * b[i];
}

template <class T2>
__global__ void fma_pairs(const T2* a, const T2* b, T2* c, int pairs) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) c[i] = __hfma2(a[i], b[i], a[i]);
}

template <class T>
__global__ void exponential(const T* a, T* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = hexp(a[i]);
}

// An operand that is the result as well.
__global__ void multiply_in_place(float* c, const float* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = c[i] * a[i];
}

// As PyTorch's Loops: pointers in an array that is passed by value, offsets in bytes from divisions by sizes that are
// known at run time, the two operands strided differently.
struct Divider {
    unsigned divisor, magic, shift;
    __device__ unsigned quotient(unsigned n) const { return (__umulhi(n, magic) + n) >> shift; }
};
struct Operands {
    char* data[3];
};
struct Offsets {
    int dims;
    Divider sizes[25];
    unsigned strides[25][3];
    __device__ void get(unsigned linear, unsigned* offsets) const {
        for (int i = 0; i < 3; ++i) offsets[i] = 0;
#pragma unroll
        for (int dim = 0; dim < 25; ++dim) {
            if (dim == dims) break;
            const unsigned quotient = sizes[dim].quotient(linear);
            const unsigned rest = linear - quotient * sizes[dim].divisor;
            linear = quotient;
#pragma unroll
            for (int i = 0; i < 3; ++i) offsets[i] += rest * strides[dim][i];
        }
    }
};
// Four elements a thread, as elementwise_kernel<128, 4>.
__global__ void strided_multiply(int n, Operands operands, Offsets calculator) {
    int i = 512 * blockIdx.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (i < n) {
            unsigned offsets[3];
            calculator.get(i, offsets);
            *reinterpret_cast<float*>(operands.data[0] + offsets[0]) =
                *reinterpret_cast<const float*>(operands.data[1] + offsets[1]) *
                *reinterpret_cast<const float*>(operands.data[2] + offsets[2]);
            i += 128;
        }
    }
}

Divider divider(unsigned divisor) {
    unsigned shift = 0;
    while (shift < 32 && (1u << shift) < divisor) ++shift;
    const unsigned long long one = 1;
    return {divisor, static_cast<unsigned>(((one << 32) * ((one << shift) - divisor)) / divisor + 1), shift};
}

// c = a * b of square matrices.
__global__ void gemm(const float* a, const float* b, float* c, int size) {
    __shared__ float left[tile][tile], right[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < size; k += tile) {
        left[threadIdx.y][threadIdx.x] = a[row * size + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * size + column];
        __syncthreads();
        for (int i = 0; i < tile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    c[row * size + column] = sum;
}

// Counts the lowest bytes of a's bits in shared memory, then adds up the blocks' counts.
__global__ void histogram(const unsigned* a, unsigned* counts, int n) {
    __shared__ unsigned own[bins];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[a[i] & (bins - 1)], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

int blocks_for(int n) { return (n + block_size - 1) / block_size; }

}  // namespace

extern "C" int launch_numbers(const char* name, const void* a, const void* b, void* c, int n) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    const int blocks = blocks_for(n);
    if (is("half_multiply")) {
        multiply<<<blocks, block_size>>>((const __half*)a, (const __half*)b, (__half*)c, n);
    } else if (is("half_fma")) {
        fma_pairs<<<blocks_for(n / 2), block_size>>>((const __half2*)a, (const __half2*)b, (__half2*)c, n / 2);
    } else if (is("half_exp")) {
        exponential<<<blocks, block_size>>>((const __half*)a, (__half*)c, n);
    } else if (is("bfloat16_multiply")) {
        multiply<<<blocks, block_size>>>((const __mt_bfloat16*)a, (const __mt_bfloat16*)b, (__mt_bfloat16*)c, n);
    } else if (is("bfloat16_fma")) {
        fma_pairs<<<blocks_for(n / 2), block_size>>>((const __mt_bfloat162*)a, (const __mt_bfloat162*)b,
                                                     (__mt_bfloat162*)c, n / 2);
    } else if (is("bfloat16_exp")) {
        exponential<<<blocks, block_size>>>((const __mt_bfloat16*)a, (__mt_bfloat16*)c, n);
    } else if (is("in_place")) {
        multiply_in_place<<<blocks, block_size>>>((float*)c, (const float*)a, n);
    } else if (is("strided")) {
        unsigned side = 1;
        while ((side + 1) * (side + 1) <= static_cast<unsigned>(n)) ++side;
        Operands operands = {{(char*)c, (char*)a, (char*)b}};
        Offsets offsets = {2, {divider(side), divider(side)}, {{4, 4 * side, 4}, {4 * side, 4, 4 * side}}};
        strided_multiply<<<(side * side + 511) / 512, 128>>>(side * side, operands, offsets);
    } else if (is("gemm")) {
        gemm<<<dim3(512 / tile, 512 / tile), dim3(tile, tile)>>>((const float*)a, (const float*)b, (float*)c, 512);
    } else if (is("histogram")) {
        musaMemsetAsync(c, 0, bins * sizeof(unsigned), 0);
        histogram<<<256, block_size>>>((const unsigned*)a, (unsigned*)c, n);
    } else {
        return -1;
    }
    return musaDeviceSynchronize();
}
