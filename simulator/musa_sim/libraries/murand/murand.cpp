// muRAND's host API: the generators of murand_kernel.h, run by host functions in the order of a stream.
#include "base/lifetime.h"
#include <murand.h>
#include <murand_kernel.h>

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <variant>
#include <vector>

#include "../enqueue.h"

namespace {

// Number n of the sequence is number n / 4096 of subsequence n % 4096.
template <class State>
class InterleavedSequence {
public:
    void start(unsigned long long seed, unsigned long long offset) {
        states_.assign(count, State());
        // Each subsequence begins one subsequence's length after the previous one.
        murand_init(seed, 0, 0, &states_[0]);
        for (unsigned i = 1; i < count; ++i) {
            states_[i] = states_[i - 1];
            skipahead_sequence(1, &states_[i]);
        }
        next_ = static_cast<unsigned>(offset % count);
        for (unsigned i = 0; i < count; ++i) skipahead(offset / count + (i < next_ ? 1 : 0), &states_[i]);
    }
    unsigned next() {
        const unsigned result = murand(&states_[next_]);
        next_ = (next_ + 1) % count;
        return result;
    }

private:
    static constexpr unsigned count = 4096;
    std::vector<State> states_;
    unsigned next_ = 0;
};

using XorwowSequence = InterleavedSequence<murandStateXORWOW_t>;
using MrgSequence = InterleavedSequence<murandStateMRG32k3a_t>;

class PhiloxSequence {
public:
    void start(unsigned long long seed, unsigned long long offset) { murand_init(seed, 0, offset, &state_); }
    unsigned next() { return murand(&state_); }

private:
    murandStatePhilox4_32_10_t state_;
};

// A generator state, for the distributions of murand_kernel.h.
template <class Sequence>
struct State {
    Sequence sequence;
    musa_sim_detail::NormalCache normal;
};
template <class Sequence>
unsigned murand(State<Sequence>* state) {
    return state->sequence.next();
}

}  // namespace

struct murandGenerator_st {
    std::variant<State<XorwowSequence>, State<MrgSequence>, State<PhiloxSequence>> state;
    unsigned long long seed = 0;
    unsigned long long offset = 0;
    bool started = false;
    bool writes_host_memory = false;
    musaStream_t stream = nullptr;
    std::mutex mutex;  // two streams may use one generator at the same time
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
    auto fill = [=] {
        std::lock_guard<std::mutex> lock(generator->mutex);
        std::visit(
            [&](auto& state) {
                if (!generator->started) {
                    state.sequence.start(generator->seed, generator->offset);
                    generator->started = true;
                }
                for (std::size_t i = 0; i < count; ++i) output[i] = make(&state);
                state.normal = {};
            },
            generator->state);
    };
    if (generator->writes_host_memory) {
        fill();
        return MURAND_STATUS_SUCCESS;
    }
    const musaError_t error = musa_sim::enqueue_work(generator->stream, fill, "murand::generate");
    return error == musaSuccess ? MURAND_STATUS_SUCCESS : MURAND_STATUS_LAUNCH_FAILURE;
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
        case MURAND_RNG_PSEUDO_MRG32K3A: created->state = State<MrgSequence>(); break;
        case MURAND_RNG_PSEUDO_PHILOX4_32_10: created->state = State<PhiloxSequence>(); break;
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
    return change(generator, [&] {
        generator->seed = seed;
        generator->started = false;
    });
}

MUSA_EXPORT murandStatus_t murandSetGeneratorOffset(murandGenerator_t generator, unsigned long long offset) {
    return change(generator, [&] {
        generator->offset = offset;
        generator->started = false;
    });
}

// All orderings of pseudo-random numbers are the default one.
MUSA_EXPORT murandStatus_t murandSetGeneratorOrdering(murandGenerator_t generator, murandOrdering_t order) {
    if (!is_live(generator)) return MURAND_STATUS_NOT_INITIALIZED;
    return order == MURAND_ORDERING_PSEUDO_BEST || order == MURAND_ORDERING_PSEUDO_DEFAULT ? MURAND_STATUS_SUCCESS
                                                                                         : MURAND_STATUS_OUT_OF_RANGE;
}

MUSA_EXPORT murandStatus_t murandGenerateSeeds(murandGenerator_t generator) {
    unsigned* nothing = nullptr;
    return generate(generator, nothing, 0, [](auto*) { return 0u; });
}

MUSA_EXPORT murandStatus_t murandGenerate(murandGenerator_t generator, unsigned int* output, std::size_t count) {
    return generate(generator, output, count, [](auto* state) { return state->sequence.next(); });
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
    if (count % 2) return MURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return generate(generator, output, count, [=](auto* state) { return mean + stddev * murand_normal(state); });
}

MUSA_EXPORT murandStatus_t murandGenerateNormalDouble(murandGenerator_t generator, double* output,
                                                      std::size_t count, double mean, double stddev) {
    if (count % 2) return MURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return generate(generator, output, count,
                    [=](auto* state) { return mean + stddev * murand_normal_double(state); });
}

MUSA_EXPORT murandStatus_t murandGenerateLogNormal(murandGenerator_t generator, float* output, std::size_t count,
                                                   float mean, float stddev) {
    if (count % 2) return MURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return generate(generator, output, count, [=](auto* state) { return murand_log_normal(state, mean, stddev); });
}

MUSA_EXPORT murandStatus_t murandGenerateLogNormalDouble(murandGenerator_t generator, double* output,
                                                         std::size_t count, double mean, double stddev) {
    if (count % 2) return MURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return generate(generator, output, count,
                    [=](auto* state) { return murand_log_normal_double(state, mean, stddev); });
}

MUSA_EXPORT murandStatus_t murandGeneratePoisson(murandGenerator_t generator, unsigned int* output,
                                                 std::size_t count, double lambda) {
    if (!(lambda > 0.0)) return MURAND_STATUS_OUT_OF_RANGE;
    return generate(generator, output, count, [=](auto* state) { return murand_poisson(state, lambda); });
}
}
