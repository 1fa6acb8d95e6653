// Attention: scaled products of queries and keys, their softmax, and the weighted sums of values.
#include "../enqueue.h"
#include "elements.h"

#include <cmath>
#include <limits>

namespace musa::dnn {
namespace {

using namespace mudnn;

constexpr double masked = -std::numeric_limits<double>::infinity();

struct Rows {
    Rows(std::size_t rows, std::size_t columns) : count(rows), columns(columns), numbers(rows * columns) {}
    double& at(std::size_t row, std::size_t column) { return numbers[row * columns + column]; }
    double at(std::size_t row, std::size_t column) const { return numbers[row * columns + column]; }

    std::size_t count, columns;
    std::vector<double> numbers;
};

double product_of_rows(const Rows& x, std::size_t i, const Rows& y, std::size_t j) {
    double sum = 0;
    for (std::size_t c = 0; c < x.columns; ++c) sum += x.at(i, c) * y.at(j, c);
    return sum;
}

// Add row `j` of another matrix, multiplied by `weight`, to row `i` of the sum.
void add_row(Rows& sum, std::size_t i, double weight, const Rows& other, std::size_t j) {
    for (std::size_t c = 0; c < sum.columns; ++c) sum.at(i, c) += weight * other.at(j, c);
}

void add_rows(Rows& sum, const Rows& other) {
    for (std::size_t i = 0; i < sum.numbers.size(); ++i) sum.numbers[i] += other.numbers[i];
}

// A tensor [count, heads, rows, columns], or [all rows, heads, columns].
struct Heads {
    explicit Heads(const Tensor& of) : tensor(of) {
        const auto &sizes = of.sizes(), &strides = of.strides();
        const bool has_batch = sizes.size() == 4;
        next = has_batch ? strides[0] : 0;
        right = strides.back();
        down = strides[has_batch ? 2 : 0];
        heads = sizes[1];
        next_head = strides[1];
        rows = sizes[has_batch ? 2 : 0];
        columns = sizes.back();
    }
    int64_t offset(int64_t batch, int64_t head, int64_t row) const { return batch * next + head * next_head + row * down; }

    Tensor tensor;
    int64_t next, next_head, down, right, heads, rows, columns;
};

// The rows of one sequence in a batch.
struct Span {
    int64_t batch, first, count;
};

Rows rows_of(const Heads& of, int64_t head, const Span& span) {
    Rows rows(static_cast<std::size_t>(span.count), static_cast<std::size_t>(of.columns));
    std::size_t i = 0;
    for (int64_t row = 0; row < span.count; ++row) {
        int64_t at = of.offset(span.batch, head, span.first + row);
        for (int64_t c = 0; c < of.columns; ++c, at += of.right) {
            rows.numbers[i++] = read(of.tensor.GetType(), of.tensor.GetAddr(), at);
        }
    }
    return rows;
}

void store_rows(const Heads& of, int64_t head, const Span& span, const Rows& rows) {
    std::size_t i = 0;
    for (int64_t row = 0; row < span.count; ++row) {
        int64_t at = of.offset(span.batch, head, span.first + row);
        for (int64_t c = 0; c < of.columns; ++c, at += of.right) {
            write(of.tensor.GetType(), of.tensor.GetAddr(), at, rows.numbers[i++]);
        }
    }
}

// The numbers that are added to the products, with strides for [count, heads, queries, keys].
struct Mask {
    Tensor tensor;
    std::vector<int64_t> strides;
    bool causal;

