// Products of matrices: sums in double, rounded once.
#include "../enqueue.h"
#include "elements.h"
#include "functions.h"

#include <numeric>

namespace musa::dnn {
namespace {

using namespace mudnn;
using Sizes = std::vector<int64_t>;

// The factors of a matrix: one for each `down` x `right` of its elements.
struct Factors {
    Tensor tensor;  // without an address: all are 1
    int64_t down = 1, right = 1, next_down = 0, next_right = 0;

    double at(int64_t row, int64_t column) const {
        if (!is_given(tensor)) return 1;
        return read(tensor.GetType(), tensor.GetAddr(), row / down * next_down + column / right * next_right);
    }
};

// One matrix, or a batch along the first dimension; transposing exchanges rows and columns.
struct Matrices {
    Matrices(const Tensor& of, bool transpose) : tensor(of) {
        const auto &sizes = of.sizes(), &strides = of.strides();
        const std::size_t first = sizes.size() - 2;
        count = first == 0 ? 1 : sizes[0];
        next = first == 0 ? 0 : strides[0];
        rows = sizes[first + transpose];
        columns = sizes[first + !transpose];
        down = strides[first + transpose];
        right = strides[first + !transpose];
    }
    int64_t offset(int64_t n, int64_t row, int64_t column) const { return n * next + row * down + column * right; }
    double at(int64_t n, int64_t row, int64_t column) const {
        return meant(tensor, read(tensor.GetType(), tensor.GetAddr(), offset(n, row, column)));
    }
    // A matrix of the batch, row by row, multiplied by its factors.
    std::vector<double> numbers(int64_t n, const Factors& factors) const {
        std::vector<double> all;
        all.reserve(static_cast<std::size_t>(rows * columns));
        for (int64_t row = 0; row < rows; ++row) {
            for (int64_t column = 0; column < columns; ++column) all.push_back(at(n, row, column) * factors.at(row, column));
        }
        return all;
    }

    Tensor tensor;
    int64_t count, next, rows, columns, down, right;
};

struct ProductSettings {
    bool transpose_left, transpose_right;
    double alpha, beta, gamma;
};

using Epilogue = MatMulLtParam::MatMulLtEpilogueMode;

double after(Epilogue epilogue, double x) {
    switch (epilogue) {
        case Epilogue::MATMULLT_EPILOGUE_RELU:
        case Epilogue::MATMULLT_EPILOGUE_RELU_BIAS: return relu(x);
        case Epilogue::MATMULLT_EPILOGUE_GELU:
        case Epilogue::MATMULLT_EPILOGUE_GELU_BIAS: return gelu(x);
        default: return x;
    }
}

struct Product {
    Matrices left, right, c, out;
    bool reads_c;
    Tensor bias;
    Sizes bias_strides;  // along the dimensions of out
    ProductSettings settings;
    Factors of_left, of_right;
    Tensor of_c, of_out, largest;
    Epilogue epilogue = Epilogue::MATMULLT_EPILOGUE_DEFAULT;

    double bias_at(int64_t n, int64_t row, int64_t column) const {
        if (!is_given(bias)) return 0;
        const bool batched = bias_strides.size() == 3;
        const int64_t at = (batched ? n * bias_strides[0] : 0) + row * bias_strides[batched] + column * bias_strides[batched + 1u];
        return read(bias.GetType(), bias.GetAddr(), at);
    }
};

double factor(const Tensor& tensor) { return is_given(tensor) ? read(tensor.GetType(), tensor.GetAddr(), 0) : 1; }

void compute(const Product& p) {
    const int64_t m = p.out.rows, n = p.out.columns, depth = p.left.columns;
    const double of_c = p.settings.beta * factor(p.of_c), of_out = factor(p.of_out);
    double largest = 0;
    for (int64_t batch = 0; batch < p.out.count; ++batch) {
        const std::vector<double> a = p.left.numbers(batch, p.of_left), b = p.right.numbers(batch, p.of_right);
        std::vector<double> sums(static_cast<std::size_t>(m * n));
        for (int64_t i = 0; i < m; ++i) {
            double* const row = sums.data() + i * n;
            for (int64_t k = 0; k < depth; ++k) {
                const double x = a[static_cast<std::size_t>(i * depth + k)];
                const double* const other = b.data() + k * n;
                for (int64_t j = 0; j < n; ++j) row[j] += x * other[j];
            }
        }
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                const double kept = p.reads_c ? of_c * p.c.at(batch, i, j) : 0;
                const double sum = p.settings.alpha * sums[static_cast<std::size_t>(i * n + j)] + kept +
                                   p.settings.gamma * p.bias_at(batch, i, j);
                const double value = after(p.epilogue, sum);
                largest = std::fmax(largest, std::fabs(value));
                write(p.out.tensor.GetType(), p.out.tensor.GetAddr(), p.out.offset(batch, i, j),
                      to_store(p.out.tensor, value * of_out));
            }
        }
    }
    if (is_given(p.largest)) write(p.largest.GetType(), p.largest.GetAddr(), 0, largest);
}

