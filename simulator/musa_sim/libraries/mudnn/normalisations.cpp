// Batch and group normalisation.
#include "../enqueue.h"
#include "elements.h"

#include <cmath>

namespace musa::dnn {
namespace {

using namespace mudnn;
using Values = std::vector<double>;

// The sizes of a tensor [count, channels, pixels...].
struct ChannelSizes {
    explicit ChannelSizes(const Tensor& tensor)
        : lines(static_cast<std::size_t>(tensor.sizes()[0])), channels(static_cast<std::size_t>(tensor.sizes()[1])) {
        for (std::size_t i = 2; i < tensor.sizes().size(); ++i) pixels *= static_cast<std::size_t>(tensor.sizes()[i]);
    }
    // Call `use` with the index of each element of a channel.
    template <class Use>
    void each_of(std::size_t channel, Use use) const {
        for (std::size_t line = 0; line < lines; ++line) {
            for (std::size_t i = 0; i < pixels; ++i) use((line * channels + channel) * pixels + i);
        }
    }

    std::size_t lines, channels, pixels = 1;
};

// Check that a tensor has one number for each channel, or is omitted.
bool has_channels(const Tensor& tensor, const Tensor& of) {
    return !is_given(tensor) || (is_floating(tensor.GetType()) && count(tensor.sizes()) == of.sizes()[1]);
}

Values values_or(const Tensor& tensor, std::size_t size, double other) {
    return is_given(tensor) ? numbers_of(tensor) : Values(size, other);
}

void store_if_given(const Tensor& tensor, const Values& values) {
    if (is_given(tensor)) store_numbers(tensor, values);
}

Status check_channels(std::initializer_list<const Tensor*> images, std::initializer_list<const Tensor*> vectors) {
    const Tensor& first = **images.begin();
    if (!are_floating(images)) return Status::NOT_SUPPORTED;
    if (first.sizes().size() < 2) return Status::INVALID_PARAMETER;
    for (const Tensor* each : images) {
        if (each->sizes() != first.sizes()) return Status::INVALID_PARAMETER;
    }
    for (const Tensor* each : vectors) {
        if (!has_channels(*each, first)) return Status::INVALID_PARAMETER;
    }
    return Status::SUCCESS;
}

Values inverse_deviations(Values variances, double epsilon) {
    for (double& x : variances) x = 1 / std::sqrt(x + epsilon);
    return variances;
}

// (x - mean) * factor * gamma + beta
void normalise(const Tensor& out, const Tensor& in, const Values& mean, const Values& factor, const Tensor& gamma,
               const Tensor& beta) {
    const ChannelSizes sizes(in);
    const Values by = values_or(gamma, sizes.channels, 1), plus = values_or(beta, sizes.channels, 0);
    Values values = numbers_of(in);
    for (std::size_t c = 0; c < sizes.channels; ++c) {
        sizes.each_of(c, [&](std::size_t i) { values[i] = (values[i] - mean[c]) * factor[c] * by[c] + plus[c]; });
    }
    store_numbers(out, values);
}

void move_towards(const Tensor& running, const Values& values, double momentum) {
    if (!is_given(running)) return;
    Values moved = numbers_of(running);
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = (1 - momentum) * moved[i] + momentum * values[i];
    store_numbers(running, moved);
}

// Compute the mean and the variance of each channel.
void statistics(const Values& values, const ChannelSizes& sizes, Values& mean, Values& variance) {
    const auto number = static_cast<double>(sizes.lines * sizes.pixels);
    mean.assign(sizes.channels, 0);
    variance.assign(sizes.channels, 0);
    for (std::size_t c = 0; c < sizes.channels; ++c) {
        sizes.each_of(c, [&](std::size_t i) { mean[c] += values[i] / number; });
        sizes.each_of(c, [&](std::size_t i) { variance[c] += (values[i] - mean[c]) * (values[i] - mean[c]) / number; });
    }
}

struct BatchGradients {
    Values in, gamma, beta;
};

// In training, the mean and the deviation depend on the elements, too.
BatchGradients batch_gradients(const ChannelSizes& sizes, const Values& in, const Values& grad_out, const Values& mean,
                               const Values& factor, const Values& gamma, bool training) {
    const auto number = static_cast<double>(sizes.lines * sizes.pixels);
    BatchGradients gradients{Values(in.size()), Values(sizes.channels), Values(sizes.channels)};
    for (std::size_t c = 0; c < sizes.channels; ++c) {
        double &to_gamma = gradients.gamma[c], &to_beta = gradients.beta[c];
        const auto normal = [&](std::size_t i) { return (in[i] - mean[c]) * factor[c]; };
        sizes.each_of(c, [&](std::size_t i) {
            to_gamma += grad_out[i] * normal(i);
            to_beta += grad_out[i];
        });
        sizes.each_of(c, [&](std::size_t i) {
            const double shared = training ? (to_beta + normal(i) * to_gamma) / number : 0;
            gradients.in[i] = gamma[c] * factor[c] * (grad_out[i] - shared);
        });
    }
    return gradients;
}

}  // namespace

Status BatchNorm::SetMode(Mode mode) {
    mode_ = mode;
    return mode == Mode::PER_CHANNEL ? Status::SUCCESS : Status::NOT_SUPPORTED;
}

Status BatchNorm::SetEpsilon(double epsilon) {
    epsilon_ = epsilon;
    return Status::SUCCESS;
}

Status BatchNorm::SetTraining(bool training) {
    training_ = training;
    return Status::SUCCESS;
}

Status BatchNorm::RunPure(Handle& handle, Tensor& result, const Tensor& source, const Tensor& mean, const Tensor& variance,
                          const Tensor& gamma, const Tensor& beta) const {
    if (mode_ != Mode::PER_CHANNEL) return Status::NOT_SUPPORTED;
    const Tensor out = channels_first(result), in = channels_first(source);
    const Status checked = check_channels({&in, &out}, {&mean, &variance, &gamma, &beta});
    if (checked != Status::SUCCESS) return checked;
    if (!is_given(mean) || !is_given(variance)) return Status::INVALID_PARAMETER;
    return status_of(
        musa_sim::enqueue_work(handle.GetStream(), [out, in, mean, variance, gamma, beta, epsilon = epsilon_] {
            normalise(out, in, numbers_of(mean), inverse_deviations(numbers_of(variance), epsilon), gamma, beta);
        }));
}

Status BatchNorm::RunComposite(Handle& handle, Tensor& result, const Tensor& source, Tensor& running_mean,
                               Tensor& running_variance, Tensor& mean, Tensor& inverse_deviation, const Tensor& gamma,
                               const Tensor& beta, double momentum, const MemoryMaintainer&) const {
    if (mode_ != Mode::PER_CHANNEL) return Status::NOT_SUPPORTED;
    const Tensor out = channels_first(result), in = channels_first(source);
    const Status checked =
        check_channels({&in, &out}, {&running_mean, &running_variance, &mean, &inverse_deviation, &gamma, &beta});
    if (checked != Status::SUCCESS) return checked;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, epsilon = epsilon_, running_mean = Tensor(running_mean), mean = Tensor(mean),
                             running_variance = Tensor(running_variance), inverse_deviation = Tensor(inverse_deviation)] {
            const ChannelSizes sizes(in);
            Values means, variances;
            statistics(numbers_of(in), sizes, means, variances);
            const Values factors = inverse_deviations(variances, epsilon);
            normalise(out, in, means, factors, gamma, beta);
            store_if_given(mean, means);
            store_if_given(inverse_deviation, factors);
            move_towards(running_mean, means, momentum);
            const auto number = static_cast<double>(sizes.lines * sizes.pixels);
            for (double& x : variances) x *= number / (number - 1);  // the sample variance
            move_towards(running_variance, variances, momentum);
        }));
}

