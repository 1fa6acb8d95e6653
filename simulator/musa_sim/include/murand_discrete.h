/* Numbers of a discrete distribution, such as murandCreatePoissonDistribution makes it: the least number whose cumulative
 * probability is at least a uniform number. One uniform number in double precision gives one number.
 */
#ifndef MURAND_DISCRETE_H_
#define MURAND_DISCRETE_H_

#include <murand_philox4x32_10.h>
#include <murand_uniform.h>

struct murandDiscreteDistribution_st {
    unsigned first, count;
    const double *sums; /* of the probabilities of the numbers first, first + 1, ... */
};

template <class State>
__host__ __device__ inline unsigned murand_discrete(State *state, const murandDiscreteDistribution_st *distribution) {
    const double uniform = murand_uniform_double(state);
    unsigned begin = 0, end = distribution->count - 1;
    while (begin < end) {
        const unsigned middle = begin + (end - begin) / 2;
        if (distribution->sums[middle] < uniform) begin = middle + 1;
        else end = middle;
    }
    return distribution->first + begin;
}
__host__ __device__ inline uint4 murand_discrete4(murandStatePhilox4_32_10_t *state,
                                                  const murandDiscreteDistribution_st *distribution) {
    uint4 numbers;
    numbers.x = murand_discrete(state, distribution);
    numbers.y = murand_discrete(state, distribution);
    numbers.z = murand_discrete(state, distribution);
    numbers.w = murand_discrete(state, distribution);
    return numbers;
}

#endif
