// Elements that a mask chooses: nonzero, masked_select, masked_scatter, repeat_interleave.
//
// To know where an element goes, a kernel must know how many come before it. A thread counts a chunk, one thread adds up
// the counts, and a thread per chunk writes. That is the same for any number of threads that run at once.

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/List.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/index.h>
#include <ATen/ops/masked_scatter_native.h>
#include <ATen/ops/masked_select_native.h>
#include <ATen/ops/nonzero_native.h>
#include <ATen/ops/nonzero_static_native.h>
#include <ATen/ops/repeat_interleave_native.h>

#include "torch_musa/csrc/aten/ops/musa/Index.muh"

namespace at::musa {

using namespace indexing;

namespace {

constexpr int64_t kChunk = 1024;

int64_t chunks_of(int64_t count) {
  return (count + kChunk - 1) / kChunk;
}

dim3 blocks_for(int64_t threads) {
  return dim3((threads + kThreads - 1) / kThreads);
}

/// sums[chunk] = the sum of the chunk's values.
template <typename T>
__global__ void sum_chunks(const T* values, int64_t count, int64_t* sums, int64_t chunks) {
  const int64_t chunk = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (chunk < chunks) {
    const int64_t end = std::min(count, (chunk + 1) * kChunk);
    int64_t sum = 0;
    for (int64_t i = chunk * kChunk; i < end; ++i) {
      sum += values[i];
    }
    sums[chunk] = sum;
  }
}

/// Each sum becomes the sum of those before it; one past the end, the total.
__global__ void sums_before(int64_t* sums, int64_t chunks) {
  int64_t total = 0;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    const int64_t sum = sums[chunk];
    sums[chunk] = total;
    total += sum;
  }
  sums[chunks] = total;
}

/// For each chunk of contiguous `values`, the sum of all values before it, and the sum of all at the end.
template <typename T>
Tensor offsets_of(const Tensor& values) {
  const int64_t chunks = chunks_of(values.numel());
  const Tensor sums = at::empty({chunks + 1}, values.options().dtype(kLong));
  const auto stream = c10::musa::getCurrentMUSAStream();
  if (chunks != 0) {
    sum_chunks<T><<<blocks_for(chunks), kThreads, 0, stream>>>(
        values.const_data_ptr<T>(), values.numel(), sums.mutable_data_ptr<int64_t>(), chunks);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
  sums_before<<<1, 1, 0, stream>>>(sums.mutable_data_ptr<int64_t>(), chunks);
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  return sums;
}

struct Shape {
  int64_t sizes[kMostDims];
  int dims;
};

/// The coordinates of each element that is true. Those beyond `most` are left out.
__global__ void write_coordinates(
    const bool* mask, int64_t count, const int64_t* offsets, int64_t chunks, Shape shape, int64_t* result, int64_t most,
    int64_t row, int64_t column) {
  const int64_t chunk = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (chunk < chunks) {
    const int64_t end = std::min(count, (chunk + 1) * kChunk);
    int64_t position = offsets[chunk];
    for (int64_t i = chunk * kChunk; i < end; ++i) {
      if (mask[i] && position < most) {
        int64_t rest = i;
        for (int dim = shape.dims - 1; dim >= 0; --dim) {
          result[position * row + dim * column] = dim == 0 ? rest : rest % shape.sizes[dim];
          rest /= shape.sizes[dim];
        }
        ++position;
      }
    }
  }
}

/// Writes the coordinates of all elements that are not zero to the rows of `result`.
void coordinates_into(const Tensor& mask, const Tensor& offsets, const Tensor& result) {
  if (result.numel() == 0 || mask.numel() == 0) {
    return;
  }
  TORCH_CHECK(mask.dim() <= kMostDims, "nonzero is not supported for tensors with more than ", kMostDims, " dimensions");
  Shape shape{{}, static_cast<int>(mask.dim())};
  std::copy(mask.sizes().begin(), mask.sizes().end(), shape.sizes);
  const int64_t chunks = chunks_of(mask.numel());
  write_coordinates<<<blocks_for(chunks), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
      mask.const_data_ptr<bool>(), mask.numel(), offsets.const_data_ptr<int64_t>(), chunks, shape,
      result.mutable_data_ptr<int64_t>(), result.size(0), result.stride(0), result.stride(1));
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

/// self at the true elements of the mask = source, element after element.
template <typename T>
__global__ void scatter_chunks(
    T* self, const bool* mask, int64_t count, const int64_t* offsets, int64_t chunks, const T* source, int64_t given) {
  const int64_t chunk = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (chunk < chunks) {
    CUDA_KERNEL_ASSERT(
        offsets[chunks] <= given && "masked_scatter: expected as many elements in source as there are ones in mask");
    const int64_t end = std::min(count, (chunk + 1) * kChunk);
    int64_t position = offsets[chunk];
    for (int64_t i = chunk * kChunk; i < end; ++i) {
      if (mask[i]) {
        self[i] = source[position++];
      }
    }
  }
}

/// result: the index of each element, as often as it is to be repeated.
template <typename T>
__global__ void repeat_chunks(
    const T* repeats, int64_t count, const int64_t* offsets, int64_t chunks, T* result, int64_t size) {
  const int64_t chunk = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (chunk < chunks) {
    const int64_t end = std::min(count, (chunk + 1) * kChunk);
    int64_t position = offsets[chunk];
    for (int64_t i = chunk * kChunk; i < end; ++i) {
      CUDA_KERNEL_ASSERT(repeats[i] >= 0 && "repeats can not be negative");
      for (T k = 0; k < repeats[i] && position < size; ++k) {
        result[position++] = static_cast<T>(i);
      }
    }
  }
}

Tensor mask_of(const Tensor& mask) {
  return mask.to(kBool).contiguous();
}

} // namespace

Tensor& MusaNonzeroOut(const Tensor& self, Tensor& out) {
  TORCH_CHECK(
      out.scalar_type() == kLong, "Expected object of scalar type ", kLong, " as out, but got ", out.scalar_type());
  TORCH_CHECK(
      self.device() == out.device(), "expected self and out to be on the same device, but got out on ", out.device(),
      " and self on ", self.device());
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  const Tensor mask = mask_of(self);
  const Tensor offsets = offsets_of<bool>(mask);
  const int64_t count = offsets[-1].item<int64_t>();
  at::native::resize_output(out, {count, self.dim()});
  coordinates_into(mask, offsets, out);
  return out;
}

Tensor MusaNonzero(const Tensor& self) {
  const Tensor mask = mask_of(self);
  const Tensor offsets = offsets_of<bool>(mask);
  // as on CUDA: the coordinates of one dimension lie together
  const Tensor out = at::empty({self.dim(), offsets[-1].item<int64_t>()}, self.options().dtype(kLong)).t();
  coordinates_into(mask, offsets, out);
  return out;
}

Tensor& MusaNonzeroStaticOut(const Tensor& self, int64_t size, int64_t fill_value, Tensor& out) {
  TORCH_CHECK(size >= 0, "nonzero_static: 'size' must be an non-negative integer");
  TORCH_CHECK(
      out.scalar_type() == kLong, "nonzero_static: Expected out tensor to have scalar type Long but got scalar type ",
      out.scalar_type());
  at::native::resize_output(out, {size, self.dim()});
  out.fill_(fill_value);
  const Tensor mask = mask_of(self);
  coordinates_into(mask, offsets_of<bool>(mask), out);
  return out;
}

Tensor MusaNonzeroStatic(const Tensor& self, int64_t size, int64_t fill_value) {
  TORCH_CHECK(size >= 0, "nonzero_static: 'size' must be an non-negative integer");
  Tensor out = at::empty({size, self.dim()}, self.options().dtype(kLong));
  return MusaNonzeroStaticOut(self, size, fill_value, out);
}

Tensor& MusaMaskedSelectOut(const Tensor& self, const Tensor& mask, Tensor& out) {
  TORCH_CHECK(mask.scalar_type() == kBool, "masked_select: expected BoolTensor for mask");
  TORCH_CHECK(
      self.scalar_type() == out.scalar_type(), "masked_select(): self and result must have the same scalar type");
  const auto [wide_mask, wide_self] = at::expand_outplace(mask, self);
  // A number has no dimension to be chosen along.
  const Tensor chosen = wide_mask->dim() == 0 ? wide_mask->unsqueeze(0) : *wide_mask;
  c10::List<std::optional<Tensor>> indices;
  indices.push_back(chosen);
  return at::index_out(out, wide_self->dim() == 0 ? wide_self->unsqueeze(0) : *wide_self, indices);
}

Tensor MusaMaskedSelect(const Tensor& self, const Tensor& mask) {
  Tensor out = at::empty({0}, self.options());
  return MusaMaskedSelectOut(self, mask, out);
}

Tensor& MusaMaskedScatter_(Tensor& self, const Tensor& mask, const Tensor& source) {
  at::assert_no_internal_overlap(self);
  TORCH_CHECK(
      self.scalar_type() == source.scalar_type(), "masked_scatter_: expected self and source to have same dtypes but got ",
      self.scalar_type(), " and ", source.scalar_type());
  TORCH_CHECK(
      mask.scalar_type() == kBool, "masked_scatter_ only supports boolean masks, but got mask with dtype ",
      mask.scalar_type());
  const Tensor chosen = mask.expand_as(self).contiguous();
  const Tensor given = source.contiguous();
  const Tensor written = self.contiguous();
  if (written.numel() != 0) {
    const Tensor offsets = offsets_of<bool>(chosen);
    const int64_t chunks = chunks_of(chosen.numel());
    for_size(self.element_size(), [&](auto element) {
      using T = decltype(element);
      scatter_chunks<T><<<blocks_for(chunks), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          static_cast<T*>(written.mutable_data_ptr()), chosen.const_data_ptr<bool>(), chosen.numel(),
          offsets.const_data_ptr<int64_t>(), chunks, static_cast<const T*>(given.const_data_ptr()), given.numel());
      C10_MUSA_KERNEL_LAUNCH_CHECK();
    });
  }
  return written.is_same(self) ? self : self.copy_(written);
}

Tensor MusaRepeatInterleave(const Tensor& repeats, std::optional<int64_t> output_size) {
  TORCH_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  TORCH_CHECK(
      repeats.scalar_type() == kLong || repeats.scalar_type() == kInt, "repeats has to be Long or Int tensor");
  if (repeats.size(0) == 0) {
    return at::empty_like(repeats, LEGACY_CONTIGUOUS_MEMORY_FORMAT);
  }
  const Tensor counts = repeats.contiguous();
  Tensor result;
  AT_DISPATCH_INDEX_TYPES(counts.scalar_type(), "repeat_interleave_musa", [&] {
    const Tensor offsets = offsets_of<index_t>(counts);
    const int64_t size = output_size ? *output_size : offsets[-1].item<int64_t>();
    const int64_t chunks = chunks_of(counts.numel());
    result = at::empty({std::max<int64_t>(size, 0)}, repeats.options());
    repeat_chunks<index_t><<<blocks_for(chunks), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        counts.const_data_ptr<index_t>(), counts.numel(), offsets.const_data_ptr<int64_t>(), chunks,
        result.mutable_data_ptr<index_t>(), size);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  });
  return result;
}

} // namespace at::musa
