#include "transform.h"

#include <cmath>
#include <utility>

namespace mufft {
namespace {

constexpr long double two_pi = 6.283185307179586476925286766559L;
// A prime factor p costs p multiplications per element; above this, Bluestein's three transforms are cheaper.
constexpr std::size_t largest_plain_factor = 64;

std::size_t smallest_factor(std::size_t n) {
    for (std::size_t p = 2; p * p <= n; ++p) {
        if (n % p == 0) return p;
    }
    return n;
}

std::size_t largest_factor(std::size_t n) {
    std::size_t p = 1;
    for (; n > 1; n /= p) p = smallest_factor(n);
    return p;
}

// An angle rounded to double would cost more digits than the whole transform.
Complex root(std::size_t k, std::size_t n, int sign) {
    const long double angle = sign * two_pi * static_cast<long double>(k) / static_cast<long double>(n);
    return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

}  // namespace

Transform::Transform(std::size_t size, int sign) : size_(size), sign_(sign) {
    if (largest_factor(size) <= largest_plain_factor) {
        for (std::size_t k = 0; k < size; ++k) roots_.push_back(root(k, size, sign));
        from_.resize(size);
        to_.resize(size);
        column_.resize(largest_plain_factor);
        return;
    }
    // jk = (j^2 + k^2 - (j - k)^2) / 2 makes the sum one of x[j] c[j] against a function of j - k, where c is the
    // chirp. Squares are taken modulo 2 n, so that the angle stays small.
    std::size_t wide = 1;
    while (wide < 2 * size - 1) wide *= 2;
    for (std::size_t k = 0; k < size; ++k) chirp_.push_back(root(k * k % (2 * size), 2 * size, sign));
    folded_with_.assign(wide, Complex());
    for (std::size_t k = 0; k < size; ++k) {
        folded_with_[k] = folded_with_[(wide - k) % wide] = std::conj(chirp_[k]) / static_cast<double>(wide);
    }
    power_of_two_ = {Transform(wide, -1), Transform(wide, 1)};
    power_of_two_[0](folded_with_.data(), 1);
    from_.resize(wide);
}

void Transform::operator()(Complex* line, std::size_t stride) {
    if (!chirp_.empty()) return bluestein(line, stride);
    for (std::size_t j = 0; j < size_; ++j) from_[j] = line[j * stride];
    cooley_tukey(from_.data(), 1, to_.data(), size_);
    for (std::size_t j = 0; j < size_; ++j) line[j * stride] = to_[j];
}

// Decimation in time: the p interleaved parts one after the other, then for each k the transform, of size p, of their
// k-th results.
void Transform::cooley_tukey(const Complex* from, std::size_t step, Complex* to, std::size_t size) {
    if (size == 1) {
        *to = *from;
        return;
    }
    const std::size_t p = smallest_factor(size), part = size / p;
    for (std::size_t r = 0; r < p; ++r) cooley_tukey(from + r * step, step * p, to + r * part, part);
    const std::size_t root_step = size_ / size;
    for (std::size_t k = 0; k < part; ++k) {
        for (std::size_t r = 0; r < p; ++r) column_[r] = to[r * part + k] * roots_[r * k * root_step];
        for (std::size_t q = 0; q < p; ++q) {
            Complex sum = column_[0];
            for (std::size_t r = 1; r < p; ++r) sum += column_[r] * roots_[r * q % p * part * root_step];
            to[q * part + k] = sum;
        }
    }
}

void Transform::bluestein(Complex* line, std::size_t stride) {
    from_.assign(from_.size(), Complex());
    for (std::size_t j = 0; j < size_; ++j) from_[j] = line[j * stride] * chirp_[j];
    power_of_two_[0](from_.data(), 1);
    for (std::size_t k = 0; k < from_.size(); ++k) from_[k] *= folded_with_[k];
    power_of_two_[1](from_.data(), 1);
    for (std::size_t k = 0; k < size_; ++k) line[k * stride] = from_[k] * chirp_[k];
}

}  // namespace mufft
