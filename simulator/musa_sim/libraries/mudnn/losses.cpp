// Losses and their gradients.
#include "../enqueue.h"
#include "elements.h"

#include <cmath>
#include <limits>

namespace musa::dnn {
namespace {

using namespace mudnn;
using Losses = std::vector<double>;

// The input of a loss, [count, classes] or [classes], as lines of classes.
struct Classes {
    explicit Classes(const Tensor& in)
        : lines(in.sizes().size() == 2 ? static_cast<std::size_t>(in.sizes()[0]) : 1),
          classes(static_cast<std::size_t>(in.sizes().back())) {}
    std::size_t lines, classes;
};

Status check_classes(const Tensor& in, const Tensor& target, const Tensor& weight) {
    if (!is_floating(in.GetType()) || !is_index(target.GetType())) return Status::NOT_SUPPORTED;
    if (in.sizes().empty() || in.sizes().size() > 2) return Status::INVALID_PARAMETER;
    const Classes of(in);
    const bool weights_fit = !is_given(weight) || count(weight.sizes()) == static_cast<int64_t>(of.classes);
    return weights_fit && count(target.sizes()) == static_cast<int64_t>(of.lines) ? Status::SUCCESS
                                                                                  : Status::INVALID_PARAMETER;
}

// Check a tensor with a number for each line, or with a single number.
Status check_losses(const Tensor& losses, bool each_line, int64_t lines) {
    if (!is_floating(losses.GetType())) return Status::NOT_SUPPORTED;
    return count(losses.sizes()) == (each_line ? lines : 1) ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

Losses weights_of(const Tensor& weight, std::size_t classes) {
    return is_given(weight) ? numbers_of(weight) : Losses(classes, 1);
}

// The target of a line: ignored, a class, or a class that does not exist, which makes results NaN.
enum class Target { IGNORED, VALID, WRONG };

Target target_of(int64_t target, int64_t ignored, std::size_t classes) {
    if (target == ignored) return Target::IGNORED;
    return target >= 0 && target < static_cast<int64_t>(classes) ? Target::VALID : Target::WRONG;
}

double sum_of(const Losses& values) {
    double sum = 0;
    for (double x : values) sum += x;
    return sum;
}

// The losses of lines, and the weights of their targets.
struct LineLosses {
    Losses losses, weights;
};

// The coefficients of -log(probability) of each class in the loss of a line.
Losses coefficients(const Losses& weights, std::size_t target, double smoothing) {
    Losses of(weights.size());
    for (std::size_t c = 0; c < of.size(); ++c) {
        const double chosen = c == target ? (1 - smoothing) * weights[c] : 0;
        of[c] = chosen + smoothing * weights[c] / static_cast<double>(of.size());
    }
    return of;
}

// `log_probabilities` of lines of classes.
LineLosses losses_of_lines(const Losses& log_probabilities, const std::vector<int64_t>& targets, const Losses& weights,
                           int64_t ignored, double smoothing) {
    LineLosses of{Losses(targets.size()), Losses(targets.size())};
    const std::size_t classes = weights.size();
    for (std::size_t line = 0; line < targets.size(); ++line) {
        const Target target = target_of(targets[line], ignored, classes);
        if (target == Target::WRONG) of.losses[line] = std::numeric_limits<double>::quiet_NaN();
        if (target != Target::VALID) continue;
        const auto right = static_cast<std::size_t>(targets[line]);
        const Losses by = coefficients(weights, right, smoothing);
        for (std::size_t c = 0; c < classes; ++c) {
            if (by[c] != 0) of.losses[line] -= by[c] * log_probabilities[line * classes + c];
        }
        of.weights[line] = weights[right];
    }
    return of;
}

void log_softmax_of_lines(Losses& values, std::size_t classes) {
    for (std::size_t begin = 0; begin < values.size(); begin += classes) {
        double most = -std::numeric_limits<double>::infinity(), sum = 0;
        for (std::size_t c = 0; c < classes; ++c) most = std::fmax(most, values[begin + c]);
        for (std::size_t c = 0; c < classes; ++c) sum += std::exp(values[begin + c] - most);
        for (std::size_t c = 0; c < classes; ++c) values[begin + c] -= most + std::log(sum);
    }
}

// Return the gradient of a line's loss: the only one, or the line's own.
double gradient_of_line(const Losses& grad_out, std::size_t line, double divisor) {
    return grad_out[grad_out.size() == 1 ? 0 : line] / divisor;
}

double divergence(double in, double target, bool log_target) {
    if (log_target) return std::exp(target) * (target - in);
    return target == 0 ? 0 : target * (std::log(target) - in);
}

}  // namespace

Status NLLLoss::SetReductionMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status NLLLoss::SetIgnoreIndex(int64_t index) {
    ignored_ = index;
    return Status::SUCCESS;
}

// As in torch, the total weight without a reduction is 0, unless `in` is one line without a dimension for lines.
Status NLLLoss::Run(Handle& handle, Tensor& out, Tensor& total_weight, const Tensor& in, const Tensor& target,
                    const Tensor& weight, const MemoryMaintainer&) const {
    const Status checked = check_classes(in, target, weight);
    if (checked != Status::SUCCESS) return checked;
    const bool each_line = mode_ == Mode::NONE && in.sizes().size() == 2;
    for (const Status status : {check_losses(out, each_line, in.sizes()[0]), check_losses(total_weight, false, 1)}) {
        if (status != Status::SUCCESS) return status;
    }
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, out = Tensor(out), total_weight = Tensor(total_weight), mode = mode_, ignored = ignored_] {
            const LineLosses of =
                losses_of_lines(numbers_of(in), indices_of(target), weights_of(weight, Classes(in).classes), ignored, 0);
            const double sum = sum_of(of.weights), loss = sum_of(of.losses);
            store_numbers(out, each_line ? of.losses : Losses{mode == Mode::MEAN ? loss / sum : loss});
            store_numbers(total_weight, {each_line ? 0 : sum});
        }));
}

