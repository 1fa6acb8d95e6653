/* MRG32k3a, the generator of L'Ecuyer, "Good parameters and implementations for combined multiple recursive random
 * number generators" (Operations Research 47, 1999), and its state for kernels.
 *
 * Seed 0 is the start that L'Ecuyer's own implementations have, six times 12345; how muRAND turns other seeds into a
 * state is not public, so the numbers need not be those of the hardware's library. Subsequences are 2^76 numbers apart.
 */
#ifndef MURAND_MRG32K3A_H
#define MURAND_MRG32K3A_H

#include <musa_runtime.h>
#include <musa_sim/random_state.h>
#include <musa_sim/type_traits.h>

struct murandStateMRG32k3a {
    unsigned int s1[3];  // of the two components, oldest word first
    unsigned int s2[3];
    musa_sim_detail::NormalCache normal;
};
typedef struct murandStateMRG32k3a murandStateMRG32k3a_t;

namespace musa_sim_detail {

constexpr unsigned long long mrg_m1 = 4294967087u;
constexpr unsigned long long mrg_m2 = 4294944443u;

struct MrgMatrix {
    unsigned long long at[3][3];
};
constexpr unsigned long long mrg_element(const MrgMatrix &a, int i, int j, unsigned long long modulus) {
    return (a.at[i][0] * a.at[0][j] % modulus + a.at[i][1] * a.at[1][j] % modulus + a.at[i][2] * a.at[2][j] % modulus) %
           modulus;
}
constexpr MrgMatrix mrg_square(const MrgMatrix &a, unsigned long long modulus) {
    return {{{mrg_element(a, 0, 0, modulus), mrg_element(a, 0, 1, modulus), mrg_element(a, 0, 2, modulus)},
             {mrg_element(a, 1, 0, modulus), mrg_element(a, 1, 1, modulus), mrg_element(a, 1, 2, modulus)},
             {mrg_element(a, 2, 0, modulus), mrg_element(a, 2, 1, modulus), mrg_element(a, 2, 2, modulus)}}};
}

/* The effect of one step on a component */
struct MrgFirst {
    static constexpr unsigned long long modulus = mrg_m1;
    static constexpr MrgMatrix step() { return {{{0, 1, 0}, {0, 0, 1}, {mrg_m1 - 810728, 1403580, 0}}}; }
};
struct MrgSecond {
    static constexpr unsigned long long modulus = mrg_m2;
    static constexpr MrgMatrix step() { return {{{0, 1, 0}, {0, 0, 1}, {mrg_m2 - 1370589, 0, 527612}}}; }
};

/* The effect of 2^i steps. Templates, as a constexpr function of C++11 has no loop. */
template <class Component, std::size_t Power>
struct MrgPower {
    static constexpr MrgMatrix effect = mrg_square(MrgPower<Component, Power - 1>::effect, Component::modulus);
};
template <class Component>
struct MrgPower<Component, 0> {
    static constexpr MrgMatrix effect = Component::step();
};
struct MrgPowers {
    MrgMatrix of[76 + 64];
};
template <class Component, std::size_t... Power>
constexpr MrgPowers mrg_powers(index_sequence<Power...>) {
    return {{MrgPower<Component, Power>::effect...}};
}
static constexpr MrgPowers mrg_powers_1 = mrg_powers<MrgFirst>(make_index_sequence<76 + 64>());
static constexpr MrgPowers mrg_powers_2 = mrg_powers<MrgSecond>(make_index_sequence<76 + 64>());

MUSA_SIM_RANDOM void mrg_apply(const MrgMatrix &a, unsigned (&s)[3], unsigned long long modulus) {
    unsigned result[3];
    for (int i = 0; i < 3; ++i) {
        unsigned long long sum = 0;
        for (int k = 0; k < 3; ++k) sum += a.at[i][k] * s[k] % modulus;
        result[i] = static_cast<unsigned>(sum % modulus);
    }
    for (int i = 0; i < 3; ++i) s[i] = result[i];
}

/* Skips n times 2^first numbers. */
MUSA_SIM_RANDOM void mrg_skip(unsigned long long n, int first, murandStateMRG32k3a_t *state) {
    for (int bit = 0; bit < 64; ++bit) {
        if (!(n >> bit & 1)) continue;
        mrg_apply(mrg_powers_1.of[first + bit], state->s1, mrg_m1);
        mrg_apply(mrg_powers_2.of[first + bit], state->s2, mrg_m2);
    }
}

/* The next number: 1 to m1. */
MUSA_SIM_RANDOM unsigned mrg_next(murandStateMRG32k3a_t *state) {
    unsigned(&s1)[3] = state->s1;
    unsigned(&s2)[3] = state->s2;
    const auto p1 = static_cast<unsigned>((1403580ull * s1[1] + 810728ull * (mrg_m1 - s1[0])) % mrg_m1);
    const auto p2 = static_cast<unsigned>((527612ull * s2[2] + 1370589ull * (mrg_m2 - s2[0])) % mrg_m2);
    s1[0] = s1[1];
    s1[1] = s1[2];
    s1[2] = p1;
    s2[0] = s2[1];
    s2[1] = s2[2];
    s2[2] = p2;
    return p1 > p2 ? p1 - p2 : static_cast<unsigned>(p1 + mrg_m1 - p2);
}

}  // namespace musa_sim_detail

MUSA_SIM_RANDOM void skipahead(unsigned long long n, murandStateMRG32k3a_t *state) {
    musa_sim_detail::mrg_skip(n, 0, state);
}

/* Skips n subsequences of 2^76 numbers each. */
MUSA_SIM_RANDOM void skipahead_sequence(unsigned long long n, murandStateMRG32k3a_t *state) {
    musa_sim_detail::mrg_skip(n, 76, state);
}

MUSA_SIM_RANDOM void murand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 murandStateMRG32k3a_t *state) {
    using namespace musa_sim_detail;
    *state = murandStateMRG32k3a_t{};
    const unsigned low = static_cast<unsigned>(seed) ^ 12345u, high = static_cast<unsigned>(seed >> 32) ^ 12345u;
    const unsigned words[3] = {low, high, 12345u};  // the last one is never zero, as a component must not be
    for (int i = 0; i < 3; ++i) {
        state->s1[i] = static_cast<unsigned>(words[i] % mrg_m1);
        state->s2[i] = static_cast<unsigned>(words[i] % mrg_m2);
    }
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

/* The published number, 1 to m1, spread over 32 bits. */
MUSA_SIM_RANDOM unsigned murand(murandStateMRG32k3a_t *state) {
    return static_cast<unsigned>((musa_sim_detail::mrg_next(state) - 1) * (4294967295.0 / 4294967086.0));
}

/* The published quotient, in (0, 1): by m1 + 1. */
MUSA_SIM_RANDOM double murand_uniform_double(murandStateMRG32k3a_t *state) {
    return musa_sim_detail::mrg_next(state) * 2.328306549295727688e-10;
}

#endif
