/* Poisson numbers: for small means by multiplying uniform numbers (Knuth), for others by transformed rejection
 * (Hormann, "The transformed rejection method for generating Poisson random variables", 1993, algorithm PTRS).
 */
#ifndef MURAND_POISSON_H_
#define MURAND_POISSON_H_

#include <math.h>
#include <murand_uniform.h>

template <class State>
__host__ __device__ inline unsigned murand_poisson(State *state, double lambda) {
    if (lambda < 10.0) {
        const double least = exp(-lambda);
        unsigned count = 0;
        for (double product = murand_uniform_double(state); product > least; ++count) {
            product *= murand_uniform_double(state);
        }
        return count;
    }
    const double b = 0.931 + 2.53 * sqrt(lambda);
    const double a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    for (;;) {
        const double u = murand_uniform_double(state) - 0.5;
        const double v = murand_uniform_double(state);
        const double from_edge = 0.5 - fabs(u);
        const double k = floor((2.0 * a / from_edge + b) * u + lambda + 0.43);
        if (from_edge >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2.0)) return static_cast<unsigned>(k);
        if (k < 0.0 || (from_edge < 0.013 && v > from_edge)) continue;
        const double logarithm = log(v * inverse_alpha / (a / (from_edge * from_edge) + b));
        if (logarithm <= k * log(lambda) - lambda - lgamma(k + 1.0)) return static_cast<unsigned>(k);
    }
}

#endif
