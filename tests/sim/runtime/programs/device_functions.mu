// device_functions CASE N: functions of kernels, for three operands per element; the rows are function_tables.py's.
#include "program.h"

using Bits = unsigned long long;

template <class To, class From>
__device__ To as(From from) {
    static_assert(sizeof(To) == sizeof(From), "the same bits as another type");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
__device__ Bits bits(unsigned x) { return x; }
__device__ Bits bits(Bits x) { return x; }
__device__ Bits bits(float x) { return as<unsigned>(x); }
__device__ Bits bits(double x) { return as<Bits>(x); }

template <class T>
__device__ Bits with_flags(T (*function)(T, T, bool*), T x, T y) {
    bool first;
    const T word = function(x, y, &first);
    return static_cast<unsigned>(word) | static_cast<Bits>(first) << 32;
}
__device__ Bits with_flags(unsigned (*function)(unsigned, unsigned, bool*, bool*), unsigned x, unsigned y) {
    bool high, low;
    const unsigned word = function(x, y, &high, &low);
    return word | static_cast<Bits>(low) << 32 | static_cast<Bits>(high) << 33;
}

#include "device_function_rows.h"

#define PAGE(name, T)                                                          \
    __global__ void kernel_of_##name(const T* in, Bits* out, int n) {          \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                   \
        if (i >= n) return;                                                    \
        const int which = blockIdx.y;                                          \
        out[which * n + i] = name(which, in[i], in[n + i], in[2 * n + i]);     \
    }                                                                          \
    void run_##name(int n, int rows) {                                         \
        auto& in = input<T>(3 * n);                                            \
        DeviceArray<Bits> out(static_cast<std::size_t>(rows) * n);             \
        kernel_of_##name<<<dim3(blocks_for(n, 64), rows), 64>>>(in, out, n);   \
        check_kernel();                                                        \
        out.write();                                                           \
    }
PAGE(words, unsigned)
PAGE(floats, float)
PAGE(doubles, double)
PAGE(integers, Bits)

__global__ void special(const double* in, double* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double x = in[i], y = in[n + i];
    const float a = static_cast<float>(x), b = static_cast<float>(y);
    const double doubles[] = {x, y, 3.0, -4.0, 5.0};
    const float floats[] = {a, b, 3.0f, -4.0f, 5.0f};
    const double results[] = {erfinv(x), erfcinv(1 - x), normcdfinv(0.5 * (1 + x)), erfcx(y), erfcx(-y / 8),
                              cyl_bessel_i0(8 * y), cyl_bessel_i1(-8 * y),
                              norm(5, doubles), norm3d(x, y, 2), norm4d(x, y, 2, 3), rnorm(5, doubles),
                              rnorm3d(x, y, 2), rnorm4d(x, y, 2, 3), rhypot(x, y),
                              erfinvf(a), erfcinvf(b / 8), normcdfinvf(b / 8), erfcxf(b), cyl_bessel_i0f(b),
                              cyl_bessel_i1f(b), normf(5, floats), norm3df(a, b, 2), norm4df(a, b, 2, 3),
                              rnormf(5, floats), rnorm3df(a, b, 2), rnorm4df(a, b, 2, 3), rhypotf(a, b)};
    constexpr int count = sizeof results / sizeof results[0];
    for (int k = 0; k < count; ++k) out[k * n + i] = results[k];
}
constexpr int special_results = 27;

// Reductions over the lanes of a mask; the lanes that it leaves out do not take part.
__global__ void reductions(const unsigned* masks, const int* values, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned mask = masks[blockIdx.x];
    int* mine = out + 9 * i;
    if (!(mask >> threadIdx.x & 1)) return;
    const int value = values[i];
    const unsigned bits = static_cast<unsigned>(value);
    mine[0] = __reduce_add_sync(mask, value);
    mine[1] = __reduce_min_sync(mask, value);
    mine[2] = __reduce_max_sync(mask, value);
    mine[3] = static_cast<int>(__reduce_add_sync(mask, bits));
    mine[4] = static_cast<int>(__reduce_min_sync(mask, bits));
    mine[5] = static_cast<int>(__reduce_max_sync(mask, bits));
    mine[6] = static_cast<int>(__reduce_and_sync(mask, bits));
    mine[7] = static_cast<int>(__reduce_or_sync(mask, bits));
    mine[8] = static_cast<int>(__reduce_xor_sync(mask, bits));
}

// Each load reads what each store has written; the sum of the differences of all bytes must stay zero.
template <class T>
__device__ void through(const unsigned char* in, unsigned char* out) {
    const T* source = reinterpret_cast<const T*>(in);
    T* target = reinterpret_cast<T*>(out);
    __stwb(target, __ldg(source));
    __stwt(target, __ldcv(target));
    __stcg(target + 1, __ldcg(source + 1));
    __stcs(target + 1, __ldlu(target + 1));
    __stwb(target + 2, __ldca(source + 2));
    __stwt(target + 3, __ldcs(source + 3));
}
template <class... T>
__device__ void through_all(const unsigned char* in, unsigned char* out) {
    const unsigned char* from = in;
    ((through<T>(from, out), out += 128), ...);
}
__global__ void cached(const unsigned char* in, unsigned char* out) {
    through_all<char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long long,
                unsigned long long, float, double, char2, char4, uchar2, uchar4, short2, short4, ushort2, ushort4, int2,
                int4, uint2, uint4, longlong2, ulonglong2, float2, float4, double2>(in, out);
}
constexpr int cached_types = 30;

__global__ void add_vectors(float2* pairs, float4* quadruples) {
    const float x = static_cast<float>(threadIdx.x);
    atomicAdd(pairs, make_float2(x, 1));
    atomicAdd_block(pairs, make_float2(x, 1));
    const float4 before = atomicAdd(quadruples, make_float4(x, 2, -x, 0.5f));
    if (before.y != 4 * before.w) __trap();
}

int main(int, char** argv) {
    const std::string name = argv[1];
    const int n = std::atoi(argv[2]), rows = std::atoi(argv[3]);
    if (name == "words") run_words(n, rows);
    if (name == "floats") run_floats(n, rows);
    if (name == "doubles") run_doubles(n, rows);
    if (name == "integers") run_integers(n, rows);
    if (name == "special") {
        auto& in = input<double>(2 * n);
        DeviceArray<double> out(special_results * n);
        special<<<blocks_for(n, 64), 64>>>(in, out, n);
        check_kernel();
        out.write();
    }
    if (name == "reductions") {
        auto& masks = input<unsigned>(n);
        auto& values = input<int>(32 * n);
        DeviceArray<int> out(9 * 32 * n);
        reductions<<<n, 32>>>(masks, values, out);
        check_kernel();
        out.write();
    }
    if (name == "cached") {
        auto& in = input<unsigned char>(128);
        DeviceArray<unsigned char> out(128 * cached_types);
        cached<<<1, 1>>>(in, out);
        check_kernel();
        out.write();
    }
    if (name == "vectors") {
        DeviceArray<float2> pairs(1);
        DeviceArray<float4> quadruples(1);
        add_vectors<<<1, n>>>(pairs, quadruples);
        check_kernel();
        pairs.write();
        quadruples.write();
    }
}
