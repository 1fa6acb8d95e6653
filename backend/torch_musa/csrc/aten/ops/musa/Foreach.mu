// Functions of lists of tensors, as optimizers use them: one launch for up to 48 tensors. What is not of floating point, or
// differs in type, shape, strides or device within a call, goes tensor by tensor, as PyTorch has it for all devices.

#include <ATen/NativeFunctions.h>
#include <ATen/native/ForeachUtils.h>

#include <array>
#include <vector>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Math.muh"
#include "torch_musa/csrc/aten/ops/musa/TensorLists.muh"

namespace at::musa {

namespace {

/// Some of the tensors of a call: the results' arrays, then those of the operands, and a number for each tensor.
template <int N, typename M>
struct Chunk : TensorChunk<N> {
  M number[kMostTensors];
};

template <typename T, typename F, size_t... I>
__global__ void for_each_tensor(
    Chunk<sizeof...(I) + 1, at::opmath_type<T>> chunk, F f, std::index_sequence<I...>) {
  using M = at::opmath_type<T>;
  const int k = chunk.tensor_of(blockIdx.x);
  const int64_t thread = blockIdx.x * static_cast<int64_t>(elementwise::kThreads) + threadIdx.x;
  if (thread < chunk.end[k]) {
    const int64_t i = thread - chunk.begin[k];
    static_cast<T*>(chunk.data[0][k])[i] =
        static_cast<T>(f(chunk.number[k], static_cast<M>(static_cast<const T*>(chunk.data[I + 1][k])[i])...));
  }
}

/// The numbers of the tensors of a call: none, one for all, or one for each.
class Numbers {
 public:
  Numbers() = default;
  Numbers(const Scalar& all) : all_(all), kind_(NumbersKind::All) {}
  Numbers(ArrayRef<Scalar> each) : each_(each), kind_(NumbersKind::Each) {}
  Scalar operator[](size_t k) const {
    return kind_ == NumbersKind::Each ? each_[k] : all_;
  }
  bool fit(size_t tensors) const {
    return kind_ != NumbersKind::Each || each_.size() == tensors;
  }
  ArrayRef<Scalar> scalars() const {
    return kind_ == NumbersKind::Each ? each_ : kind_ == NumbersKind::All ? ArrayRef<Scalar>(all_) : ArrayRef<Scalar>();
  }

