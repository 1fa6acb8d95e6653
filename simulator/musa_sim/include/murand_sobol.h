/* Sobol's quasi-random sequences and their states for kernels: number n of a dimension is the exclusive or of the vectors of
 * the bits that are set in the Gray code of n.
 *
 * The numbers, uniform numbers and orders are those of cuRAND. Normal and Poisson numbers are the quantiles of a uniform one, so
 * that each call takes one number.
 */
#ifndef MURAND_SOBOL_H_
#define MURAND_SOBOL_H_

#include <math.h>
#include <murand.h>
#include <murand_normal.h>
#include <murand_poisson.h>
#include <murand_uniform.h>
#include <musa_sim/inverse_erfc.h>

namespace musa_sim_detail {

template <class Word, bool scrambled>
struct SobolState {
    static constexpr int bits = 8 * sizeof(Word);
    Word i;  // the index of the next number
    Word x;  // that number
    Word c;  // number 0, the scramble constant
    Word direction_vectors[bits];
};

constexpr double two_to_minus_32_double = 1.0 / 4294967296.0;

/* A uniform number in (0, 1] from an integer. */
MUSA_SIM_RANDOM double uniform_double_of(unsigned x) {
    return static_cast<double>(x) * two_to_minus_32_double + two_to_minus_32_double;
}
MUSA_SIM_RANDOM double uniform_double_of(unsigned long long x) {
    return static_cast<double>(x >> 11) * two_to_minus_53 + two_to_minus_53 / 2.0;
}

/* The middle of an integer's part of (0, 1); for the 2048 largest 64-bit integers it rounds to 1. */
MUSA_SIM_RANDOM double middle_of(unsigned x) {
    return static_cast<double>(x) * two_to_minus_32_double + two_to_minus_32_double / 2.0;
}
MUSA_SIM_RANDOM double middle_of(unsigned long long x) { return uniform_double_of(x); }

/* The upper half mirrors the lower one, which has more digits. */
template <class Word>
__host__ __device__ inline double normal_quantile(Word x) {
    const Word half = static_cast<Word>(1) << (8 * sizeof(Word) - 1);
    const double size = M_SQRT2 * inverse_erfc(2.0 * middle_of(x > half ? static_cast<Word>(~x) : x));
    return x > half ? size : -size;
}

/* The smallest k with P(N <= k) >= u. Where the terms vanish before the rounded sum is u, the last k that adds to it. */
MUSA_SIM_RANDOM unsigned poisson_quantile(double u, double lambda) {
    const double first = floor(lambda - 12.0 * sqrt(lambda) - 12.0);  // smaller k have a negligible probability
    double k = first > 0.0 ? first : 0.0;
    double term = exp(k * log(lambda) - lambda - lgamma(k + 1.0));
    double sum = term;
    while (sum < u) {
        term *= lambda / (k + 1.0);
        if (k >= lambda && sum + term == sum) break;
        sum += term;
        k += 1.0;
    }
    return static_cast<unsigned>(k);
}

}  // namespace musa_sim_detail

typedef musa_sim_detail::SobolState<unsigned int, false> murandStateSobol32;
typedef murandStateSobol32 murandStateSobol32_t;
typedef musa_sim_detail::SobolState<unsigned int, true> murandStateScrambledSobol32;
typedef murandStateScrambledSobol32 murandStateScrambledSobol32_t;
typedef musa_sim_detail::SobolState<unsigned long long, false> murandStateSobol64;
typedef murandStateSobol64 murandStateSobol64_t;
typedef musa_sim_detail::SobolState<unsigned long long, true> murandStateScrambledSobol64;
typedef murandStateScrambledSobol64 murandStateScrambledSobol64_t;

/* Skips n numbers. */
template <class Word, bool scrambled>
__host__ __device__ inline void skipahead(unsigned long long n, musa_sim_detail::SobolState<Word, scrambled> *state) {
    state->i += static_cast<Word>(n);
    state->x = state->c;
    const Word gray = state->i ^ (state->i >> 1);
    for (int bit = 0; bit < state->bits; ++bit) {
        if (gray >> bit & 1) state->x ^= state->direction_vectors[bit];
    }
}

