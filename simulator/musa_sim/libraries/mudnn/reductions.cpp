// Reductions, running sums, and normalisation by layer.
#include "../enqueue.h"
#include "elements.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

namespace musa::dnn {
namespace {

using namespace mudnn;
using Sizes = std::vector<int64_t>;

// Count dimensions from 0, each once; no dimensions are all of them. Return false if one does not exist.
bool dimensions_of(const std::vector<int>& given, std::size_t rank, std::vector<bool>& reduced) {
    reduced.assign(rank, given.empty());
    for (int dimension : given) {
        const int at = dimension < 0 ? dimension + static_cast<int>(rank) : dimension;
        if (at < 0 || at >= static_cast<int>(rank) || reduced[static_cast<std::size_t>(at)]) return false;
        reduced[static_cast<std::size_t>(at)] = true;
    }
    return true;
}

// A tensor as lines along some dimensions; the outer sizes and strides lead to the first element of each line.
struct Lines {
    Lines(const Tensor& in, const std::vector<bool>& reduced) {
        for (std::size_t i = 0; i < reduced.size(); ++i) {
            (reduced[i] ? sizes : outer).push_back(in.sizes()[i]);
            (reduced[i] ? strides : outer_strides).push_back(in.strides()[i]);
        }
    }
    Sizes outer, outer_strides, sizes, strides;
};

// Set the strides of a result along the outer dimensions. The result may keep the reduced dimensions as 1. Return false
// for other sizes.
bool result_strides(const Tensor& out, const Sizes& in, const std::vector<bool>& reduced, Sizes& strides) {
    const bool kept = out.sizes().size() == in.size();
    std::size_t next = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (reduced[i] && !kept) continue;
        if (next >= out.sizes().size() || out.sizes()[next] != (reduced[i] ? 1 : in[i])) return false;
        if (!reduced[i]) strides.push_back(out.strides()[next]);
        ++next;
    }
    const bool scalar = strides.empty() && count(out.sizes()) == 1;  // [1] for a result without dimensions
    return next == out.sizes().size() || scalar;
}

using Wide = unsigned long long;

// Sums of integers wrap around at 64 bits.
template <class Number>
Number plus(Number x, Number y) {
    if constexpr (std::is_integral_v<Number>) return static_cast<Number>(static_cast<Wide>(x) + static_cast<Wide>(y));
    else return x + y;
}

template <class Number>
Number times(Number x, Number y) {
    if constexpr (std::is_integral_v<Number>) return static_cast<Number>(static_cast<Wide>(x) * static_cast<Wide>(y));
    else return x * y;
}

template <class Number>
bool is_nan(Number x) {
    return x != x;
}

// Return whether x is better than the best so far. NaN is the best, as in torch.
template <class Number>
bool is_better(bool most, Number x, Number best) {
    return !is_nan(best) && (is_nan(x) || (most ? x > best : x < best));
}

template <class Number>
Number reduced_line(Reduce::Mode mode, double correction, double order, const std::vector<Number>& line) {
    using Mode = Reduce::Mode;
    const auto length = static_cast<double>(line.size());
    const auto sum = [&] { return std::accumulate(line.begin(), line.end(), Number{}, plus<Number>); };
    switch (mode) {
        case Mode::ADD: return sum();
        case Mode::MEAN: return static_cast<Number>(static_cast<double>(sum()) / length);
        case Mode::PROD: return std::accumulate(line.begin(), line.end(), Number{1}, times<Number>);
        case Mode::MAX:
        case Mode::MIN: {
            Number best = line[0];
            for (Number x : line) best = is_better(mode == Mode::MAX, x, best) ? x : best;
            return best;
        }
        case Mode::AND: return std::all_of(line.begin(), line.end(), [](Number x) { return x != Number{}; });
        case Mode::OR: return std::any_of(line.begin(), line.end(), [](Number x) { return x != Number{}; });
        case Mode::VARIANCE:
        case Mode::STD: {
            const double mean = static_cast<double>(sum()) / length;
            double squares = 0;
            for (Number x : line) squares += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
            const double variance = squares / std::fmax(0, length - correction);
            return static_cast<Number>(mode == Mode::STD ? std::sqrt(variance) : variance);
        }
        case Mode::NORM: {
            double all = order == -std::numeric_limits<double>::infinity() ? std::numeric_limits<double>::infinity() : 0;
            for (Number x : line) {
                const double size = std::fabs(static_cast<double>(x));
                if (std::isinf(order)) all = is_better(order > 0, size, all) ? size : all;
                else all += order == 0 ? size != 0 : std::pow(size, order);
            }
            return static_cast<Number>(std::isinf(order) || order == 0 ? all : std::pow(all, 1 / order));
        }
    }
    return Number{};
}

template <class Number>
Number value_at(const Tensor& of, int64_t at) {
    return with_type(of.GetType(), [&](auto* type) {
        const auto x = static_cast<decltype(type)>(of.GetAddr())[at];
        if constexpr (std::is_integral_v<Number> && std::is_integral_v<std::decay_t<decltype(x)>>)
            return static_cast<Number>(x);
        else
            return static_cast<Number>(number(x));
    });
}

template <class Number>
void put(const Tensor& of, int64_t at, Number x) {
    with_type(of.GetType(), [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        T* const to = static_cast<T*>(of.GetAddr()) + at;
        if constexpr (std::is_integral_v<Number> && std::is_integral_v<T>) *to = static_cast<T>(x);
        else store(to, static_cast<double>(x));
    });
}

// Call use(line, offset in the result) with the elements of each line, converted to Number.
template <class Number, class Use>
void each_line(const Tensor& in, const Lines& lines, const Sizes& result, Use use) {
    const Sizes both[2] = {lines.outer_strides, result};
    std::vector<Number> line(static_cast<std::size_t>(count(lines.sizes)));
    each(lines.outer, both, [&](const int64_t(&at)[2]) {
        const Sizes strides[1] = {lines.strides};
        std::size_t next = 0;
        each(lines.sizes, strides, [&](const int64_t(&inside)[1]) { line[next++] = value_at<Number>(in, at[0] + inside[0]); });
        use(line, at[1]);
    });
}

// Call use(Number{}) with the type in which the elements are computed.
template <class Use>
void in_numbers(bool floating, Use use) {
    floating ? use(double{}) : use(int64_t{});
}

bool has_only_floating_results(Reduce::Mode mode) {
    return mode == Reduce::Mode::MEAN || mode == Reduce::Mode::VARIANCE || mode == Reduce::Mode::STD ||
           mode == Reduce::Mode::NORM;
}

bool needs_elements(Reduce::Mode mode) { return mode == Reduce::Mode::MAX || mode == Reduce::Mode::MIN; }

bool are_known(std::initializer_list<const Tensor*> tensors) {
    return std::all_of(tensors.begin(), tensors.end(), [](const Tensor* each) { return is_known(each->GetType()); });
}

// Return whether the reduced dimensions are the last ones, from the first of them on.
bool is_suffix(const std::vector<bool>& reduced) {
    return std::is_sorted(reduced.begin(), reduced.end()) && !reduced.empty() && reduced.back();
}

struct NormGradients {
    std::vector<double> in, gamma, beta;
};

// Lines have `factors.size()` elements. RMS norm has a mean of 0, which does not depend on the elements.
NormGradients norm_gradients(const std::vector<double>& in, const std::vector<double>& grad_out,
                             const std::vector<double>& means, const std::vector<double>& scales,
                             const std::vector<double>& factors, bool centred) {
    const std::size_t length = factors.size();
    NormGradients of{std::vector<double>(in.size()), std::vector<double>(length), std::vector<double>(length)};
    for (std::size_t line = 0; line < scales.size(); ++line) {
        const std::size_t begin = line * length;
        const auto normal = [&](std::size_t i) { return (in[begin + i] - means[line]) * scales[line]; };
        double sum = 0, with_normal = 0;
        for (std::size_t i = 0; i < length; ++i) {
            const double gradient = grad_out[begin + i];
            of.gamma[i] += gradient * normal(i);
            of.beta[i] += gradient;
            sum += gradient * factors[i] / static_cast<double>(length);
            with_normal += gradient * factors[i] * normal(i) / static_cast<double>(length);
        }
        for (std::size_t i = 0; i < length; ++i) {
            const double shared = (centred ? sum : 0) + normal(i) * with_normal;
            of.in[begin + i] = scales[line] * (grad_out[begin + i] * factors[i] - shared);
        }
    }
    return of;
}

}  // namespace