Status NLLLoss::RunBwd(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& target, const Tensor& weight,
                       const Tensor& total_weight, const MemoryMaintainer&) const {
    const Status checked = check_classes(grad_in, target, weight);
    if (checked != Status::SUCCESS) return checked;
    const bool each_line = mode_ == Mode::NONE && grad_in.sizes().size() == 2;
    for (const Status status : {check_losses(grad_out, each_line, grad_in.sizes()[0]), check_losses(total_weight, false, 1)}) {
        if (status != Status::SUCCESS) return status;
    }
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, grad_in = Tensor(grad_in), mode = mode_, ignored = ignored_] {
            const Classes sizes(grad_in);
            const Losses weights = weights_of(weight, sizes.classes), gradients = numbers_of(grad_out);
            const double divisor = mode == Mode::MEAN ? numbers_of(total_weight)[0] : 1;
            const std::vector<int64_t> targets = indices_of(target);
            Losses result(sizes.lines * sizes.classes);
            for (std::size_t line = 0; line < sizes.lines; ++line) {
                if (target_of(targets[line], ignored, sizes.classes) != Target::VALID) continue;
                const auto right = static_cast<std::size_t>(targets[line]);
                result[line * sizes.classes + right] = -weights[right] * gradient_of_line(gradients, line, divisor);
            }
            store_numbers(grad_in, result);
        }));
}

Status KLDivLoss::SetReductionMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status KLDivLoss::SetLogTarget(bool log_target) {
    log_target_ = log_target;
    return Status::SUCCESS;
}

Status KLDivLoss::Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& target, const MemoryMaintainer&) const {
    if (!are_floating({&in, &target, &out})) return Status::NOT_SUPPORTED;
    const bool fits = mode_ == Mode::NONE ? out.sizes() == in.sizes() : count(out.sizes()) == 1;
    if (!fits || in.sizes() != target.sizes()) return Status::INVALID_PARAMETER;
    return status_of(
        musa_sim::enqueue_work(handle.GetStream(), [=, out = Tensor(out), mode = mode_, log_target = log_target_] {
            Losses losses = numbers_of(in);
            const Losses targets = numbers_of(target);
            for (std::size_t i = 0; i < losses.size(); ++i) losses[i] = divergence(losses[i], targets[i], log_target);
            const double number = mode == Mode::MEAN ? static_cast<double>(losses.size()) : 1;
            store_numbers(out, mode == Mode::NONE ? losses : Losses{sum_of(losses) / number});
        }));
}

