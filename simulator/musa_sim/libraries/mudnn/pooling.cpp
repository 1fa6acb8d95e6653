// Pooling: the largest pixel or the average of each window.
#include "../enqueue.h"
#include "weighted_pixels.h"

#include <cmath>
#include <limits>

namespace musa::dnn {
namespace {

using namespace mudnn;

// The window along one dimension.
struct Window {
    int64_t size, padding, stride, dilation;
};

bool is_adaptive(Pooling::Mode mode) {
    return mode == Pooling::Mode::ADAPTIVE_AVGPOOL || mode == Pooling::Mode::ADAPTIVE_MAXPOOL ||
           mode == Pooling::Mode::GLOBAL_AVGPOOL;
}

bool is_maximum(Pooling::Mode mode) {
    return mode == Pooling::Mode::MAXPOOL || mode == Pooling::Mode::ADAPTIVE_MAXPOOL;
}

// Return the windows of adaptive pooling, which divide the pixels among the results.
Line adaptive_windows(int64_t in, int64_t out) {
    Line line;
    for (int64_t i = 0; i < out; ++i) {
        const int64_t begin = i * in / out, end = ((i + 1) * in + out - 1) / out;
        Parts parts;
        for (int64_t at = begin; at < end; ++at) parts.push_back({at, 1 / static_cast<double>(end - begin)});
        line.push_back(parts);
    }
    return line;
}

// Return windows that may reach beyond the image. An average includes the padding or not.
Line windows(const Window& w, int64_t in, int64_t out, bool with_padding) {
    Line line;
    for (int64_t i = 0; i < out; ++i) {
        const int64_t begin = i * w.stride - w.padding;
        Parts parts;
        for (int64_t k = 0; k < w.size; ++k) {
            const int64_t at = begin + k * w.dilation;
            if (at >= 0 && at < in) parts.push_back({at, 1});
        }
        const int64_t end = std::min(begin + w.size, in + w.padding);
        const auto counted = with_padding ? end - begin : static_cast<int64_t>(parts.size());
        for (Part& part : parts) part.weight = 1 / static_cast<double>(counted);
        line.push_back(parts);
    }
    return line;
}

// Check that the last window begins in the image.
bool window_fits(const Window& w, int64_t in, int64_t out) {
    return w.size > 0 && w.stride > 0 && w.dilation > 0 && w.padding >= 0 && out > 0 &&
           w.padding <= ((w.size - 1) * w.dilation + 1) / 2 && (out - 1) * w.stride - w.padding < in;
}

// As in torch, the first of equal pixels, or the last NaN. A window without pixels returns the lowest number.
Part largest(const Parts& parts, const double* plane) {
    Part best{-1, -std::numeric_limits<double>::infinity()};
    for (const Part& part : parts) {
        const double x = plane[part.pixel];
        if (best.pixel < 0 || x > best.weight || std::isnan(x)) best = {part.pixel, x};
    }
    return best;
}

struct PoolingShape {
    Pooling::Mode mode;
    int divisor;
    std::vector<Window> windows;
};

// `in` is [planes..., pixels...], `out` has fewer pixels.
Status pools_of(const PoolingShape& shape, std::size_t dimensions, const Tensor& in, const Tensor& out, Planes& pools) {
    if (!are_floating({&in, &out})) return Status::NOT_SUPPORTED;
    const std::size_t rank = in.sizes().size();
    const bool has_planes = rank == dimensions + 1 || rank == dimensions + 2;
    if (!has_planes || !have_same_planes(in, out, dimensions)) return Status::INVALID_PARAMETER;
    const auto from = pixels_of(in, dimensions), to = pixels_of(out, dimensions);
    std::vector<Line> lines;
    for (std::size_t i = 0; i < dimensions; ++i) {
        if (is_adaptive(shape.mode)) {
            if (from[i] < 1 || (shape.mode == Pooling::Mode::GLOBAL_AVGPOOL && to[i] != 1)) return Status::INVALID_PARAMETER;
            lines.push_back(adaptive_windows(from[i], to[i]));
        } else {
            const Window& w = shape.windows[i];
            if (!window_fits(w, from[i], to[i])) return Status::INVALID_PARAMETER;
            if (!is_maximum(shape.mode) && w.dilation != 1) return Status::NOT_SUPPORTED;
            lines.push_back(windows(w, from[i], to[i], shape.mode == Pooling::Mode::AVGPOOL_COUNT_PAD));
        }
    }
    pools = planes_of(in, from, lines);
    if (shape.divisor == 0 || is_adaptive(shape.mode)) return Status::SUCCESS;
    for (Parts& of : pools.parts) {
        for (Part& part : of) part.weight = 1 / static_cast<double>(shape.divisor);
    }
    return Status::SUCCESS;
}

// Return the number of dimensions that the setters passed, or else the tensor's.
std::size_t pooled_dimensions(const std::vector<int>& window, const Tensor& tensor) {
    return !window.empty() ? window.size() : tensor.sizes().size() == 5 ? 3 : 2;
}

void store_indices(const Tensor& indices, const std::vector<int64_t>& found) {
    const std::vector<int64_t> strides[2] = {indices.strides(), dense_strides(indices.sizes())};
    each(indices.sizes(), strides,
         [&](const int64_t(&at)[2]) { put_index(indices, at[0], found[static_cast<std::size_t>(at[1])]); });
}

PoolingShape pooling_shape(Pooling::Mode mode, int divisor, const std::vector<int>& window, const std::vector<int>& padding,
                           const std::vector<int>& stride, const std::vector<int>& dilation) {
    PoolingShape shape{mode, divisor, {}};
    for (std::size_t i = 0; i < window.size(); ++i) shape.windows.push_back({window[i], padding[i], stride[i], dilation[i]});
    return shape;
}

}  // namespace

Status Pooling::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status Pooling::SetNdInfo(std::initializer_list<int> window, std::initializer_list<int> padding,
                          std::initializer_list<int> stride, std::initializer_list<int> dilation) {
    if (padding.size() != window.size() || stride.size() != window.size() || dilation.size() != window.size())
        return Status::INVALID_PARAMETER;
    return SetNdInfo(static_cast<int>(window.size()), window.begin(), padding.begin(), stride.begin(), dilation.begin());
}

// Run checks the numbers, because adaptive modes accept any.
Status Pooling::SetNdInfo(int dimensions, const int* window, const int* padding, const int* stride, const int* dilation) {
    if (dimensions < 1) return Status::INVALID_PARAMETER;
    window_.assign(window, window + dimensions);
    padding_.assign(padding, padding + dimensions);
    stride_.assign(stride, stride + dimensions);
    dilation_.assign(dilation, dilation + dimensions);
    return Status::SUCCESS;
}

Status Pooling::SetDivisor(int divisor) {
    if (divisor == 0) return Status::INVALID_PARAMETER;
    divisor_ = divisor;
    return Status::SUCCESS;
}

Status Pooling::Run(Handle& handle, Tensor& result, const Tensor& source, Tensor& given_indices) const {
    const Tensor out = channels_first(result), in = channels_first(source), indices = channels_first(given_indices);
    if (!is_adaptive(mode_) && window_.empty()) return Status::INVALID_PARAMETER;
    const bool with_indices = is_maximum(mode_) && is_given(indices);
    Planes pools;
    const Status checked = pools_of(pooling_shape(mode_, divisor_, window_, padding_, stride_, dilation_),
                                    pooled_dimensions(window_, in), in, out, pools);
    if (checked != Status::SUCCESS) return checked;
    if (with_indices && !is_index(indices.GetType())) return Status::NOT_SUPPORTED;
    if (with_indices && indices.sizes() != out.sizes()) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [out, in, indices, with_indices, pools, mode = mode_] {
        const std::vector<double> numbers = numbers_of(in);
        if (!is_maximum(mode)) return store_numbers(out, weighted_sums(pools, numbers));
        std::vector<double> most(static_cast<std::size_t>(count(out.sizes())));
        std::vector<int64_t> where(most.size());
        each_pixel(pools, [&](std::size_t to, int64_t first, const Parts& parts) {
            const Part best = largest(parts, numbers.data() + first);
            most[to] = best.weight;
            where[to] = best.pixel;
        });
        store_numbers(out, most);
        if (with_indices) store_indices(indices, where);
    }));
}

