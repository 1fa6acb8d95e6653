// own_functions CASE N: device functions of MUSA's own, as TileLang and MUTLASS call them, on random data.
#include <musa_fp8.h>
#include <musa_robust.h>
#include <program.h>

namespace {

#define AS1 __attribute__((address_space(1)))
#define AS3 __attribute__((address_space(3)))
using Float4 = float __attribute__((vector_size(16)));
using Float2 = float __attribute__((vector_size(8)));

// A warp copies tiles to two stages of shared memory, two warps turn them round.
// All lanes arrive, or one of them for all.
template <bool elected>
__device__ void arrive(unsigned barrier, int lane) {
    if (!elected) {
        __musa_async_arrive(barrier);
        return;
    }
    __syncwarp();
    if (static_cast<int>(threadIdx.x % 32) == lane) __musa_async_arrive(barrier);
}
template <bool waits, bool elected>
__global__ void pipeline(const float* in, float* out, int tiles) {
    constexpr unsigned full = 1, empty = 3;
    __shared__ float stages[2][64];
    __musa_async_bar_record(4);
    if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < 2; ++stage) {
            __musa_async_init_arrival(full + stage, 1, 0);
            __musa_async_init_arrival(empty + stage, 2, 0);
        }
    }
    __syncthreads_lm();
    for (int tile = 0; tile < tiles; ++tile) {
        const unsigned stage = tile & 1, phase = tile / 2 & 1;
        if (threadIdx.x >= 64) {
            const unsigned at = 2 * (threadIdx.x - 64);
            __musa_async_wait(empty + stage, phase ^ 1);
            __musa_memcpy_g2s((AS3 void*)(stages[stage] + at), (AS1 void*)(in + 64 * tile + at), 8, 0);
            if (tile % 3) {
                __musa_memcpy_g2s_commit_group();
                __musa_memcpy_g2s_wait_group(0);
            } else {
                __musa_memcpy_g2s_wait();
            }
            arrive<elected>(full + stage, tile % 32);
        } else {
            if (waits) __musa_async_wait(full + stage, phase);
            out[64 * tile + threadIdx.x] = stages[stage][63 - threadIdx.x];
            arrive<elected>(empty + stage, 31 - tile % 32);
        }
    }
}

template <bool waits, bool elected>
void run_pipeline(int tiles) {
    auto& in = input<float>(static_cast<std::size_t>(64 * tiles));
    DeviceArray<float> out(in.size());
    pipeline<waits, elected><<<1, 96>>>(in, out, tiles);
    check_kernel();
    out.write();
}

// A phase lasts until the announced bytes have come, too. The first phase has parity 1.
__global__ void announce(const int* in, int* out) {
    __shared__ int there[32];
    if (threadIdx.x == 0) __musa_async_init_arrival(63, 1, 1);
    __syncthreads();
    unsigned phase = 1;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) __musa_async_add_trans(63, 128);
        __syncwarp();
        phase = __musa_async_arrive(63);
    } else {
        const unsigned i = threadIdx.x - 32;
        there[i] = in[i];
        __threadfence_block();
        __musa_async_decrease_trans(63, 4);
    }
    __musa_async_wait(63, phase);
    out[threadIdx.x] = there[31 - threadIdx.x % 32];
}

void transactions() {
    auto& in = input<int>(32);
    DeviceArray<int> out(64);
    announce<<<1, 64>>>(in, out);
    check_kernel();
    out.write();
}

__global__ void compute(const Float4* x, Float4* out, Float2* pairs) {
    const Float4 a = x[0], b = x[1], c = x[2];
    const Float2 p = {a[0], a[1]}, q = {b[0], b[1]}, r = {c[0], c[1]};
    const float s = a[3];
    out[0] = __musa_add_f_bst4_vv(a, b);
    out[1] = __musa_add_f_bst4_sv(s, b);
    out[2] = __musa_mul_f_bst4_vv(a, b);
    out[3] = __musa_mul_f_bst4_sv(s, b);
    out[4] = __musa_max_f_bst4_vv(a, b);
    out[5] = __musa_max_f_bst4_sv(s, b);
    out[6] = __musa_fma_f_bst4_vvv(a, b, c);
    out[7] = __musa_fma_f_bst4_svv(s, b, c);
    out[8] = __musa_fma_f_bst4_vvs(a, b, c[3]);
    out[9] = __musa_fma_f_bst4_svs(s, b, c[3]);
    out[10] = __musa_exp2_f_bst4_v(a);
    pairs[0] = __musa_add_f_bst2_vv(p, q);
    pairs[1] = __musa_max_f_bst2_sv(s, q);
    pairs[2] = __musa_fma_f_bst2_vvv(p, q, r);
    pairs[3] = __musa_exp2_f_bst2_v(p);
}

