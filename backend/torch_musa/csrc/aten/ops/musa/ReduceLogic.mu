// Products and logic: prod, all, any. PyTorch has converted the input to the result's type.

#include <ATen/native/ReduceOps.h>

#include "torch_musa/csrc/aten/ops/musa/Reduction.muh"

namespace at::native {

namespace {

using at::musa::reduction::reduce;

template <typename T>
struct Product {
  using In = T;
  using Acc = std::conditional_t<std::is_same_v<T, bool>, int, at::musa::reduction::Math<T>>;
  MUSA_REDUCTION Acc identity() const {
    return Acc(1);
  }
  MUSA_REDUCTION void add(Acc& acc, In value, int64_t) const {
    acc *= static_cast<Acc>(value);
  }
  MUSA_REDUCTION void merge(Acc& acc, const Acc& other) const {
    acc *= other;
  }
  MUSA_REDUCTION void store(const Acc& acc, char* const* results) const {
    *reinterpret_cast<T*>(results[0]) = static_cast<T>(acc);
  }
};

/// Whether all (or any) elements are true. T is bool, or uint8_t as in PyTorch.
template <typename T, bool kAll>
struct Logic {
  using In = T;
  using Acc = uint8_t;
  MUSA_REDUCTION Acc identity() const {
    return kAll;
  }
  MUSA_REDUCTION void add(Acc& acc, In value, int64_t) const {
    merge(acc, value != T(0));
  }
  MUSA_REDUCTION void merge(Acc& acc, Acc other) const {
    acc = kAll ? acc & other : acc | other;
  }
  MUSA_REDUCTION void store(const Acc& acc, char* const* results) const {
    *reinterpret_cast<T*>(results[0]) = static_cast<T>(acc != 0);
  }
};

void prod_musa(TensorIterator& iter) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      kHalf, kBFloat16, kBool, iter.input_dtype(), "prod_musa", [&] { reduce(iter, Product<scalar_t>()); });
}

template <bool kAll>
void logic_musa(TensorIterator& iter) {
  if (iter.input_dtype() == kByte) {
    reduce(iter, Logic<uint8_t, kAll>());
    return;
  }
  TORCH_INTERNAL_ASSERT(iter.input_dtype() == kBool, "all and any compute bool, not ", iter.input_dtype());
  reduce(iter, Logic<bool, kAll>());
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(prod_stub, &prod_musa)
REGISTER_PRIVATEUSE1_DISPATCH(and_stub, &logic_musa<true>)
REGISTER_PRIVATEUSE1_DISPATCH(or_stub, &logic_musa<false>)

} // namespace at::native