namespace musa_sim_detail {

template <class Word, bool scrambled>
__host__ __device__ inline void start_sobol(const Word *vectors, Word c, unsigned long long offset,
                                            SobolState<Word, scrambled> *state) {
    for (int bit = 0; bit < state->bits; ++bit) state->direction_vectors[bit] = vectors[bit];
    state->i = 0;
    state->c = c;
    skipahead(offset, state);
}

}  // namespace musa_sim_detail

MUSA_SIM_RANDOM void murand_init(unsigned int *direction_vectors, unsigned int offset, murandStateSobol32_t *state) {
    musa_sim_detail::start_sobol(direction_vectors, 0u, offset, state);
}
MUSA_SIM_RANDOM void murand_init(unsigned int *direction_vectors, unsigned int scramble_c, unsigned int offset,
                                 murandStateScrambledSobol32_t *state) {
    musa_sim_detail::start_sobol(direction_vectors, scramble_c, offset, state);
}
MUSA_SIM_RANDOM void murand_init(unsigned long long *direction_vectors, unsigned long long offset,
                                 murandStateSobol64_t *state) {
    musa_sim_detail::start_sobol(direction_vectors, 0ull, offset, state);
}
MUSA_SIM_RANDOM void murand_init(unsigned long long *direction_vectors, unsigned long long scramble_c,
                                 unsigned long long offset, murandStateScrambledSobol64_t *state) {
    musa_sim_detail::start_sobol(direction_vectors, scramble_c, offset, state);
}

/* All bits of the number: 32, or 64. */
template <class Word, bool scrambled>
__host__ __device__ inline Word murand(musa_sim_detail::SobolState<Word, scrambled> *state) {
    const Word result = state->x;
    // The Gray codes of i and i + 1 differ in one bit: the lowest zero bit of i.
    int bit = 0;
    while (bit < state->bits - 1 && (state->i >> bit & 1)) ++bit;
    state->x ^= state->direction_vectors[bit];
    ++state->i;
    return result;
}

template <class Word, bool scrambled>
__host__ __device__ inline float murand_uniform(musa_sim_detail::SobolState<Word, scrambled> *state) {
    return musa_sim_detail::uniform_of(static_cast<unsigned>(murand(state) >> (state->bits - 32)));
}
template <class Word, bool scrambled>
__host__ __device__ inline double murand_uniform_double(musa_sim_detail::SobolState<Word, scrambled> *state) {
    return musa_sim_detail::uniform_double_of(murand(state));
}
template <class Word, bool scrambled>
__host__ __device__ inline float murand_normal(musa_sim_detail::SobolState<Word, scrambled> *state) {
    return static_cast<float>(musa_sim_detail::normal_quantile(static_cast<unsigned>(murand(state) >> (state->bits - 32))));
}
template <class Word, bool scrambled>
__host__ __device__ inline double murand_normal_double(musa_sim_detail::SobolState<Word, scrambled> *state) {
    return musa_sim_detail::normal_quantile(murand(state));
}
template <class Word, bool scrambled>
__host__ __device__ inline float murand_log_normal(musa_sim_detail::SobolState<Word, scrambled> *state, float mean,
                                                   float stddev) {
    return expf(mean + stddev * murand_normal(state));
}
template <class Word, bool scrambled>
__host__ __device__ inline double murand_log_normal_double(musa_sim_detail::SobolState<Word, scrambled> *state,
                                                           double mean, double stddev) {
    return exp(mean + stddev * murand_normal_double(state));
}
template <class Word, bool scrambled>
__host__ __device__ inline unsigned murand_poisson(musa_sim_detail::SobolState<Word, scrambled> *state, double lambda) {
    return musa_sim_detail::poisson_quantile(musa_sim_detail::middle_of(murand(state)), lambda);
}

/* There are no pairs of quasi-random numbers: two of a dimension depend on each other. */
template <class Word, bool scrambled>
float2 murand_normal2(musa_sim_detail::SobolState<Word, scrambled> *state) = delete;
template <class Word, bool scrambled>
double2 murand_normal2_double(musa_sim_detail::SobolState<Word, scrambled> *state) = delete;
template <class Word, bool scrambled>
float2 murand_log_normal2(musa_sim_detail::SobolState<Word, scrambled> *state, float mean, float stddev) = delete;

#endif
