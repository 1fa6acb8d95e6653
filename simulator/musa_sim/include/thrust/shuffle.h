/* shuffle: a random order, by Fisher and Yates. */
#ifndef MUSA_THRUST_SHUFFLE_H
#define MUSA_THRUST_SHUFFLE_H

#include <thrust/detail/dispatch.h>
#include <thrust/random.h>

namespace thrust {
namespace detail {

struct shuffle_algorithm {
    template <class It, class Engine>
    __host__ __device__ void operator()(It first, It last, Engine engine) const {
        for (std::ptrdiff_t left = last - first; left > 1; --left) {
            const std::ptrdiff_t other = uniform_int_distribution<std::ptrdiff_t>(0, left - 1)(engine);
            const value_t<It> value = detail::deref(first + (left - 1));
            detail::deref(first + (left - 1)) = detail::deref(first + other);
            detail::deref(first + other) = value;
        }
    }
};

}  // namespace detail

MUSA_THRUST_ALGORITHM(shuffle)

}  // namespace thrust

#endif
