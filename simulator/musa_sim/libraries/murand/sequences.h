// The sequences of the generators: how each fills an output, and where it begins.
#pragma once

#include <cstddef>
#include <vector>

#include <murand_kernel.h>

#include "sobol_directions.h"

namespace musa_sim {

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

// Where a sequence begins.
struct Start {
    unsigned long long seed = 0;
    unsigned long long offset = 0;
};

// A state for the distributions of murand_kernel.h.
template <class Sequence>
struct SequenceState {
    Sequence sequence;
    musa_sim_detail::NormalCache normal;
};
template <class Sequence>
unsigned murand(SequenceState<Sequence>* state) {
    return state->sequence.next();
}

template <class Sequence>
class PseudoNumbers {
public:
    static constexpr bool is_quasi = false, is_wide = false;

    void start(const Start& at) { state_.sequence.start(at.seed, at.offset); }
    // Write make(&state) to each of the outputs.
    template <class T, class Make>
    void fill(T* output, std::size_t count, unsigned, Make make) {
        for (std::size_t i = 0; i < count; ++i) output[i] = make(&state_);
        state_.normal = {};
    }

private:
    SequenceState<Sequence> state_;
};

template <class Word, bool scrambled>
class QuasiNumbers {
public:
    static constexpr bool is_quasi = true, is_wide = sizeof(Word) == 8;

    void start(const Start& at) { next_ = at.offset; }
    // The numbers of each dimension after those of the one before.
    template <class T, class Make>
    void fill(T* output, std::size_t count, unsigned dimensions, Make make) {
        const std::size_t points = count / dimensions;
        for (unsigned d = 0; d < dimensions; ++d) {
            musa_sim_detail::SobolState<Word, scrambled> state;
            const Word first = scrambled ? sobol_constants<Word>()[d] : 0;
            musa_sim_detail::start_sobol(sobol_directions<Word>(scrambled)[d], first, next_, &state);
            for (std::size_t i = 0; i < points; ++i) *output++ = make(&state);
        }
        next_ += points;
    }

private:
    unsigned long long next_ = 0;
};

}  // namespace musa_sim

