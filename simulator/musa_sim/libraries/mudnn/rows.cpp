// Products of matrices, and softmax.
#include "../enqueue.h"
#include "elements.h"

#include <cmath>
#include <limits>

namespace musa::dnn {
namespace {

using namespace mudnn;

// Matrices: one, or as many as the first dimension says. Rows and columns are exchanged where they are transposed.
struct Matrices {
    Matrices(const Tensor& tensor, bool transpose) : type(tensor.GetType()), base(tensor.GetAddr()) {
        const std::size_t first = tensor.sizes().size() - 2;
        count = first == 0 ? 1 : tensor.sizes()[0];
        next = first == 0 ? 0 : tensor.strides()[0];
        rows = tensor.sizes()[first + transpose];
        columns = tensor.sizes()[first + !transpose];
        down = tensor.strides()[first + transpose];
        right = tensor.strides()[first + !transpose];
    }

    int64_t offset(int64_t n, int64_t row, int64_t column) const { return n * next + row * down + column * right; }
    double at(int64_t n, int64_t row, int64_t column) const { return read(type, base, offset(n, row, column)); }

    Type type;
    void* base;
    int64_t count, next, rows, columns, down, right;
};

struct Product {
    bool transpose_left, transpose_right;
    double alpha, beta;
};

Status multiply(Handle& handle, const Tensor& out, const Tensor& left, const Tensor& right, std::size_t dimensions,
                const Product& product) {
    for (const Tensor* tensor : {&out, &left, &right}) {
        if (tensor->sizes().size() != dimensions) return Status::INVALID_PARAMETER;
        if (!is_floating(tensor->GetType())) return Status::NOT_SUPPORTED;
    }
    const Matrices a(left, product.transpose_left), b(right, product.transpose_right), c(out, false);
    if (a.columns != b.rows || a.rows != c.rows || b.columns != c.columns || a.count != c.count || b.count != c.count) {
        return Status::INVALID_PARAMETER;
    }
    const musaError_t error = musa_sim::enqueue_work(handle.GetStream(), [a, b, c, product] {
        for (int64_t n = 0; n < c.count; ++n) {
            for (int64_t i = 0; i < c.rows; ++i) {
                for (int64_t j = 0; j < c.columns; ++j) {
                    double sum = 0;
                    for (int64_t k = 0; k < a.columns; ++k) sum += a.at(n, i, k) * b.at(n, k, j);
                    const double kept = product.beta == 0 ? 0 : product.beta * c.at(n, i, j);
                    write(c.type, c.base, c.offset(n, i, j), product.alpha * sum + kept);
                }
            }
        }
    });
    return error == musaSuccess ? Status::SUCCESS : Status::EXECUTION_FAILED;
}

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

// `row` is the result of softmax; its gradient replaces it.
void softmax_backward(Softmax::Mode mode, Row& row, const Row& gradient) {
    const bool is_log = mode == Softmax::Mode::LOGSOFTMAX;
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += is_log ? gradient[i] : gradient[i] * row[i];
    for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = is_log ? gradient[i] - std::exp(row[i]) * sum : row[i] * (gradient[i] - sum);
    }
}

// Calls `change` with the rows of `in` and of `beside`, and writes what it makes of the first to `out`.
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

Status MatrixProduct::SetComputeMode(ComputeMode) {
    return Status::SUCCESS;
}

Status MatrixProduct::SetTranspose(bool left, bool right) {
    transpose_left_ = left;
    transpose_right_ = right;
    return Status::SUCCESS;
}

Status MatrixProduct::SetAlpha(double alpha) {
    alpha_ = alpha;
    return Status::SUCCESS;
}

Status MatrixProduct::SetBeta(double beta) {
    beta_ = beta;
    return Status::SUCCESS;
}

Status MatMul::Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
                   const MemoryMaintainer&) const {
    return multiply(handle, out, left, right, 2, {transpose_left_, transpose_right_, alpha_, beta_});
}

Status BatchMatMul::Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
                        const MemoryMaintainer&) const {
    return multiply(handle, out, left, right, 3, {transpose_left_, transpose_right_, alpha_, beta_});
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