bool is_computed(Type type, bool has_8_bits) {
    return is_floating(type) || type == Type::QINT8 || (has_8_bits && is_8_bit_float(type));
}

// How many elements share a factor: all, one, or a tile. 0 if `count` factors are none of these.
int64_t shared_by(int64_t elements, int64_t count, int64_t tile) {
    if (count == 1) return elements;
    if (count == elements) return 1;
    return tile > 0 && (elements + tile - 1) / tile == count ? tile : 0;
}

// Factors of op(left) or, with `by_columns`, of op(right), whose tensor has the columns first.
Status factors_of(const Tensor& scale, const Matrices& matrix, bool by_columns, const MatMulLtParam& param, Factors& found) {
    found.tensor = scale;
    if (!is_given(scale)) return Status::SUCCESS;
    if (scale.GetType() != Type::FLOAT) return Status::NOT_SUPPORTED;
    Sizes sizes = scale.sizes(), strides = scale.strides();
    if (count(sizes) == 1) sizes = strides = {1, 1};
    if (sizes.size() == 1) sizes.push_back(1), strides.push_back(0);
    if (sizes.size() != 2) return Status::INVALID_PARAMETER;
    const std::size_t line = param.are_scales_transposed() ? 1 : 0;
    const int64_t lines = by_columns ? matrix.columns : matrix.rows, depth = by_columns ? matrix.rows : matrix.columns;
    const int64_t across = shared_by(lines, sizes[line], param.tile()), along = shared_by(depth, sizes[1 - line], param.tile());
    if (across == 0 || along == 0) return Status::INVALID_PARAMETER;
    found.down = by_columns ? along : across;
    found.right = by_columns ? across : along;
    found.next_down = strides[by_columns ? 1 - line : line];
    found.next_right = strides[by_columns ? line : 1 - line];
    return Status::SUCCESS;
}

Status set_factors(const MatMulLtParam& param, Product& p) {
    p.epilogue = param.epilogue();
    p.of_c = param.scale_of_c();
    p.of_out = param.scale_of_out();
    p.largest = param.largest();
    for (const Tensor* one : {&p.of_c, &p.of_out, &p.largest}) {
        if (!is_given(*one)) continue;
        if (one->GetType() != Type::FLOAT) return Status::NOT_SUPPORTED;
        if (count(one->sizes()) != 1) return Status::INVALID_PARAMETER;
    }
    const Status status = factors_of(param.scale_of_left(), p.left, false, param, p.of_left);
    return status == Status::SUCCESS ? factors_of(param.scale_of_right(), p.right, true, param, p.of_right) : status;
}

struct Factored {
    const Tensor &out, &left, &right, &c, &bias;
};

