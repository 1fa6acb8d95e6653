// One transform after the other: gathered into complex doubles, transformed along each axis, and scattered.
#include "plan.h"

#include <complex>
#include <vector>

#include "transform.h"

namespace mufft {
namespace {

std::size_t half_row(const Extents& size) { return size[2] / 2 + 1; }

Layout resolved(const Layout& layout, const Extents& size, std::size_t row) {
    if (!layout.dense) return layout;
    return {true, {size[0], size[1], row}, 1, size[0] * size[1] * row};
}

std::size_t at(const Layout& layout, std::size_t x, std::size_t y, std::size_t z) {
    return ((x * layout.embed[1] + y) * layout.embed[2] + z) * layout.stride;
}

// The first `row` elements of every row.
template <class Each>
void walk(const Extents& size, std::size_t row, Each each) {
    for (std::size_t x = 0; x < size[0]; ++x) {
        for (std::size_t y = 0; y < size[1]; ++y) {
            for (std::size_t z = 0; z < row; ++z) each(x, y, z);
        }
    }
}

// One batch, dense.
class Grid {
public:
    explicit Grid(const Extents& size) : size_(size), elements_(size[0] * size[1] * size[2]) {}

    Complex& operator()(std::size_t x, std::size_t y, std::size_t z) {
        return elements_[(x * size_[1] + y) * size_[2] + z];
    }
    // Each row's second half from the first halves: a transform of real data is symmetric about the origin.
    void complete_symmetry() {
        for (std::size_t x = 0; x < size_[0]; ++x) {
            for (std::size_t y = 0; y < size_[1]; ++y) {
                for (std::size_t z = half_row(size_); z < size_[2]; ++z) {
                    (*this)(x, y, z) = std::conj((*this)((size_[0] - x) % size_[0], (size_[1] - y) % size_[1],
                                                         size_[2] - z));
                }
            }
        }
    }
    void transform(std::array<Transform, 3>& along) {
        for (std::size_t x = 0; x < size_[0]; ++x) {
            for (std::size_t y = 0; y < size_[1]; ++y) along[2](&(*this)(x, y, 0), 1);
        }
        for (std::size_t x = 0; x < size_[0]; ++x) {
            for (std::size_t z = 0; z < size_[2]; ++z) along[1](&(*this)(x, 0, z), size_[2]);
        }
        for (std::size_t y = 0; y < size_[1]; ++y) {
            for (std::size_t z = 0; z < size_[2]; ++z) along[0](&(*this)(0, y, z), size_[1] * size_[2]);
        }
    }

private:
    Extents size_;
    std::vector<Complex> elements_;
};

template <class T>
Complex read(const T& value) {
    return Complex(value);
}
template <class T>
void write(const Complex& value, std::complex<T>& to) {
    to = std::complex<T>(value);
}
void write(const Complex& value, float& to) { to = static_cast<float>(value.real()); }
void write(const Complex& value, double& to) { to = value.real(); }

template <class T>
struct IsComplex {
    static constexpr bool value = false;
};
template <class T>
struct IsComplex<std::complex<T>> {
    static constexpr bool value = true;
};

template <class In, class Out>
void execute_as(const Plan& plan, const void* input, void* output, int sign) {
    const auto* from = static_cast<const In*>(input);
    auto* to = static_cast<Out*>(output);
    constexpr bool from_real = !IsComplex<In>::value, to_real = !IsComplex<Out>::value;
    const bool in_place = input == output;
    // In place the real side is as long as the complex one.
    const std::size_t padded_row = 2 * half_row(plan.size), row = plan.size[2];
    const std::size_t in_row = to_real ? half_row(plan.size) : row;
    const std::size_t out_row = from_real ? half_row(plan.size) : row;
    const Layout in = resolved(plan.input, plan.size, from_real && in_place ? padded_row : in_row);
    const Layout out = resolved(plan.output, plan.size, to_real && in_place ? padded_row : out_row);
    std::array<Transform, 3> along{Transform(plan.size[0], sign), Transform(plan.size[1], sign),
                                   Transform(plan.size[2], sign)};
    Grid grid(plan.size);
    for (std::size_t batch = 0; batch < plan.batches; ++batch) {
        const In* first = from + batch * in.batch_distance;
        walk(plan.size, in_row, [&](auto x, auto y, auto z) { grid(x, y, z) = read(first[at(in, x, y, z)]); });
        if (to_real) grid.complete_symmetry();
        grid.transform(along);
        Out* into = to + batch * out.batch_distance;
        walk(plan.size, out_row, [&](auto x, auto y, auto z) { write(grid(x, y, z), into[at(out, x, y, z)]); });
    }
}

}  // namespace

void execute(const Plan& plan, const void* input, void* output, int sign) {
    using ComplexFloat = std::complex<float>;
    switch (plan.type) {
        case MUFFT_C2C: return execute_as<ComplexFloat, ComplexFloat>(plan, input, output, sign);
        case MUFFT_Z2Z: return execute_as<Complex, Complex>(plan, input, output, sign);
        case MUFFT_R2C: return execute_as<float, ComplexFloat>(plan, input, output, MUFFT_FORWARD);
        case MUFFT_D2Z: return execute_as<double, Complex>(plan, input, output, MUFFT_FORWARD);
        case MUFFT_C2R: return execute_as<ComplexFloat, float>(plan, input, output, MUFFT_INVERSE);
        case MUFFT_Z2D: return execute_as<Complex, double>(plan, input, output, MUFFT_INVERSE);
    }
}

}  // namespace mufft
