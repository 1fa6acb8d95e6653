// Pixels of a result as weighted sums of pixels of another tensor, dimension by dimension.
#pragma once

#include "elements.h"

namespace mudnn {

// A pixel, or a position along a dimension, with its weight.
struct Part {
    std::int64_t pixel;
    double weight;
};
using Parts = std::vector<Part>;
// The parts of each position of the result along a dimension.
using Line = std::vector<Parts>;

// Combine the parts along each dimension to the parts of each pixel, in planes of these sizes.
inline std::vector<Parts> parts_of(const std::vector<Line>& lines, const std::vector<std::int64_t>& sizes) {
    std::vector<Parts> all{{{0, 1.0}}};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::vector<Parts> next;
        next.reserve(all.size() * lines[i].size());
        for (const Parts& before : all) {
            for (const Parts& here : lines[i]) {
                Parts both;
                for (const Part& x : before) {
                    for (const Part& y : here) both.push_back({x.pixel * sizes[i] + y.pixel, x.weight * y.weight});
                }
                next.push_back(std::move(both));
            }
        }
        all = std::move(next);
    }
    return all;
}

// Return the sizes of the last dimensions.
inline std::vector<std::int64_t> pixels_of(const Tensor& tensor, std::size_t dimensions) {
    return {tensor.sizes().end() - static_cast<std::ptrdiff_t>(dimensions), tensor.sizes().end()};
}

// Return whether two tensors [..., pixels] have as many planes.
inline bool have_same_planes(const Tensor& one, const Tensor& other, std::size_t dimensions) {
    const auto &a = one.sizes(), &b = other.sizes();
    return a.size() == b.size() && a.size() > dimensions &&
           std::equal(a.begin(), a.end() - static_cast<std::ptrdiff_t>(dimensions), b.begin());
}

// Planes of pixels, and the parts of each pixel of a plane of the result.
struct Planes {
    std::vector<Parts> parts;
    std::int64_t count = 0, pixels = 0;
};

inline Planes planes_of(const Tensor& tensor, const std::vector<std::int64_t>& sizes, const std::vector<Line>& lines) {
    const std::int64_t pixels = count(sizes);
    return {parts_of(lines, sizes), pixels == 0 ? 0 : count(tensor.sizes()) / pixels, pixels};
}

// Call `use` for each pixel of the result in all planes: with its number, the number of its plane's first pixel in the
// other tensor, and its parts there.
template <class Use>
void each_pixel(const Planes& planes, Use use) {
    std::size_t number = 0;
    for (std::int64_t plane = 0; plane < planes.count; ++plane) {
        for (const Parts& of : planes.parts) use(number++, plane * planes.pixels, of);
    }
}

inline std::vector<double> weighted_sums(const Planes& planes, const std::vector<double>& in) {
    std::vector<double> out(static_cast<std::size_t>(planes.count) * planes.parts.size());
    each_pixel(planes, [&](std::size_t to, std::int64_t first, const Parts& of) {
        for (const Part& part : of) out[to] += part.weight * in[static_cast<std::size_t>(first + part.pixel)];
    });
    return out;
}

// Distribute the gradients of weighted sums to their parts.
inline std::vector<double> weighted_shares(const Planes& planes, const std::vector<double>& grad_out) {
    std::vector<double> grad_in(static_cast<std::size_t>(planes.count * planes.pixels));
    each_pixel(planes, [&](std::size_t from, std::int64_t first, const Parts& of) {
        for (const Part& part : of) grad_in[static_cast<std::size_t>(first + part.pixel)] += part.weight * grad_out[from];
    });
    return grad_in;
}

}  // namespace mudnn
