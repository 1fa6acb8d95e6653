// The CTC loss (connectionist temporal classification), and its gradient.
#include "../enqueue.h"
#include "elements.h"

#include <cmath>
#include <limits>

namespace musa::dnn {
namespace {

using namespace mudnn;

constexpr double never = -std::numeric_limits<double>::infinity();

constexpr int64_t missing = -1;  // the index of a target that does not exist

// Return log(exp(x) + exp(y)).
double log_add(double x, double y) {
    const double most = std::fmax(x, y);
    return most == never ? never : most + std::log(std::exp(x - most) + std::exp(y - most));
}

// The log probabilities [time, count, classes], and the log probabilities of all ways to a position, [count, time,
// positions].
struct Alignments {
    explicit Alignments(const Tensor& tensor)
        : times(tensor.sizes()[0]), count(tensor.sizes()[1]), classes(tensor.sizes()[2]),
          log_probabilities(numbers_of(tensor)) {}
    double log_probability(int64_t time, int64_t n, int64_t label) const {
        return log_probabilities[static_cast<std::size_t>((time * count + n) * classes + label)];
    }

    int64_t times, count, classes;
    std::vector<double> log_probabilities;
};

// A sequence: its number, its length, and its targets with a blank before, between and after them.
struct Labels {
    int64_t n, times;
    std::vector<int64_t> labels;

    int64_t positions() const { return static_cast<int64_t>(labels.size()); }
    // Return whether a target may follow the previous one without a blank between them.
    bool can_skip_to(int64_t position) const {
        const auto at = static_cast<std::size_t>(position);
        return position >= 2 && position % 2 == 1 && labels[at] != labels[at - 2];
    }
};

// Targets are [count, longest], or all one after the other.
std::vector<Labels> labels_of(const Tensor& targets, const Tensor& times, const Tensor& lengths, int64_t blank) {
    const std::vector<int64_t> all = indices_of(targets), how_long = indices_of(times), how_many = indices_of(lengths);
    std::vector<Labels> result;
    int64_t next = 0;
    for (std::size_t n = 0; n < how_long.size(); ++n) {
        const auto number = static_cast<int64_t>(n);
        const int64_t first = targets.sizes().size() == 2 ? number * targets.sizes()[1] : next;
        Labels of{number, how_long[n], {blank}};
        for (int64_t i = 0; i < how_many[n]; ++i) {
            const auto at = static_cast<std::size_t>(first + i);
            of.labels.push_back(at < all.size() ? all[at] : missing);
            of.labels.push_back(blank);
        }
        next += how_many[n];
        result.push_back(of);
    }
    return result;
}

// Check that the times, the positions and all classes exist; otherwise results are NaN.
bool exist(const Labels& of, const Alignments& in, int64_t positions) {
    const auto is_class = [&](int64_t label) { return label >= 0 && label < in.classes; };
    return of.times >= 0 && of.times <= in.times && of.positions() <= positions &&
           std::all_of(of.labels.begin(), of.labels.end(), is_class);
}

using Ways = std::vector<double>;

// For each time, compute the probability of all ways to a position.
std::vector<Ways> ways_to(const Alignments& in, const Labels& of) {
    std::vector<Ways> ways(static_cast<std::size_t>(of.times), Ways(of.labels.size(), never));
    for (int64_t time = 0; time < of.times; ++time) {
        for (int64_t position = 0; position < of.positions(); ++position) {
            const auto s = static_cast<std::size_t>(position);
            double before = position < 2 ? 0 : never;  // the beginning of a way
            if (time > 0) {
                const Ways& last = ways[static_cast<std::size_t>(time - 1)];
                before = last[s];
                if (position >= 1) before = log_add(before, last[s - 1]);
                if (of.can_skip_to(position)) before = log_add(before, last[s - 2]);
            }
            ways[static_cast<std::size_t>(time)][s] = before + in.log_probability(time, of.n, of.labels[s]);
        }
    }
    return ways;
}

// For each time, compute the probability of all ways from a position to the end.
std::vector<Ways> ways_from(const Alignments& in, const Labels& of) {
    std::vector<Ways> ways(static_cast<std::size_t>(of.times), Ways(of.labels.size(), never));
    for (int64_t time = of.times; time-- > 0;) {
        for (int64_t position = 0; position < of.positions(); ++position) {
            const auto s = static_cast<std::size_t>(position);
            double after = position >= of.positions() - 2 ? 0 : never;  // the end of a way
            if (time + 1 < of.times) {
                const Ways& next = ways[static_cast<std::size_t>(time + 1)];
                after = next[s];
                if (position + 1 < of.positions()) after = log_add(after, next[s + 1]);
                if (position + 2 < of.positions() && of.can_skip_to(position + 2)) after = log_add(after, next[s + 2]);
            }
            ways[static_cast<std::size_t>(time)][s] = after + in.log_probability(time, of.n, of.labels[s]);
        }
    }
    return ways;
}

double loss_of(const std::vector<Ways>& ways) {
    if (ways.empty()) return 0;
    const Ways& last = ways.back();
    return -(last.size() == 1 ? last[0] : log_add(last[last.size() - 1], last[last.size() - 2]));
}

Status check_alignments(const Tensor& in, const Tensor& targets, const Tensor& times, const Tensor& lengths, int64_t blank) {
    for (const Tensor* each : {&targets, &times, &lengths}) {
        if (!is_floating(in.GetType()) || !is_index(each->GetType())) return Status::NOT_SUPPORTED;
    }
    const bool fits = in.sizes().size() == 3 && count(times.sizes()) == in.sizes()[1] &&
                      count(lengths.sizes()) == in.sizes()[1] && blank >= 0 && blank < in.sizes()[2] &&
                      (targets.sizes().size() == 1 || (targets.sizes().size() == 2 && targets.sizes()[0] == in.sizes()[1]));
    return fits ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

}  // namespace

Status CTCLoss::SetBlank(int64_t label) {
    blank_ = label;
    return Status::SUCCESS;
}

Status CTCLoss::SetZeroInfinity(bool zero) {
    zero_infinity_ = zero;
    return Status::SUCCESS;
}

Status CTCLoss::SetMaxTargetLength(int64_t length) {
    longest_ = length;
    return length >= 0 ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

Status CTCLoss::Run(Handle& handle, Tensor& out, Tensor& log_alpha, const Tensor& in, const Tensor& targets,
                    const Tensor& times, const Tensor& lengths) const {
    const Status checked = check_alignments(in, targets, times, lengths, blank_);
    if (checked != Status::SUCCESS) return checked;
    if (!are_floating({&out, &log_alpha})) return Status::NOT_SUPPORTED;
    const std::vector<int64_t> sizes{in.sizes()[1], in.sizes()[0], 2 * longest_ + 1};
    if (count(out.sizes()) != sizes[0] || log_alpha.sizes() != sizes) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, out = Tensor(out), log_alpha = Tensor(log_alpha), blank = blank_] {
            std::vector<double> losses, all(static_cast<std::size_t>(count(sizes)), never);
            const Alignments alignments(in);
            for (const Labels& of : labels_of(targets, times, lengths, blank)) {
                if (!exist(of, alignments, sizes[2])) {
                    losses.push_back(std::numeric_limits<double>::quiet_NaN());
                    continue;
                }
                const std::vector<Ways> ways = ways_to(alignments, of);
                const bool is_impossible = ways.empty() && of.positions() > 1;
                losses.push_back(is_impossible ? -never : loss_of(ways));
                int64_t at = of.n * sizes[1] * sizes[2];
                for (const Ways& positions : ways) {
                    std::copy(positions.begin(), positions.end(), all.begin() + at);
                    at += sizes[2];
                }
            }
            store_numbers(out, losses);
            store_numbers(log_alpha, all);
        }));
}

