// Rotary position embeddings.
#include "../enqueue.h"
#include "elements.h"

#include <cmath>

namespace musa::dnn {
namespace {

using namespace mudnn;
using Elements = std::vector<double>;

// Return the element of a line that is rotated at a position: in multi-latent attention, the even elements come first.
std::size_t element_at(std::size_t position, std::size_t half, bool multi_latent) {
    if (!multi_latent) return position;
    return position < half ? 2 * position : 2 * (position - half) + 1;
}

// Rotate the first elements of a line by their angles, each with the element half of them further on.
Elements rotated(const Elements& line, const double* angles, std::size_t number, bool multi_latent) {
    Elements result = line;
    const std::size_t half = number / 2;
    for (std::size_t i = 0; i < half; ++i) {
        const double x = line[element_at(i, half, multi_latent)], y = line[element_at(i + half, half, multi_latent)];
        result[i] = x * std::cos(angles[i]) - y * std::sin(angles[i]);
        result[i + half] = y * std::cos(angles[i + half]) + x * std::sin(angles[i + half]);
    }
    return result;
}

Elements rotated_back(const Elements& gradient, const double* angles, std::size_t number, bool multi_latent) {
    Elements result = gradient;
    const std::size_t half = number / 2;
    for (std::size_t i = 0; i < half; ++i) {
        const double x = gradient[i], y = gradient[i + half], first = angles[i], second = angles[i + half];
        result[element_at(i, half, multi_latent)] = x * std::cos(first) + y * std::sin(second);
        result[element_at(i + half, half, multi_latent)] = y * std::cos(second) - x * std::sin(first);
    }
    return result;
}

}  // namespace

Status Rope::SetRotaryInterleaved(bool interleaved) {
    interleaved_ = interleaved;
    return interleaved ? Status::NOT_SUPPORTED : Status::SUCCESS;
}

Status Rope::SetBatchFirst(bool first) {
    batch_first_ = first;
    return Status::SUCCESS;
}

Status Rope::SetMultiLatentAttention(bool multi_latent) {
    multi_latent_ = multi_latent;
    return Status::SUCCESS;
}

Status Rope::run(Handle& handle, const Tensor& out, const Tensor& in, const Tensor& angles, bool backward) const {
    if (interleaved_ || !are_floating({&out, &in, &angles})) return Status::NOT_SUPPORTED;
    if (in.sizes().size() != 4 || out.sizes() != in.sizes() || angles.sizes().size() < 2) return Status::INVALID_PARAMETER;
    const std::size_t position = batch_first_ ? 1 : 0;
    const int64_t positions = angles.sizes()[0], number = angles.sizes().back(), length = in.sizes()[3];
    const bool fits = positions >= in.sizes()[position] && number <= length && number % 2 == 0 &&
                      count(angles.sizes()) == positions * number;
    if (!fits) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [=, multi_latent = multi_latent_] {
        const Elements turns = numbers_of(angles);
        std::vector<int64_t> lines = in.sizes(), which(4, 0);
        lines[3] = length > 0 ? 1 : 0;
        which[position] = 1;
        const std::vector<int64_t> strides[3] = {out.strides(), in.strides(), which};
        each(lines, strides, [&](const int64_t(&at)[3]) {
            Elements line(static_cast<std::size_t>(length));
            int64_t from = at[1], to = at[0];
            for (double& x : line) {
                x = read(in.GetType(), in.GetAddr(), from);
                from += in.strides()[3];
            }
            const double* const by = turns.data() + at[2] * number;
            const auto rotate = backward ? rotated_back : rotated;
            for (double x : rotate(line, by, static_cast<std::size_t>(number), multi_latent)) {
                write(out.GetType(), out.GetAddr(), to, x);
                to += out.strides()[3];
            }
        });
    }));
}

Status Rope::Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& angles) const {
    return run(handle, out, in, angles, false);
}

Status Rope::RunBwd(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& angles) const {
    return run(handle, grad_in, grad_out, angles, true);
}

}  // namespace musa::dnn
