// Indexing by tensors: index, index_put, index_select, index_copy, index_fill, index_add, index_reduce, take, put;
// and flip, which moves elements as well.

#include <ATen/Context.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/IndexKernel.h>
#include <ATen/native/IndexingUtils.h>
#include <ATen/native/ReductionType.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorAdvancedIndexing.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_add_native.h>
#include <ATen/ops/index_reduce_native.h>
#include <ATen/ops/index_select_native.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>

#include <limits>

#include "torch_musa/csrc/aten/ops/musa/Index.muh"

namespace at::musa {

using namespace indexing;

namespace {

/// The operands of an iterator, with one index in place of several: the sum of all indices times their strides.
/// It is computed once for each element that the indices have, not for each of the result.
struct OneIndex {
  Tensor kept;
  Operands<3> operands;
  Indexed indexed;
};

struct SetOffset {
  Indexed indexed;
  bool adds;
  __device__ void operator()(char* const* element) const {
    int64_t* const offset = reinterpret_cast<int64_t*>(element[0]);
    *offset = (adds ? *offset : 0) + indexed(element[1]);
  }
};

OneIndex one_index(const TensorIteratorBase& iter, IntArrayRef sizes, IntArrayRef strides) {
  const int count = iter.ntensors() - 2;
  OneIndex one{Tensor(), operands_of<3>(iter), {std::numeric_limits<int64_t>::max(), 1, false}};
  if (count == 1) {
    one.indexed = {sizes[0], strides[0], true};
    return one;
  }
  Operands<2> offsets{};
  offsets.dims = one.operands.dims;
  int64_t elements = 1;
  for (int dim = 0; dim < offsets.dims; ++dim) {
    bool varies = false;
    for (int k = 0; k < count; ++k) {
      varies = varies || (dim < iter.ndim() && iter.strides(k + 2)[dim] != 0);
    }
    offsets.sizes[dim] = varies ? one.operands.sizes[dim] : 1;
    offsets.strides[0][dim] = one.operands.strides[2][dim] = varies ? elements * sizeof(int64_t) : 0;
    elements *= offsets.sizes[dim];
  }
  one.kept = at::empty({elements}, TensorOptions(kLong).device(iter.device(0)));
  one.operands.data[2] = offsets.data[0] = static_cast<char*>(one.kept.mutable_data_ptr());
  for (int k = 0; k < count; ++k) {
    offsets.data[1] = static_cast<char*>(iter.data_ptr(k + 2));
    for (int dim = 0; dim < iter.ndim(); ++dim) {
      offsets.strides[1][dim] = iter.strides(k + 2)[dim];
    }
    visit(offsets, SetOffset{{sizes[k], strides[k], true}, k > 0});
  }
  return one;
}

void index_musa(TensorIteratorBase& iter, IntArrayRef sizes, IntArrayRef strides) {
  if (iter.numel() == 0) {
    return;
  }
  const OneIndex one = one_index(iter, sizes, strides);
  move<Get>(one.operands, one.indexed, iter.element_size(0));
}

void index_put_musa(TensorIterator& iter, IntArrayRef sizes, IntArrayRef strides, bool accumulate) {
  if (iter.numel() == 0) {
    return;
  }
  const OneIndex one = one_index(iter, sizes, strides);
  if (accumulate) {
    change(one.operands, iter.dtype(0), one.indexed, Change::Add);
  } else if (at::globalContext().deterministicAlgorithms()) {
    change(one.operands, iter.dtype(0), one.indexed, Change::Replace, Order::OfIndex);
  } else {
    move<Put>(one.operands, one.indexed, iter.element_size(0));
  }
}

/// The choice of `self[indices]`. PyTorch has the same as AdvancedIndex, but does not export it.
struct Selected {
  Tensor elements; // with the result's shape, and stride 0 where indices go
  std::vector<Tensor> indices; // to be expanded to that shape
  std::vector<int64_t> sizes; // of the dimensions that the indices go along
  std::vector<int64_t> strides; // in bytes
};

Selected select(const Tensor& self, const c10::List<std::optional<Tensor>>& given) {
  at::native::checkIndexTensorTypes(given, /*allow_int=*/true);
  std::vector<Tensor> indices = at::expand_outplace(at::native::expandTensors(self, given, /*ensure_same_device=*/true));
  indices.resize(self.dim());
  Tensor source = self;
  if (!at::native::hasContiguousSubspace(indices)) {
    std::tie(source, indices) = at::native::transposeToFront(self, indices);
  }
  Selected selected;
  std::vector<int64_t> sizes, strides;
  int64_t after = 0;
  for (int64_t dim = 0; dim < source.dim(); ++dim) {
    if (!indices[dim].defined()) {
      sizes.push_back(source.size(dim));
      strides.push_back(source.stride(dim));
      after = selected.indices.empty() ? 0 : after + 1;
      continue;
    }
    if (selected.indices.empty()) {
      sizes.insert(sizes.end(), indices[dim].sizes().begin(), indices[dim].sizes().end());
      strides.resize(sizes.size(), 0);
    }
    TORCH_CHECK_INDEX(
        source.size(dim) != 0 || indices[dim].numel() == 0, "index is out of bounds for dimension with size 0");
    selected.indices.push_back(indices[dim].to(kLong));
    selected.sizes.push_back(source.size(dim));
    selected.strides.push_back(source.stride(dim) * source.element_size());
  }
  for (Tensor& index : selected.indices) {
    std::vector<int64_t> shape = index.sizes().vec();
    shape.resize(shape.size() + after, 1);
    index = index.reshape(shape);
  }
  selected.elements = source.as_strided(sizes, strides);
  return selected;
}

/// PyTorch's entry for sums, and for deterministic results, on devices other than the CPU. Numbers of two
/// bytes are added in float, as CUDA does, because their sums would show the order.
void index_put_sorted_musa(
    Tensor& self, const c10::List<std::optional<Tensor>>& indices, const Tensor& value, bool accumulate, bool) {
  const ScalarType wide = at::toOpMathType(self.scalar_type());
  if (accumulate && wide != self.scalar_type()) {
    Tensor sums = self.to(wide);
    index_put_sorted_musa(sums, indices, value.to(wide), accumulate, false);
    self.copy_(sums);
    return;
  }
  const Selected selected = select(self, indices);
  IntArrayRef sizes = selected.elements.sizes();
  TORCH_CHECK(
      at::is_expandable_to(value.sizes(), sizes), "shape mismatch: value tensor of shape ", value.sizes(),
      " cannot be broadcast to indexing result of shape ", sizes);
  TensorIteratorConfig config;
  config.set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(false);
  config.add_owned_output(selected.elements).add_owned_const_input(value.expand(sizes));
  for (const Tensor& index : selected.indices) {
    config.add_owned_const_input(index.expand(sizes));
  }
  TensorIterator iter = config.build();
  index_put_musa(iter, selected.sizes, selected.strides, accumulate);
}

/// The iterator of (self, index), where all elements become `value`.
void index_fill_musa(TensorIterator& iter, int64_t, int64_t size, int64_t stride, const Scalar& value) {
  put(iter, {size, stride * iter.element_size(0), true}, value);
}

/// The iterator of (self, index, source).
void index_copy_musa(TensorIterator& iter, int64_t, int64_t size, int64_t stride) {
  put(iterator_of(iter.tensor(0), iter.tensor(2), iter.tensor(1)), {size, stride * iter.element_size(0), false});
}

/// Copies rows. kStep: 1 or -1 where the source's elements lie beside each other and the result's, too, in the same order or
/// the opposite; else 0.
template <typename T, int kStep>
__global__ void copy_rows(Rows<2> rows, const int64_t* offsets) {
  const int64_t x = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const int64_t y = blockIdx.y * static_cast<int64_t>(blockDim.y) + threadIdx.y;
  if (x < rows.length && y < rows.count) {
    char* const result = rows.data[0] + (offsets ? offsets[blockIdx.z * 2] : 0) + y * rows.next[0];
    const char* const source = rows.data[1] + (offsets ? offsets[blockIdx.z * 2 + 1] : 0) + y * rows.next[1];
    if constexpr (kStep != 0) {
      reinterpret_cast<T*>(result)[x * kStep] = reinterpret_cast<const T*>(source)[x];
    } else {
      *reinterpret_cast<T*>(result + x * rows.step[0]) = *reinterpret_cast<const T*>(source + x * rows.step[1]);
    }
  }
}

/// The iterator of (result, source), which runs backwards along some dimensions of one of them.
void flip_musa(TensorIterator& iter, bool) {
  if (iter.numel() == 0) {
    return;
  }
  Operands<2> operands = operands_of<2>(iter);
  for_size(iter.element_size(0), [&](auto element) {
    using T = decltype(element);
    constexpr int64_t kSize = sizeof(T);
    if (operands.strides[1][0] == -kSize) { // the same from the other end
      for (int k = 0; k < 2; ++k) {
        operands.data[k] += (operands.sizes[0] - 1) * operands.strides[k][0];
        operands.strides[k][0] = -operands.strides[k][0];
      }
    }
    const int64_t step = operands.strides[0][0];
    const bool dense = operands.strides[1][0] == kSize && (step == kSize || step == -kSize);
    for_pieces(operands, [&](const dim3& grid, const dim3& block, const Rows<2>& rows, const int64_t* offsets) {
      const auto kernel = !dense ? copy_rows<T, 0> : step == kSize ? copy_rows<T, 1> : copy_rows<T, -1>;
      kernel<<<grid, block, 0, c10::musa::getCurrentMUSAStream()>>>(rows, offsets);
      C10_MUSA_KERNEL_LAUNCH_CHECK();
    });
  });
}

/// The iterator of (result, index); an index counts the elements of `input` in their order.
void take_musa(TensorIterator& iter, const TensorBase& input) {
  const Tensor elements = OptionalTensorRef(input)->contiguous();
  const Tensor source = elements.as_strided(iter.tensor(0).sizes(), std::vector<int64_t>(iter.tensor(0).dim(), 0));
  get(iterator_of(iter.tensor(0), source, iter.tensor(1)), {elements.numel(), elements.element_size(), true});
}

/// The iterator of (source, index).
void put_musa(TensorIterator& iter, const TensorBase& self, bool accumulate) {
  const Tensor target = *OptionalTensorRef(self);
  const Tensor elements = target.contiguous();
  const Tensor result = elements.as_strided(iter.tensor(0).sizes(), std::vector<int64_t>(iter.tensor(0).dim(), 0));
  const TensorIterator operands = iterator_of(result, iter.tensor(0), iter.tensor(1));
  const Indexed indexed{elements.numel(), elements.element_size(), true};
  accumulate ? change(operands, indexed, Change::Add) : put(operands, indexed);
  if (!elements.is_same(target)) {
    target.copy_(elements);
  }
}

/// An index of one dimension, with the shape of `like` and stride 0 but along `dim`.
Tensor spread(const Tensor& index, int64_t dim, const Tensor& like) {
  const Tensor longs = index.to(kLong);
  if (like.dim() == 0) {
    return longs.reshape({});
  }
  std::vector<int64_t> strides(like.dim(), 0);
  strides[dim] = longs.dim() == 0 ? 0 : longs.stride(0);
  return longs.as_strided(like.sizes(), strides);
}

/// self at the index changes by source, along a dimension.
void change_along(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Change what) {
  if (source.numel() == 0) {
    return;
  }
  change(
      iterator_of(without_dim(self, dim, source.sizes()), source, spread(index, dim, source)), along(self, dim), what);
}

} // namespace

Tensor& MusaIndexSelectOut(const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  TORCH_CHECK(index.dim() <= 1, "Index is supposed to be an empty tensor or a vector");
  TORCH_CHECK(
      index.scalar_type() == kLong || index.scalar_type() == kInt, "Expected tensor for argument #3 'index' to have one of the "
      "following scalar types: Long, Int; but got ", index.toString(), " instead (while checking arguments for index_select_musa)");
  TORCH_CHECK(
      self.scalar_type() == out.scalar_type(), "index_select(): self and result must have the same scalar type");
  TORCH_CHECK(
      self.device() == index.device() && self.device() == out.device(),
      "Expected all tensors to be on the same device. Found: ", self.device(), ", ", index.device(), ", ", out.device());
  dim = at::maybe_wrap_dim(dim, self.dim());
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  at::assert_no_overlap(out, index);
  std::vector<int64_t> sizes = self.sizes().vec();
  if (self.dim() > 0) {
    sizes[dim] = index.numel();
  } else {
    TORCH_CHECK(index.numel() == 1, "index_select(): Index to scalar can have only 1 value, got ", index.numel(), " value(s)");
  }
  at::native::resize_output(out, sizes);
  if (out.numel() != 0) {
    get(iterator_of(out, without_dim(self, dim, sizes), spread(index, dim, out)), along(self, dim));
  }
  return out;
}

Tensor MusaIndexSelect(const Tensor& self, int64_t dim, const Tensor& index) {
  Tensor out = at::empty({0}, self.options());
  return MusaIndexSelectOut(self, dim, index, out);
}

/// A number as one of another type, as the CPU takes it: of integers without its fraction.
static Scalar as_type(const Scalar& number, ScalarType type) {
  return type == kBool ? Scalar(number.toBool()) : at::isIntegralType(type, false) ? Scalar(number.toLong()) : number;
}

TORCH_IMPL_FUNC(MusaIndexAddOut)(
    const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha,
    const Tensor& result) {
  if (!result.is_same(self)) {
    result.copy_(self);
  }
  const bool scales = alpha.isComplex() ? alpha.toComplexDouble() != 1.0 : alpha.toDouble() != 1.0;
  change_along(result, dim, index, scales ? source * as_type(alpha, source.scalar_type()) : source, Change::Add);
}

TORCH_IMPL_FUNC(MusaIndexReduceOut)(
    const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce,
    bool include_self, const Tensor& result) {
  using at::native::ReductionType;
  TORCH_WARN_ONCE("index_reduce() is in beta and the API may change at any time.");
  if (!result.is_same(self)) {
    result.copy_(self);
  }
  const ReductionType reduction = at::native::get_reduction_enum(reduce);
  const Tensor longs = index.to(kLong);
  if (!include_self) {
    const bool real = result.is_floating_point();
    AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, result.scalar_type(), "index_reduce_musa", [&] {
      using Limits = std::numeric_limits<scalar_t>;
      const scalar_t neutral = reduction == ReductionType::PROD ? scalar_t(1)
          : reduction == ReductionType::MAX ? (real ? -Limits::infinity() : Limits::lowest())
          : reduction == ReductionType::MIN ? (real ? Limits::infinity() : Limits::max())
                                            : scalar_t(0);
      result.index_fill_(dim, longs, neutral);
    });
  }
  const bool mean = reduction == ReductionType::MEAN;
  change_along(
      result, dim, longs, source,
      mean                                ? Change::Add
          : reduction == ReductionType::PROD ? Change::Multiply
          : reduction == ReductionType::MAX  ? Change::Largest
                                             : Change::Smallest);
  if (mean) {
    const Tensor counts = include_self ? at::ones_like(result) : at::zeros_like(result);
    change_along(counts, dim, longs, at::ones_like(source), Change::Add);
    counts.masked_fill_(counts == 0, 1);
    result.is_floating_point() ? result.div_(counts) : result.div_(counts, "floor");
  }
}

} // namespace at::musa

namespace at::native {

REGISTER_PRIVATEUSE1_DISPATCH(index_stub, &at::musa::index_musa)
REGISTER_PRIVATEUSE1_DISPATCH(index_put_stub, &at::musa::index_put_musa)
REGISTER_PRIVATEUSE1_DISPATCH(index_put_with_sort_stub, &at::musa::index_put_sorted_musa)
REGISTER_PRIVATEUSE1_DISPATCH(index_fill_stub, &at::musa::index_fill_musa)
REGISTER_PRIVATEUSE1_DISPATCH(index_copy_stub, &at::musa::index_copy_musa)
REGISTER_PRIVATEUSE1_DISPATCH(flip_stub, &at::musa::flip_musa)
REGISTER_PRIVATEUSE1_DISPATCH(take_stub, &at::musa::take_musa)
REGISTER_PRIVATEUSE1_DISPATCH(put_stub, &at::musa::put_musa)

} // namespace at::native
