// The interface of attention, and its checks.
#include "../enqueue.h"
#include "attention.h"

namespace musa::dnn {
namespace {

using namespace mudnn;

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

Status check_dropout_mask(const Tensor& mask, const std::vector<int64_t>& sizes) {
    if (!is_given(mask)) return Status::SUCCESS;
    if (mask.GetType() != Type::BOOL && mask.GetType() != Type::UINT8) return Status::NOT_SUPPORTED;
    return mask.sizes() == sizes ? Status::SUCCESS : Status::INVALID_PARAMETER;
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
    if (!(p >= 0 && p <= 1)) return Status::INVALID_PARAMETER;
    dropout_ = p;
    return Status::SUCCESS;
}

Status ScaledDotProductAttention::check(const Tensor& query, const Tensor& value) const {
    if (key_transposed_) return Status::NOT_SUPPORTED;
    const int64_t heads = query.sizes()[1], elements = heads * value.sizes().back();
    return valid((heads_ == 0 || heads_ == heads) && (elements_ == 0 || elements_ == elements));
}

double ScaledDotProductAttention::scale_for(const Tensor& query) const {
    return is_scale_set_ ? scale_ : 1 / std::sqrt(static_cast<double>(query.sizes().back()));
}

Status ScaledDotProductAttention::run(Handle& handle, const Tensor& out, const Tensor& beside, bool are_weights,
                                      const Tensor& query, const Tensor& key, const Tensor& value,
                                      const Tensor& given_mask, const Tensor& dropout_mask) const {
    const Status shapes = check_attention(query, key, value, out, 4);
    if (shapes != Status::SUCCESS) return shapes;
    const std::vector<int64_t> sizes = score_sizes(query, key);
    Mask mask;
    const Status failure = first_failure({check(query, value), mask_of(given_mask, sizes, is_padding_mask_, causal_, mask),
                                          valid(has_sizes(beside, are_weights ? sizes : without_last(sizes))),
                                          check_dropout_mask(dropout_mask, sizes)});
    if (failure != Status::SUCCESS) return failure;
    const Dropping dropping = training_ && dropout_ > 0 ? Dropping{dropout_mask, dropout_, next_seed()} : Dropping{};
    const Operation op{Heads(query), Heads(key), Heads(value), {scale_for(query), mask}, dropping};
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [op, sizes, out, of = Beside{beside, are_weights}] {
        attend(op, batches(sizes[0], sizes[2], sizes[3]), Heads(out), of);
    }));
}

Status ScaledDotProductAttention::run_backward(Handle& handle, const Tensor& grad_query, const Tensor& grad_key,
                                               const Tensor& grad_value, const Tensor& grad_scores, const Tensor& grad_out,
                                               const Tensor& query, const Tensor& key, const Tensor& value,
                                               const Tensor& given_mask, const Tensor& beside, bool are_weights,
                                               const Tensor& dropout_mask) const {
    const Status shapes = first_failure({check_attention(query, key, value, grad_out, 4),
                                         check_attention(grad_query, grad_key, grad_value, grad_out, 4)});
    if (shapes != Status::SUCCESS) return shapes;
    const std::vector<int64_t> sizes = score_sizes(query, key);
    Mask mask;
    const bool fits = grad_query.sizes() == query.sizes() && grad_key.sizes() == key.sizes() &&
                      grad_value.sizes() == value.sizes() && has_sizes(grad_scores, sizes) &&
                      is_given(beside) && has_sizes(beside, are_weights ? sizes : without_last(sizes));
    const Status failure = first_failure(
        {check(query, value), mask_of(given_mask, sizes, is_padding_mask_, causal_, mask), valid(fits),
         check_dropout_mask(dropout_mask, sizes)});
    if (failure != Status::SUCCESS) return failure;
    const Operation op{Heads(query), Heads(key), Heads(value), {scale_for(query), mask}, {dropout_mask, dropout_}};
    const Gradients gradients{Heads(grad_query), Heads(grad_key), Heads(grad_value), Heads(grad_out), grad_scores};
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [op, sizes, gradients, of = Beside{beside, are_weights}] {
        attend_backward(op, batches(sizes[0], sizes[2], sizes[3]), gradients, of);
    }));
}

Status ScaledDotProductAttention::RunMath(Handle& handle, Tensor& out, Tensor& weights, const Tensor& query,
                                          const Tensor& key, const Tensor& value, const Tensor& mask,
                                          Tensor& dropout_mask, const MemoryMaintainer&) const {
    return run(handle, out, weights, true, query, key, value, mask, dropout_mask);
}

Status ScaledDotProductAttention::RunMathBwd(Handle& handle, Tensor& grad_query, Tensor& grad_key, Tensor& grad_value,
                                             Tensor& grad_weights, const Tensor& grad_out, const Tensor& query,
                                             const Tensor& key, const Tensor& value, const Tensor& weights,
                                             const Tensor& dropout_mask, const MemoryMaintainer&) const {
    return run_backward(handle, grad_query, grad_key, grad_value, grad_weights, grad_out, query, key, value, Tensor(),
                        weights, true, dropout_mask);
}

Status ScaledDotProductAttention::RunFlash(Handle& handle, Tensor& out, Tensor& log_sums, const Tensor& query,
                                           const Tensor& key, const Tensor& value, const Tensor& mask,
                                           Tensor& dropout_mask, const MemoryMaintainer&) const {
    return run(handle, out, log_sums, false, query, key, value, mask, dropout_mask);
}

Status ScaledDotProductAttention::RunFlashBwd(Handle& handle, Tensor& grad_query, Tensor& grad_key, Tensor& grad_value,
                                              const Tensor& grad_out, const Tensor& query, const Tensor& key,
                                              const Tensor& value, const Tensor& mask, const Tensor&, const Tensor& log_sums,
                                              const Tensor& dropout_mask, const MemoryMaintainer&) const {
    return run_backward(handle, grad_query, grad_key, grad_value, Tensor(), grad_out, query, key, value, mask, log_sums,
                        false, dropout_mask);
}

Status ScaledDotProductAttention::RunFlashVarlen(Handle& handle, Tensor& out, Tensor& log_sums, const Tensor& query,
                                                 const Tensor& key, const Tensor& value, const Tensor& mask,
                                                 const Tensor&, const Tensor& query_begins, const Tensor& key_begins,
                                                 const MemoryMaintainer&) const {
    const Status shapes = check_attention(query, key, value, out, 3);
    if (shapes != Status::SUCCESS) return shapes;
    const bool is_more = is_given(mask) || (training_ && dropout_ > 0);
    const Status failure = first_failure({check(query, value), is_more ? Status::NOT_SUPPORTED : Status::SUCCESS,
                                          valid(fit_begins(query_begins, key_begins) && log_sums.sizes().size() == 3)});
    if (failure != Status::SUCCESS) return failure;
    const Operation op{Heads(query), Heads(key), Heads(value), {scale_for(query), {Tensor(), {}, causal_}}, {}};
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
    const Operation op{Heads(query), Heads(key), Heads(value), {scale_for(query), {Tensor(), {}, causal_}}, {}};
    const Gradients gradients{Heads(grad_query), Heads(grad_key), Heads(grad_value), Heads(grad_out), Tensor()};
    return status_of(
        musa_sim::enqueue_work(handle.GetStream(), [op, gradients, query_begins, key_begins, of = Beside{log_sums, false}] {
            attend_backward(op, sequences(query_begins, key_begins), gradients, of);
        }));
}

}  // namespace musa::dnn