Status KLDivLoss::RunBwd(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& in,
                         const Tensor& target) const {
    if (!are_floating({&in, &target, &grad_in, &grad_out})) return Status::NOT_SUPPORTED;
    const bool fits = mode_ == Mode::NONE ? grad_out.sizes() == in.sizes() : count(grad_out.sizes()) == 1;
    if (!fits || in.sizes() != target.sizes() || in.sizes() != grad_in.sizes()) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, grad_in = Tensor(grad_in), mode = mode_, log_target = log_target_] {
            Losses targets = numbers_of(target);
            const Losses gradients = numbers_of(grad_out);
            const double divisor = mode == Mode::MEAN ? static_cast<double>(targets.size()) : 1;
            for (std::size_t i = 0; i < targets.size(); ++i) {
                targets[i] = -(log_target ? std::exp(targets[i]) : targets[i]) * gradient_of_line(gradients, i, divisor);
            }
            store_numbers(grad_in, targets);
        }));
}

Status CrossEntropyLoss::SetReductionMode(ReductionMode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status CrossEntropyLoss::SetLabelSmoothing(double smoothing) {
    smoothing_ = smoothing;
    return smoothing >= 0 && smoothing <= 1 ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

Status CrossEntropyLoss::SetIgnoreIndex(int64_t index) {
    ignored_ = index;
    return Status::SUCCESS;
}

Status CrossEntropyLoss::Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& target, const Tensor& weight,
                             const MemoryMaintainer&) const {
    if (in.sizes().size() != 2) return Status::INVALID_PARAMETER;
    for (const Status status : {check_classes(in, target, weight),
                                check_losses(out, mode_ == ReductionMode::NONE, in.sizes()[0])}) {
        if (status != Status::SUCCESS) return status;
    }
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, out = Tensor(out), mode = mode_, smoothing = smoothing_, ignored = ignored_] {
            const std::size_t classes = Classes(in).classes;
            Losses values = numbers_of(in);
            log_softmax_of_lines(values, classes);
            const LineLosses of =
                losses_of_lines(values, indices_of(target), weights_of(weight, classes), ignored, smoothing);
            const double divisor = mode == ReductionMode::MEAN ? sum_of(of.weights) : 1;
            store_numbers(out, mode == ReductionMode::NONE ? of.losses : Losses{sum_of(of.losses) / divisor});
        }));
}

Status CrossEntropyLoss::RunBwd(Handle& handle, Tensor& grad_in, const Tensor& in, const Tensor& grad_out,
                                const Tensor& target, const Tensor& weight, const MemoryMaintainer&) const {
    if (in.sizes().size() != 2 || grad_in.sizes() != in.sizes()) return Status::INVALID_PARAMETER;
    if (!is_floating(grad_in.GetType())) return Status::NOT_SUPPORTED;
    for (const Status status : {check_classes(in, target, weight),
                                check_losses(grad_out, mode_ == ReductionMode::NONE, in.sizes()[0])}) {
        if (status != Status::SUCCESS) return status;
    }
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, grad_in = Tensor(grad_in), mode = mode_, smoothing = smoothing_, ignored = ignored_] {
            const Classes sizes(in);
            Losses values = numbers_of(in);
            log_softmax_of_lines(values, sizes.classes);
            const Losses weights = weights_of(weight, sizes.classes), gradients = numbers_of(grad_out);
            const std::vector<int64_t> targets = indices_of(target);
            const LineLosses of = losses_of_lines(values, targets, weights, ignored, smoothing);
            const double divisor = mode == ReductionMode::MEAN ? sum_of(of.weights) : 1;
            for (std::size_t line = 0; line < sizes.lines; ++line) {
                double* const row = values.data() + line * sizes.classes;
                if (target_of(targets[line], ignored, sizes.classes) != Target::VALID) {
                    std::fill(row, row + sizes.classes, 0.0);
                    continue;
                }
                const Losses by = coefficients(weights, static_cast<std::size_t>(targets[line]), smoothing);
                const double all = sum_of(by), gradient = gradient_of_line(gradients, line, divisor);
                for (std::size_t c = 0; c < sizes.classes; ++c) row[c] = (std::exp(row[c]) * all - by[c]) * gradient;
            }
            store_numbers(grad_in, values);
        }));
}

}  // namespace musa::dnn
