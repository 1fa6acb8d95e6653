/* Random numbers for host and device: the linear congruential engines of the C++ standard, and three distributions.
 *
 * An engine's numbers are the standard's; how a distribution uses them is our own.
 */
#ifndef MUSA_THRUST_RANDOM_H
#define MUSA_THRUST_RANDOM_H

#include <musa_runtime.h>
#include <musa_sim/type_traits.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace thrust {
namespace random {

template <class UInt, UInt a, UInt c, UInt m>
class linear_congruential_engine {
    static_assert(m != 0 && sizeof(UInt) <= 4, "a modulus of at most 32 bits");

public:
    using result_type = UInt;
    static constexpr result_type min = c == 0 ? 1 : 0;
    static constexpr result_type max = m - 1;
    static constexpr result_type default_seed = 1;

    __host__ __device__ explicit linear_congruential_engine(result_type s = default_seed) { seed(s); }
    __host__ __device__ void seed(result_type s = default_seed) { state_ = c == 0 && s % m == 0 ? 1 : s % m; }
    __host__ __device__ result_type operator()() {
        state_ = static_cast<UInt>((std::uint64_t{a} * state_ + c) % m);
        return state_;
    }
    /* As many steps at once: the map x -> f * x + s, squared again and again. */
    __host__ __device__ void discard(unsigned long long steps) {
        std::uint64_t factor = a, summand = c;
        for (; steps != 0; steps >>= 1) {
            if (steps & 1) state_ = static_cast<UInt>((factor * state_ + summand) % m);
            summand = (factor * summand + summand) % m;
            factor = factor * factor % m;
        }
    }
    __host__ __device__ bool operator==(const linear_congruential_engine &other) const {
        return state_ == other.state_;
    }
    __host__ __device__ bool operator!=(const linear_congruential_engine &other) const { return !(*this == other); }

private:
    UInt state_;
};

using minstd_rand0 = linear_congruential_engine<std::uint32_t, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<std::uint32_t, 48271, 0, 2147483647>;
using default_random_engine = minstd_rand;

/* From a (inclusive) to b (exclusive) */
template <class Real = double>
class uniform_real_distribution {
public:
    using result_type = Real;
    __host__ __device__ explicit uniform_real_distribution(Real a = 0, Real b = 1) : a_(a), b_(b) {}
    template <class Engine>
    __host__ __device__ Real operator()(Engine &engine) {
        const double steps = static_cast<double>(Engine::max - Engine::min) + 1.0;
        const Real unit = static_cast<Real>(static_cast<double>(engine() - Engine::min) / steps);
        const Real value = a_ + (b_ - a_) * unit;
        return value < b_ ? value : a_;  // rounding may have reached b
    }
    __host__ __device__ void reset() {}
    __host__ __device__ Real a() const { return a_; }
    __host__ __device__ Real b() const { return b_; }

private:
    Real a_, b_;
};

/* From a to b, both inclusive */
template <class Int = int>
class uniform_int_distribution {
public:
    using result_type = Int;
    __host__ __device__ explicit uniform_int_distribution(
        Int a = 0, Int b = static_cast<Int>(~musa_sim_detail::make_unsigned_t<Int>(0) >> std::is_signed<Int>::value))
        : a_(a), b_(b) {}
    template <class Engine>
    __host__ __device__ Int operator()(Engine &engine) {
        const double count = static_cast<double>(b_) - static_cast<double>(a_) + 1.0;
        const double unit = uniform_real_distribution<double>()(engine);
        return static_cast<Int>(static_cast<double>(a_) + floor(unit * count));
    }
    __host__ __device__ void reset() {}
    __host__ __device__ Int a() const { return a_; }
    __host__ __device__ Int b() const { return b_; }

private:
    Int a_, b_;
};

/* By Box and Muller, of two numbers of the engine */
template <class Real = double>
class normal_distribution {
public:
    using result_type = Real;
    __host__ __device__ explicit normal_distribution(Real mean = 0, Real stddev = 1) : mean_(mean), stddev_(stddev) {}
    template <class Engine>
    __host__ __device__ Real operator()(Engine &engine) {
        uniform_real_distribution<double> uniform;
        const double radius = ::sqrt(-2.0 * ::log(1.0 - uniform(engine)));
        return mean_ + stddev_ * static_cast<Real>(radius * ::cos(2.0 * M_PI * uniform(engine)));
    }
    __host__ __device__ void reset() {}
    __host__ __device__ Real mean() const { return mean_; }
    __host__ __device__ Real stddev() const { return stddev_; }

private:
    Real mean_, stddev_;
};

}  // namespace random

using random::default_random_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;

}  // namespace thrust

#endif
