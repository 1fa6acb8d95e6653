// muRAND's host API: the generators of murand_kernel.h, run by host functions in the order of a stream.
#include "base/lifetime.h"
#include <murand.h>
#include <murand_discrete.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <variant>
#include <vector>

#include "../enqueue.h"
#include "sequences.h"

using musa_sim::PseudoNumbers;
using musa_sim::QuasiNumbers;

struct murandGenerator_st {
    std::variant<PseudoNumbers<musa_sim::XorwowSequence>, PseudoNumbers<musa_sim::MrgSequence>,
                 PseudoNumbers<musa_sim::PhiloxSequence>, QuasiNumbers<unsigned, false>, QuasiNumbers<unsigned, true>,
                 QuasiNumbers<unsigned long long, false>, QuasiNumbers<unsigned long long, true>>
        numbers;
    musa_sim::Start start;
    bool started = false;
    unsigned dimensions = 1;
    bool writes_host_memory = false;
    musaStream_t stream = nullptr;
    std::mutex mutex;  // two streams may use one generator at the same time

    bool is_quasi() const {
        return std::visit([](const auto& kind) { return kind.is_quasi; }, numbers);
    }
    bool is_wide() const {
        return std::visit([](const auto& kind) { return kind.is_wide; }, numbers);
    }
};

