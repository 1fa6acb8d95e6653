// Products of matrices, and softmax.
#include "../enqueue.h"
#include "elements.h"

#include <cmath>
#include <limits>

namespace musa::dnn {
namespace {

using namespace mudnn;

// Two strides and two sizes of a matrix, exchanged where it is transposed.
struct Matrix {
    Matrix(const Tensor& tensor, bool transpose)
        : type(tensor.GetType()), base(tensor.GetAddr()),
          rows(tensor.sizes()[transpose]), columns(tensor.sizes()[!transpose]),
          down(tensor.strides()[transpose]), right(tensor.strides()[!transpose]) {}

    double at(int64_t row, int64_t column) const { return read(type, base, row * down + column * right); }

    Type type;
    void* base;
    int64_t rows, columns, down, right;
};

void softmax_of_row(Softmax::Mode mode, std::vector<double>& row) {
    double most = -std::numeric_limits<double>::infinity();
    for (double x : row) most = std::fmax(most, x);
    double sum = 0;
    for (double x : row) sum += std::exp(x - most);
    for (double& x : row) {
        x = mode == Softmax::Mode::SOFTMAX ? std::exp(x - most) / sum : x - most - std::log(sum);
    }
}

Status status_of(musaError_t error) {
    return error == musaSuccess ? Status::SUCCESS : Status::EXECUTION_FAILED;
}

}  // namespace

Status MatMul::SetComputeMode(ComputeMode) {
    return Status::SUCCESS;
}

Status MatMul::SetTranspose(bool left, bool right) {
    transpose_left_ = left;
    transpose_right_ = right;
    return Status::SUCCESS;
}

Status MatMul::SetAlpha(double alpha) {
    alpha_ = alpha;
    return Status::SUCCESS;
}

Status MatMul::SetBeta(double beta) {
    beta_ = beta;
    return Status::SUCCESS;
}

Status MatMul::Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
                   const MemoryMaintainer&) const {
    for (const Tensor* tensor : {static_cast<const Tensor*>(&out), &left, &right}) {
        if (tensor->sizes().size() != 2) return Status::INVALID_PARAMETER;
        if (!is_floating(tensor->GetType())) return Status::NOT_SUPPORTED;
    }
    const Matrix a(left, transpose_left_), b(right, transpose_right_), c(out, false);
    if (a.columns != b.rows || a.rows != c.rows || b.columns != c.columns) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [a, b, c, alpha = alpha_, beta = beta_] {
        for (int64_t i = 0; i < c.rows; ++i) {
            for (int64_t j = 0; j < c.columns; ++j) {
                double sum = 0;
                for (int64_t k = 0; k < a.columns; ++k) sum += a.at(i, k) * b.at(k, j);
                const double kept = beta == 0 ? 0 : beta * c.at(i, j);
                write(c.type, c.base, i * c.down + j * c.right, alpha * sum + kept);
            }
        }
    }));
}

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
    const int dimensions = static_cast<int>(in.sizes().size());
    const int along = dimension_ < 0 ? dimension_ + dimensions : dimension_;
    if (out.sizes() != in.sizes() || along < 0 || along >= dimensions) return Status::INVALID_PARAMETER;
    if (mode_ == Mode::LOGSUMEXP) return Status::NOT_SUPPORTED;
    if (!is_floating(in.GetType()) || !is_floating(out.GetType())) return Status::NOT_SUPPORTED;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [out, in, along, mode = mode_] {
        const auto place = static_cast<std::size_t>(along);
        std::vector<int64_t> sizes = in.sizes();
        std::vector<double> row(static_cast<std::size_t>(sizes[place]));
        sizes[place] = row.empty() ? 0 : 1;
        const std::vector<int64_t> strides[2] = {out.strides(), in.strides()};
        each(sizes, strides, [&](const int64_t(&at)[2]) {
            int64_t from = at[1], to = at[0];
            for (double& x : row) {
                x = read(in.GetType(), in.GetAddr(), from);
                from += in.strides()[place];
            }
            softmax_of_row(mode, row);
            for (double x : row) {
                write(out.GetType(), out.GetAddr(), to, x);
                to += out.strides()[place];
            }
        });
    }));
}

}  // namespace musa::dnn
