// Products of matrices.
#include "../enqueue.h"
#include "elements.h"

#include <numeric>

namespace musa::dnn {
namespace {

using namespace mudnn;

// One matrix, or a batch along the first dimension; transposing exchanges rows and columns.
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

Status Dot::SetComputeMode(ComputeMode) {
    return Status::SUCCESS;
}

Status Dot::Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right, const MemoryMaintainer&) const {
    if (!are_floating({&out, &left, &right})) return Status::NOT_SUPPORTED;
    if (left.sizes().size() != 1 || left.sizes() != right.sizes() || count(out.sizes()) != 1) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [out, left, right] {
        const std::vector<double> a = numbers_of(left), b = numbers_of(right);
        write(out.GetType(), out.GetAddr(), 0, std::inner_product(a.begin(), a.end(), b.begin(), 0.0));
    }));
}

}  // namespace musa::dnn