Status Reduce::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status Reduce::SetDim(std::initializer_list<int> dimensions) {
    dimensions_ = dimensions;
    return Status::SUCCESS;
}

Status Reduce::SetDim(int count, const int* dimensions) {
    if (count < 0 || (count > 0 && !dimensions)) return Status::INVALID_PARAMETER;
    dimensions_.assign(dimensions, dimensions + count);
    return Status::SUCCESS;
}

Status Reduce::SetCorrection(double correction) {
    correction_ = correction;
    return Status::SUCCESS;
}

Status Reduce::SetNormOrd(double order) {
    order_ = order;
    return Status::SUCCESS;
}

Status Reduce::Run(Handle& handle, Tensor& out, const Tensor& in, const MemoryMaintainer&) const {
    std::vector<bool> reduced;
    Sizes strides;
    if (!are_known({&out, &in})) return Status::NOT_SUPPORTED;
    if (!dimensions_of(dimensions_, in.sizes().size(), reduced) || !result_strides(out, in.sizes(), reduced, strides))
        return Status::INVALID_PARAMETER;
    const bool floating = is_floating(in.GetType()) || is_floating(out.GetType());
    if (!floating && has_only_floating_results(mode_)) return Status::NOT_SUPPORTED;
    const Lines lines(in, reduced);
    if (needs_elements(mode_) && count(lines.sizes) == 0 && count(lines.outer) > 0) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [out, in, lines, strides, floating, mode = mode_,
                                                                 correction = correction_, order = order_] {
        in_numbers(floating, [&](auto zero) {
            using Number = decltype(zero);
            each_line<Number>(in, lines, strides, [&](const std::vector<Number>& line, int64_t at) {
                put(out, at, reduced_line(mode, correction, order, line));
            });
        });
    }));
}