    double at(int64_t batch, int64_t head, int64_t query, int64_t key) const {
        if (causal && key > query) return masked;
        if (strides.empty()) return 0;
        const int64_t offset = batch * strides[0] + head * strides[1] + query * strides[2] + key * strides[3];
        const double value = read(tensor.GetType(), tensor.GetAddr(), offset);
        return tensor.GetType() != Type::BOOL ? value : value != 0 ? 0 : masked;
    }
};

struct Scoring {
    double scale;
    Mask mask;
};

Rows scores(const Rows& query, const Rows& key, const Scoring& scoring, int64_t sequence, int64_t head) {
    Rows result(query.count, key.count);
    for (std::size_t i = 0; i < query.count; ++i) {
        for (std::size_t j = 0; j < key.count; ++j) {
            const double more = scoring.mask.at(sequence, head, static_cast<int64_t>(i), static_cast<int64_t>(j));
            result.at(i, j) = more == masked ? masked : scoring.scale * product_of_rows(query, i, key, j) + more;
        }
    }
    return result;
}

// Replace each row by its softmax, or by zeros if all of it is masked; return the logarithms of the sums.
std::vector<double> weigh(Rows& rows) {
    std::vector<double> log_sums(rows.count);
    for (std::size_t i = 0; i < rows.count; ++i) {
        double most = masked, sum = 0;
        for (std::size_t j = 0; j < rows.columns; ++j) most = std::fmax(most, rows.at(i, j));
        for (std::size_t j = 0; j < rows.columns; ++j) sum += most == masked ? 0 : std::exp(rows.at(i, j) - most);
        log_sums[i] = most == masked ? masked : most + std::log(sum);
        for (std::size_t j = 0; j < rows.columns; ++j) {
            rows.at(i, j) = most == masked ? 0 : std::exp(rows.at(i, j) - log_sums[i]);
        }
    }
    return log_sums;
}

// Compute the softmax of scores again, from the logarithms of the sums.
void weigh_again(Rows& rows, const Rows& log_sums) {
    for (std::size_t i = 0; i < rows.count; ++i) {
        const double sum = log_sums.at(i, 0);
        for (std::size_t j = 0; j < rows.columns; ++j) rows.at(i, j) = sum == masked ? 0 : std::exp(rows.at(i, j) - sum);
    }
}

Rows weighed(const Rows& weights, const Rows& value) {
    Rows result(weights.count, value.columns);
    for (std::size_t i = 0; i < weights.count; ++i) {
        for (std::size_t j = 0; j < weights.columns; ++j) add_row(result, i, weights.at(i, j), value, j);
    }
    return result;
}

struct HeadGradients {
    Rows query, key, value, scores;
};

HeadGradients gradients_of_head(const Rows& query, const Rows& key, const Rows& value, const Rows& weights,
                                const Rows& grad_out, double scale) {
    HeadGradients of{Rows(query.count, query.columns), Rows(key.count, key.columns), Rows(value.count, value.columns),
                     Rows(weights.count, weights.columns)};
    for (std::size_t i = 0; i < weights.count; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < weights.columns; ++j) {
            of.scores.at(i, j) = product_of_rows(grad_out, i, value, j);
            sum += of.scores.at(i, j) * weights.at(i, j);
        }
        for (std::size_t j = 0; j < weights.columns; ++j) {
            double& gradient = of.scores.at(i, j);
            gradient = weights.at(i, j) * (gradient - sum);
            add_row(of.value, j, weights.at(i, j), grad_out, i);
            add_row(of.query, i, scale * gradient, key, j);
            add_row(of.key, j, scale * gradient, query, i);
        }
    }
    return of;
}

// Sequence `n` of a packed batch: its rows of the queries and of the keys.
struct Sequence {
    Span query, key;
};

std::vector<Sequence> batches(int64_t number, int64_t queries, int64_t keys) {
    std::vector<Sequence> all;
    for (int64_t n = 0; n < number; ++n) all.push_back({{n, 0, queries}, {n, 0, keys}});
    return all;
}

std::vector<Sequence> sequences(const Tensor& query_begins, const Tensor& key_begins) {
    const std::vector<int64_t> q = indices_of(query_begins), k = indices_of(key_begins);
    std::vector<Sequence> all;
    for (std::size_t n = 0; n + 1 < q.size(); ++n) all.push_back({{0, q[n], q[n + 1] - q[n]}, {0, k[n], k[n + 1] - k[n]}});
    return all;
}

struct Operation {
    Heads query, key, value;
    Scoring scoring;

