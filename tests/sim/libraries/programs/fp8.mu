// fp8: doubles and halves from stdin to both 8-bit formats and back, in a kernel.
#include <musa_fp8.h>

#include "program.h"

__global__ void convert(const double* x, int n, unsigned char* out, float* back) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __musa_cvt_double_to_fp8(x[i], __MT_SATFINITE, __MT_E4M3);
        out[i + n] = __musa_cvt_double_to_fp8(x[i], __MT_NOSAT, __MT_E4M3);
        out[i + 2 * n] = __mt_fp8_e5m2(x[i]).__x;
        out[i + 3 * n] = __musa_cvt_double_to_fp8(x[i], __MT_NOSAT, __MT_E5M2);
    }
    if (i < 256) {
        __mt_fp8_e4m3 a;
        __mt_fp8_e5m2 b;
        a.__x = b.__x = static_cast<unsigned char>(i);
        back[i] = static_cast<float>(a);
        back[i + 256] = static_cast<float>(b);
        back[i + 512] = __half2float(__half(__musa_cvt_fp8_to_halfraw(a.__x, __MT_E4M3)));
        back[i + 768] = __half2float(static_cast<__half>(b));
        // Four at a time and back
        const float4 four = static_cast<float4>(__mt_fp8x4_e4m3(float4{back[i], 1.5f, -2.0f, 1e9f}));
        back[i + 1024] = four.x;
        back[i + 1280] = four.y * four.z - four.w;
    }
}

int main(int, char** argv) {
    const int n = std::atoi(argv[1]);
    auto& x = input<double>(n);
    DeviceArray<unsigned char> out(4 * n);
    DeviceArray<float> back(6 * 256);
    convert<<<blocks_for(n, 256), 256>>>(x, n, out, back);
    check_kernel();
    back.write();
    out.write();
}