Status BatchNorm::RunBwd(Handle& handle, Tensor& result, Tensor&, Tensor&, Tensor& grad_gamma, Tensor& grad_beta,
                         const Tensor& source, const Tensor& gradient, const Tensor& mean, const Tensor& deviation,
                         const Tensor& gamma, const MemoryMaintainer&) const {
    if (mode_ != Mode::PER_CHANNEL) return Status::NOT_SUPPORTED;
    const Tensor grad_in = channels_first(result), in = channels_first(source), grad_out = channels_first(gradient);
    const Status checked =
        check_channels({&in, &grad_in, &grad_out}, {&grad_gamma, &grad_beta, &mean, &deviation, &gamma});
    if (checked != Status::SUCCESS) return checked;
    if (!is_given(mean) || !is_given(deviation)) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, epsilon = epsilon_, training = training_, grad_gamma = Tensor(grad_gamma),
                             grad_beta = Tensor(grad_beta)] {
            const ChannelSizes sizes(in);
            const Values factors = training ? numbers_of(deviation) : inverse_deviations(numbers_of(deviation), epsilon);
            const BatchGradients gradients = batch_gradients(sizes, numbers_of(in), numbers_of(grad_out), numbers_of(mean),
                                                             factors, values_or(gamma, sizes.channels, 1), training);
            store_numbers(grad_in, gradients.in);
            store_if_given(grad_gamma, gradients.gamma);
            store_if_given(grad_beta, gradients.beta);
        }));
}