    // Several heads of the queries share one head of the keys.
    int64_t key_head(int64_t head) const { return head / (query.heads / key.heads); }
};

// A second result: the weights, [count, heads, queries, keys], or the logarithms of the sums, [count, heads, queries].
struct Beside {
    Tensor tensor;
    bool are_weights;

    Heads of() const {
        if (are_weights) return Heads(tensor);
        Tensor columns = tensor;
        std::vector<int64_t> sizes = tensor.sizes(), strides = tensor.strides();
        sizes.push_back(1);
        strides.push_back(1);
        columns.SetNdInfo(4, sizes.data(), strides.data());
        return Heads(columns);
    }
};

void attend(const Operation& op, const std::vector<Sequence>& all, const Heads& out, const Beside& beside) {
    for (std::size_t n = 0; n < all.size(); ++n) {
        const auto number = static_cast<int64_t>(n);
        const Sequence& of = all[n];
        for (int64_t head = 0; head < op.query.heads; ++head) {
            const int64_t shared = op.key_head(head);
            Rows rows = scores(rows_of(op.query, head, of.query), rows_of(op.key, shared, of.key), op.scoring, number, head);
            const std::vector<double> log_sums = weigh(rows);
            store_rows(out, head, of.query, weighed(rows, rows_of(op.value, shared, of.key)));
            if (!is_given(beside.tensor)) continue;
            Rows sums(rows.count, 1);
            sums.numbers = log_sums;
            store_rows(beside.of(), head, {number, 0, of.query.count}, beside.are_weights ? rows : sums);
        }
    }
}

// `grad_scores` may be a tensor without an address.
struct Gradients {
    Heads query, key, value, out;
    Tensor grad_scores;
};

void attend_backward(const Operation& op, const std::vector<Sequence>& all, const Gradients& gradients,
                     const Beside& beside) {
    for (std::size_t n = 0; n < all.size(); ++n) {
        const auto number = static_cast<int64_t>(n);
        const Sequence& of = all[n];
        const Span own{number, 0, of.query.count};
        const auto keys = static_cast<std::size_t>(of.key.count);
        const int64_t sharing = op.query.heads / op.key.heads;
        for (int64_t shared = 0; shared < op.key.heads; ++shared) {
            const Rows key = rows_of(op.key, shared, of.key), value = rows_of(op.value, shared, of.key);
            Rows to_key(keys, key.columns), to_value(keys, value.columns);
            for (int64_t head = shared * sharing; head < (shared + 1) * sharing; ++head) {
                const Rows query = rows_of(op.query, head, of.query);
                Rows weights = beside.are_weights ? rows_of(beside.of(), head, own)
                                                  : scores(query, key, op.scoring, number, head);
                if (!beside.are_weights) weigh_again(weights, rows_of(beside.of(), head, own));
                const HeadGradients result = gradients_of_head(
                    query, key, value, weights, rows_of(gradients.out, head, of.query), op.scoring.scale);
                store_rows(gradients.query, head, of.query, result.query);
                add_rows(to_key, result.key);
                add_rows(to_value, result.value);
                if (is_given(gradients.grad_scores)) store_rows(Heads(gradients.grad_scores), head, own, result.scores);
            }
            store_rows(gradients.key, shared, of.key, to_key);
            store_rows(gradients.value, shared, of.key, to_value);
        }
    }
}

// Check the sizes of queries, keys, values and result: [count, heads, ...] or [all rows, heads, ...].
Status check_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& out, std::size_t rank) {
    if (!are_floating({&query, &key, &value, &out})) return Status::NOT_SUPPORTED;
    for (const Tensor* each : {&query, &key, &value, &out}) {
        if (each->sizes().size() != rank) return Status::INVALID_PARAMETER;
    }
    const Heads q(query), k(key), v(value), o(out);
    const bool batches_fit = rank == 3 || (key.sizes()[0] == query.sizes()[0] && value.sizes()[0] == query.sizes()[0] &&
                                           out.sizes()[0] == query.sizes()[0]);
    const bool heads_fit = k.heads > 0 && q.heads % k.heads == 0 && v.heads == k.heads && o.heads == q.heads;
    const bool rows_fit = k.rows == v.rows && q.rows == o.rows && q.columns == k.columns && v.columns == o.columns;
    return batches_fit && heads_fit && rows_fit ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

// Read a mask for [count, heads, queries, keys], or a padding mask [count, keys].
Status mask_of(const Tensor& tensor, const std::vector<int64_t>& sizes, bool is_padding, bool causal, Mask& mask) {
    mask = {tensor, {}, causal};
    if (!is_given(tensor)) return Status::SUCCESS;
    if (tensor.GetType() != Type::BOOL && !is_floating(tensor.GetType())) return Status::NOT_SUPPORTED;
    if (!is_padding) return strides_for(tensor, sizes, mask.strides) ? Status::SUCCESS : Status::INVALID_PARAMETER;
    if (tensor.sizes() != std::vector<int64_t>{sizes[0], sizes[3]}) return Status::INVALID_PARAMETER;
    mask.strides = {tensor.strides()[0], 0, 0, tensor.strides()[1]};
    return Status::SUCCESS;
}

bool has_sizes(const Tensor& tensor, const std::vector<int64_t>& sizes) {
    return !is_given(tensor) || (is_floating(tensor.GetType()) && tensor.sizes() == sizes);
}

bool fit_begins(const Tensor& query, const Tensor& key) {
    return is_index(query.GetType()) && is_index(key.GetType()) && query.sizes().size() == 1 && key.sizes() == query.sizes();
}

std::vector<int64_t> score_sizes(const Tensor& query, const Tensor& key) {
    return {query.sizes()[0], query.sizes()[1], query.sizes()[2], key.sizes()[2]};
}

std::vector<int64_t> without_last(std::vector<int64_t> sizes) {
    sizes.pop_back();
    return sizes;
}

Status first_failure(std::initializer_list<Status> all) {
    for (const Status status : all) {
        if (status != Status::SUCCESS) return status;
    }
    return Status::SUCCESS;
}

Status valid(bool is_valid) {
    return is_valid ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

}  // namespace

Status ScaledDotProductAttention::SetComputeMode(ComputeMode) {
    return Status::SUCCESS;
}

Status ScaledDotProductAttention::SetEmbedDim(int elements) {
    elements_ = elements;
    return Status::SUCCESS;
}

Status ScaledDotProductAttention::SetHeadsNum(int heads) {
    heads_ = heads;
    return Status::SUCCESS;
}

// The sizes of the tensors are used instead.
Status ScaledDotProductAttention::SetBatchSize(int) {
    return Status::SUCCESS;
}

Status ScaledDotProductAttention::SetMaxSeqlenQ(int) {
    return Status::SUCCESS;
}

Status ScaledDotProductAttention::SetMaxSeqlenK(int) {
    return Status::SUCCESS;
}

Status ScaledDotProductAttention::SetMaskMode(bool padding) {
    is_padding_mask_ = padding;
    return Status::SUCCESS;
}

Status ScaledDotProductAttention::SetKeyFormat(bool transposed) {
    key_transposed_ = transposed;
    return transposed ? Status::NOT_SUPPORTED : Status::SUCCESS;
}

Status ScaledDotProductAttention::SetCausal(bool causal) {
    causal_ = causal;
    return Status::SUCCESS;
}

Status ScaledDotProductAttention::SetTraining(bool training) {
    training_ = training;
    return Status::SUCCESS;
}

// All results are deterministic.
Status ScaledDotProductAttention::SetIsDeterministic(bool) {
    return Status::SUCCESS;
}

Status ScaledDotProductAttention::SetScale(double scale) {
    scale_ = scale;
    is_scale_set_ = true;
    return Status::SUCCESS;
}

Status ScaledDotProductAttention::SetDropoutP(double p) {
    dropout_ = p;
    return Status::SUCCESS;
}

Status ScaledDotProductAttention::check(const Tensor& query, const Tensor& value) const {
    if (key_transposed_ || (training_ && dropout_ > 0)) return Status::NOT_SUPPORTED;
    const int64_t heads = query.sizes()[1], elements = heads * value.sizes().back();
    return valid((heads_ == 0 || heads_ == heads) && (elements_ == 0 || elements_ == elements));
}

double ScaledDotProductAttention::scale_for(const Tensor& query) const {
    return is_scale_set_ ? scale_ : 1 / std::sqrt(static_cast<double>(query.sizes().back()));
}

Status ScaledDotProductAttention::run(Handle& handle, const Tensor& out, const Tensor& beside, bool are_weights,
                                      const Tensor& query, const Tensor& key, const Tensor& value,
                                      const Tensor& given_mask) const {
    const Status shapes = check_attention(query, key, value, out, 4);
    if (shapes != Status::SUCCESS) return shapes;
    const std::vector<int64_t> sizes = score_sizes(query, key);
    Mask mask;
    const Status failure = first_failure({check(query, value), mask_of(given_mask, sizes, is_padding_mask_, causal_, mask),
                                          valid(has_sizes(beside, are_weights ? sizes : without_last(sizes)))});
    if (failure != Status::SUCCESS) return failure;
    const Operation op{Heads(query), Heads(key), Heads(value), {scale_for(query), mask}};
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [op, sizes, out, of = Beside{beside, are_weights}] {
        attend(op, batches(sizes[0], sizes[2], sizes[3]), Heads(out), of);
    }));
}