Status CTCLoss::RunBwd(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& in, const Tensor& targets,
                       const Tensor& times, const Tensor& lengths, const Tensor& loss, const Tensor& log_alpha,
                       const MemoryMaintainer&) const {
    const Status checked = check_alignments(in, targets, times, lengths, blank_);
    if (checked != Status::SUCCESS) return checked;
    if (!are_floating({&grad_in, &grad_out, &loss, &log_alpha})) return Status::NOT_SUPPORTED;
    const std::vector<int64_t> sizes{in.sizes()[1], in.sizes()[0], 2 * longest_ + 1};
    const bool fits = grad_in.sizes() == in.sizes() && count(grad_out.sizes()) == sizes[0] &&
                      count(loss.sizes()) == sizes[0] && log_alpha.sizes() == sizes;
    if (!fits) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, grad_in = Tensor(grad_in), blank = blank_, zero_infinity = zero_infinity_] {
            const Alignments alignments(in);
            const std::vector<double> losses = numbers_of(loss), gradients = numbers_of(grad_out);
            const std::vector<double> ways = numbers_of(log_alpha);
            std::vector<double> result(alignments.log_probabilities.size());
            for (const Labels& of : labels_of(targets, times, lengths, blank)) {
                const auto n = static_cast<std::size_t>(of.n);
                const bool is_left_out = zero_infinity && losses[n] == -never;
                if (is_left_out || !exist(of, alignments, sizes[2])) continue;
                const std::vector<Ways> from = ways_from(alignments, of);
                for (int64_t time = 0; time < of.times; ++time) {
                    Ways through(static_cast<std::size_t>(alignments.classes), never);
                    for (std::size_t s = 0; s < of.labels.size(); ++s) {
                        double& sum = through[static_cast<std::size_t>(of.labels[s])];
                        const auto at = static_cast<std::size_t>((of.n * sizes[1] + time) * sizes[2]) + s;
                        sum = log_add(sum, ways[at] + from[static_cast<std::size_t>(time)][s]);
                    }
                    for (int64_t label = 0; label < alignments.classes; ++label) {
                        const double log_p = alignments.log_probability(time, of.n, label);
                        const double share = std::exp(through[static_cast<std::size_t>(label)] + losses[n] - log_p);
                        result[static_cast<std::size_t>((time * alignments.count + of.n) * alignments.classes + label)] =
                            (std::exp(log_p) - share) * gradients[n];
                    }
                }
            }
            store_numbers(grad_in, result);
        }));
}

}  // namespace musa::dnn