// Without an address of `out`, the values are not written.
Status Reduce::RunWithIndices(Handle& handle, Tensor& out, Tensor& indices, const Tensor& in,
                              const MemoryMaintainer&) const {
    std::vector<bool> reduced;
    Sizes strides, index_strides;
    if (!are_known({&out, &indices, &in}) || !needs_elements(mode_) || is_floating(indices.GetType()))
        return Status::NOT_SUPPORTED;
    if (!dimensions_of(dimensions_, in.sizes().size(), reduced) || !result_strides(out, in.sizes(), reduced, strides) ||
        !result_strides(indices, in.sizes(), reduced, index_strides) || dimensions_.size() > 1)
        return Status::INVALID_PARAMETER;
    const Lines lines(in, reduced);
    if (count(lines.sizes) == 0 && count(lines.outer) > 0) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [out, indices, in, lines, strides, index_strides, most = mode_ == Mode::MAX] {
            in_numbers(is_floating(in.GetType()), [&](auto zero) {
                using Number = decltype(zero);
                Sizes offsets;  // of the indices, in the order of the lines
                const Sizes one[1] = {index_strides};
                each(lines.outer, one, [&](const int64_t(&at)[1]) { offsets.push_back(at[0]); });
                std::size_t number = 0;
                each_line<Number>(in, lines, strides, [&](const std::vector<Number>& line, int64_t at) {
                    std::size_t best = 0;
                    for (std::size_t i = 1; i < line.size(); ++i) best = is_better(most, line[i], line[best]) ? i : best;
                    if (out.GetAddr()) put(out, at, line[best]);
                    put(indices, offsets[number++], static_cast<int64_t>(best));
                });
            });
        }));
}

