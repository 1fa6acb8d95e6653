// intrinsics CASE N: functions of integers and floats, several per element.
#include <math_constants.h>

#include "program.h"

__global__ void integers(const unsigned* in, long long* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned a = in[i], b = in[n + i];
    const unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
    const int sa = static_cast<int>(a), sb = static_cast<int>(b);
    const long long results[] = {__clz(sa),
                                 __clzll(static_cast<long long>(wide)),
                                 __ffs(sa),
                                 __ffsll(static_cast<long long>(wide)),
                                 __popc(a),
                                 __popcll(wide),
                                 __brev(a),
                                 static_cast<long long>(__brevll(wide)),
                                 __byte_perm(a, b, 0x7214),
                                 __byte_perm(a, b, 0x8f09),
                                 __funnelshift_l(a, b, 13),
                                 __funnelshift_r(a, b, 45),
                                 __funnelshift_lc(a, b, 13),
                                 __funnelshift_lc(a, b, 45),
                                 __funnelshift_rc(a, b, 13),
                                 __funnelshift_rc(a, b, 45),
                                 __dp4a(sa, sb, 7),
                                 __dp4a(a, b, 7u),
                                 __bfe_u32(a, 5, 9),
                                 __mulhi(sa, sb),
                                 __umulhi(a, b),
                                 __mul64hi(static_cast<long long>(wide), sb),
                                 static_cast<long long>(__umul64hi(wide, wide)),
                                 __umul24(a, b),
                                 __mul24(sa, sb),
                                 __hadd(sa, sb),
                                 __uhadd(a, b),
                                 __usad(a, b, 3),
                                 __sad(sa, sb, 3),
                                 max(sa, sb),
                                 min(sa, sb),
                                 max(a, sb),
                                 min(sa, b),
                                 static_cast<long long>(max(wide, 5ll)),
                                 umax(a, b),
                                 __double2hiint(__hiloint2double(sa, sb)),
                                 __double2loint(__hiloint2double(sa, sb)),
                                 std::abs(static_cast<long long>(sa)),
                                 abs(static_cast<long>(sb))};
    constexpr int count = sizeof results / sizeof results[0];
    for (int k = 0; k < count; ++k) out[k * n + i] = results[k];
}
constexpr int integer_results = 39;

__global__ void to_integers(const float* in, long long* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    const double d = x;
    const long long results[] = {__float2int_rn(x),
                                 __float2int_rz(x),
                                 __float2int_rd(x),
                                 __float2int_ru(x),
                                 __float2uint_rn(x),
                                 __float2ll_rn(x),
                                 static_cast<long long>(__float2ull_rz(x)),
                                 __double2int_rn(d),
                                 __double2uint_rd(d),
                                 __double2ll_ru(d),
                                 isnan(x) + 2 * isinf(x),
                                 std::isnan(d) + 2 * std::isfinite(d),
                                 signbit(x)};
    constexpr int count = sizeof results / sizeof results[0];
    for (int k = 0; k < count; ++k) out[k * n + i] = results[k];
}
constexpr int to_integer_results = 13;

__global__ void reals(const float* in, double* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i], y = in[n + i];
    const double d = x;
    float sine, cosine;
    sincosf(x, &sine, &cosine);
    const double results[] = {__expf(x),
                              __logf(y),
                              __sinf(x),
                              __cosf(x),
                              __tanf(x),
                              __powf(y, x),
                              __log2f(y),
                              __log10f(y),
                              __exp10f(x),
                              __fdividef(x, y),
                              rsqrtf(y),
                              rsqrt(static_cast<double>(y)),
                              rcbrtf(y),
                              sinpi(d),
                              cospi(d),
                              sinpif(x),
                              cospif(x),
                              sine,
                              cosine,
                              norm3df(x, y, 1.0f),
                              normcdf(d),
                              erff(x),
                              lgammaf(y),
                              __saturatef(x),
                              __fmaf_rn(x, y, 1.0f),
                              __frcp_rn(y),
                              __fsqrt_rn(y),
                              max(x, y),
                              min(x, d * 2),
                              std::max(x, y),
                              fmodf(x, y),
                              tanhf(x),
                              expm1(d),
                              MUSART_INF_F,
                              MUSART_PI};
    constexpr int count = sizeof results / sizeof results[0];
    for (int k = 0; k < count; ++k) out[k * n + i] = results[k];
}
constexpr int real_results = 35;

int main(int, char** argv) {
    const std::string name = argv[1];
    const int n = std::atoi(argv[2]);
    const unsigned blocks = blocks_for(n, 64);
    if (name == "integers") {
        auto& in = input<unsigned>(2 * n);
        DeviceArray<long long> out(integer_results * n);
        integers<<<blocks, 64>>>(in, out, n);
        check_kernel();
        out.write();
    }
    if (name == "to_integers") {
        auto& in = input<float>(n);
        DeviceArray<long long> out(to_integer_results * n);
        to_integers<<<blocks, 64>>>(in, out, n);
        check_kernel();
        out.write();
    }
    if (name == "reals") {
        auto& in = input<float>(2 * n);
        DeviceArray<double> out(real_results * n);
        reals<<<blocks, 64>>>(in, out, n);
        check_kernel();
        out.write();
    }
}