 private:
  enum class NumbersKind { None, All, Each };
  Scalar all_ = 0;
  ArrayRef<Scalar> each_;
  NumbersKind kind_ = NumbersKind::None;
};

/// Computes `f` of a number and the operands' elements.
template <typename T, typename F, size_t... I>
void launch(
    TensorList results, const std::array<TensorList, sizeof...(I)>& operands, const Numbers& numbers, const F& f,
    std::index_sequence<I...> each) {
  using M = at::opmath_type<T>;
  Chunk<sizeof...(I) + 1, M> chunk;
  for (size_t k = 0; k < results.size(); ++k) {
    const int64_t count = results[k].numel();
    if (count > 0) {
      const int slot = chunk.add(count);
      chunk.data[0][slot] = results[k].mutable_data_ptr();
      ((chunk.data[I + 1][slot] = const_cast<void*>(operands[I][k].const_data_ptr())), ...);
      chunk.number[slot] = numbers[k].to<M>();
    }
    if (chunk.is_full() || (k + 1 == results.size() && chunk.tensors > 0)) {
      for_each_tensor<T><<<chunk.blocks, elementwise::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(chunk, f, each);
      C10_MUSA_KERNEL_LAUNCH_CHECK();
      chunk.clear();
    }
  }
}

template <template <typename> typename F, size_t N>
void compute(TensorList results, const std::array<TensorList, N>& operands, const Numbers& numbers) {
  AT_DISPATCH_V2(
      results[0].scalar_type(), "foreach_musa", AT_WRAP([&] {
        launch<scalar_t>(
            results, operands, numbers, F<at::opmath_type<scalar_t>>(), std::make_index_sequence<N>());
      }),
      MUSA_FLOATING);
}

/// Whether one launch serves all tensors.
bool is_uniform(ArrayRef<TensorList> lists, const Numbers& numbers) {
  const ScalarType type = lists[0][0].scalar_type();
  const bool has_kernel = type == kFloat || type == kDouble || type == kHalf || type == kBFloat16;
  return has_kernel && lists[0][0].is_privateuseone() && numbers.fit(lists[0].size()) &&
      at::native::can_use_fast_route(lists, numbers.scalars());
}

std::vector<Tensor> like(TensorList tensors) {
  std::vector<Tensor> made;
  made.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    made.push_back(at::empty_like(tensor));
  }
  return made;
}

/// Tells autograd that tensors of a list were written.
void bump_versions(TensorList tensors) {
  for (const Tensor& tensor : tensors) {
    if (!tensor.is_inference()) {
      tensor.unsafeGetTensorImpl()->bump_version();
    }
  }
}

// The functions: of a number and of elements of the operands.

#define MUSA_FOREACH_FUNCTION(NAME, PARAMETERS, EXPRESSION) \
  template <typename M>                                     \
  struct NAME {                                             \
    __host__ __device__ M operator() PARAMETERS const {     \
      return EXPRESSION;                                    \
    }                                                       \
  };

template <typename M>
MUSA_MATH M larger(M a, M b) {
  return math::is_nan(a) ? a : math::is_nan(b) || a < b ? b : a;
}
template <typename M>
MUSA_MATH M smaller(M a, M b) {
  return math::is_nan(a) ? a : math::is_nan(b) || a > b ? b : a;
}
/// As PyTorch's lerp: exact at both ends.
template <typename M>
MUSA_MATH M between(M from, M to, M weight) {
  return ::fabs(weight) < M(0.5) ? from + weight * (to - from) : to - (to - from) * (M(1) - weight);
}

MUSA_FOREACH_FUNCTION(Copied, (M, M a), a)
MUSA_FOREACH_FUNCTION(Zero, (M), M(0))
MUSA_FOREACH_FUNCTION(Sqrt, (M, M a), ::sqrt(a))
MUSA_FOREACH_FUNCTION(Rsqrt, (M, M a), M(1) / ::sqrt(a))
MUSA_FOREACH_FUNCTION(Neg, (M, M a), -a)
MUSA_FOREACH_FUNCTION(Abs, (M, M a), ::fabs(a))
MUSA_FOREACH_FUNCTION(Reciprocal, (M, M a), M(1) / a)
MUSA_FOREACH_FUNCTION(Sign, (M, M a), static_cast<M>((M(0) < a) - (a < M(0))))
MUSA_FOREACH_FUNCTION(Exp, (M, M a), ::exp(a))
MUSA_FOREACH_FUNCTION(AddNumber, (M n, M a), a + n)
MUSA_FOREACH_FUNCTION(SubNumber, (M n, M a), a - n)
MUSA_FOREACH_FUNCTION(MulNumber, (M n, M a), a * n)
MUSA_FOREACH_FUNCTION(DivNumber, (M n, M a), a / n)
MUSA_FOREACH_FUNCTION(MaximumNumber, (M n, M a), larger(a, n))
MUSA_FOREACH_FUNCTION(MinimumNumber, (M n, M a), smaller(a, n))
MUSA_FOREACH_FUNCTION(PowNumber, (M n, M a), ::pow(a, n))
MUSA_FOREACH_FUNCTION(PowOfNumber, (M n, M a), ::pow(n, a))
MUSA_FOREACH_FUNCTION(AddList, (M n, M a, M b), a + n * b)
MUSA_FOREACH_FUNCTION(SubList, (M n, M a, M b), a - n * b)
MUSA_FOREACH_FUNCTION(MulList, (M, M a, M b), a * b)
MUSA_FOREACH_FUNCTION(DivList, (M, M a, M b), a / b)
MUSA_FOREACH_FUNCTION(MaximumList, (M, M a, M b), larger(a, b))
MUSA_FOREACH_FUNCTION(MinimumList, (M, M a, M b), smaller(a, b))
MUSA_FOREACH_FUNCTION(PowList, (M, M a, M b), ::pow(a, b))
MUSA_FOREACH_FUNCTION(LerpNumber, (M n, M a, M b), between(a, b, n))
MUSA_FOREACH_FUNCTION(LerpList, (M, M a, M b, M c), between(a, b, c))
MUSA_FOREACH_FUNCTION(Addcmul, (M n, M a, M b, M c), a + n * b * c)
MUSA_FOREACH_FUNCTION(Addcdiv, (M n, M a, M b, M c), a + n * (b / c))

#undef MUSA_FOREACH_FUNCTION

} // namespace

