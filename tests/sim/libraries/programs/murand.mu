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

murandStatus_t generate(murandGenerator_t generator, unsigned* to, size_t count) {
    return murandGenerate(generator, to, count);
}
murandStatus_t generate(murandGenerator_t generator, u64* to, size_t count) {
    return murandGenerateLongLong(generator, to, count);
}

// Points of the dimensions from an offset on, in two parts, by device memory and by host memory.
template <class Word>
void sobol(murandRngType_t type, unsigned dimensions, u64 offset, int points) {
    const int half = points / 2 * dimensions;
    murandGenerator_t generator;
    DeviceArray<Word> numbers(2 * half);
    RAND(murandCreateGenerator(&generator, type));
    RAND(murandSetQuasiRandomGeneratorDimensions(generator, dimensions));
    RAND(murandSetGeneratorOrdering(generator, MURAND_ORDERING_QUASI_DEFAULT));
    RAND(murandSetGeneratorOffset(generator, offset));
    RAND(generate(generator, (Word*)numbers, half));
    RAND(generate(generator, (Word*)numbers + half, half));
    CHECK(musaDeviceSynchronize());
    numbers.write();
    RAND(murandDestroyGenerator(generator));
    std::vector<Word> on_host(2 * half);
    RAND(murandCreateGeneratorHost(&generator, type));
    RAND(murandSetQuasiRandomGeneratorDimensions(generator, dimensions));
    RAND(murandSetGeneratorOffset(generator, offset));
    RAND(generate(generator, on_host.data(), 2 * half));
    std::fwrite(on_host.data(), sizeof(Word), on_host.size(), stdout);
    RAND(murandDestroyGenerator(generator));
}

__device__ void start(unsigned* vectors, unsigned, u64 offset, murandStateSobol32_t* state) {
    murand_init(vectors, offset, state);
}
__device__ void start(unsigned* vectors, unsigned c, u64 offset, murandStateScrambledSobol32_t* state) {
    murand_init(vectors, c, offset, state);
}
__device__ void start(u64* vectors, u64, u64 offset, murandStateSobol64_t* state) { murand_init(vectors, offset, state); }
__device__ void start(u64* vectors, u64 c, u64 offset, murandStateScrambledSobol64_t* state) {
    murand_init(vectors, c, offset, state);
}

// The numbers of a dimension from an offset on, by two ways, and what the distributions make of them.
template <class State, class Word>
__global__ void of_sobol(Word* vectors, Word c, u64 offset, Word* numbers, double* values, int n) {
    State state, skipped, again[6];
    start(vectors, c, offset, &state);
    start(vectors, c, 0, &skipped);
    skipahead(offset, &skipped);
    for (State& one : again) one = state;
    for (int i = 0; i < n; ++i) {
        numbers[i] = murand(&state);
        numbers[n + i] = murand(&skipped);
        values[i] = murand_uniform(&again[0]);
        values[n + i] = murand_uniform_double(&again[1]);
        values[2 * n + i] = murand_normal(&again[2]);
        values[3 * n + i] = murand_normal_double(&again[3]);
        values[4 * n + i] = murand_log_normal_double(&again[4], 0.5, 0.25);
        values[5 * n + i] = murand_poisson(&again[5], i % 2 ? 3.0 : 500.0);
    }
}

template <class State, class Word>
void sobol_in_kernel(const Word* vectors, Word c, u64 offset) {
    constexpr int n = 64;
    DeviceArray<Word> own(8 * sizeof(Word)), numbers(2 * n);
    DeviceArray<double> values(6 * n);
    CHECK(musaMemcpy(own, vectors, 8 * sizeof(Word) * sizeof(Word), musaMemcpyHostToDevice));
    Word *from = own, *to = numbers;
    double* also = values;
    of_sobol<State><<<1, 1>>>(from, c, offset, to, also, n);
    check_kernel();
    numbers.write();
    values.write();
}

void sobol_tables() {
    for (const auto set : {MURAND_DIRECTION_VECTORS_32_JOEKUO6, MURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6}) {
        murandDirectionVectors32_t* vectors = nullptr;
        RAND(murandGetDirectionVectors32(&vectors, set));
        std::fwrite(vectors, sizeof *vectors, 20000, stdout);
    }
    for (const auto set : {MURAND_DIRECTION_VECTORS_64_JOEKUO6, MURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6}) {
        murandDirectionVectors64_t* vectors = nullptr;
        RAND(murandGetDirectionVectors64(&vectors, set));
        std::fwrite(vectors, sizeof *vectors, 20000, stdout);
    }
}

