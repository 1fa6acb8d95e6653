// halves CASE: the checks on half arithmetic and on fragments of matrices; one defect each, and right twins.
#include <mma.h>
#include <musa_fp16.h>

#include "program.h"

using namespace mtmusa;
__global__ void fragments(const half* a, float* out) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.f);
    wmma::load_matrix_sync(fa, a, 16);  // BUG:short_a
    wmma::load_matrix_sync(fb, a, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);  // BUG:short_c
}
__global__ void half_tile(half* out, int n) {
    __shared__ half tile[64];
    __half2* pairs = reinterpret_cast<__half2*>(tile);
    if (threadIdx.x < n) pairs[threadIdx.x] = __floats2half2_rn(1, 2);  // BUG:tile33
    __syncthreads();
    if (threadIdx.x < 32) out[threadIdx.x] = tile[2 * threadIdx.x];  // BUG:tile31
}
__global__ void half_atomic(half* out, int n) {
    __shared__ half sum;
    if (threadIdx.x == 0) sum = __float2half(0);
    if (n) __syncthreads();
    atomicAdd(&sum, __float2half(1));  // BUG:race
    __syncthreads();
    out[threadIdx.x % 32] = sum;
}
// 0xC3D7, -3.92 as a half, is half of what unwritten memory holds.
__global__ void pattern(unsigned short* words, unsigned short* out, bool both) {
    words[0] = 0xC3D7;
    if (both) words[1] = 0xFFA5;
    out[0] = words[0] + 1;
    out[1] = both ? words[1] + 1 : 0;
}
__global__ void read_pattern(const unsigned short* words, unsigned short* out) {
    out[2] = words[0] + 1;
}
__global__ void only_read(const unsigned short* words, unsigned short* out) {
    out[0] = words[0] + 1;  // BUG:unwritten
}
int main(int, char** argv) {
    const std::string name = argv[1];
    DeviceArray<half> a(name == "short_a" ? 255 : 256), out(32);
    DeviceArray<float> c(name == "short_c" ? 255 : 256);
    unsigned short *words, *results;
    musaMalloc(&words, 8);
    musaMalloc(&results, 8);
    if (name == "pattern" || name == "both") {
        pattern<<<1, 1>>>(words, results, name == "both");
        read_pattern<<<1, 1>>>(words, results);
    }
    if (name == "unwritten") {  // the same memory is filled anew
        pattern<<<1, 1>>>(words, results, true);
        musaFree(words);
        musaMalloc(&words, 8);
        only_read<<<1, 1>>>(words, results);
    }
    if (name.find("_a") != name.npos || name.find("_c") != name.npos) fragments<<<1, 32>>>(a, c);
    if (name == "tile33") half_tile<<<1, 64>>>(out, 33);
    if (name == "tile32") half_tile<<<1, 64>>>(out, 32);
    if (name == "tile31") half_tile<<<1, 64>>>(out, 31);
    if (name == "race") half_atomic<<<1, 64>>>(out, 0);
    if (name == "norace") half_atomic<<<1, 64>>>(out, 1);
    std::printf("%s\n", musaGetErrorName(musaDeviceSynchronize()));
}