namespace {

std::mutex live_mutex;

std::unordered_set<murandGenerator_t>& live_generators() {
    static auto& generators = musa_sim::leaked<std::unordered_set<murandGenerator_t>>();
    return generators;
}

bool is_live(murandGenerator_t generator) {
    std::lock_guard<std::mutex> lock(live_mutex);
    return live_generators().count(generator) != 0;
}

// Write make(state) to each of the outputs, in the order of the stream.
template <class T, class Make>
murandStatus_t generate(murandGenerator_t generator, T* output, std::size_t count, Make make) {
    if (!is_live(generator)) return MURAND_STATUS_NOT_INITIALIZED;
    if (generator->is_quasi() && count % generator->dimensions) return MURAND_STATUS_LENGTH_NOT_MULTIPLE;
    auto fill = [=] {
        std::lock_guard<std::mutex> lock(generator->mutex);
        std::visit(
            [&](auto& numbers) {
                if (!generator->started) numbers.start(generator->start);
                generator->started = true;
                numbers.fill(output, count, generator->dimensions, make);
            },
            generator->numbers);
    };
    if (generator->writes_host_memory) {
        fill();
        return MURAND_STATUS_SUCCESS;
    }
    const musaError_t error = musa_sim::enqueue_work(generator->stream, fill, "murand::generate");
    return error == musaSuccess ? MURAND_STATUS_SUCCESS : MURAND_STATUS_LAUNCH_FAILURE;
}

// The same for normal numbers, of which pseudo-random ones come in pairs.
template <class T, class Make>
murandStatus_t generate_normal(murandGenerator_t generator, T* output, std::size_t count, Make make) {
    if (count % 2 && is_live(generator) && !generator->is_quasi()) return MURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return generate(generator, output, count, make);
}

template <class Change>
murandStatus_t change(murandGenerator_t generator, Change apply) {
    if (!is_live(generator)) return MURAND_STATUS_NOT_INITIALIZED;
    // First let the numbers that were requested before come from the unchanged generator.
    if (!generator->writes_host_memory && musaStreamSynchronize(generator->stream) != musaSuccess) {
        return MURAND_STATUS_PREEXISTING_FAILURE;
    }
    apply();
    return MURAND_STATUS_SUCCESS;
}

murandStatus_t create(murandGenerator_t* generator, murandRngType_t type, bool writes_host_memory) {
    if (!generator) return MURAND_STATUS_NOT_INITIALIZED;
    auto created = std::make_unique<murandGenerator_st>();
    created->writes_host_memory = writes_host_memory;
    switch (type) {
        case MURAND_RNG_PSEUDO_DEFAULT:
        case MURAND_RNG_PSEUDO_XORWOW: break;
        case MURAND_RNG_PSEUDO_MRG32K3A: created->numbers = PseudoNumbers<musa_sim::MrgSequence>(); break;
        case MURAND_RNG_PSEUDO_PHILOX4_32_10: created->numbers = PseudoNumbers<musa_sim::PhiloxSequence>(); break;
        case MURAND_RNG_QUASI_DEFAULT:
        case MURAND_RNG_QUASI_SOBOL32: created->numbers = QuasiNumbers<unsigned, false>(); break;
        case MURAND_RNG_QUASI_SCRAMBLED_SOBOL32: created->numbers = QuasiNumbers<unsigned, true>(); break;
        case MURAND_RNG_QUASI_SOBOL64: created->numbers = QuasiNumbers<unsigned long long, false>(); break;
        case MURAND_RNG_QUASI_SCRAMBLED_SOBOL64: created->numbers = QuasiNumbers<unsigned long long, true>(); break;
        default: return MURAND_STATUS_TYPE_ERROR;
    }
    *generator = created.release();
    std::lock_guard<std::mutex> lock(live_mutex);
    live_generators().insert(*generator);
    return MURAND_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

MUSA_EXPORT murandStatus_t murandCreateGenerator(murandGenerator_t* generator, murandRngType_t rng_type) {
    return create(generator, rng_type, false);
}

MUSA_EXPORT murandStatus_t murandCreateGeneratorHost(murandGenerator_t* generator, murandRngType_t rng_type) {
    return create(generator, rng_type, true);
}

MUSA_EXPORT murandStatus_t murandDestroyGenerator(murandGenerator_t generator) {
    if (!is_live(generator)) return MURAND_STATUS_NOT_INITIALIZED;
    if (!generator->writes_host_memory) musaStreamSynchronize(generator->stream);
    std::lock_guard<std::mutex> lock(live_mutex);
    live_generators().erase(generator);
    delete generator;
    return MURAND_STATUS_SUCCESS;
}

MUSA_EXPORT murandStatus_t murandGetVersion(int* version) {
    if (!version) return MURAND_STATUS_OUT_OF_RANGE;
    *version = MURAND_VERSION;
    return MURAND_STATUS_SUCCESS;
}

MUSA_EXPORT murandStatus_t murandSetStream(murandGenerator_t generator, musaStream_t stream) {
    return change(generator, [&] { generator->stream = stream; });
}

MUSA_EXPORT murandStatus_t murandSetPseudoRandomGeneratorSeed(murandGenerator_t generator,
                                                              unsigned long long seed) {
    if (is_live(generator) && generator->is_quasi()) return MURAND_STATUS_TYPE_ERROR;
    return change(generator, [&] {
        generator->start.seed = seed;
        generator->started = false;
    });
}

MUSA_EXPORT murandStatus_t murandSetGeneratorOffset(murandGenerator_t generator, unsigned long long offset) {
    return change(generator, [&] {
        generator->start.offset = offset;
        generator->started = false;
    });
}

// All orderings of pseudo-random numbers are the default one.
MUSA_EXPORT murandStatus_t murandSetGeneratorOrdering(murandGenerator_t generator, murandOrdering_t order) {
    if (!is_live(generator)) return MURAND_STATUS_NOT_INITIALIZED;
    const bool is_known = generator->is_quasi()
                              ? order == MURAND_ORDERING_QUASI_DEFAULT
                              : order == MURAND_ORDERING_PSEUDO_BEST || order == MURAND_ORDERING_PSEUDO_DEFAULT;
    return is_known ? MURAND_STATUS_SUCCESS : MURAND_STATUS_OUT_OF_RANGE;
}

// The numbers continue where those of the other dimensions ended, as cuRAND's do.
MUSA_EXPORT murandStatus_t murandSetQuasiRandomGeneratorDimensions(murandGenerator_t generator,
                                                                   unsigned num_dimensions) {
    if (!is_live(generator)) return MURAND_STATUS_NOT_INITIALIZED;
    if (!generator->is_quasi()) return MURAND_STATUS_TYPE_ERROR;
    if (num_dimensions == 0 || num_dimensions > musa_sim::sobol_dimensions) return MURAND_STATUS_OUT_OF_RANGE;
    return change(generator, [&] { generator->dimensions = num_dimensions; });
}

MUSA_EXPORT murandStatus_t murandGenerateSeeds(murandGenerator_t generator) {
    unsigned* nothing = nullptr;
    return generate(generator, nothing, 0, [](auto*) { return 0u; });
}

MUSA_EXPORT murandStatus_t murandGenerate(murandGenerator_t generator, unsigned int* output, std::size_t count) {
    if (is_live(generator) && generator->is_wide()) return MURAND_STATUS_TYPE_ERROR;
    return generate(generator, output, count, [](auto* state) { return static_cast<unsigned>(murand(state)); });
}

MUSA_EXPORT murandStatus_t murandGenerateLongLong(murandGenerator_t generator, unsigned long long* output,
                                                  std::size_t count) {
    if (is_live(generator) && !generator->is_wide()) return MURAND_STATUS_TYPE_ERROR;
    return generate(generator, output, count, [](auto* state) -> unsigned long long { return murand(state); });
}

MUSA_EXPORT murandStatus_t murandGenerateUniform(murandGenerator_t generator, float* output, std::size_t count) {
    return generate(generator, output, count, [](auto* state) { return murand_uniform(state); });
}

MUSA_EXPORT murandStatus_t murandGenerateUniformDouble(murandGenerator_t generator, double* output,
                                                       std::size_t count) {
    return generate(generator, output, count, [](auto* state) { return murand_uniform_double(state); });
}

MUSA_EXPORT murandStatus_t murandGenerateNormal(murandGenerator_t generator, float* output, std::size_t count,
                                                float mean, float stddev) {
    return generate_normal(generator, output, count, [=](auto* state) { return mean + stddev * murand_normal(state); });
}

MUSA_EXPORT murandStatus_t murandGenerateNormalDouble(murandGenerator_t generator, double* output,
                                                      std::size_t count, double mean, double stddev) {
    return generate_normal(generator, output, count,
                    [=](auto* state) { return mean + stddev * murand_normal_double(state); });
}

MUSA_EXPORT murandStatus_t murandGenerateLogNormal(murandGenerator_t generator, float* output, std::size_t count,
                                                   float mean, float stddev) {
    return generate_normal(generator, output, count, [=](auto* state) { return murand_log_normal(state, mean, stddev); });
}

MUSA_EXPORT murandStatus_t murandGenerateLogNormalDouble(murandGenerator_t generator, double* output,
                                                         std::size_t count, double mean, double stddev) {
    return generate_normal(generator, output, count,
                    [=](auto* state) { return murand_log_normal_double(state, mean, stddev); });
}

MUSA_EXPORT murandStatus_t murandGeneratePoisson(murandGenerator_t generator, unsigned int* output,
                                                 std::size_t count, double lambda) {
    if (!(lambda > 0.0)) return MURAND_STATUS_OUT_OF_RANGE;
    return generate(generator, output, count, [=](auto* state) { return murand_poisson(state, lambda); });
}

// The numbers whose probability is not negligible; what is beyond them counts as the last one.
MUSA_EXPORT murandStatus_t murandCreatePoissonDistribution(double lambda, murandDiscreteDistribution_t* distribution) {
    if (!distribution || !(lambda > 0.0) || lambda > 400000.0) return MURAND_STATUS_OUT_OF_RANGE;
    const double reach = 12 * std::sqrt(lambda) + 30;
    const double first = std::floor(std::max(0.0, lambda - reach)), last = std::ceil(lambda + reach);
    std::vector<double> sums;
    double sum = 0;
    for (double k = first; k <= last; ++k) sums.push_back(sum += std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1)));
    const std::size_t bytes = sums.size() * sizeof(double);
    void* memory = nullptr;
    murandDiscreteDistribution_st made{static_cast<unsigned>(first), static_cast<unsigned>(sums.size()), nullptr};
    if (musaMalloc(&memory, sizeof made + bytes) != musaSuccess) return MURAND_STATUS_ALLOCATION_FAILED;
    auto* const at = static_cast<murandDiscreteDistribution_st*>(memory);
    made.sums = reinterpret_cast<const double*>(at + 1);
    const bool copied = musaMemcpy(at, &made, sizeof made, musaMemcpyHostToDevice) == musaSuccess &&
                        musaMemcpy(at + 1, sums.data(), bytes, musaMemcpyHostToDevice) == musaSuccess;
    if (!copied) return musaFree(memory), MURAND_STATUS_INTERNAL_ERROR;
    *distribution = at;
    return MURAND_STATUS_SUCCESS;
}

