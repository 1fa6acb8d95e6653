// Elementwise operators of one to three operands.
#include "../enqueue.h"
#include "elements.h"
#include "functions.h"

#include <cmath>

namespace musa::dnn {
namespace {

using namespace mudnn;

double gelu_tanh(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

double gelu_slope(double x) {
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
    return 0.5 * (1 + std::erf(x / std::sqrt(2.0))) + x * density;
}

double gelu_tanh_slope(double x) {
    const double scale = std::sqrt(2 / M_PI), t = std::tanh(scale * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x);
}

double silu_slope(double x) {
    const double sigmoid = 1 / (1 + std::exp(-x));
    return sigmoid * (1 + x * (1 - sigmoid));
}

double floor_mod(double x, double y) {
    const double rest = std::fmod(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

double of_one(Unary::Mode mode, double x, double alpha, double beta) {
    using Mode = Unary::Mode;
    switch (mode) {
        case Mode::IDENTITY:
        case Mode::CAST: return x;
        case Mode::ABS: return std::fabs(x);
        case Mode::NEG: return -x;
        case Mode::RECIPROCAL: return 1 / x;
        case Mode::SQRT: return std::sqrt(x);
        case Mode::RSQRT: return 1 / std::sqrt(x);
        case Mode::SQUARE: return x * x;
        case Mode::EXP: return std::exp(x);
        case Mode::LOG: return std::log(x);
        case Mode::LOG2: return std::log2(x);
        case Mode::LOG10: return std::log10(x);
        case Mode::LOG1P: return std::log1p(x);
        case Mode::SIN: return std::sin(x);
        case Mode::COS: return std::cos(x);
        case Mode::TAN: return std::tan(x);
        case Mode::TANH: return std::tanh(x);
        case Mode::ATAN: return std::atan(x);
        case Mode::ERF: return std::erf(x);
        case Mode::FLOOR: return std::floor(x);
        case Mode::CEIL: return std::ceil(x);
        case Mode::ROUND: return std::nearbyint(x);
        case Mode::SIGN: return x > 0 ? 1 : x < 0 ? -1 : x;
        case Mode::RELU: return relu(x);
        case Mode::SIGMOID: return 1 / (1 + std::exp(-x));
        case Mode::SILU: return silu(x);
        case Mode::GELU: return gelu(x);
        case Mode::GELU_TANH: return gelu_tanh(x);
        case Mode::SOFTPLUS: return x * alpha > beta ? x : std::log1p(std::exp(x * alpha)) / alpha;
        case Mode::LEAKY_RELU: return x > 0 ? x : alpha * x;
        case Mode::ELU: return x > 0 ? x : alpha * std::expm1(x);
        case Mode::CLIP: return std::isnan(x) ? x : std::min(std::max(x, alpha), beta);
        case Mode::POW: return std::pow(x, alpha);
        case Mode::ADD: return x + alpha;
        case Mode::SUB: return x - alpha;
        case Mode::SUB_BY_ALPHA: return alpha - x;
        case Mode::MUL: return x * alpha;
        case Mode::TRUEDIV: return x / alpha;
        case Mode::FLOORDIV: return std::floor(x / alpha);
        case Mode::TRUNCATEDIV: return std::trunc(x / alpha);
        case Mode::FLOORMOD: return floor_mod(x, alpha);
        case Mode::EQ: return x == alpha;
        case Mode::NE: return x != alpha;
        case Mode::LT: return x < alpha;
        case Mode::LE: return x <= alpha;
        case Mode::GT: return x > alpha;
        case Mode::GE: return x >= alpha;
    }
    return 0;
}

double of_two(Binary::Mode mode, double x, double y, double alpha) {
    using Mode = Binary::Mode;
    switch (mode) {
        case Mode::ADD: return x + y;
        case Mode::SUB: return x - y;
        case Mode::MUL: return x * y;
        case Mode::DIVNONAN: return y == 0 ? 0 : x / y;
        case Mode::PRELU: return x < 0 ? x * y : x;
        case Mode::DIV:
        case Mode::TRUEDIV: return x / y;
        case Mode::FLOORDIV: return std::floor(x / y);
        case Mode::TRUNCATEDIV: return std::trunc(x / y);
        case Mode::FLOORMOD: return floor_mod(x, y);
        case Mode::POW: return std::pow(x, y);
        case Mode::MAX: return std::isnan(x) || x > y ? x : y;
        case Mode::MIN: return std::isnan(x) || x < y ? x : y;
        case Mode::EQ: return x == y;
        case Mode::NE: return x != y;
        case Mode::LT: return x < y;
        case Mode::LE: return x <= y;
        case Mode::GT: return x > y;
        case Mode::GE: return x >= y;
        case Mode::LOGICAL_AND: return x != 0 && y != 0;
        case Mode::LOGICAL_OR: return x != 0 || y != 0;
        case Mode::LOGICAL_XOR: return (x != 0) != (y != 0);
        case Mode::SILU_BW: return x * silu_slope(y);
        case Mode::SIGMOID_BW: return x * y * (1 - y);
        case Mode::TANH_BW: return x * (1 - y * y);
        case Mode::GELU_NONE_BW: return x * gelu_slope(y);
        case Mode::GELU_TANH_BW: return x * gelu_tanh_slope(y);
        case Mode::THRESHOLD_BW: return y <= alpha ? 0 : x;
        case Mode::LEAKY_RELU_BW: return y > 0 ? x : alpha * x;
        case Mode::RSQRT_BW: return -0.5 * x * x * x * y;
    }
    return 0;
}

double of_three(Ternary::Mode mode, double x, double y, double z, double alpha) {
    using Mode = Ternary::Mode;
    switch (mode) {
        case Mode::SELECT: return x != 0 ? y : z;
        case Mode::CLAMP: return std::isnan(x) || std::isnan(y) || std::isnan(z) ? x + y + z : std::min(std::max(x, y), z);
        case Mode::ADDCMUL: return x + y * z;
        case Mode::ADDCMUL_ALPHA: return x + alpha * y * z;
        case Mode::ADDCDIV: return x + y / z;
        case Mode::ADDCDIV_ALPHA: return x + alpha * y / z;
    }
    return 0;
}

// Integers of 64 bits do not fit a double.
bool too_wide(const Tensor& tensor) {
    return tensor.GetType() == Type::INT64 || tensor.GetType() == Type::UINT64;
}

}  // namespace

Status Unary::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status Unary::SetAlpha(double alpha) {
    alpha_ = alpha;
    return Status::SUCCESS;
}

Status Unary::SetAlpha(int64_t alpha) {
    return SetAlpha(static_cast<double>(alpha));
}

Status Unary::SetBeta(double beta) {
    beta_ = beta;
    return Status::SUCCESS;
}

Status Unary::SetBeta(int64_t beta) {
    return SetBeta(static_cast<double>(beta));
}

Status Unary::Run(Handle& handle, Tensor& out, const Tensor& in) const {
    std::vector<int64_t> strides[2] = {out.strides()};
    if (!is_known(out.GetType()) || !is_known(in.GetType())) return Status::NOT_SUPPORTED;
    if (!strides_for(in, out.sizes(), strides[1])) return Status::INVALID_PARAMETER;
    if (too_wide(out) || too_wide(in)) return Status::NOT_SUPPORTED;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [out, in, to = strides[0], from = strides[1], mode = mode_, alpha = alpha_, beta = beta_] {
            const std::vector<int64_t> both[2] = {to, from};
            each(out.sizes(), both, [&](const int64_t(&at)[2]) {
                const double x = read(in.GetType(), in.GetAddr(), at[1]);
                write(out.GetType(), out.GetAddr(), at[0], of_one(mode, x, alpha, beta));
            });
        }));
}

Status Binary::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status Binary::SetAlpha(double alpha) {
    alpha_ = alpha;
    return Status::SUCCESS;
}

Status Binary::SetAlpha(int64_t alpha) {
    return SetAlpha(static_cast<double>(alpha));
}

Status Binary::Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right) const {
    std::vector<int64_t> strides[3] = {out.strides()};
    for (const Tensor* tensor : {static_cast<const Tensor*>(&out), &left, &right}) {
        if (!is_known(tensor->GetType()) || too_wide(*tensor)) return Status::NOT_SUPPORTED;
    }
    if (!strides_for(left, out.sizes(), strides[1]) || !strides_for(right, out.sizes(), strides[2])) {
        return Status::INVALID_PARAMETER;
    }
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(),
        [out, left, right, mode = mode_, alpha = alpha_, to = strides[0], first = strides[1], second = strides[2]] {
            const std::vector<int64_t> all[3] = {to, first, second};
            each(out.sizes(), all, [&](const int64_t(&at)[3]) {
                const double x = read(left.GetType(), left.GetAddr(), at[1]);
                const double y = read(right.GetType(), right.GetAddr(), at[2]);
                write(out.GetType(), out.GetAddr(), at[0], of_two(mode, x, y, alpha));
            });
        }));
}