Status Reduce::RunIndices(Handle& handle, Tensor& indices, const Tensor& in, const MemoryMaintainer& maintainer) const {
    Tensor no_values = indices;
    no_values.SetType(in.GetType());
    no_values.SetAddr(nullptr);
    return RunWithIndices(handle, no_values, indices, in, maintainer);
}

Status Cum::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status Cum::SetDim(int dimension) {
    dimension_ = dimension;
    return Status::SUCCESS;
}

Status Cum::Run(Handle& handle, Tensor& out, const Tensor& in, const MemoryMaintainer&) const {
    std::vector<bool> along;
    if (!are_known({&out, &in})) return Status::NOT_SUPPORTED;
    if (out.sizes() != in.sizes() || !dimensions_of({dimension_}, in.sizes().size(), along)) return Status::INVALID_PARAMETER;
    const Lines lines(in, along), results(out, along);
    const bool floating = is_floating(in.GetType()) || is_floating(out.GetType());
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [out, in, lines, results, floating, mode = mode_] {
        in_numbers(floating, [&](auto zero) {
            using Number = decltype(zero);
            each_line<Number>(in, lines, results.outer_strides, [&](const std::vector<Number>& line, int64_t at) {
                auto so_far = static_cast<Number>(mode == Mode::MUL);
                for (Number x : line) {
                    so_far = mode == Mode::MUL ? times(so_far, x) : plus(so_far, x);
                    put(out, at, so_far);
                    at += results.strides[0];
                }
            });
        });
    }));
}

Status Norm::SetAxis(int count, const int* axes) {
    if (count <= 0 || !axes) return Status::INVALID_PARAMETER;
    axes_.assign(axes, axes + count);
    return Status::SUCCESS;
}

Status Norm::SetAxis(std::initializer_list<int> axes) {
    return SetAxis(static_cast<int>(axes.size()), axes.begin());
}

Status Norm::SetEpsilon(double epsilon) {
    epsilon_ = epsilon;
    return Status::SUCCESS;
}

// mean: nullptr for RMS norm. gamma and beta may be tensors without an address.
Status Norm::run(Handle& handle, const Tensor& out, const Tensor* mean, const Tensor& scale, const Tensor& in,
                 const Tensor& gamma, const Tensor* beta) const {
    std::vector<bool> reduced;
    Sizes strides;
    if (!is_floating(in.GetType()) || !is_floating(out.GetType())) return Status::NOT_SUPPORTED;
    const bool fits = dimensions_of(axes_, in.sizes().size(), reduced) && is_suffix(reduced) && out.sizes() == in.sizes();
    if (!fits) return Status::INVALID_PARAMETER;
    const Lines lines(in, reduced), results(out, reduced);
    const auto length = count(lines.sizes);
    for (const Tensor* each : {&gamma, beta}) {
        if (each && each->GetAddr() && count(each->sizes()) != length) return Status::INVALID_PARAMETER;
    }
    for (const Tensor* each : {mean, &scale}) {
        if (each && each->GetAddr() && count(each->sizes()) != count(lines.outer)) return Status::INVALID_PARAMETER;
    }
    const Tensor no_tensor;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [out, in, gamma, scale, lines, results, centred = mean != nullptr, epsilon = epsilon_,
                             means = mean ? *mean : no_tensor, shift = beta ? *beta : no_tensor] {
            int64_t number = 0;
            each_line<double>(in, lines, results.outer_strides, [&](const std::vector<double>& line, int64_t at) {
                const auto size = static_cast<double>(line.size());
                const double middle = centred ? std::accumulate(line.begin(), line.end(), 0.0) / size : 0;
                double squares = 0;
                for (double x : line) squares += (x - middle) * (x - middle);
                const double factor = 1 / std::sqrt(squares / size + epsilon);
                const Sizes inside[1] = {results.strides};
                std::size_t i = 0;
                each(results.sizes, inside, [&](const int64_t(&step)[1]) {
                    const auto element = static_cast<int64_t>(i);
                    const double by = gamma.GetAddr() ? read(gamma.GetType(), gamma.GetAddr(), element) : 1;
                    const double plus = shift.GetAddr() ? read(shift.GetType(), shift.GetAddr(), element) : 0;
                    write(out.GetType(), out.GetAddr(), at + step[0], (line[i++] - middle) * factor * by + plus);
                });
                if (means.GetAddr()) write(means.GetType(), means.GetAddr(), number, middle);
                if (scale.GetAddr()) write(scale.GetType(), scale.GetAddr(), number, factor);
                ++number;
            });
        }));
}