Status GroupNorm::SetEpsilon(double epsilon) {
    epsilon_ = epsilon;
    return Status::SUCCESS;
}

Status GroupNorm::SetAxis(int axis) {
    axis_ = axis;
    return Status::SUCCESS;
}

Status GroupNorm::SetGroup(int groups) {
    if (groups < 1) return Status::INVALID_PARAMETER;
    groups_ = groups;
    return Status::SUCCESS;
}

// Normalise the channels of a group in one line of the batch as batch normalisation does one channel.
Status GroupNorm::Run(Handle& handle, Tensor& result, Tensor& mean, Tensor& inverse_deviation, const Tensor& source,
                      const Tensor& gamma, const Tensor& beta) const {
    const int axis = dimension_of(axis_, source.sizes().size());
    if (axis < 1 || result.sizes() != source.sizes()) return Status::INVALID_PARAMETER;
    const auto second = static_cast<std::size_t>(axis);
    const Tensor out = with_second(result, second), in = with_second(source, second);
    const Status checked = check_channels({&in, &out}, {&gamma, &beta});
    if (checked != Status::SUCCESS) return checked;
    const int64_t lines = in.sizes()[0], channels = in.sizes()[1];
    if (channels % groups_ != 0) return Status::INVALID_PARAMETER;
    for (const Tensor* each : {&mean, &inverse_deviation}) {
        if (is_given(*each) && !is_floating(each->GetType())) return Status::NOT_SUPPORTED;
        if (is_given(*each) && count(each->sizes()) != lines * groups_) return Status::INVALID_PARAMETER;
    }
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, epsilon = epsilon_, groups = static_cast<std::size_t>(groups_), mean = Tensor(mean),
                             inverse_deviation = Tensor(inverse_deviation)] {
            const ChannelSizes sizes(in);
            ChannelSizes grouped = sizes;  // one line with all groups as channels
            grouped.channels = sizes.lines * groups;
            grouped.pixels = sizes.channels / groups * sizes.pixels;
            grouped.lines = 1;
            Values values = numbers_of(in), means, variances;
            statistics(values, grouped, means, variances);
            const Values factors = inverse_deviations(variances, epsilon);
            const Values by = values_or(gamma, sizes.channels, 1), plus = values_or(beta, sizes.channels, 0);
            for (std::size_t i = 0; i < values.size(); ++i) {
                const std::size_t group = i / grouped.pixels, c = i / sizes.pixels % sizes.channels;
                values[i] = (values[i] - means[group]) * factors[group] * by[c] + plus[c];
            }
            store_numbers(out, values);
            store_if_given(mean, means);
            store_if_given(inverse_deviation, factors);
        }));
}

}  // namespace musa::dnn