Status Pooling::RunBwd(Handle& handle, Tensor& result, const Tensor& gradient, const Tensor& given_indices) const {
    const Tensor grad_in = channels_first(result), grad_out = channels_first(gradient), indices = channels_first(given_indices);
    if (!is_adaptive(mode_) && window_.empty()) return Status::INVALID_PARAMETER;
    Planes pools;
    const Status checked = pools_of(pooling_shape(mode_, divisor_, window_, padding_, stride_, dilation_),
                                    pooled_dimensions(window_, grad_in), grad_in, grad_out, pools);
    if (checked != Status::SUCCESS) return checked;
    if (is_maximum(mode_) && !is_index(indices.GetType())) return Status::NOT_SUPPORTED;
    if (is_maximum(mode_) && (!is_given(indices) || indices.sizes() != grad_out.sizes())) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [grad_in, grad_out, indices, pools, mode = mode_] {
        const std::vector<double> numbers = numbers_of(grad_out);
        if (!is_maximum(mode)) return store_numbers(grad_in, weighted_shares(pools, numbers));
        const std::vector<int64_t> where = indices_of(indices);
        std::vector<double> sums(static_cast<std::size_t>(count(grad_in.sizes())));
        each_pixel(pools, [&](std::size_t from, int64_t first, const Parts&) {
            const int64_t pixel = where[from];
            if (pixel >= 0 && pixel < pools.pixels) sums[static_cast<std::size_t>(first + pixel)] += numbers[from];
        });
        store_numbers(grad_in, sums);
    }));
}

}  // namespace musa::dnn
