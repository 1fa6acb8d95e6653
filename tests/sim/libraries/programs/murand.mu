// murand CASE seed subsequence offset: what kernels and the host API generate, to stdout.
#include <murand.h>
#include <murand_kernel.h>

#include "program.h"

using u64 = unsigned long long;

// The numbers themselves, then the same position reached by skipping, then four at a time.
template <class State>
__global__ void bits(u64 seed, u64 subsequence, u64 offset, unsigned* out) {
    State state;
    murand_init(seed, subsequence, offset, &state);
    for (int i = 0; i < 16; ++i) *out++ = murand(&state);
    murand_init(seed, 0, 0, &state);
    skipahead(offset, &state);
    skipahead_sequence(subsequence, &state);
    for (int i = 0; i < 8; ++i) *out++ = murand(&state);
}

// By the simulator's own names, which no other SDK has.
__global__ void philox_block(uint4 counter, uint2 key, uint4* out) {
#ifndef __NVCC__
    *out = musa_sim_detail::philox4x32_10(counter, key);
#endif
}

// Marsaglia's own start.
__global__ void marsaglia(unsigned* out) {
#ifndef __NVCC__
    murandState_t state{6615241u, {123456789u, 362436069u, 521288629u, 88675123u, 5783321u}, {}};
    for (int i = 0; i < 8; ++i) out[i] = murand(&state);
#endif
}

// L'Ecuyer's own start.
__global__ void lecuyer(double* out) {
    murandStateMRG32k3a_t state;
    murand_init(0, 0, 0, &state);
    for (int i = 0; i < 5; ++i) out[i] = murand_uniform_double(&state);
}

constexpr int per_thread = 16;

// Rows of: uniform, uniform double (as float), normal, normal double, log-normal, Poisson of 3 and of 50.
template <class State>
__global__ void distributions(u64 seed, float* out) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int count = gridDim.x * blockDim.x * per_thread;
    State state;
    murand_init(seed, t, 0, &state);
    for (int i = t * per_thread; i < (t + 1) * per_thread; ++i) {
        out[i] = murand_uniform(&state);
        out[i + count] = static_cast<float>(murand_uniform_double(&state));
        out[i + 2 * count] = murand_normal(&state);
        out[i + 3 * count] = static_cast<float>(murand_normal_double(&state));
        out[i + 4 * count] = murand_log_normal(&state, 0.5f, 0.25f);
        out[i + 5 * count] = static_cast<float>(murand_poisson(&state, 3.0));
        out[i + 6 * count] = static_cast<float>(murand_poisson(&state, 50.0));
    }
}

// Both names of the Philox state, and its functions of four.
__global__ void fours(u64 seed, float4* out) {
    murandStatePhilox4_32_10_t one;
    murand_state_philox4x32_10 two;
    murand_init(seed, 7, 3, &one);
    murand_init(seed, 7, 3, &two);
    const uint4 x = murand4(&one);
    out[0] = float4{static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), static_cast<float>(x.w)};
    out[1] = murand_uniform4(&two);
    out[2] = murand_normal4(&two);
}

