/* Uniform numbers in (0, 1]: 0 never occurs, 1 does. */
#ifndef MURAND_UNIFORM_H_
#define MURAND_UNIFORM_H_

#include <murand_mrg32k3a.h>
#include <murand_philox4x32_10.h>
#include <murand_xorwow.h>

namespace musa_sim_detail {

constexpr float two_to_minus_32 = 2.3283064365386963e-10f;
constexpr double two_to_minus_53 = 1.1102230246251565e-16;

MUSA_SIM_RANDOM float uniform_of(unsigned x) {
    return static_cast<float>(x) * two_to_minus_32 + two_to_minus_32 / 2.0f;
}
/* 53 bits of two numbers. */
MUSA_SIM_RANDOM double uniform_of(unsigned x, unsigned y) {
    const unsigned long long bits = x ^ static_cast<unsigned long long>(y) << (53 - 32);
    return static_cast<double>(bits) * two_to_minus_53 + two_to_minus_53 / 2.0;
}

}  // namespace musa_sim_detail

template <class State>
__host__ __device__ inline float murand_uniform(State *state) {
    return musa_sim_detail::uniform_of(murand(state));
}

/* Takes two numbers. */
template <class State>
__host__ __device__ inline double murand_uniform_double(State *state) {
    const unsigned x = murand(state), y = murand(state);
    return musa_sim_detail::uniform_of(x, y);
}

MUSA_SIM_RANDOM float4 murand_uniform4(murandStatePhilox4_32_10_t *state) {
    const uint4 x = murand4(state);
    using musa_sim_detail::uniform_of;
    return float4{uniform_of(x.x), uniform_of(x.y), uniform_of(x.z), uniform_of(x.w)};
}

MUSA_SIM_RANDOM double2 murand_uniform2_double(murandStatePhilox4_32_10_t *state) {
    const uint4 x = murand4(state);
    return double2{musa_sim_detail::uniform_of(x.x, x.y), musa_sim_detail::uniform_of(x.z, x.w)};
}

MUSA_SIM_RANDOM double4 murand_uniform4_double(murandStatePhilox4_32_10_t *state) {
    const double2 first = murand_uniform2_double(state), second = murand_uniform2_double(state);
    return double4{first.x, first.y, second.x, second.y};
}

#endif
