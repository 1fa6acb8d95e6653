// float16 CASE N: conversions and arithmetic of the two 16-bit types, on bit patterns. With `host`
// as the third argument the same functions run as host code.
#include <musa_bf16.h>
#include <musa_fp16.h>

#include "program.h"

__host__ __device__ inline __half bits_to(unsigned short x, __half*) { return __ushort_as_half(x); }
__host__ __device__ inline __mt_bfloat16 bits_to(unsigned short x, __mt_bfloat16*) {
    return __ushort_as_bfloat16(x);
}
__host__ __device__ inline unsigned short to_bits(__half x) { return __half_as_ushort(x); }
__host__ __device__ inline unsigned short to_bits(__mt_bfloat16 x) {
    return __bfloat16_as_ushort(x);
}

struct Widen {
    template <class T>
    __host__ __device__ void operator()(const unsigned short* in, float* out, int, int i,
                                        T* type) const {
        out[i] = static_cast<float>(bits_to(in[i], type));
    }
};

struct Narrow {
    template <class In, class T>
    __host__ __device__ void operator()(const In* in, unsigned short* out, int, int i, T*) const {
        out[i] = to_bits(T(in[i]));
    }
};

// nearest, towards zero, up, down
struct Rounded {
    __host__ __device__ void operator()(const float* in, unsigned short* out, int n, int i,
                                        __half*) const {
        out[i] = to_bits(__float2half_rn(in[i]));
        out[n + i] = to_bits(__float2half_rz(in[i]));
        out[2 * n + i] = to_bits(__float2half_ru(in[i]));
        out[3 * n + i] = to_bits(__float2half_rd(in[i]));
    }
    __host__ __device__ void operator()(const float* in, unsigned short* out, int n, int i,
                                        __mt_bfloat16*) const {
        out[i] = to_bits(__float2bfloat16_rn(in[i]));
        out[n + i] = to_bits(__float2bfloat16_rz(in[i]));
        out[2 * n + i] = to_bits(__float2bfloat16_ru(in[i]));
        out[3 * n + i] = to_bits(__float2bfloat16_rd(in[i]));
    }
    __host__ __device__ void operator()(const int* in, unsigned short* out, int n, int i,
                                        __half*) const {
        out[i] = to_bits(__int2half_rn(in[i]));
        out[n + i] = to_bits(__int2half_rz(in[i]));
        out[2 * n + i] = to_bits(__int2half_ru(in[i]));
        out[3 * n + i] = to_bits(__int2half_rd(in[i]));
    }
    __host__ __device__ void operator()(const int* in, unsigned short* out, int n, int i,
                                        __mt_bfloat16*) const {
        out[i] = to_bits(__int2bfloat16_rn(in[i]));
        out[n + i] = to_bits(__int2bfloat16_rz(in[i]));
        out[2 * n + i] = to_bits(__int2bfloat16_ru(in[i]));
        out[3 * n + i] = to_bits(__int2bfloat16_rd(in[i]));
    }
};