Status ScaledDotProductAttention::run_backward(Handle& handle, const Tensor& grad_query, const Tensor& grad_key,
                                               const Tensor& grad_value, const Tensor& grad_scores, const Tensor& grad_out,
                                               const Tensor& query, const Tensor& key, const Tensor& value,
                                               const Tensor& given_mask, const Tensor& beside, bool are_weights) const {
    const Status shapes = first_failure({check_attention(query, key, value, grad_out, 4),
                                         check_attention(grad_query, grad_key, grad_value, grad_out, 4)});
    if (shapes != Status::SUCCESS) return shapes;
    const std::vector<int64_t> sizes = score_sizes(query, key);
    Mask mask;
    const bool fits = grad_query.sizes() == query.sizes() && grad_key.sizes() == key.sizes() &&
                      grad_value.sizes() == value.sizes() && has_sizes(grad_scores, sizes) &&
                      is_given(beside) && has_sizes(beside, are_weights ? sizes : without_last(sizes));
    const Status failure = first_failure(
        {check(query, value), mask_of(given_mask, sizes, is_padding_mask_, causal_, mask), valid(fits)});
    if (failure != Status::SUCCESS) return failure;
    const Operation op{Heads(query), Heads(key), Heads(value), {scale_for(query), mask}};
    const Gradients gradients{Heads(grad_query), Heads(grad_key), Heads(grad_value), Heads(grad_out), grad_scores};
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [op, sizes, gradients, of = Beside{beside, are_weights}] {
        attend_backward(op, batches(sizes[0], sizes[2], sizes[3]), gradients, of);
    }));
}

