/* Normal and log-normal numbers, by Box and Muller's method: of two uniform numbers u and v,
 * sqrt(-2 ln u) sin(2 pi v) and sqrt(-2 ln u) cos(2 pi v).
 */
#ifndef MURAND_NORMAL_H_
#define MURAND_NORMAL_H_

#include <math.h>
#include <murand_uniform.h>

namespace musa_sim_detail {

constexpr double two_pi = 6.283185307179586;

MUSA_SIM_RANDOM float2 box_muller(unsigned x, unsigned y) {
    const float radius = sqrtf(-2.0f * logf(uniform_of(x)));
    const float angle = uniform_of(y) * static_cast<float>(two_pi);
    return float2{radius * sinf(angle), radius * cosf(angle)};
}
MUSA_SIM_RANDOM double2 box_muller(double u, double v) {
    const double radius = sqrt(-2.0 * log(u));
    return double2{radius * sin(v * two_pi), radius * cos(v * two_pi)};
}

}  // namespace musa_sim_detail

/* Two numbers at a time. */
template <class State>
__host__ __device__ inline float2 murand_normal2(State *state) {
    const unsigned x = murand(state), y = murand(state);
    return musa_sim_detail::box_muller(x, y);
}
template <class State>
__host__ __device__ inline double2 murand_normal2_double(State *state) {
    const double u = murand_uniform_double(state), v = murand_uniform_double(state);
    return musa_sim_detail::box_muller(u, v);
}

/* One number; the state keeps the other for the next call. */
template <class State>
__host__ __device__ inline float murand_normal(State *state) {
    if (state->normal.has_value) {
        state->normal.has_value = false;
        return state->normal.value;
    }
    const float2 pair = murand_normal2(state);
    state->normal.value = pair.y;
    state->normal.has_value = true;
    return pair.x;
}
template <class State>
__host__ __device__ inline double murand_normal_double(State *state) {
    if (state->normal.has_value_double) {
        state->normal.has_value_double = false;
        return state->normal.value_double;
    }
    const double2 pair = murand_normal2_double(state);
    state->normal.value_double = pair.y;
    state->normal.has_value_double = true;
    return pair.x;
}

MUSA_SIM_RANDOM float4 murand_normal4(murandStatePhilox4_32_10_t *state) {
    const float2 first = murand_normal2(state), second = murand_normal2(state);
    return float4{first.x, first.y, second.x, second.y};
}
MUSA_SIM_RANDOM double4 murand_normal4_double(murandStatePhilox4_32_10_t *state) {
    const double2 first = murand_normal2_double(state), second = murand_normal2_double(state);
    return double4{first.x, first.y, second.x, second.y};
}

template <class State>
__host__ __device__ inline float murand_log_normal(State *state, float mean, float stddev) {
    return expf(mean + stddev * murand_normal(state));
}
template <class State>
__host__ __device__ inline double murand_log_normal_double(State *state, double mean, double stddev) {
    return exp(mean + stddev * murand_normal_double(state));
}
template <class State>
__host__ __device__ inline float2 murand_log_normal2(State *state, float mean, float stddev) {
    const float2 pair = murand_normal2(state);
    return float2{expf(mean + stddev * pair.x), expf(mean + stddev * pair.y)};
}
MUSA_SIM_RANDOM float4 murand_log_normal4(murandStatePhilox4_32_10_t *state, float mean, float stddev) {
    const float2 first = murand_log_normal2(state, mean, stddev), second = murand_log_normal2(state, mean, stddev);
    return float4{first.x, first.y, second.x, second.y};
}

#endif