// All conversions to integers, and from those of 16 and 64 bits: rn, rz, ru, rd of each type.
#define EACH_ROUNDING(at, from, to, x)                                             \
    out[(at)*n] = static_cast<unsigned long long>(__##from##2##to##_rn(x));        \
    out[(at + 1) * n] = static_cast<unsigned long long>(__##from##2##to##_rz(x));  \
    out[(at + 2) * n] = static_cast<unsigned long long>(__##from##2##to##_ru(x));  \
    out[(at + 3) * n] = static_cast<unsigned long long>(__##from##2##to##_rd(x));
#define TO_INTEGERS(T, word)                                                           \
    __host__ __device__ inline void to_integers(T x, unsigned long long* out, int n) { \
        EACH_ROUNDING(0, word, short, x)                                               \
        EACH_ROUNDING(4, word, ushort, x)                                              \
        EACH_ROUNDING(8, word, int, x)                                                 \
        EACH_ROUNDING(12, word, uint, x)                                               \
        EACH_ROUNDING(16, word, ll, x)                                                 \
        EACH_ROUNDING(20, word, ull, x)                                                \
        out[24 * n] = static_cast<unsigned long long>(__##word##2char_rz(x));          \
        out[25 * n] = static_cast<unsigned long long>(__##word##2uchar_rz(x));         \
    }
TO_INTEGERS(__half, half)
TO_INTEGERS(__mt_bfloat16, bfloat16)
#undef EACH_ROUNDING

struct ToIntegers {
    template <class T>
    __host__ __device__ void operator()(const unsigned short* in, unsigned long long* out, int n, int i, T* type) const {
        to_integers(bits_to(in[i], type), out + i, n);
    }
};

#define EACH_ROUNDING(Integer, name, T, word)                                                           \
    __host__ __device__ inline void of_integer(Integer x, unsigned short* out, int n, T*) {             \
        out[0] = to_bits(__##name##2##word##_rn(x));                                                    \
        out[n] = to_bits(__##name##2##word##_rz(x));                                                    \
        out[2 * n] = to_bits(__##name##2##word##_ru(x));                                                \
        out[3 * n] = to_bits(__##name##2##word##_rd(x));                                                \
    }
#define OF_INTEGERS(Integer, name)                      \
    EACH_ROUNDING(Integer, name, __half, half)          \
    EACH_ROUNDING(Integer, name, __mt_bfloat16, bfloat16)
OF_INTEGERS(short, short)
OF_INTEGERS(unsigned short, ushort)
OF_INTEGERS(unsigned, uint)
OF_INTEGERS(long long, ll)
OF_INTEGERS(unsigned long long, ull)

struct OfIntegers {
    template <class Integer, class T>
    __host__ __device__ void operator()(const Integer* in, unsigned short* out, int n, int i, T* type) const {
        of_integer(in[i], out + i, n, type);
    }
};

struct Arithmetic {
    static constexpr int results = 13;
    template <class T>
    __host__ __device__ void operator()(const unsigned short* in, unsigned short* out, int n, int i,
                                        T* type) const {
        const T a = bits_to(in[i], type), b = bits_to(in[n + i], type),
                c = bits_to(in[2 * n + i], type);
        out[i] = to_bits(a + b);
        out[n + i] = to_bits(a - b);
        out[2 * n + i] = to_bits(a * b);
        out[3 * n + i] = to_bits(a / b);
        out[4 * n + i] = to_bits(__hfma(a, b, c));
        out[5 * n + i] = to_bits(-a);
        out[6 * n + i] = to_bits(__habs(a));
        out[7 * n + i] = to_bits(hsqrt(a));
        out[8 * n + i] = to_bits(__hmax(a, b));
        out[9 * n + i] = to_bits(__hmin(a, b));
        out[10 * n + i] = static_cast<unsigned short>(
            (a == b) | (a != b) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 | (a >= b) << 5 |
            __hne(a, b) << 6 | __hltu(a, b) << 7 | __hisnan(a) << 8 | (__hisinf(a) + 1) << 9);
        T d = a;
        d += b;
        d *= c;
        out[11 * n + i] = to_bits(d);
        out[12 * n + i] = to_bits(__hadd_sat(a, b));
    }
};

// Every function of a pair does to each half what the function of one value does.
template <class T, class T2>
__global__ void pairs(const unsigned short* in, unsigned short* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const T a = bits_to(in[i], static_cast<T*>(nullptr)), b = bits_to(in[n + i], static_cast<T*>(nullptr));
    const T2 ab(a, b), ba(b, a);
    int wrong = 0, at = 0;
    const auto same = [&](T2 pair, T low, T high) {
        const bool equal = to_bits(pair.x) == to_bits(low) && to_bits(pair.y) == to_bits(high);
        if (!equal && wrong == 0) wrong = at + 1;
        ++at;
    };
    const auto truth = [&](T2 pair, unsigned mask, bool both, bool low, bool high) {
        same(pair, T(low ? 1.0f : 0.0f), T(high ? 1.0f : 0.0f));
        if (mask != ((low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u)) || both != (low && high)) wrong = 1000 + at;
    };
#define UNARY(f) same(h2##f(ab), h##f(a), h##f(b));
    UNARY(sqrt) UNARY(rsqrt) UNARY(rcp) UNARY(exp) UNARY(exp2) UNARY(exp10) UNARY(log) UNARY(log2) UNARY(log10)
    UNARY(sin) UNARY(cos) UNARY(tanh) UNARY(floor) UNARY(ceil) UNARY(trunc) UNARY(rint)
#define BINARY(pair, one) same(pair(ab, ba), one(a, b), one(b, a));
    BINARY(__hadd2, __hadd) BINARY(__hsub2, __hsub) BINARY(__hmul2, __hmul) BINARY(__h2div, __hdiv)
    BINARY(__hadd2_sat, __hadd_sat) BINARY(__hsub2_sat, __hsub_sat) BINARY(__hmul2_sat, __hmul_sat)
    BINARY(__hadd2_rn, __hadd_rn) BINARY(__hsub2_rn, __hsub_rn) BINARY(__hmul2_rn, __hmul_rn)
    BINARY(operator+, __hadd) BINARY(operator-, __hsub) BINARY(operator*, __hmul) BINARY(operator/, __hdiv)
    UNARY(tanh_approx)
    BINARY(__hmax2, __hmax) BINARY(__hmin2, __hmin) BINARY(__hmax2_nan, __hmax_nan) BINARY(__hmin2_nan, __hmin_nan)
    same(__hfma2(ab, ba, ab), __hfma(a, b, a), __hfma(b, a, b));
    same(__hfma2_sat(ab, ba, ab), __hfma_sat(a, b, a), __hfma_sat(b, a, b));
    same(__hfma2_relu(ab, ba, ab), __hfma_relu(a, b, a), __hfma_relu(b, a, b));
    same(__hneg2(ab), __hneg(a), __hneg(b));
    same(__habs2(ab), __habs(a), __habs(b));
#define COMPARISON(op) \
    truth(__h##op##2(ab, ba), __h##op##2_mask(ab, ba), __hb##op##2(ab, ba), __h##op(a, b), __h##op(b, a));
    same(__hisnan2(ab), T(__hisnan(a) ? 1.0f : 0.0f), T(__hisnan(b) ? 1.0f : 0.0f));
    same(__hcmadd(ab, ba, ab), __hfma(__hneg(b), a, __hfma(a, b, a)), __hfma(b, b, __hfma(a, a, b)));
    {
        const T one = T(1.0f), more = __hadd(a, one), less = __hsub(a, one);
        T2 up = ab, down = ab, divided = ab;
        same(up++, a, b);
        same(++up, __hadd(more, one), __hadd(__hadd(b, one), one));
        same(down--, a, b);
        same(--down, __hsub(less, one), __hsub(__hsub(b, one), one));
        same(divided /= ba, __hdiv(a, b), __hdiv(b, a));
        same(+ab, a, b);
        const bool relations[] = {ab == ba, ab != ba, ab < ba, ab <= ba, ab > ba, ab >= ba};
        const bool expected[] = {a == b && b == a, a != b && b != a, a < b && b < a,
                                 a <= b && b <= a, a > b && b > a, a >= b && b >= a};
        for (int k = 0; k < 6; ++k)
            if (relations[k] != expected[k]) wrong = 2000 + k;
    }
    COMPARISON(eq) COMPARISON(ne) COMPARISON(lt) COMPARISON(le) COMPARISON(gt) COMPARISON(ge)
    COMPARISON(equ) COMPARISON(neu) COMPARISON(ltu) COMPARISON(leu) COMPARISON(gtu) COMPARISON(geu)
    out[i] = static_cast<unsigned short>(wrong);
    out[n + i] = to_bits(hexp10(a));
}

template <class T, class T2>
void run_pairs(int n) {
    auto& in = input<unsigned short>(2 * n);
    DeviceArray<unsigned short> out(2 * n);
    pairs<T, T2><<<blocks_for(n, 256), 256>>>(in, out, n);
    check_kernel();
    out.write();
}

// One warp: the values of the lanes 5 apart (as bits), and of the lane above, alone and in a pair.
template <class T, class T2>
__global__ void shuffle(const unsigned short* in, unsigned short* out, int n) {
    const int i = threadIdx.x;
    const T mine = bits_to(in[i], static_cast<T*>(nullptr));
    T2 pair;
    pair.x = pair.y = mine;
    out[i] = to_bits(__shfl_xor_sync(0xffffffffu, mine, 5, 32));
    out[n + i] = to_bits(__shfl_down_sync(0xffffffffu, mine, 1, 32));
    out[2 * n + i] = to_bits(__shfl_up_sync(0xffffffffu, pair, 1, 32).y);
}

template <class T, class T2>
void run_shuffle(int n) {
    auto& in = input<unsigned short>(n);
    DeviceArray<unsigned short> out(3 * n);
    shuffle<T, T2><<<1, n>>>(in, out, n);
    check_kernel();
    out.write();
}

template <class T, class Operation, class In, class Out>
__global__ void on_device(const In* in, Out* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) Operation()(in, out, n, i, static_cast<T*>(nullptr));
}

template <class T, class Operation, class In, class Out>
void run(int n, int inputs, int outputs, bool on_host) {
    auto& in = input<In>(inputs * n);
    DeviceArray<Out> out(outputs * n);
    if (on_host) {
        CHECK(musaDeviceSynchronize());
        const In* from = in;  // simulated device memory is the host's
        Out* to = out;
        for (int i = 0; i < n; ++i) Operation()(from, to, n, i, static_cast<T*>(nullptr));
    } else {
        on_device<T, Operation, In, Out><<<blocks_for(n, 256), 256>>>(in, out, n);
        check_kernel();
    }
    out.write();
}

template <class T>
void run_case(const std::string& name, int n, bool on_host) {
    if (name == "widen") run<T, Widen, unsigned short, float>(n, 1, 1, on_host);
    if (name == "narrow_double") run<T, Narrow, double, unsigned short>(n, 1, 1, on_host);
    if (name == "narrow_int64") run<T, Narrow, long long, unsigned short>(n, 1, 1, on_host);
    if (name == "narrow_uint64")
        run<T, Narrow, unsigned long long, unsigned short>(n, 1, 1, on_host);
    if (name == "rounded") run<T, Rounded, float, unsigned short>(n, 1, 4, on_host);
    if (name == "rounded_int32") run<T, Rounded, int, unsigned short>(n, 1, 4, on_host);
    if (name == "to_integers") run<T, ToIntegers, unsigned short, unsigned long long>(n, 1, 26, on_host);
    if (name == "of_int16") run<T, OfIntegers, short, unsigned short>(n, 1, 4, on_host);
    if (name == "of_uint16") run<T, OfIntegers, unsigned short, unsigned short>(n, 1, 4, on_host);
    if (name == "of_uint32") run<T, OfIntegers, unsigned, unsigned short>(n, 1, 4, on_host);
    if (name == "of_int64") run<T, OfIntegers, long long, unsigned short>(n, 1, 4, on_host);
    if (name == "of_uint64") run<T, OfIntegers, unsigned long long, unsigned short>(n, 1, 4, on_host);
    if (name == "arithmetic") {
        run<T, Arithmetic, unsigned short, unsigned short>(n, 3, Arithmetic::results, on_host);
    }
}

int main(int, char** argv) {
    if (std::string(argv[2]) == "pairs") {
        std::string(argv[1]) == "half" ? run_pairs<__half, __half2>(std::atoi(argv[3]))
                                       : run_pairs<__mt_bfloat16, __mt_bfloat162>(std::atoi(argv[3]));
        return 0;
    }
    if (std::string(argv[2]) == "shuffle") {
        std::string(argv[1]) == "half" ? run_shuffle<__half, __half2>(std::atoi(argv[3]))
                                       : run_shuffle<__mt_bfloat16, __mt_bfloat162>(std::atoi(argv[3]));
        return 0;
    }
    const bool on_host = std::string(argv[4]) == "host";
    if (std::string(argv[1]) == "half") run_case<__half>(argv[2], std::atoi(argv[3]), on_host);
    if (std::string(argv[1]) == "bfloat16")
        run_case<__mt_bfloat16>(argv[2], std::atoi(argv[3]), on_host);
}