Status ScaledDotProductAttention::RunMath(Handle& handle, Tensor& out, Tensor& weights, const Tensor& query,
                                          const Tensor& key, const Tensor& value, const Tensor& mask, Tensor&,
                                          const MemoryMaintainer&) const {
    return run(handle, out, weights, true, query, key, value, mask);
}

Status ScaledDotProductAttention::RunMathBwd(Handle& handle, Tensor& grad_query, Tensor& grad_key, Tensor& grad_value,
                                             Tensor& grad_weights, const Tensor& grad_out, const Tensor& query,
                                             const Tensor& key, const Tensor& value, const Tensor& weights,
                                             const Tensor& dropout_mask, const MemoryMaintainer&) const {
    if (is_given(dropout_mask)) return Status::NOT_SUPPORTED;
    return run_backward(handle, grad_query, grad_key, grad_value, grad_weights, grad_out, query, key, value, Tensor(),
                        weights, true);
}

Status ScaledDotProductAttention::RunFlash(Handle& handle, Tensor& out, Tensor& log_sums, const Tensor& query,
                                           const Tensor& key, const Tensor& value, const Tensor& mask, Tensor&,
                                           const MemoryMaintainer&) const {
    return run(handle, out, log_sums, false, query, key, value, mask);
}

Status ScaledDotProductAttention::RunFlashBwd(Handle& handle, Tensor& grad_query, Tensor& grad_key, Tensor& grad_value,
                                              const Tensor& grad_out, const Tensor& query, const Tensor& key,
                                              const Tensor& value, const Tensor& mask, const Tensor&, const Tensor& log_sums,
                                              const Tensor& dropout_mask, const MemoryMaintainer&) const {
    if (is_given(dropout_mask)) return Status::NOT_SUPPORTED;
    return run_backward(handle, grad_query, grad_key, grad_value, Tensor(), grad_out, query, key, value, mask, log_sums,
                        false);
}

