// Softmax, its logarithm, and their gradients.
#include "../enqueue.h"
#include "elements.h"

#include <cmath>
#include <limits>

namespace musa::dnn {
namespace {

using namespace mudnn;

using Row = std::vector<double>;

void softmax(Softmax::Mode mode, Row& row) {
    double most = -std::numeric_limits<double>::infinity();
    for (double x : row) most = std::fmax(most, x);
    double sum = 0;
    for (double x : row) sum += std::exp(x - most);
    for (double& x : row) {
        x = mode == Softmax::Mode::SOFTMAX ? std::exp(x - most) / sum : x - most - std::log(sum);
    }
}

// Replace `row`, a result of softmax, by its gradient.
void softmax_backward(Softmax::Mode mode, Row& row, const Row& gradient) {
    const bool is_log = mode == Softmax::Mode::LOGSOFTMAX;
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += is_log ? gradient[i] : gradient[i] * row[i];
    for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = is_log ? gradient[i] - std::exp(row[i]) * sum : row[i] * (gradient[i] - sum);
    }
}

// Call `change` with each row of `in` and of `beside`; write the first, which it changes, to `out`.
template <class Change>
Status each_row(Handle& handle, const Tensor& out, const Tensor& in, const Tensor& beside, int dimension,
                Change change) {
    const int dimensions = static_cast<int>(in.sizes().size());
    const int along = dimension < 0 ? dimension + dimensions : dimension;
    const bool same = out.sizes() == in.sizes() && beside.sizes() == in.sizes();
    if (!same || along < 0 || along >= dimensions) return Status::INVALID_PARAMETER;
    if (!is_floating(in.GetType()) || !is_floating(out.GetType()) || !is_floating(beside.GetType())) {
        return Status::NOT_SUPPORTED;
    }
    const musaError_t error = musa_sim::enqueue_work(handle.GetStream(), [out, in, beside, along, change] {
        const auto axis = static_cast<std::size_t>(along);
        std::vector<int64_t> sizes = in.sizes();
        const int64_t length = sizes[axis];
        sizes[axis] = length == 0 ? 0 : 1;
        const auto values = [&](const Tensor& of, int64_t from) {
            Row row(static_cast<std::size_t>(length));
            for (double& x : row) {
                x = read(of.GetType(), of.GetAddr(), from);
                from += of.strides()[axis];
            }
            return row;
        };
        const std::vector<int64_t> strides[3] = {out.strides(), in.strides(), beside.strides()};
        each(sizes, strides, [&](const int64_t(&at)[3]) {
            Row row = values(in, at[1]);
            change(row, values(beside, at[2]));
            int64_t to = at[0];
            for (double x : row) {
                write(out.GetType(), out.GetAddr(), to, x);
                to += out.strides()[axis];
            }
        });
    });
    return error == musaSuccess ? Status::SUCCESS : Status::EXECUTION_FAILED;
}

}  // namespace

Status Softmax::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status Softmax::SetDim(int dimension) {
    dimension_ = dimension;
    return Status::SUCCESS;
}

Status Softmax::SetAlgorithm(Algorithm) {
    return Status::SUCCESS;
}

Status Softmax::Run(Handle& handle, Tensor& out, const Tensor& in) const {
    if (mode_ == Mode::LOGSUMEXP) return Status::NOT_SUPPORTED;
    return each_row(handle, out, in, in, dimension_, [mode = mode_](Row& row, const Row&) { softmax(mode, row); });
}

Status Softmax::RunBwd(Handle& handle, Tensor& grad_in, const Tensor& out, const Tensor& grad_out) const {
    if (mode_ == Mode::LOGSUMEXP) return Status::NOT_SUPPORTED;
    return each_row(handle, grad_in, out, grad_out, dimension_, [mode = mode_](Row& row, const Row& gradient) {
        softmax_backward(mode, row, gradient);
    });
}

}  // namespace musa::dnn
