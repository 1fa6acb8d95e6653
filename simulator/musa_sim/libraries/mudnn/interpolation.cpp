// Resized images, and the gradients of resizing.
#include "../enqueue.h"
#include "weighted_pixels.h"

#include <cmath>

namespace musa::dnn {
namespace {

using namespace mudnn;
using InterpolateMode = Interpolate::Mode;

// The change of one dimension: `scale` pixels of `in` for each pixel of `out`.
struct Resizing {
    InterpolateMode mode;
    bool align_corners, antialias;
    int64_t in, out;
    float scale;
};

// Align either the centres of the first and the last pixels, or the edges of the images.
double pixel_scale(const Resizing& of) {
    if (!of.align_corners) return of.scale;
    return of.out > 1 ? static_cast<double>(of.in - 1) / static_cast<double>(of.out - 1) : 0;
}

// The weights of linear and of cubic interpolation at a distance; the cubic one has a parameter.
double triangle(double distance) {
    return std::fmax(0, 1 - std::fabs(distance));
}

double cubic(double distance, double a) {
    const double x = std::fabs(distance);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

Parts nearest(const Resizing& of, int64_t position) {
    // Computed in float: the rounding decides which of two pixels is nearest.
    const float middle = of.mode == InterpolateMode::NEAREST_EXACT ? 0.5f : 0.0f;
    const auto at = static_cast<int64_t>(std::floor((static_cast<float>(position) + middle) * of.scale));
    return {{std::min(at, of.in - 1), 1}};
}

// Return the two or four neighbours of a position. Beyond the image, the pixel at the edge is repeated.
Parts neighbours(const Resizing& of, int64_t position) {
    const bool is_linear = of.mode == InterpolateMode::LINEAR;
    const double scale = pixel_scale(of);
    const double middle = of.align_corners ? 0 : 0.5;
    double source = scale * (static_cast<double>(position) + middle) - middle;
    if (is_linear) source = std::fmax(0, source);
    const auto first = static_cast<int64_t>(std::floor(source));
    Parts parts;
    for (int64_t at = first - (is_linear ? 0 : 1); at <= first + (is_linear ? 1 : 2); ++at) {
        const double distance = source - static_cast<double>(at);
        const double weight = is_linear ? triangle(distance) : cubic(distance, -0.75);
        parts.push_back({std::min(std::max<int64_t>(at, 0), of.in - 1), weight});
    }
    return parts;
}

// Return all pixels under a filter that is as wide as a pixel of the result.
Parts filtered(const Resizing& of, int64_t position) {
    const bool is_linear = of.mode == InterpolateMode::LINEAR;
    const double scale = pixel_scale(of), wide = std::fmax(1, scale), reach = (is_linear ? 1 : 2) * wide;
    const double centre = scale * (static_cast<double>(position) + 0.5);
    const auto begin = std::max<int64_t>(static_cast<int64_t>(centre - reach + 0.5), 0);
    const auto end = std::min(static_cast<int64_t>(centre + reach + 0.5), of.in);
    Parts parts;
    double sum = 0;
    for (int64_t at = begin; at < end; ++at) {
        const double distance = (static_cast<double>(at) - centre + 0.5) / wide;
        parts.push_back({at, is_linear ? triangle(distance) : cubic(distance, -0.5)});
        sum += parts.back().weight;
    }
    for (Part& part : parts) part.weight /= sum;
    return parts;
}

Line resized(const Resizing& of) {
    const bool is_smooth = of.mode == InterpolateMode::LINEAR || of.mode == InterpolateMode::BICUBIC;
    Line line;
    for (int64_t i = 0; i < of.out; ++i) {
        line.push_back(!is_smooth ? nearest(of, i) : of.antialias ? filtered(of, i) : neighbours(of, i));
    }
    return line;
}

// Return the scale of Run for a scale of RunBackward: exactly that of the sizes, where they agree.
float forward_scale(float scale, int64_t in, int64_t out) {
    const auto from = static_cast<float>(in), to = static_cast<float>(out);
    return scale == to / from ? from / to : 1 / scale;
}

// `how`: all but sizes and scale. Tensors are [count, channels, pixels...].
Status images_of(Resizing how, const std::vector<float>& scales, const Tensor& in, const Tensor& out, Planes& images) {
    if (!are_floating({&in, &out})) return Status::NOT_SUPPORTED;
    const std::size_t dimensions = scales.size();
    if (in.sizes().size() != dimensions + 2 || !have_same_planes(in, out, dimensions)) return Status::INVALID_PARAMETER;
    if (how.mode == InterpolateMode::BICUBIC && dimensions != 2) return Status::NOT_SUPPORTED;
    const auto from = pixels_of(in, dimensions), to = pixels_of(out, dimensions);
    std::vector<Line> lines;
    for (std::size_t i = 0; i < dimensions; ++i) {
        if (from[i] < 1 || !(scales[i] > 0)) return Status::INVALID_PARAMETER;
        how.in = from[i];
        how.out = to[i];
        how.scale = scales[i];
        lines.push_back(resized(how));
    }
    images = planes_of(in, from, lines);
    return Status::SUCCESS;
}

}  // namespace

Status Interpolate::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status Interpolate::SetAlignCorners(bool align) {
    align_corners_ = align;
    return Status::SUCCESS;
}

Status Interpolate::SetAntialias(bool antialias) {
    antialias_ = antialias;
    return Status::SUCCESS;
}

Status Interpolate::SetScaleInfo(std::initializer_list<float> scales) {
    return SetScaleInfo(static_cast<int>(scales.size()), scales.begin());
}

Status Interpolate::SetScaleInfo(int count, const float* scales) {
    if (count < 0) return Status::INVALID_PARAMETER;
    scales_.assign(scales, scales + count);
    return Status::SUCCESS;
}

Status Interpolate::Run(Handle& handle, Tensor& result, const Tensor& source) const {
    const Tensor out = channels_first(result), in = channels_first(source);
    Planes images;
    const Status checked = images_of({mode_, align_corners_, antialias_, 0, 0, 0}, scales_, in, out, images);
    if (checked != Status::SUCCESS) return checked;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [out, in, images] {
        store_numbers(out, weighted_sums(images, numbers_of(in)));
    }));
}

Status Interpolate::RunBackward(Handle& handle, Tensor& result, const Tensor& gradient) const {
    const Tensor grad_in = channels_first(result), grad_out = channels_first(gradient);
    const std::size_t dimensions = scales_.size();
    if (grad_in.sizes().size() != dimensions + 2 || !have_same_planes(grad_in, grad_out, dimensions))
        return Status::INVALID_PARAMETER;
    std::vector<float> scales;
    for (std::size_t i = 0; i < dimensions; ++i) {
        scales.push_back(forward_scale(scales_[i], grad_in.sizes()[i + 2], grad_out.sizes()[i + 2]));
    }
    Planes images;
    const Status checked = images_of({mode_, align_corners_, antialias_, 0, 0, 0}, scales, grad_in, grad_out, images);
    if (checked != Status::SUCCESS) return checked;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [grad_in, grad_out, images] {
        store_numbers(grad_in, weighted_shares(images, numbers_of(grad_out)));
    }));
}

}  // namespace musa::dnn
