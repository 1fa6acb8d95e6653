// Transforms along each axis in turn, many lines at a time.
#include "plan.h"

#include <algorithm>
#include <type_traits>
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

// The memory of one side, as real numbers.
template <class Real>
struct Side {
    Real* data;
    Layout layout;
    std::size_t width;  // real numbers in an element

    Real* operator()(std::size_t batch, std::size_t x, std::size_t y, std::size_t z) const {
        return data + width * (batch * layout.batch_distance + at(layout, x, y, z));
    }
};

// Transform all lines along an axis. `size` counts the lines; along the axis itself, the elements to transform.
template <class Number, class Real>
void transform_axis(int axis, Extents size, std::size_t batches, TransformKind kind, bool inverse, const Side<const Real>& from,
                    const Side<Real>& to) {
    Lines<Real, Number> transform(size[axis], kind, inverse);
    constexpr int most = Lines<Real, Number>::at_once;
    const Extents next{axis == 0, axis == 1, axis == 2};
    const std::size_t from_step = from(0, next[0], next[1], next[2]) - from.data;
    const std::size_t to_step = to(0, next[0], next[1], next[2]) - to.data;
    const Real* sources[most];
    Real* targets[most];
    int count = 0;
    const auto finish = [&] {
        for (int i = count; i < most; ++i) sources[i] = sources[0];
        if (count > 0) transform(sources, from_step, targets, to_step, count);
        count = 0;
    };
    size[axis] = 1;
    for (std::size_t batch = 0; batch < batches; ++batch) {
        for (std::size_t x = 0; x < size[0]; ++x) {
            for (std::size_t y = 0; y < size[1]; ++y) {
                for (std::size_t z = 0; z < size[2]; ++z) {
                    sources[count] = from(batch, x, y, z);
                    targets[count] = to(batch, x, y, z);
                    if (++count == most) finish();
                }
            }
        }
    }
    finish();
}

template <class Real>
void transform_lines(int axis, const Extents& size, std::size_t batches, TransformKind kind, bool inverse,
                     const Side<const Real>& from, const Side<Real>& to) {
    if (needs_double(size[axis], kind)) {
        transform_axis<double>(axis, size, batches, kind, inverse, from, to);
    } else {
        transform_axis<Real>(axis, size, batches, kind, inverse, from, to);
    }
}

// A dense copy of the input, for results that would overwrite it in another order.
template <class Real>
std::vector<Real> gathered(const Side<const Real>& from, const Extents& size, std::size_t row, std::size_t batches) {
    std::vector<Real> copy;
    for (std::size_t batch = 0; batch < batches; ++batch) {
        for (std::size_t x = 0; x < size[0]; ++x) {
            for (std::size_t y = 0; y < size[1]; ++y) {
                for (std::size_t z = 0; z < row; ++z) {
                    const Real* const element = from(batch, x, y, z);
                    copy.insert(copy.end(), element, element + from.width);
                }
            }
        }
    }
    return copy;
}

template <class Real>
void execute_as(const Plan& plan, TransformKind kind, const void* input, void* output, int sign) {
    const bool from_real = kind == TransformKind::to_half, to_real = kind == TransformKind::from_half, inverse = sign == MUFFT_INVERSE;
    const bool in_place = input == output;
    // In place the real side is as long as the complex one.
    const std::size_t half = half_row(plan.size), padded_row = 2 * half, row = plan.size[2];
    const std::size_t in_row = to_real ? half : row, out_row = from_real ? half : row;
    const Layout in = resolved(plan.input, plan.size, from_real && in_place ? padded_row : in_row);
    const Layout out = resolved(plan.output, plan.size, to_real && in_place ? padded_row : out_row);
    Side<const Real> from{static_cast<const Real*>(input), in, from_real ? 1U : 2U};
    const Side<Real> to{static_cast<Real*>(output), out, to_real ? 1U : 2U};
    std::vector<Real> copy;
    if (in_place && !(plan.input.dense && plan.output.dense)) {
        copy = gathered(from, plan.size, in_row, plan.batches);
        from = {copy.data(), resolved({true, {}, 0, 0}, plan.size, in_row), from.width};
    }
    if (!to_real) {
        transform_lines(2, plan.size, plan.batches, kind, inverse, from, to);
        const Side<const Real> made{to.data, to.layout, to.width};
        const Extents size{plan.size[0], plan.size[1], out_row};
        for (int axis = 1; axis >= 0; --axis) {
            if (size[axis] > 1) transform_lines(axis, size, plan.batches, TransformKind::complex, inverse, made, to);
        }
        return;
    }
    // Transform the other axes first, in other memory: the input is preserved.
    const Extents size{plan.size[0], plan.size[1], in_row};
    const Layout dense = resolved({true, {}, 0, 0}, plan.size, in_row);
    std::vector<Real> half_made;
    for (int axis = 0; axis < 2; ++axis) {
        if (size[axis] == 1) continue;
        half_made.resize(2 * plan.batches * dense.batch_distance);
        transform_lines(axis, size, plan.batches, TransformKind::complex, true, from, Side<Real>{half_made.data(), dense, 2});
        from = {half_made.data(), dense, 2};
    }
    transform_lines(2, plan.size, plan.batches, kind, true, from, to);
}

}  // namespace

void execute(const Plan& plan, const void* input, void* output, int sign) {
    switch (plan.type) {
        case MUFFT_C2C: return execute_as<float>(plan, TransformKind::complex, input, output, sign);
        case MUFFT_Z2Z: return execute_as<double>(plan, TransformKind::complex, input, output, sign);
        case MUFFT_R2C: return execute_as<float>(plan, TransformKind::to_half, input, output, MUFFT_FORWARD);
        case MUFFT_D2Z: return execute_as<double>(plan, TransformKind::to_half, input, output, MUFFT_FORWARD);
        case MUFFT_C2R: return execute_as<float>(plan, TransformKind::from_half, input, output, MUFFT_INVERSE);
        case MUFFT_Z2D: return execute_as<double>(plan, TransformKind::from_half, input, output, MUFFT_INVERSE);
    }
}

}  // namespace mufft