// Each operator twice: with results of its own, and in place. SLOW is PyTorch's function for all devices.

#define MUSA_FOREACH(NAME, SLOW, FUNCTION, NUMBERS, PARAMETERS, ARGUMENTS, ...)      \
  std::vector<Tensor> NAME PARAMETERS {                                                       \
    at::native::check_foreach_api_restrictions(__VA_ARGS__);                                  \
    if (!is_uniform({__VA_ARGS__}, NUMBERS)) {                                                \
      return at::native::SLOW ARGUMENTS;                                                      \
    }                                                                                         \
    std::vector<Tensor> results = like(self);                                                 \
    compute<FUNCTION>(results, std::array{__VA_ARGS__}, NUMBERS);                             \
    return results;                                                                           \
  }                                                                                           \
  void NAME##_ PARAMETERS {                                                                   \
    at::native::check_foreach_api_restrictions(__VA_ARGS__);                                  \
    if (!is_uniform({__VA_ARGS__}, NUMBERS)) {                                                \
      return at::native::SLOW##_ ARGUMENTS;                                                   \
    }                                                                                         \
    compute<FUNCTION>(self, std::array{__VA_ARGS__}, NUMBERS);                                \
    bump_versions(self);                                                                      \
  }

#define MUSA_FOREACH_UNARY(NAME, SLOW) \
  MUSA_FOREACH(MusaForeach##NAME, foreach_tensor_##SLOW##_slow, NAME, Numbers(), (TensorList self), (self), self)

MUSA_FOREACH_UNARY(Sqrt, sqrt)
MUSA_FOREACH_UNARY(Rsqrt, rsqrt)
MUSA_FOREACH_UNARY(Neg, neg)
MUSA_FOREACH_UNARY(Abs, abs)
MUSA_FOREACH_UNARY(Reciprocal, reciprocal)
MUSA_FOREACH_UNARY(Sign, sign)
MUSA_FOREACH_UNARY(Exp, exp)

#define MUSA_FOREACH_SCALARS(NAME, SLOW)                                                                         \
  MUSA_FOREACH(                                                                                                  \
      MusaForeach##NAME##Scalar, foreach_tensor_##SLOW##_scalar_kernel_slow, NAME##Number, scalar,       \
      (TensorList self, const Scalar& scalar), (self, scalar), self)                                             \
  MUSA_FOREACH(                                                                                                  \
      MusaForeach##NAME##ScalarList, foreach_tensor_##SLOW##_scalarlist_kernel_slow, NAME##Number, scalars,      \
      (TensorList self, ArrayRef<Scalar> scalars), (self, scalars), self)

MUSA_FOREACH_SCALARS(Add, add)
MUSA_FOREACH_SCALARS(Sub, sub)
MUSA_FOREACH_SCALARS(Mul, mul)
MUSA_FOREACH_SCALARS(Div, div)
MUSA_FOREACH_SCALARS(Maximum, clamp_min)
MUSA_FOREACH_SCALARS(Minimum, clamp_max)
MUSA_FOREACH_SCALARS(Pow, pow)

#define MUSA_FOREACH_LIST(NAME, SLOW)                                                                \
  MUSA_FOREACH(                                                                                      \
      MusaForeach##NAME##List, foreach_tensor_##SLOW##_list_kernel_slow, NAME##List, Numbers(),         \
      (TensorList self, TensorList other), (self, other), self, other)
#define MUSA_FOREACH_LIST_ALPHA(NAME, SLOW)                                                          \
  MUSA_FOREACH(                                                                                      \
      MusaForeach##NAME##List, foreach_tensor_##SLOW##_list_kernel_slow, NAME##List, alpha,   \
      (TensorList self, TensorList other, const Scalar& alpha), (self, other, alpha), self, other)

MUSA_FOREACH_LIST_ALPHA(Add, add)
MUSA_FOREACH_LIST_ALPHA(Sub, sub)
MUSA_FOREACH_LIST(Mul, mul)
MUSA_FOREACH_LIST(Div, div)
MUSA_FOREACH_LIST(Maximum, clamp_min)
MUSA_FOREACH_LIST(Minimum, clamp_max)
MUSA_FOREACH_LIST(Pow, pow)

MUSA_FOREACH(
    MusaForeachLerpScalar, foreach_tensor_lerp_list_kernel_slow, LerpNumber, weight,
    (TensorList self, TensorList tensors1, const Scalar& weight), (self, tensors1, weight), self, tensors1)
MUSA_FOREACH(
    MusaForeachLerpScalarList, foreach_tensor_lerp_scalarlist_kernel_slow, LerpNumber, weight,
    (TensorList self, TensorList tensors1, ArrayRef<Scalar> weight), (self, tensors1, weight), self, tensors1)
MUSA_FOREACH(
    MusaForeachLerpList, foreach_tensor_ternary_lerp_slow, LerpList, Numbers(),
    (TensorList self, TensorList tensors1, TensorList weights), (self, tensors1, weights), self, tensors1, weights)

#define MUSA_FOREACH_PRODUCTS(NAME, SLOW)                                                                        \
  MUSA_FOREACH(                                                                                                  \
      MusaForeach##NAME##Scalar, foreach_tensor_##SLOW##_scalar_slow, NAME, value,                        \
      (TensorList self, TensorList tensor1, TensorList tensor2, const Scalar& value),                            \
      (self, tensor1, tensor2, value), self, tensor1, tensor2)                                                   \
  MUSA_FOREACH(                                                                                                  \
      MusaForeach##NAME##ScalarList, foreach_tensor_##SLOW##_scalarlist_slow, NAME, scalars,            \
      (TensorList self, TensorList tensor1, TensorList tensor2, ArrayRef<Scalar> scalars),                       \
      (self, tensor1, tensor2, scalars), self, tensor1, tensor2)

MUSA_FOREACH_PRODUCTS(Addcmul, addcmul)
MUSA_FOREACH_PRODUCTS(Addcdiv, addcdiv)

std::vector<Tensor> MusaForeachPowScalarAndTensor(const Scalar& self, TensorList exponent) {
  at::native::check_foreach_api_restrictions(exponent);
  if (!is_uniform({exponent}, self)) {
    return at::native::foreach_scalar_pow_list_kernel_slow(self, exponent);
  }
  std::vector<Tensor> results = like(exponent);
  compute<PowOfNumber>(results, std::array{exponent}, self);
  return results;
}

void MusaForeachZero_(TensorList self) {
  at::native::check_foreach_api_restrictions(self);
  if (!is_uniform({self}, Numbers())) {
    return at::native::foreach_tensor_zero_slow_(self);
  }
  compute<Zero>(self, std::array<TensorList, 0>{}, Numbers());
  bump_versions(self);
}

void MusaForeachCopy_(TensorList self, TensorList src, bool non_blocking) {
  at::native::check_foreach_api_restrictions(self, src);
  if (!is_uniform({self, src}, Numbers())) {
    return at::native::foreach_tensor_copy_list_kernel_slow_(self, src, non_blocking);
  }
  compute<Copied>(self, std::array{src}, Numbers());
  bump_versions(self);
}

} // namespace at::musa