// Of a dimension, by each of the four states.
void sobol_kernels(unsigned dimension, u64 offset) {
    murandDirectionVectors32_t* vectors = nullptr;
    murandDirectionVectors64_t* wide = nullptr;
    unsigned* constants = nullptr;
    u64* wide_constants = nullptr;
    RAND(murandGetScrambleConstants32(&constants));
    RAND(murandGetScrambleConstants64(&wide_constants));
    RAND(murandGetDirectionVectors32(&vectors, MURAND_DIRECTION_VECTORS_32_JOEKUO6));
    sobol_in_kernel<murandStateSobol32>(vectors[dimension], 0u, offset);
    RAND(murandGetDirectionVectors32(&vectors, MURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
    sobol_in_kernel<murandStateScrambledSobol32>(vectors[dimension], constants[dimension], offset);
    RAND(murandGetDirectionVectors64(&wide, MURAND_DIRECTION_VECTORS_64_JOEKUO6));
    sobol_in_kernel<murandStateSobol64>(wide[dimension], u64{0}, offset);
    RAND(murandGetDirectionVectors64(&wide, MURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
    sobol_in_kernel<murandStateScrambledSobol64>(wide[dimension], wide_constants[dimension], offset);
}

void refusals() {
    murandGenerator_t generator = nullptr;
    float* none = nullptr;
    std::printf("mtgp=%d\n", murandCreateGenerator(&generator, MURAND_RNG_PSEUDO_MTGP32));
    std::printf("never_created=%d\n", murandGenerateUniform(generator, none, 1));
    RAND(murandCreateGenerator(&generator, MURAND_RNG_PSEUDO_DEFAULT));
    std::printf("odd=%d\n", murandGenerateNormal(generator, none, 3, 0.0f, 1.0f));
    std::printf("pseudo_dimensions=%d\n", murandSetQuasiRandomGeneratorDimensions(generator, 2));
    std::printf("pseudo_order=%d\n", murandSetGeneratorOrdering(generator, MURAND_ORDERING_QUASI_DEFAULT));
    std::printf("pseudo_64=%d\n", murandGenerateLongLong(generator, nullptr, 2));
    murandGenerator_t quasi = nullptr;
    RAND(murandCreateGenerator(&quasi, MURAND_RNG_QUASI_SOBOL64));
    std::printf("quasi_seed=%d\n", murandSetPseudoRandomGeneratorSeed(quasi, 1));
    std::printf("quasi_order=%d\n", murandSetGeneratorOrdering(quasi, MURAND_ORDERING_PSEUDO_BEST));
    std::printf("no_dimensions=%d\n", murandSetQuasiRandomGeneratorDimensions(quasi, 0));
    std::printf("many_dimensions=%d\n", murandSetQuasiRandomGeneratorDimensions(quasi, 20001));
    RAND(murandSetQuasiRandomGeneratorDimensions(quasi, 3));
    std::printf("part_of_a_point=%d\n", murandGenerateUniform(quasi, none, 10));
    std::printf("quasi_32=%d\n", murandGenerate(quasi, nullptr, 3));
    RAND(murandDestroyGenerator(quasi));
    murandDirectionVectors32_t* vectors = nullptr;
    std::printf("set=%d\n", murandGetDirectionVectors32(&vectors, MURAND_DIRECTION_VECTORS_64_JOEKUO6));
    RAND(murandDestroyGenerator(generator));
    std::printf("destroyed=%d\n", murandDestroyGenerator(generator));
}

int main(int argc, char** argv) {
    const std::string which = argv[1];
    if (which == "refusals") return refusals(), 0;
    u64 number[3] = {};
    for (int i = 2; i < argc && i < 5; ++i) number[i - 2] = std::strtoull(argv[i], nullptr, 0);
    const auto [seed, subsequence, offset] = number;
    if (which == "sobol_tables") return sobol_tables(), 0;
    if (which == "sobol_kernels") return sobol_kernels(number[0], number[1]), 0;
    if (which == "sobol32") return sobol<unsigned>(MURAND_RNG_QUASI_SOBOL32, seed, offset, subsequence), 0;
    if (which == "sobol64") return sobol<u64>(MURAND_RNG_QUASI_SOBOL64, seed, offset, subsequence), 0;
    if (which == "scrambled32") return sobol<unsigned>(MURAND_RNG_QUASI_SCRAMBLED_SOBOL32, seed, offset, subsequence), 0;
    if (which == "scrambled64") return sobol<u64>(MURAND_RNG_QUASI_SCRAMBLED_SOBOL64, seed, offset, subsequence), 0;
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