void bursts() {
    auto& x = input<Float4>(3);
    DeviceArray<Float4> out(11);
    DeviceArray<Float2> pairs(4);
    compute<<<1, 1>>>(x, out, pairs);
    check_kernel();
    out.write();
    pairs.write();
}

template <class To, class From>
__device__ To bits(const From& from) {
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

// Codes to halves; floats, and these as halves, to codes.
__global__ void convert(const unsigned* codes, const Float4* x, unsigned long long* halves, unsigned* made, int n) {
    using Char4 = char __attribute__((ext_vector_type(4)));
    const int i = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
    if (i >= n) return;
    const Char4 four = bits<Char4>(codes[i]);
    halves[2 * i] = bits<unsigned long long>(__musa_e4m32f16_rn_bst4(four));
    halves[2 * i + 1] = bits<unsigned long long>(__musa_e5m22f16_rn_bst4(four));
    made[4 * i] = bits<unsigned>(__musa_f2e4m3_rn_bst4(x[i]));
    made[4 * i + 1] = bits<unsigned>(__musa_f2e5m2_rn_bst4(x[i]));
    const float4 given = bits<float4>(x[i]);
    const __half4 half = __float42half4_rn(given);
    made[4 * i + 2] = bits<unsigned>(__musa_f162e4m3_rn_bst4(half));
    const __half2 low{half.x, half.y}, high{half.z, half.w};
    const auto first = bits<unsigned short>(__musa_f162e5m2_rn_bst2(low));
    made[4 * i + 3] = first | static_cast<unsigned>(bits<unsigned short>(__musa_f162e5m2_rn_bst2(high))) << 16;
}

void conversions(int n) {
    auto& codes = input<unsigned>(static_cast<std::size_t>(n));
    auto& x = input<Float4>(static_cast<std::size_t>(n));
    DeviceArray<unsigned long long> halves(2 * codes.size());
    DeviceArray<unsigned> made(4 * codes.size());
    convert<<<blocks_for(codes.size(), 64), 64>>>(codes, x, halves, made, n);
    check_kernel();
    halves.write();
    made.write();
}

// Numbers beyond the first `n`, and before them, read as zero; so does a vector that is partly outside.
__global__ void read_within(const int* x, int n, int* words, int* vectors, int* copied) {
    __shared__ int shared[64];
    const __musa::robust_ptr<const int> array(x + 8, static_cast<uint64_t>(n));
    const auto bounds = array.get_v4_robust_addr();
    const unsigned i = threadIdx.x;
    words[i] = __musa_ld_v4_robust_i32(x + i, bounds, 0);
    const auto vector = __musa_ld_v4_robust_v4i32(x + i, bounds, 0);
    for (int part = 0; part < 4; ++part) vectors[4 * i + part] = vector[part];
    shared[i] = -1;
    __musa_memcpy_g2s_robust_v4((AS3 void*)(shared + i), (AS1 const void*)(x + i), 4, bounds, 0);
    __musa_memcpy_g2s_wait();
    __musa_lma_wait();
    copied[i] = shared[i];
}

void robust(int n) {
    auto& x = input<int>(80);
    DeviceArray<int> words(64), vectors(256), copied(64);
    read_within<<<1, 64>>>(x, n, words, vectors, copied);
    check_kernel();
    words.write();
    vectors.write();
    copied.write();
}

// Each block hands numbers to the next one, as the ranks of vllm-musa's sums do: data, a fence, a flag.
__global__ void hand_on(const int* in, int* out, unsigned* flags) {
    __shared__ int got[64];
    const unsigned block = blockIdx.x, i = threadIdx.x;
    if (block > 0 && i == 32) {
        do {
            flushInv_byp();
        } while (volatile_load(flags + block - 1) != block);
    }
    __syncthreads_lm();
    got[i] = (block > 0 ? out[64 * (block - 1) + i] : 0) + in[64 * block + i];
    out[64 * block + i] = got[i];
    __musa_barrier_slc();
    __syncthreads_lm();
    if (i == 0) {
        __threadfence_system_noflush();
        volatile_store(block + 1, flags + block);
    }
}

void handed_on(int blocks) {
    auto& in = input<int>(static_cast<std::size_t>(64 * blocks));
    DeviceArray<int> out(in.size());
    DeviceArray<unsigned> flags(static_cast<std::size_t>(blocks));
    hand_on<<<static_cast<unsigned>(blocks), 64>>>(in, out, flags);
    check_kernel();
    out.write();
}

}  // namespace

int main(int, char** arguments) {
    const std::string name = arguments[1];
    const int n = std::atoi(arguments[2]);
    if (name == "pipeline") run_pipeline<true, false>(n);
    if (name == "elected") run_pipeline<true, true>(n);
    if (name == "unordered") run_pipeline<false, false>(n);
    if (name == "transactions") transactions();
    if (name == "bursts") bursts();
    if (name == "conversions") conversions(n);
    if (name == "robust") robust(n);
    if (name == "handed_on") handed_on(n);
}