Status ScaledDotProductAttention::RunFlashVarlen(Handle& handle, Tensor& out, Tensor& log_sums, const Tensor& query,
                                                 const Tensor& key, const Tensor& value, const Tensor& mask,
                                                 const Tensor&, const Tensor& query_begins, const Tensor& key_begins,
                                                 const MemoryMaintainer&) const {
    const Status shapes = check_attention(query, key, value, out, 3);
    if (shapes != Status::SUCCESS) return shapes;
    const Status failure = first_failure({check(query, value), is_given(mask) ? Status::NOT_SUPPORTED : Status::SUCCESS,
                                          valid(fit_begins(query_begins, key_begins) && log_sums.sizes().size() == 3)});
    if (failure != Status::SUCCESS) return failure;
    const Operation op{Heads(query), Heads(key), Heads(value), {scale_for(query), {Tensor(), {}, causal_}}};
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [op, out = Tensor(out), query_begins, key_begins, of = Beside{log_sums, false}] {
            attend(op, sequences(query_begins, key_begins), Heads(out), of);
        }));
}

Status ScaledDotProductAttention::RunFlashVarlenBwd(Handle& handle, Tensor& grad_query, Tensor& grad_key,
                                                    Tensor& grad_value, const Tensor& grad_out, const Tensor& query,
                                                    const Tensor& key, const Tensor& value, const Tensor& mask,
                                                    const Tensor&, const Tensor& log_sums, const Tensor& dropout_mask,
                                                    const Tensor& query_begins, const Tensor& key_begins,
                                                    const MemoryMaintainer&) const {
    const Status shapes = first_failure({check_attention(query, key, value, grad_out, 3),
                                         check_attention(grad_query, grad_key, grad_value, grad_out, 3)});
    if (shapes != Status::SUCCESS) return shapes;
    const bool fits = grad_query.sizes() == query.sizes() && grad_key.sizes() == key.sizes() &&
                      grad_value.sizes() == value.sizes() && is_given(log_sums) && log_sums.sizes().size() == 3 &&
                      fit_begins(query_begins, key_begins);
    const bool is_more = is_given(mask) || is_given(dropout_mask);
    const Status failure =
        first_failure({check(query, value), is_more ? Status::NOT_SUPPORTED : Status::SUCCESS, valid(fits)});
    if (failure != Status::SUCCESS) return failure;
    const Operation op{Heads(query), Heads(key), Heads(value), {scale_for(query), {Tensor(), {}, causal_}}};
    const Gradients gradients{Heads(grad_query), Heads(grad_key), Heads(grad_value), Heads(grad_out), Tensor()};
    return status_of(
        musa_sim::enqueue_work(handle.GetStream(), [op, gradients, query_begins, key_begins, of = Beside{log_sums, false}] {
            attend_backward(op, sequences(query_begins, key_begins), gradients, of);
        }));
}

}  // namespace musa::dnn