// mean and grad_beta: nullptr for RMS norm. grad_gamma, grad_beta and gamma may have no address.
Status Norm::run_backward(Handle& handle, const Tensor& grad_in, const Tensor& grad_gamma, const Tensor* grad_beta,
                          const Tensor& grad_out, const Tensor& in, const Tensor* mean, const Tensor& scale,
                          const Tensor& gamma) const {
    std::vector<bool> reduced;
    if (!are_floating({&grad_in, &grad_out, &in, &scale}) || (mean && !is_floating(mean->GetType())))
        return Status::NOT_SUPPORTED;
    const bool fits = dimensions_of(axes_, in.sizes().size(), reduced) && is_suffix(reduced) &&
                      grad_in.sizes() == in.sizes() && grad_out.sizes() == in.sizes();
    if (!fits) return Status::INVALID_PARAMETER;
    const Lines lines(in, reduced);
    const int64_t length = count(lines.sizes), number = count(lines.outer);
    for (const Tensor* each : {&grad_gamma, grad_beta, &gamma}) {
        if (each && is_given(*each) && count(each->sizes()) != length) return Status::INVALID_PARAMETER;
    }
    for (const Tensor* each : {mean, &scale}) {
        if (each && count(each->sizes()) != number) return Status::INVALID_PARAMETER;
    }
    const Tensor no_tensor;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, centred = mean != nullptr, middle = mean ? *mean : no_tensor,
                             to_beta = grad_beta ? *grad_beta : no_tensor] {
            const std::vector<double> scales = numbers_of(scale);
            const std::vector<double> means = centred ? numbers_of(middle) : std::vector<double>(scales.size());
            const std::vector<double> factors =
                is_given(gamma) ? numbers_of(gamma) : std::vector<double>(static_cast<std::size_t>(length), 1);
            const NormGradients of = norm_gradients(numbers_of(in), numbers_of(grad_out), means, scales, factors, centred);
            store_numbers(grad_in, of.in);
            if (is_given(grad_gamma)) store_numbers(grad_gamma, of.gamma);
            if (is_given(to_beta)) store_numbers(to_beta, of.beta);
        }));
}

Status LayerNorm::SetVarMode(VarMode) {
    return Status::SUCCESS;
}

Status LayerNorm::Run(Handle& handle, Tensor& out, Tensor& mean, Tensor& inverse_deviation, const Tensor& in,
                      const Tensor& gamma, const Tensor& beta, const MemoryMaintainer&) const {
    return run(handle, out, &mean, inverse_deviation, in, gamma, &beta);
}

Status LayerNorm::RunBwd(Handle& handle, Tensor& grad_in, Tensor& grad_gamma, Tensor& grad_beta, const Tensor& grad_out,
                         const Tensor& in, const Tensor& mean, const Tensor& inverse_deviation, const Tensor& gamma,
                         const MemoryMaintainer&) const {
    return run_backward(handle, grad_in, grad_gamma, &grad_beta, grad_out, in, &mean, inverse_deviation, gamma);
}

Status RMSNorm::Run(Handle& handle, Tensor& out, Tensor& inverse_root, const Tensor& in, const Tensor& gamma) const {
    return run(handle, out, nullptr, inverse_root, in, gamma, nullptr);
}

Status RMSNorm::RunBwd(Handle& handle, Tensor& grad_in, Tensor& grad_gamma, const Tensor& grad_out, const Tensor& in,
                       const Tensor& inverse_root, const Tensor& gamma, const MemoryMaintainer&) const {
    return run_backward(handle, grad_in, grad_gamma, nullptr, grad_out, in, nullptr, inverse_root, gamma);
}

}  // namespace musa::dnn
