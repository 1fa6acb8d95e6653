/* Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3" (SC 2011), and its state for kernels.
 *
 * The n-th number of the subsequence s for a seed is word n % 4 of the block whose key is the seed and whose counter
 * has n / 4 in its lower and s in its upper 64 bits: the layout of cuRAND and of torch's at::Philox4_32.
 */
#ifndef MURAND_PHILOX4X32_X__H_
#define MURAND_PHILOX4X32_X__H_

#include <musa_runtime.h>
#include <musa_sim/random_state.h>

struct murandStatePhilox4_32_10 {
    uint4 ctr;
    uint4 output;  // the block of ctr
    uint2 key;
    unsigned int STATE;  // the word of output that comes next, 0 to 3
    musa_sim_detail::NormalCache normal;
};
typedef struct murandStatePhilox4_32_10 murandStatePhilox4_32_10_t;
/* The name by which torch_musa's porting tables know it. */
typedef struct murandStatePhilox4_32_10 murand_state_philox4x32_10;

namespace musa_sim_detail {

MUSA_SIM_RANDOM unsigned philox_multiply(unsigned a, unsigned b, unsigned *high) {
    const unsigned long long product = static_cast<unsigned long long>(a) * b;
    *high = static_cast<unsigned>(product >> 32);
    return static_cast<unsigned>(product);
}

MUSA_SIM_RANDOM uint4 philox4x32_10(uint4 c, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        unsigned high0, high1;
        const unsigned low0 = philox_multiply(0xD2511F53u, c.x, &high0);
        const unsigned low1 = philox_multiply(0xCD9E8D57u, c.z, &high1);
        c = uint4{high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0};
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}

/* Adds to the 128-bit counter. */
MUSA_SIM_RANDOM void philox_add(uint4 *ctr, unsigned long long low, unsigned long long high) {
    const unsigned long long before = ctr->x | static_cast<unsigned long long>(ctr->y) << 32;
    const unsigned long long after = before + low;
    const unsigned long long upper =
        (ctr->z | static_cast<unsigned long long>(ctr->w) << 32) + high + (after < before ? 1 : 0);
    ctr->x = static_cast<unsigned>(after);
    ctr->y = static_cast<unsigned>(after >> 32);
    ctr->z = static_cast<unsigned>(upper);
    ctr->w = static_cast<unsigned>(upper >> 32);
}

}  // namespace musa_sim_detail

/* Skips n numbers. */
MUSA_SIM_RANDOM void skipahead(unsigned long long n, murandStatePhilox4_32_10_t *state) {
    state->STATE += static_cast<unsigned>(n & 3);
    musa_sim_detail::philox_add(&state->ctr, n / 4 + state->STATE / 4, 0);
    state->STATE %= 4;
    state->output = musa_sim_detail::philox4x32_10(state->ctr, state->key);
}

/* Skips n subsequences of 2^66 numbers each. */
MUSA_SIM_RANDOM void skipahead_sequence(unsigned long long n, murandStatePhilox4_32_10_t *state) {
    musa_sim_detail::philox_add(&state->ctr, 0, n);
    state->output = musa_sim_detail::philox4x32_10(state->ctr, state->key);
}

MUSA_SIM_RANDOM void murand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                 murandStatePhilox4_32_10_t *state) {
    *state = murandStatePhilox4_32_10_t{};
    state->key = uint2{static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

/* 32 random bits. */
MUSA_SIM_RANDOM unsigned murand(murandStatePhilox4_32_10_t *state) {
    const unsigned words[4] = {state->output.x, state->output.y, state->output.z, state->output.w};
    const unsigned result = words[state->STATE & 3];
    if (++state->STATE == 4) {
        state->STATE = 0;
        musa_sim_detail::philox_add(&state->ctr, 1, 0);
        state->output = musa_sim_detail::philox4x32_10(state->ctr, state->key);
    }
    return result;
}

/* The next four numbers. */
MUSA_SIM_RANDOM uint4 murand4(murandStatePhilox4_32_10_t *state) {
    const unsigned x = murand(state), y = murand(state), z = murand(state), w = murand(state);
    return uint4{x, y, z, w};
}

#endif