Status Ternary::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status Ternary::SetAlpha(double alpha) {
    alpha_ = alpha;
    return Status::SUCCESS;
}

Status Ternary::SetAlpha(int64_t alpha) {
    return SetAlpha(static_cast<double>(alpha));
}

Status Ternary::Run(Handle& handle, Tensor& out, const Tensor& first, const Tensor& second, const Tensor& third) const {
    std::vector<int64_t> strides[4] = {out.strides()};
    const Tensor* const operands[3] = {&first, &second, &third};
    if (!is_known(out.GetType()) || too_wide(out)) return Status::NOT_SUPPORTED;
    for (std::size_t i = 0; i < 3; ++i) {
        if (!is_known(operands[i]->GetType()) || too_wide(*operands[i])) return Status::NOT_SUPPORTED;
        if (!strides_for(*operands[i], out.sizes(), strides[i + 1])) return Status::INVALID_PARAMETER;
    }
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [out, first, second, third, mode = mode_, alpha = alpha_, a = strides[0], b = strides[1],
                             c = strides[2], d = strides[3]] {
            const std::vector<int64_t> all[4] = {a, b, c, d};
            each(out.sizes(), all, [&](const int64_t(&at)[4]) {
                const double x = read(first.GetType(), first.GetAddr(), at[1]);
                const double y = read(second.GetType(), second.GetAddr(), at[2]);
                const double z = read(third.GetType(), third.GetAddr(), at[3]);
                write(out.GetType(), out.GetAddr(), at[0], of_three(mode, x, y, z, alpha));
            });
        }));
}

}  // namespace musa::dnn