#define RAND(call)                                                        \
    if (murandStatus_t status = (call); status != MURAND_STATUS_SUCCESS) { \
        std::fprintf(stderr, "%s: %d\n", #call, status);                  \
        std::exit(3);                                                     \
    }

void host_api(murandRngType_t type, u64 seed, u64 offset) {
    murandGenerator_t generator;
    musaStream_t stream;
    constexpr int count = 10000;
    DeviceArray<unsigned> numbers(count);
    DeviceArray<float> floats(count);
    DeviceArray<double> doubles(count);
    CHECK(musaStreamCreate(&stream));
    RAND(murandCreateGenerator(&generator, type));
    RAND(murandSetStream(generator, stream));
    RAND(murandSetPseudoRandomGeneratorSeed(generator, seed));
    RAND(murandSetGeneratorOffset(generator, offset));
    RAND(murandGenerate(generator, numbers, count / 2));  // in two parts, which continue each other
    RAND(murandGenerate(generator, numbers + count / 2, count / 2));
    RAND(murandGenerateUniform(generator, floats, count));
    CHECK(musaStreamSynchronize(stream));
    numbers.write();
    floats.write();
    RAND(murandGenerateNormal(generator, floats, count, 3.0f, 2.0f));
    RAND(murandGenerateLogNormalDouble(generator, doubles, count, 0.5, 0.25));
    RAND(murandGeneratePoisson(generator, numbers, count, 12.0));
    CHECK(musaStreamSynchronize(stream));
    floats.write();
    doubles.write();
    numbers.write();
    RAND(murandDestroyGenerator(generator));

    std::vector<unsigned> on_host(count);
    RAND(murandCreateGeneratorHost(&generator, type));
    RAND(murandSetPseudoRandomGeneratorSeed(generator, seed));
    RAND(murandSetGeneratorOffset(generator, offset));
    RAND(murandGenerate(generator, on_host.data(), count));
    std::fwrite(on_host.data(), sizeof(unsigned), count, stdout);
    RAND(murandDestroyGenerator(generator));
}

void refusals() {
    murandGenerator_t generator = nullptr;
    float* none = nullptr;
    std::printf("sobol=%d\n", murandCreateGenerator(&generator, MURAND_RNG_QUASI_SOBOL32));
    std::printf("never_created=%d\n", murandGenerateUniform(generator, none, 1));
    RAND(murandCreateGenerator(&generator, MURAND_RNG_PSEUDO_DEFAULT));
    std::printf("odd=%d\n", murandGenerateNormal(generator, none, 3, 0.0f, 1.0f));
    RAND(murandDestroyGenerator(generator));
    std::printf("destroyed=%d\n", murandDestroyGenerator(generator));
}

int main(int argc, char** argv) {
    const std::string which = argv[1];
    if (which == "refusals") return refusals(), 0;
    u64 number[3] = {};
    for (int i = 2; i < argc && i < 5; ++i) number[i - 2] = std::strtoull(argv[i], nullptr, 0);
    const auto [seed, subsequence, offset] = number;
    if (which == "host_xorwow") return host_api(MURAND_RNG_PSEUDO_DEFAULT, seed, offset), 0;
    if (which == "host_mrg") return host_api(MURAND_RNG_PSEUDO_MRG32K3A, seed, offset), 0;
    if (which == "host_philox") return host_api(MURAND_RNG_PSEUDO_PHILOX4_32_10, seed, offset), 0;
    DeviceArray<unsigned> out(24);
    if (which == "philox_block") {
        auto& input_words = input<unsigned>(6);
        const std::vector<unsigned> w = input_words.host();
        DeviceArray<uint4> block(1);
        philox_block<<<1, 1>>>(uint4{w[0], w[1], w[2], w[3]}, uint2{w[4], w[5]}, block);
        check_kernel();
        return block.write(), 0;
    }
    if (which == "fours") {
        DeviceArray<float4> rows(3);
        fours<<<1, 1>>>(seed, rows);
        check_kernel();
        return rows.write(), 0;
    }
    if (which.rfind("distributions", 0) == 0) {
        constexpr unsigned blocks = 32, threads = 64;
        DeviceArray<float> rows(7 * blocks * threads * per_thread);
        if (which == "distributions_philox") distributions<murandStatePhilox4_32_10_t><<<blocks, threads>>>(seed, rows);
        if (which == "distributions_mrg") distributions<murandStateMRG32k3a><<<blocks, threads>>>(seed, rows);
        if (which == "distributions_xorwow") distributions<murandState><<<blocks, threads>>>(seed, rows);
        check_kernel();
        return rows.write(), 0;
    }
    if (which == "philox") bits<murandStatePhilox4_32_10_t><<<1, 1>>>(seed, subsequence, offset, out);
    if (which == "xorwow") bits<murandStateXORWOW_t><<<1, 1>>>(seed, subsequence, offset, out);
    if (which == "mrg") bits<murandStateMRG32k3a_t><<<1, 1>>>(seed, subsequence, offset, out);
    if (which == "lecuyer") {
        DeviceArray<double> uniform(5);
        lecuyer<<<1, 1>>>(uniform);
        check_kernel();
        return uniform.write(), 0;
    }
    if (which == "marsaglia") marsaglia<<<1, 1>>>(out);
    check_kernel();
    out.write();
}
