/* XORWOW, the generator of Marsaglia, "Xorshift RNGs" (Journal of Statistical Software 8, 2003), and its state for
 * kernels.
 *
 * A seed changes Marsaglia's initial state in the way of rocRAND; what muRAND does is not public, so the numbers for a
 * seed need not be those of the hardware's library. Subsequences are 2^67 numbers apart.
 */
#ifndef MURAND_XORWOW_H
#define MURAND_XORWOW_H

#include <musa_runtime.h>
#include <musa_sim/random_state.h>
#include <musa_sim/xorwow_jumps.h>

struct murandStateXORWOW {
    unsigned int d;     // a Weyl sequence
    unsigned int v[5];  // the xorshift register, oldest word first
    musa_sim_detail::NormalCache normal;
};
typedef struct murandStateXORWOW murandStateXORWOW_t;
typedef struct murandStateXORWOW murandState_t;
typedef struct murandStateXORWOW murandState;

namespace musa_sim_detail {

constexpr unsigned xorwow_weyl_step = 362437;

MUSA_SIM_RANDOM void xorwow_step(unsigned (&v)[5]) {
    const unsigned t = v[0] ^ (v[0] >> 2);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

/* Applies the polynomial in the step to the register. */
MUSA_SIM_RANDOM void xorwow_jump(unsigned (&v)[5], const unsigned (&polynomial)[5]) {
    unsigned sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; ++i) {
        if (polynomial[i / 32] >> (i % 32) & 1) {
            for (int k = 0; k < 5; ++k) sum[k] ^= v[k];
        }
        xorwow_step(v);
    }
    for (int k = 0; k < 5; ++k) v[k] = sum[k];
}

}  // namespace musa_sim_detail

/* Skips n numbers. */
MUSA_SIM_RANDOM void skipahead(unsigned long long n, murandStateXORWOW_t *state) {
    for (int bit = 0; bit < 64; ++bit) {
        if (n >> bit & 1) musa_sim_detail::xorwow_jump(state->v, musa_sim_detail::xorwow_steps[bit]);
    }
    state->d += static_cast<unsigned>(n) * musa_sim_detail::xorwow_weyl_step;
}

/* Skips n subsequences of 2^67 numbers each; that is a multiple of the Weyl sequence's period. */
MUSA_SIM_RANDOM void skipahead_sequence(unsigned long long n, murandStateXORWOW_t *state) {
    for (int bit = 0; bit < 64; ++bit) {
        if (n >> bit & 1) musa_sim_detail::xorwow_jump(state->v, musa_sim_detail::xorwow_sequences[bit]);
    }
}

MUSA_SIM_RANDOM void murand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 murandStateXORWOW_t *state) {
    const unsigned low = 1228688033u * (static_cast<unsigned>(seed) ^ 0x2c7f967fu);
    const unsigned high = 2073658381u * (static_cast<unsigned>(seed >> 32) ^ 0xa03697cbu);
    *state = murandStateXORWOW_t{};
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    state->d = 6615241u + high + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

/* 32 random bits. */
MUSA_SIM_RANDOM unsigned murand(murandStateXORWOW_t *state) {
    musa_sim_detail::xorwow_step(state->v);
    state->d += musa_sim_detail::xorwow_weyl_step;
    return state->d + state->v[4];
}

#endif
