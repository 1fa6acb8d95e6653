// Conversions, bits and numbers.
#include <math.h>
#include <musa_bf16.h>
#include <musa_fp16.h>

#include "idiom.h"

// --- casts of numbers that do not fit

constexpr int casts = 12;

__device__ int to_int(float x) { return __float2int_rz(x); }
__device__ int to_int(double x) { return __double2int_rz(x); }
__device__ unsigned to_unsigned(float x) { return __float2uint_rz(x); }
__device__ unsigned to_unsigned(double x) { return __double2uint_rz(x); }
__device__ long long to_long(float x) { return __float2ll_rz(x); }
__device__ long long to_long(double x) { return __double2ll_rz(x); }

template <class T>
__device__ void cast_all(T x, long long *out) {
    out[0] = (int)x;
    out[1] = (unsigned)x;
    out[2] = (long long)x;
    out[3] = (unsigned long long)x;
    out[4] = (unsigned char)x;
    out[5] = (signed char)x;
    out[6] = (short)x;
    out[7] = (unsigned short)x;
    out[8] = (unsigned char)(int)x;
    out[9] = to_int(x);
    out[10] = to_unsigned(x);
    out[11] = to_long(x);
}
template <class T>
__global__ void cast_each(const T *in, long long *out, int n) {
    const int i = threadIdx.x;
    if (i < n) cast_all(in[i], out + i * casts);
}

template <class T>
void cast_random() {
    const double values[] = {3e10, -3e10, -5.0, NAN, 1e30, -1e30, 300.7, -300.7, 70000.0, INFINITY, -INFINITY,
                             1.5, -0.5, 2147483648.0, 4294967296.0, 9.3e18, 1.9e19, 255.9, 65535.5, 0.0};
    const int known = sizeof values / sizeof *values, n = 128;
    Array<T> in(n);
    Array<long long> out(n * casts);
    // the others are of every size, up to beyond what 64 bits hold
    for (int i = 0; i < n; ++i)
        in[i] = static_cast<T>(i < known ? values[i] : ldexp(random_between(-1, 1), random_below(68)));
    input("values", in);
    cast_each<<<1, n>>>(in.data(), out.data(), n);
    output("out", out);
}

IDIOM(casts_of_float_saturate) { cast_random<float>(); }
IDIOM(casts_of_double_saturate) { cast_random<double>(); }

__global__ void cast_constants(long long *out) {
    out[0] = (int)3e10f;
    out[1] = (unsigned)-5.f;
    out[2] = (int)NAN;
    out[3] = (long long)1e30f;
    out[4] = (unsigned char)(int)3e10f;
    const int folded = (int)-4e10;
    out[5] = folded;
    out[6] = (int)INFINITY;
    out[7] = __half2int_rz(__float2half(1e9f));
    out[8] = (int)__bfloat162float(__float2bfloat16(-1e30f));
}

IDIOM(casts_of_constants_saturate) {
    // the numbers that the kernel casts; 1e9 is infinity as a half
    const double given[] = {3e10f, -5, NAN, 1e30f, 3e10f, -4e10, INFINITY, INFINITY, -1e30};
    Array<long long> out(9);
    input("values", given, 9);
    cast_constants<<<1, 1>>>(out);
    output("out", out);
}

// Many at once, which the compiler makes vectors of.
__global__ void quantise(const float *in, unsigned char *bytes, int *cells, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bytes[i] = (unsigned char)in[i];
    cells[i] = (int)(in[i] * 1e8f);
}

IDIOM(casts_in_vectorised_loops) {
    const int n = 1000;
    Array<float> in(n);
    Array<unsigned char> bytes(n);
    Array<int> cells(n);
    input("values", in.fill(-300, 700));
    quantise<<<4, 256>>>(in, bytes, cells, n);
    output("bytes", bytes);
    output("cells", cells);
}

// A mask of bytes, as a bool tensor made of a byte tensor is one.
__global__ void masked(const bool *mask, const float *in, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = mask[i] ? in[i] : -1;
}

IDIOM(mask_bytes_other_than_one) {
    Array<unsigned char> mask(256);
    Array<float> in(256), out(256);
    mask.fill(256);
    for (int i = 0; i < 256; ++i) mask[i] = random_below(3) ? mask[i] : 0;
    input("mask", mask);
    input("values", in.fill(-100, 100));
    masked<<<2, 128>>>(reinterpret_cast<bool *>(mask.data()), in, out, 256);
    output("out", out);
}

// --- bits

