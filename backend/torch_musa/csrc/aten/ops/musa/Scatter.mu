// gather and scatter along a dimension, with and without a reduction. PyTorch's functions check the shapes.

#include <ATen/native/TensorAdvancedIndexing.h>
#include <ATen/ops/full.h>

#include "torch_musa/csrc/aten/ops/musa/Index.muh"

namespace at::native {

namespace {

using namespace at::musa::indexing;

/// A tensor that is indexed, or that gives elements to an index, with the index's shape.
Tensor like_index(const Tensor& tensor, const Tensor& index) {
  return tensor.dim() == 0 ? tensor.expand(index.sizes()) : tensor.as_strided(index.sizes(), tensor.strides());
}

void gather_musa(const Tensor& result, const Tensor& self, int64_t dim, const Tensor& index) {
  get(iterator_of(like_index(result, index), without_dim(self, dim, index.sizes()), index.to(kLong)), along(self, dim));
}

void scatter_musa(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  put(iterator_of(without_dim(self, dim, index.sizes()), like_index(source, index), index.to(kLong)), along(self, dim));
}

void scatter_fill_musa(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  put(iterator_of(without_dim(self, dim, index.sizes()), index.to(kLong)), along(self, dim), value);
}

/// Lines from which on a thread each is enough to do. Elements of different lines never meet, so no operation is atomic,
/// and sums are in the order of the index, as the CPU's are.
constexpr int64_t kManyLines = 256;

void scatter_change(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Change what) {
  const bool many = index.dim() > 0 && index.numel() > 0 && index.numel() / index.size(dim) >= kManyLines;
  change(
      iterator_of(without_dim(self, dim, index.sizes()), like_index(source, index), index.to(kLong)), along(self, dim), what,
      many ? Order::OfIndex : Order::Any);
}

void scatter_add_musa(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  scatter_change(self, dim, index, source, Change::Add);
}

Change change_of(const ReductionType& reduce) {
  switch (reduce) {
    case ReductionType::PROD:
      return Change::Multiply;
    case ReductionType::MAX:
      return Change::Largest;
    case ReductionType::MIN:
      return Change::Smallest;
    default: // for the mean, PyTorch divides the sums
      return Change::Add;
  }
}

void scatter_reduce_musa(
    const Tensor& self, const int64_t dim, const Tensor& index, const Tensor& source, const ReductionType& reduce) {
  scatter_change(self, dim, index, source, change_of(reduce));
}

void scatter_scalar_reduce_musa(
    const Tensor& self, const int64_t dim, const Tensor& index, const Scalar& value, const ReductionType& reduce) {
  scatter_change(self, dim, index, at::full({}, value, self.options()).expand_as(self), change_of(reduce));
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(gather_stub, &gather_musa)
REGISTER_PRIVATEUSE1_DISPATCH(scatter_stub, &scatter_musa)
REGISTER_PRIVATEUSE1_DISPATCH(scatter_fill_stub, &scatter_fill_musa)
REGISTER_PRIVATEUSE1_DISPATCH(scatter_add_stub, &scatter_add_musa)
REGISTER_PRIVATEUSE1_DISPATCH(scatter_reduce_stub, &scatter_reduce_musa)
REGISTER_PRIVATEUSE1_DISPATCH(scatter_reduce_two_stub, &scatter_reduce_musa)
REGISTER_PRIVATEUSE1_DISPATCH(scatter_scalar_reduce_stub, &scatter_scalar_reduce_musa)

} // namespace at::native
