// C = A B as libraries for tensor cores write it: cp.async into two stages, ldmatrix, mma.sync. A is by rows, B by columns.
#include <cstdint>
#include <cstdio>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int M = 64, N = 64, K = 96;
constexpr int tile_m = 32, tile_n = 32, tile_k = 32, padding = 8;

#define LDMATRIX_X2(registers, address)                                                     \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"               \
                 : "=r"((registers)[0]), "=r"((registers)[1])                               \
                 : "r"(address))

__device__ __forceinline__ uint32_t shared_address(const void* pointer) {
    uint32_t address;
    asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(address) : "l"(pointer));
    return address;
}

__device__ __forceinline__ void copy_if(uint32_t to, const void* from, bool inside) {
    asm volatile(
        "{\n"
        "  .reg .pred p;\n"
        "  setp.ne.b32 p, %0, 0;\n"
        "  @p cp.async.cg.shared.global.L2::128B [%1], [%2], %3;\n"
        "}\n" ::"r"((int)inside), "r"(to), "l"(from), "n"(16));
}

__device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void product(const half* a, const half* b, float* c) {
    __shared__ __align__(16) half rows[2][tile_m][tile_k + padding], columns[2][tile_n][tile_k + padding];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;  // two warps of 16 rows
    const int row = blockIdx.y * tile_m, column = blockIdx.x * tile_n;
    float sums[tile_n / 8][4] = {};
    auto fetch = [&](int stage, int k) {
        for (int i = threadIdx.x; i < tile_m * tile_k / 8; i += blockDim.x) {
            const int line = i / (tile_k / 8), part = i % (tile_k / 8) * 8;
            copy_if(shared_address(&rows[stage][line][part]), a + (row + line) * K + k + part, k < K);
            copy_if(shared_address(&columns[stage][line][part]), b + (column + line) * K + k + part, k < K);
        }
        asm volatile("cp.async.commit_group;\n" ::);
    };
    fetch(0, 0);
    for (int k = 0, stage = 0; k < K; k += tile_k, stage ^= 1) {
        fetch(stage ^ 1, k + tile_k);
        asm volatile("cp.async.wait_group %0;\n" ::"n"(1));
        __syncthreads();
        for (int part = 0; part < tile_k; part += 16) {
            uint32_t of_a[4], of_b[2];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                         : "=r"(of_a[0]), "=r"(of_a[1]), "=r"(of_a[2]), "=r"(of_a[3])
                         : "r"(shared_address(&rows[stage][warp * 16 + lane % 16][part + lane / 16 * 8])));
            for (int j = 0; j < tile_n / 8; ++j) {
                LDMATRIX_X2(of_b, shared_address(&columns[stage][j * 8 + lane % 8][part + lane / 8 % 2 * 8]));
                multiply(sums[j], of_a, of_b);
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < tile_n / 8; ++j)
        for (int i = 0; i < 4; ++i)
            c[(row + warp * 16 + lane / 4 + i / 2 * 8) * N + column + j * 8 + lane % 4 * 2 + i % 2] = sums[j][i];
}

// Small integers: every sum is exact.
__global__ void fill(half* matrix, int count, int factor, int modulus) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        unsigned short bits;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(float(i * factor % modulus - modulus / 2)));
        matrix[i] = __ushort_as_half(bits);
    }
}

int main() {
    half *a, *b;
    float* c;
    cudaMallocManaged(&a, M * K * sizeof(half));
    cudaMallocManaged(&b, N * K * sizeof(half));
    cudaMallocManaged(&c, M * N * sizeof(float));
    fill<<<1, 64>>>(a, M * K, 7919, 31);
    fill<<<1, 64>>>(b, N * K, 104729, 29);
    product<<<dim3(N / tile_n, M / tile_m), 64>>>(a, b, c);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int wrong = 0;
    for (int i = 0; i < M; ++i) {
        for (int j = 0; j < N; ++j) {
            int sum = 0;
            for (int k = 0; k < K; ++k) sum += int(__half2float(a[i * K + k])) * int(__half2float(b[j * K + k]));
            wrong += c[i * N + j] != float(sum);
        }
    }
    printf("%d wrong of %d\n", wrong, M * N);
}
