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
    if (name == "arithmetic") {
        run<T, Arithmetic, unsigned short, unsigned short>(n, 3, Arithmetic::results, on_host);
    }
}

int main(int, char** argv) {
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
