// The operators of FlashAttention, as products and a softmax: they have its layout, masks and results, not its memory.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

namespace at::musa {

namespace {

/// How many keys a query sees in both directions, counted from the end of queries and keys. Absent: no limit.
struct Window {
  std::optional<int64_t> left;
  std::optional<int64_t> right;
};

Window window_of(bool is_causal, std::optional<int64_t> left, std::optional<int64_t> right) {
  const auto limit = [](std::optional<int64_t> size) { return size.value_or(-1) < 0 ? std::nullopt : size; };
  return {limit(left), is_causal ? std::optional<int64_t>(0) : limit(right)};
}

/// One sequence, or several of the same length: [batch, heads, length, each], in float32 or float64.
struct Sequence {
  Tensor query, key, value;
};

Tensor heads_first(const Tensor& tensor) {
  return tensor.transpose(1, 2).to(tensor.scalar_type() == kDouble ? kDouble : kFloat);
}

/// One head of keys or values serves several heads of queries.
Sequence sequence_of(const Tensor& query, const Tensor& key, const Tensor& value) {
  TORCH_CHECK(
      key.size(2) > 0 && query.size(2) % key.size(2) == 0, "_flash_attention: ", query.size(2),
      " heads of queries do not divide by ", key.size(2), " heads of keys");
  const int64_t group = query.size(2) / key.size(2);
  const auto shared = [&](const Tensor& tensor) {
    return group == 1 ? heads_first(tensor) : heads_first(tensor).repeat_interleave(group, 1);
  };
  return {heads_first(query), shared(key), shared(value)};
}

/// The gradient of keys or values that several heads of queries share, with the lengths first.
Tensor of_shared(const Tensor& gradient, const Tensor& tensor) {
  const int64_t batch = gradient.size(0), heads = tensor.size(2);
  const Tensor summed =
      gradient.view({batch, heads, gradient.size(1) / heads, gradient.size(2), gradient.size(3)}).sum(2);
  return summed.transpose(1, 2).to(tensor.scalar_type());
}

/// Scaled products of queries and keys; -inf where a query does not see a key.
Tensor scores_of(const Sequence& sequence, double scale, const Window& window) {
  const Tensor scores = at::matmul(sequence.query, sequence.key.transpose(-2, -1)) * scale;
  if (!window.left && !window.right) {
    return scores;
  }
  const int64_t queries = scores.size(-2), keys = scores.size(-1);
  const auto options = TensorOptions(kLong).device(scores.device());
  const Tensor distance = at::arange(keys, options) - (at::arange(queries, options) + (keys - queries)).unsqueeze(1);
  Tensor hidden = at::zeros({queries, keys}, options.dtype(kBool));
  if (window.left) {
    hidden = hidden.logical_or(distance < -*window.left);
  }
  if (window.right) {
    hidden = hidden.logical_or(distance > *window.right);
  }
  return scores.masked_fill(hidden, -INFINITY);
}

/// The logarithm of the sum of each row's exponentials: +inf where a query sees nothing, whose weights are 0 then.
Tensor norms_of(const Tensor& scores) {
  const Tensor norms = at::logsumexp(scores, -1);
  return at::where(norms == -INFINITY, at::full_like(norms, INFINITY), norms);
}

Tensor weights_of(const Tensor& scores, const Tensor& norms) {
  return at::exp(scores - norms.unsqueeze(-1));
}

/// Return the bounds of packed sequences, on the host.
std::vector<int64_t> bounds_of(const Tensor& cumulated) {
  const Tensor host = cumulated.to(TensorOptions(kLong).device(kCPU)).contiguous();
  const int64_t* const first = host.const_data_ptr<int64_t>();
  return {first, first + host.numel()};
}

/// A sequence of a tensor [total, heads, each], as a batch of one.
Tensor cut(const Tensor& tensor, const std::vector<int64_t>& bounds, size_t at) {
  return tensor.narrow(0, bounds[at], bounds[at + 1] - bounds[at]).unsqueeze(0);
}

void check(double dropout_p, const Tensor& query) {
  TORCH_CHECK(
      dropout_p == 0.0, "_flash_attention has no dropout on musa (dropout_p is ", dropout_p,
      "); scaled_dot_product_attention has it");
  TORCH_CHECK(query.is_floating_point(), "_flash_attention takes floating-point numbers, not ", query.scalar_type());
}

double scale_of(const std::optional<double>& scale, const Tensor& query) {
  return scale.value_or(1.0 / std::sqrt(static_cast<double>(query.size(-1))));
}

} // namespace

/// Query, key and value are [batch, length, heads, each], or [total, heads, each] with the bounds of sequences. The
/// second result has the logarithm of the sums: [batch, heads, length] or [heads, total].
std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> MusaFlashAttentionForward(
    const Tensor& query, const Tensor& key, const Tensor& value, const std::optional<Tensor>& cum_seq_q,
    const std::optional<Tensor>& cum_seq_k, int64_t, int64_t, double dropout_p, bool is_causal, bool,
    std::optional<double> scale, std::optional<int64_t> window_size_left, std::optional<int64_t> window_size_right,
    const std::optional<Tensor>& seqused_k, const std::optional<Tensor>& alibi_slopes,
    const std::optional<Tensor>& block_table, std::optional<int64_t>) {
  check(dropout_p, query);
  TORCH_CHECK(
      !(seqused_k && seqused_k->defined()) && !(alibi_slopes && alibi_slopes->defined()) &&
          !(block_table && block_table->defined()),
      "_flash_attention_forward on musa takes no seqused_k, alibi_slopes or block_table");
  const Window window = window_of(is_causal, window_size_left, window_size_right);
  const double factor = scale_of(scale, query);
  const Tensor output = at::empty_like(query, MemoryFormat::Contiguous);
  const auto attend = [&](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& result) {
    const Sequence sequence = sequence_of(q, k, v);
    const Tensor scores = scores_of(sequence, factor, window);
    const Tensor norms = norms_of(scores);
    result.copy_(at::matmul(weights_of(scores, norms), sequence.value).transpose(1, 2));
    return norms;
  };
  Tensor norms;
  if (cum_seq_q && cum_seq_q->defined()) {
    const std::vector<int64_t> of_queries = bounds_of(*cum_seq_q), of_keys = bounds_of(cum_seq_k.value_or(*cum_seq_q));
    norms = at::empty(
        {query.size(1), query.size(0)}, query.options().dtype(query.scalar_type() == kDouble ? kDouble : kFloat));
    for (size_t at = 0; at + 1 < of_queries.size(); ++at) {
      norms.narrow(1, of_queries[at], of_queries[at + 1] - of_queries[at])
          .copy_(attend(
                     cut(query, of_queries, at), cut(key, of_keys, at), cut(value, of_keys, at),
                     cut(output, of_queries, at))
                     .squeeze(0));
    }
  } else {
    norms = attend(query, key, value, output);
  }
  const auto options = TensorOptions(kLong).device(query.device());
  return {output, norms, at::zeros({2}, options), at::empty({0}, options), at::empty({0}, query.options())};
}

std::tuple<Tensor, Tensor, Tensor> MusaFlashAttentionBackward(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& out,
    const Tensor& logsumexp, const Tensor& cum_seq_q, const Tensor& cum_seq_k, int64_t, int64_t, double dropout_p,
    bool is_causal, const Tensor&, const Tensor&, std::optional<double> scale, std::optional<int64_t> window_size_left,
    std::optional<int64_t> window_size_right) {
  check(dropout_p, query);
  const Window window = window_of(is_causal, window_size_left, window_size_right);
  const double factor = scale_of(scale, query);
  const auto differentiate = [&](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& result,
                                 const Tensor& gradient, const Tensor& norms) -> std::tuple<Tensor, Tensor, Tensor> {
    const Sequence sequence = sequence_of(q, k, v);
    const Tensor weights = weights_of(scores_of(sequence, factor, window), norms);
    const Tensor dout = heads_first(gradient);
    const Tensor dvalue = at::matmul(weights.transpose(-2, -1), dout);
    const Tensor dweights = at::matmul(dout, sequence.value.transpose(-2, -1));
    const Tensor own = (dout * heads_first(result)).sum(-1, /*keepdim=*/true);
    const Tensor dscores = weights * (dweights - own) * factor;
    return {
        at::matmul(dscores, sequence.key).transpose(1, 2).to(q.scalar_type()),
        of_shared(at::matmul(dscores.transpose(-2, -1), sequence.query), k), of_shared(dvalue, v)};
  };
  if (!cum_seq_q.defined()) {
    return differentiate(query, key, value, out, grad_out, logsumexp);
  }
  const std::vector<int64_t> of_queries = bounds_of(cum_seq_q), of_keys = bounds_of(cum_seq_k);
  const Tensor dquery = at::empty_like(query), dkey = at::zeros(key.sizes(), key.options()),
               dvalue = at::zeros(value.sizes(), value.options());
  for (size_t at = 0; at + 1 < of_queries.size(); ++at) {
    const auto [of_query, of_key, of_value] = differentiate(
        cut(query, of_queries, at), cut(key, of_keys, at), cut(value, of_keys, at), cut(out, of_queries, at),
        cut(grad_out, of_queries, at),
        logsumexp.narrow(1, of_queries[at], of_queries[at + 1] - of_queries[at]).unsqueeze(0));
    cut(dquery, of_queries, at).copy_(of_query);
    cut(dkey, of_keys, at).copy_(of_key);
    cut(dvalue, of_keys, at).copy_(of_value);
  }
  return {dquery, dkey, dvalue};
}

} // namespace at::musa
