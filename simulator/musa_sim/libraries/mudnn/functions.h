// Activations and random numbers that several operators use.
#pragma once

#include <cmath>
#include <cstdint>

namespace mudnn {

inline double relu(double x) { return x > 0 || std::isnan(x) ? x : 0; }
inline double silu(double x) { return x / (1 + std::exp(-x)); }
inline double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }

// Mix the bits of a number (splitmix64).
inline std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// Return a number in [0, 1). The numbers are not a card's.
inline double uniform(std::uint64_t seed, std::uint64_t offset, std::int64_t element) {
    const std::uint64_t bits = mixed(mixed(mixed(seed) ^ offset) ^ static_cast<std::uint64_t>(element));
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace mudnn