MUSA_EXPORT murandStatus_t murandDestroyDistribution(murandDiscreteDistribution_t distribution) {
    if (!distribution) return MURAND_STATUS_OUT_OF_RANGE;
    return musaFree(distribution) == musaSuccess ? MURAND_STATUS_SUCCESS : MURAND_STATUS_INTERNAL_ERROR;
}

MUSA_EXPORT murandStatus_t murandGetProperty(libraryPropertyType type, int* value) {
    if (!value) return MURAND_STATUS_OUT_OF_RANGE;
    switch (type) {
        case MAJOR_VERSION: *value = MURAND_VER_MAJOR; return MURAND_STATUS_SUCCESS;
        case MINOR_VERSION: *value = MURAND_VER_MINOR; return MURAND_STATUS_SUCCESS;
        case PATCH_LEVEL: *value = MURAND_VER_PATCH; return MURAND_STATUS_SUCCESS;
    }
    return MURAND_STATUS_OUT_OF_RANGE;
}

MUSA_EXPORT murandStatus_t murandGetDirectionVectors32(murandDirectionVectors32_t** vectors,
                                                       murandDirectionVectorSet_t set) {
    const bool scrambled = set == MURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6;
    if (!vectors || (!scrambled && set != MURAND_DIRECTION_VECTORS_32_JOEKUO6)) return MURAND_STATUS_OUT_OF_RANGE;
    *vectors = musa_sim::sobol_directions<unsigned>(scrambled);
    return MURAND_STATUS_SUCCESS;
}

MUSA_EXPORT murandStatus_t murandGetDirectionVectors64(murandDirectionVectors64_t** vectors,
                                                       murandDirectionVectorSet_t set) {
    const bool scrambled = set == MURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6;
    if (!vectors || (!scrambled && set != MURAND_DIRECTION_VECTORS_64_JOEKUO6)) return MURAND_STATUS_OUT_OF_RANGE;
    *vectors = musa_sim::sobol_directions<unsigned long long>(scrambled);
    return MURAND_STATUS_SUCCESS;
}

MUSA_EXPORT murandStatus_t murandGetScrambleConstants32(unsigned** constants) {
    if (!constants) return MURAND_STATUS_OUT_OF_RANGE;
    *constants = musa_sim::sobol_constants<unsigned>();
    return MURAND_STATUS_SUCCESS;
}

MUSA_EXPORT murandStatus_t murandGetScrambleConstants64(unsigned long long** constants) {
    if (!constants) return MURAND_STATUS_OUT_OF_RANGE;
    *constants = musa_sim::sobol_constants<unsigned long long>();
    return MURAND_STATUS_SUCCESS;
}
}
