// Gated linear units: one half of a tensor, multiplied by a function of the other.
#include "../enqueue.h"
#include "elements.h"

#include <cmath>

namespace musa::dnn {
namespace {

using namespace mudnn;

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

// The two halves of a dimension, and the distance between an element of the first and one of the second.
struct Halves {
    Halves(const Tensor& whole, int axis)
        : whole(whole),
          to_second(whole.sizes()[static_cast<std::size_t>(axis)] / 2 * whole.strides()[static_cast<std::size_t>(axis)]) {}
    double second_at(int64_t at) const { return read(whole.GetType(), whole.GetAddr(), at + to_second); }

    Tensor whole;
    int64_t to_second;
};

Status check_halves(const Tensor& half, const Tensor& whole, int axis) {
    if (!are_floating({&half, &whole})) return Status::NOT_SUPPORTED;
    if (axis < 0) return Status::INVALID_PARAMETER;
    std::vector<int64_t> sizes = whole.sizes();
    auto& length = sizes[static_cast<std::size_t>(axis)];
    if (length % 2 != 0) return Status::INVALID_PARAMETER;
    length /= 2;
    return half.sizes() == sizes ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

// out = f(first half, second half)
template <class Function>
Status of_halves(Handle& handle, const Tensor& out, const Tensor& in, int axis, Function function) {
    const Status checked = check_halves(out, in, axis);
    if (checked != Status::SUCCESS) return checked;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [out, in, function, halves = Halves(in, axis)] {
        const std::vector<int64_t> strides[2] = {out.strides(), in.strides()};
        each(out.sizes(), strides, [&](const int64_t(&at)[2]) {
            const double first = read(in.GetType(), in.GetAddr(), at[1]);
            write(out.GetType(), out.GetAddr(), at[0], function(first, halves.second_at(at[1])));
        });
    }));
}

}  // namespace

Status Glu::SetAxis(int axis) {
    axis_ = axis;
    return Status::SUCCESS;
}

Status Glu::Run(Handle& handle, Tensor& out, const Tensor& in) const {
    return of_halves(handle, out, in, dimension_of(axis_, in.sizes().size()),
                     [](double x, double gate) { return x * sigmoid(gate); });
}

Status SwiGlu::Run(Handle& handle, Tensor& out, const Tensor& in) const {
    return of_halves(handle, out, in, dimension_of(-1, in.sizes().size()),
                     [](double gate, double x) { return gate * sigmoid(gate) * x; });
}

Status SwiGlu::RunBwd(Handle& handle, Tensor& grad_in, const Tensor& in, const Tensor& grad_out) const {
    const int axis = dimension_of(-1, in.sizes().size());
    const Status checked = check_halves(grad_out, in, axis);
    if (checked != Status::SUCCESS) return checked;
    if (!is_floating(grad_in.GetType())) return Status::NOT_SUPPORTED;
    if (grad_in.sizes() != in.sizes()) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [grad_in, in, grad_out, halves = Halves(in, axis), results = Halves(grad_in, axis)] {
            const std::vector<int64_t> strides[3] = {grad_in.strides(), in.strides(), grad_out.strides()};
            each(grad_out.sizes(), strides, [&](const int64_t(&at)[3]) {
                const double gate = read(in.GetType(), in.GetAddr(), at[1]), x = halves.second_at(at[1]);
                const double gradient = read(grad_out.GetType(), grad_out.GetAddr(), at[2]), s = sigmoid(gate);
                write(grad_in.GetType(), grad_in.GetAddr(), at[0], gradient * x * s * (1 + gate * (1 - s)));
                write(grad_in.GetType(), grad_in.GetAddr(), at[0] + results.to_second, gradient * gate * s);
            });
        }));
}

}  // namespace musa::dnn