union Bits {
    float number;
    unsigned word;
    unsigned char bytes[4];
};
__global__ void pun(const float *in, unsigned *out) {
    Bits bits;
    bits.number = in[threadIdx.x];
    const unsigned by_pointer = *(const unsigned *)&in[threadIdx.x];
    unsigned copied;
    memcpy(&copied, in + threadIdx.x, 4);
    out[threadIdx.x] = (bits.word == by_pointer && copied == by_pointer ? bits.word : 0) ^ bits.bytes[3];
}

IDIOM(type_punning) {
    Array<float> in(32);
    Array<unsigned> out(32);
    input("values", in.fill(-100, 100));
    pun<<<1, 32>>>(in, out);
    output("words", out);
}

__device__ float fast_inverse_root(float x) {
    float half = 0.5f * x;
    int bits = __float_as_int(x);
    bits = 0x5f3759df - (bits >> 1);
    x = __int_as_float(bits);
    return x * (1.5f - half * x * x);
}
__device__ unsigned sortable(float x) {
    const unsigned bits = __float_as_uint(x);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__global__ void bit_tricks(const float *in, float *roots, unsigned *keys) {
    const int i = threadIdx.x;
    roots[i] = fast_inverse_root(fabsf(in[i]) + 1);
    keys[i] = sortable(in[i]);
}

IDIOM(float_bit_tricks) {
    Array<float> in(64), roots(64);
    Array<unsigned> keys(64);
    input("values", in.fill(-50, 50));
    bit_tricks<<<1, 64>>>(in, roots, keys);
    output("roots", roots);
    output("keys", keys);
}

// The bits of a Morton code, and their way back.
__host__ __device__ inline unsigned spread(unsigned v) {
    v = (v * 0x00010001u) & 0xFF0000FFu;
    v = (v * 0x00000101u) & 0x0F00F00Fu;
    v = (v * 0x00000011u) & 0xC30C30C3u;
    return (v * 0x00000005u) & 0x49249249u;
}
__global__ void morton(const float *xyz, unsigned *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned code = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float scaled = fminf(fmaxf(xyz[3 * i + axis] * 1024.f, 0.f), 1023.f);
        code |= spread((unsigned)scaled) << (2 - axis);
    }
    out[i] = code;
}

IDIOM(morton_codes) {
    const int n = 100;
    Array<float> xyz(3 * n);
    Array<unsigned> out(n);
    input("points", xyz.fill(-0.1, 1.1));
    morton<<<1, 128>>>(xyz, out, n);
    output("codes", out);
}

// A hash grid's index: unsigned overflow on purpose.
__global__ void hash_grid(const int *at, unsigned *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        constexpr unsigned primes[3] = {1u, 2654435761u, 805459861u};
        unsigned result = 0;
#pragma unroll
        for (int d = 0; d < 3; ++d) result ^= (unsigned)at[3 * i + d] * primes[d];
        out[i] = result & ((1u << 19) - 1);
    }
}

IDIOM(hash_grid_index) {
    const int n = 300;
    Array<int> at(3 * n);
    Array<unsigned> out(n);
    input("points", at.fill(1 << 20));
    hash_grid<<<1, 64>>>(at, out, n);
    output("out", out);
}

// --- packed loads

__global__ void add_vectors(const float *a, const float *b, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 4 + 3 < n) {
        const float4 x = reinterpret_cast<const float4 *>(a)[i], y = __ldg(reinterpret_cast<const float4 *>(b) + i);
        reinterpret_cast<float4 *>(out)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else {
        for (int j = i * 4; j < n; ++j) out[j] = a[j] + b[j];
    }
}

IDIOM(float4_loads_with_a_tail) {
    const int n = 1003;
    Array<float> a(n), b(n), out(n);
    input("a", a.fill(-1000, 1000));
    input("b", b.fill(-1000, 1000));
    add_vectors<<<2, 128>>>(a, b, out, n);
    output("out", out);
}

__global__ void halves(const __half *in, float *out, int pairs) {
    const int i = threadIdx.x;
    if (i >= pairs) return;
    const __half2 pair = reinterpret_cast<const __half2 *>(in)[i];
    const __half2 twice = __hadd2(pair, pair);
    const float2 both = __half22float2(__hfma2(twice, pair, __float2half2_rn(1.f)));
    out[2 * i] = both.x;
    out[2 * i + 1] = both.y;
}

IDIOM(half2_loads) {
    Array<__half> in(64);
    Array<float> out(64);
    for (int i = 0; i < 64; ++i) in[i] = __float2half(random_between(-8, 8));
    input("halves", reinterpret_cast<const unsigned short *>(in.data()), 64);
    halves<<<1, 32>>>(in, out, 32);
    output("out", out);
}
