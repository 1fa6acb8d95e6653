// fp8_vectors: numbers from stdin to two and four of both 8-bit formats, from each type that their classes take; the codes
// of the same numbers one by one come first.
#include <musa_fp8.h>

#include "program.h"

template <class One, class Two, class Four>
__device__ void convert_four(const double* x, unsigned char* out) {
    const float f[] = {float(x[0]), float(x[1]), float(x[2]), float(x[3])};
    __half h[4];
    __mt_bfloat16 b[4];
    for (int i = 0; i < 4; ++i) {
        h[i] = __float2half_rn(f[i]);
        b[i] = __float2bfloat16_rn(f[i]);
        out[i] = One(x[i]).__x;
        out[4 + i] = One(f[i]).__x;
        out[8 + i] = One(h[i]).__x;
        out[12 + i] = One(b[i]).__x;
    }
    const __half2 h01(h[0], h[1]), h23(h[2], h[3]);
    const __mt_bfloat162 b01(b[0], b[1]), b23(b[2], b[3]);
    unsigned* const four = reinterpret_cast<unsigned*>(out + 16);
    four[0] = Four(double4{x[0], x[1], x[2], x[3]}).__x;
    four[1] = Four(float4{f[0], f[1], f[2], f[3]}).__x;
    four[2] = Four(h01, h23).__x;
    four[3] = Four(b01, b23).__x;
    unsigned short* const two = reinterpret_cast<unsigned short*>(out + 32);
    two[0] = Two(double2{x[0], x[1]}).__x;
    two[1] = Two(double2{x[2], x[3]}).__x;
    two[2] = Two(float2{f[0], f[1]}).__x;
    two[3] = Two(float2{f[2], f[3]}).__x;
    two[4] = Two(h01).__x;
    two[5] = Two(h23).__x;
    two[6] = Two(b01).__x;
    two[7] = Two(b23).__x;
}

__global__ void convert(const double* x, int count, unsigned char* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    convert_four<__mt_fp8_e4m3, __mt_fp8x2_e4m3, __mt_fp8x4_e4m3>(x + 4 * i, out + 96 * i);
    convert_four<__mt_fp8_e5m2, __mt_fp8x2_e5m2, __mt_fp8x4_e5m2>(x + 4 * i, out + 96 * i + 48);
}

int main(int, char** argv) {
    const int count = std::atoi(argv[1]);
    auto& x = input<double>(4 * count);
    DeviceArray<unsigned char> out(96 * count);
    convert<<<blocks_for(count, 64), 64>>>(x, count, out);
    check_kernel();
    out.write();
}
