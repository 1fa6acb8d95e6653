// Discrete Fourier transforms of any size, in double precision.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace mufft {

using Complex = std::complex<double>;

// Transforms lines of `size` elements: X[k] = sum over j of x[j] exp(sign * 2 pi i j k / size), not scaled.
class Transform {
public:
    Transform(std::size_t size, int sign);

    // In place; element j lies at line[j * stride].
    void operator()(Complex* line, std::size_t stride);

private:
    void cooley_tukey(const Complex* from, std::size_t step, Complex* to, std::size_t size);
    void bluestein(Complex* line, std::size_t stride);

    std::size_t size_;
    int sign_;
    std::vector<Complex> roots_;  // exp(sign * 2 pi i k / size)
    std::vector<Complex> from_, to_, column_;

    // For sizes with a large prime factor: the chirp, the transform of what it is folded with, and the transforms, of
    // a power of two, by which folding is done.
    std::vector<Complex> chirp_, folded_with_;
    std::vector<Transform> power_of_two_;  // forth, back
};

}  // namespace mufft