Status multiply(Handle& handle, const Factored& of, std::size_t dimensions, const ProductSettings& settings,
                const MatMulLtParam* param = nullptr) {
    const bool reads_c = settings.beta != 0 && is_given(of.c);
    const Tensor& c = reads_c ? of.c : of.out;
    for (const Tensor* tensor : {&of.out, &of.left, &of.right, &c}) {
        if (tensor->sizes().size() != dimensions) return Status::INVALID_PARAMETER;
        if (!is_computed(tensor->GetType(), param != nullptr)) return Status::NOT_SUPPORTED;
    }
    Product p{{of.left, settings.transpose_left}, {of.right, settings.transpose_right}, {c, false}, {of.out, false}, reads_c,
              of.bias, {}, settings, {}, {}, {}, {}, {}};
    const Matrices &a = p.left, &b = p.right;
    if (a.columns != b.rows || a.rows != p.out.rows || b.columns != p.out.columns || a.count != p.out.count ||
        b.count != p.out.count || c.sizes() != of.out.sizes()) {
        return Status::INVALID_PARAMETER;
    }
    if (is_given(of.bias)) {
        if (!is_floating(of.bias.GetType())) return Status::NOT_SUPPORTED;
        if (!strides_for(of.bias, of.out.sizes(), p.bias_strides)) return Status::INVALID_PARAMETER;
    }
    if (param) {
        const Status status = set_factors(*param, p);
        if (status != Status::SUCCESS) return status;
    }
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [p] { compute(p); }));
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

Status MatrixProduct::SetGamma(double gamma) {
    gamma_ = gamma;
    return Status::SUCCESS;
}

Status MatrixProduct::SetDeterministic(bool) {
    return Status::SUCCESS;
}

Status MatMulLtParam::SetScale(const Tensor& left, const Tensor& right, const Tensor& c, const Tensor& out, int tile,
                               bool transposed) {
    left_ = left;
    right_ = right;
    c_ = c;
    out_ = out;
    tile_ = tile;
    transposed_ = transposed;
    return tile > 0 ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

Status MatMulLtParam::SetAmaxD(const Tensor& largest) {
    largest_ = largest;
    return Status::SUCCESS;
}

Status MatMulLtParam::SetEpilogue(MatMulLtEpilogueMode mode) {
    epilogue_ = mode;
    return Status::SUCCESS;
}

Status MatMul::Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
                   const MemoryMaintainer&) const {
    return multiply(handle, {out, left, right, out, Tensor()}, 2, {transpose_left_, transpose_right_, alpha_, beta_, 0});
}

Status MatMul::RunWithBiasAdd(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right, const Tensor& bias,
                              const MemoryMaintainer& maintainer) const {
    return RunWithBiasAdd(handle, out, left, right, out, bias, maintainer);
}

Status MatMul::RunWithBiasAdd(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right, const Tensor& c,
                              const Tensor& bias, const MemoryMaintainer&) const {
    return multiply(handle, {out, left, right, c, bias}, 2, {transpose_left_, transpose_right_, alpha_, beta_, gamma_});
}

Status MatMul::RunLt(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right, const Tensor& c,
                     const Tensor& bias, const MatMulLtParam& param, const MemoryMaintainer&) const {
    return multiply(handle, {out, left, right, c, bias}, 2, {transpose_left_, transpose_right_, alpha_, beta_, gamma_},
                    &param);
}

Status BatchMatMul::Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
                        const MemoryMaintainer&) const {
    return multiply(handle, {out, left, right, out, Tensor()}, 3, {transpose_left_, transpose_right_, alpha_, beta_, 0});
}

Status BatchMatMul::RunWithBiasAdd(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
                                   const Tensor& bias, const MemoryMaintainer& maintainer) const {
    return RunWithBiasAdd(handle, out, left, right, out, bias, maintainer);
}

Status BatchMatMul::RunWithBiasAdd(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
                                   const Tensor& c, const Tensor& bias, const MemoryMaintainer&) const {
    return multiply(handle, {out, left, right, c, bias}, 3, {transpose_left_, transpose_right_, alpha_, beta_, gamma_});
}

Status BatchMatMul::RunLt(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right, const Tensor& c,
                          const Tensor& bias, const MatMulLtParam& param, const MemoryMaintainer&) const {
    const std::size_t dimensions = out.sizes().size() == 2 ? 2 : 3;
    return multiply(handle, {out, left, right, c, bias}, dimensions,
                    {transpose_left_, transpose_right_, alpha_, beta_, gamma_}, &param);
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
