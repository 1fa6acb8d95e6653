// Conversions, bits and numbers.
#include <limits.h>
#include <math.h>
#include <musa_bf16.h>
#include <musa_fp16.h>

#include "idiom.h"

// --- casts of numbers that do not fit

constexpr int casts = 12;

// Saturation as the hardware documents it, written out: `bits` of the result's 32- or 64-bit register.
static long long converted(double value, int bits, bool is_signed, bool nan_is_lowest) {
    const unsigned long long top = 1ull << (bits - 1);
    if (value != value) return nan_is_lowest ? (bits == 64 ? LLONG_MIN : is_signed ? INT_MIN : 1ll << 31) : 0;
    if (!is_signed) {
        if (value <= 0) return 0;
        if (value >= ldexp(1.0, bits)) return bits == 64 ? -1 : 0xffffffffll;
        return static_cast<long long>(static_cast<unsigned long long>(value));
    }
    if (value >= ldexp(1.0, bits - 1)) return static_cast<long long>(top - 1);
    if (value <= -ldexp(1.0, bits - 1)) return bits == 64 ? LLONG_MIN : INT_MIN;
    return static_cast<long long>(value);
}

template <class T>
static void wanted_casts(T given, bool is_double, long long *out) {
    const double x = given;
    out[0] = converted(x, 32, true, is_double);
    out[1] = converted(x, 32, false, is_double);
    out[2] = converted(x, 64, true, true);
    out[3] = converted(x, 64, false, true);
    out[4] = static_cast<unsigned char>(converted(x, 32, false, is_double));
    out[5] = static_cast<signed char>(converted(x, 32, true, is_double));
    out[6] = static_cast<short>(converted(x, 32, true, is_double));
    out[7] = static_cast<unsigned short>(converted(x, 32, false, is_double));
    out[8] = static_cast<unsigned char>(converted(x, 32, true, is_double));
    out[9] = converted(x, 32, true, is_double);
    out[10] = converted(x, 32, false, is_double);
    out[11] = converted(x, 64, true, true);
}
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
void expect_casts() {
    const double values[] = {3e10, -3e10, -5.0, NAN, 1e30, -1e30, 300.7, -300.7, 70000.0, INFINITY, -INFINITY,
                             1.5, -0.5, 2147483648.0, 4294967296.0, 9.3e18, 1.9e19, 255.9, 65535.5, 0.0};
    const int n = sizeof values / sizeof *values;
    Array<T> in(n);
    Array<long long> out(n * casts), wanted(n * casts);
    for (int i = 0; i < n; ++i) {
        in[i] = static_cast<T>(values[i]);
        wanted_casts(in[i], sizeof(T) == 8, wanted.data() + i * casts);
    }
    cast_each<<<1, 32>>>(in.data(), out.data(), n);
    finish();
    for (int i = 0; i < n * casts; ++i)
        expect(out[i] == wanted[i], "cast %d of %g is %lld, wanted %lld", i % casts, values[i / casts], out[i], wanted[i]);
}

IDIOM(casts_of_float_saturate) { expect_casts<float>(); }
IDIOM(casts_of_double_saturate) { expect_casts<double>(); }

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
    Array<long long> out(9);
    const long long wanted[] = {INT_MAX, 0, 0, LLONG_MAX, 255, INT_MIN, INT_MAX, INT_MAX, INT_MIN};
    cast_constants<<<1, 1>>>(out);
    finish();
    for (int i = 0; i < 9; ++i) EXPECT(out[i] == wanted[i]);
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
    Array<unsigned char> bytes(n), wanted_bytes(n);
    Array<int> cells(n), wanted_cells(n);
    in.fill(1, 1000);
    for (int i = 0; i < n; ++i) {
        in[i] -= 300;
        wanted_bytes[i] = (unsigned char)converted(in[i], 32, false, false);
        wanted_cells[i] = (int)converted(in[i] * 1e8f, 32, true, false);
    }
    quantise<<<4, 256>>>(in, bytes, cells, n);
    finish();
    expect_equal<unsigned char>(bytes, wanted_bytes, n);
    expect_equal<int>(cells, wanted_cells, n);
}

// A mask of bytes, as a bool tensor made of a byte tensor is one.
__global__ void masked(const bool *mask, const float *in, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = mask[i] ? in[i] : -1;
}

IDIOM(mask_bytes_other_than_one) {
    Array<unsigned char> mask(256);
    Array<float> in(256), out(256), wanted(256);
    in.fill(2, 100);
    for (int i = 0; i < 256; ++i) {
        mask[i] = i;
        wanted[i] = i ? in[i] : -1;
    }
    masked<<<2, 128>>>(reinterpret_cast<bool *>(mask.data()), in, out, 256);
    finish();
    expect_equal<float>(out, wanted, 256);
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
    Array<unsigned> out(32), wanted(32);
    for (int i = 0; i < 32; ++i) {
        in[i] = 1.25f * i - 7;
        unsigned word;
        memcpy(&word, &in[i], 4);
        wanted[i] = word ^ (word >> 24);
    }
    pun<<<1, 32>>>(in, out);
    finish();
    expect_equal<unsigned>(out, wanted, 32);
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
    Array<float> in(64), roots(64), wanted(64);
    Array<unsigned> keys(64);
    for (int i = 0; i < 64; ++i) {
        in[i] = (i - 32) * 1.5f;
        wanted[i] = 1 / sqrtf(fabsf(in[i]) + 1);
    }
    bit_tricks<<<1, 64>>>(in, roots, keys);
    finish();
    expect_equal<float>(roots, wanted, 64, 2e-3);
    for (int i = 1; i < 64; ++i) EXPECT(keys[i] > keys[i - 1]);
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
    Array<unsigned> out(n), wanted(n);
    xyz.fill(3, 1200);
    for (int i = 0; i < 3 * n; ++i) xyz[i] = xyz[i] / 1000 - 0.1f;
    for (int i = 0; i < n; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            float scaled = xyz[3 * i + axis] * 1024.f;
            const unsigned cell = scaled < 0 ? 0 : scaled > 1023 ? 1023 : static_cast<unsigned>(scaled);
            for (int bit = 0; bit < 10; ++bit) wanted[i] |= (cell >> bit & 1) << (3 * bit + 2 - axis);
        }
    }
    morton<<<1, 128>>>(xyz, out, n);
    finish();
    expect_equal<unsigned>(out, wanted, n);
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
    Array<unsigned> out(n), wanted(n);
    at.fill(4, 1 << 20);
    for (int i = 0; i < n; ++i) {
        const unsigned long long x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
        wanted[i] = static_cast<unsigned>((x ^ (y * 2654435761ull) ^ (z * 805459861ull)) & 0x7ffff);
    }
    hash_grid<<<1, 64>>>(at, out, n);
    finish();
    expect_equal<unsigned>(out, wanted, n);
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
    Array<float> a(n), b(n), out(n), wanted(n);
    a.fill(5, 1000), b.fill(6, 1000);
    for (int i = 0; i < n; ++i) wanted[i] = a[i] + b[i];
    add_vectors<<<2, 128>>>(a, b, out, n);
    finish();
    expect_equal<float>(out, wanted, n);
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
    Array<float> out(64), wanted(64);
    for (int i = 0; i < 64; ++i) {
        in[i] = __float2half(i * 0.25f - 8);
        wanted[i] = 2 * (i * 0.25f - 8) * (i * 0.25f - 8) + 1;
    }
    halves<<<1, 32>>>(in, out, 32);
    finish();
    expect_equal<float>(out, wanted, 64);
}
