// Fourier transforms, on muFFT: up to three dimensions at a time if they are the last ones of a tensor, others one after the
// other, each moved to the end. Tensors are without gaps.

#include <ATen/Dispatch.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/native/SpectralOpsUtils.h>
#include <ATen/ops/_fft_c2c_native.h>
#include <ATen/ops/_fft_c2r_native.h>
#include <ATen/ops/_fft_r2c_native.h>
#include <ATen/ops/empty.h>
#include <torch_musa/csrc/core/MUSAStream.h>

#include <mufft.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace at::musa {

namespace {

void require_success(mufftResult result) {
  TORCH_CHECK(result == MUFFT_SUCCESS, "muFFT error ", static_cast<int>(result));
}

/// A plan for contiguous blocks, on the current stream. `sizes` are those of the signal.
class Plan {
 public:
  Plan(IntArrayRef sizes, mufftType type, int64_t blocks) {
    constexpr int64_t kMost = std::numeric_limits<int>::max();
    std::vector<int> extents;
    for (const int64_t size : sizes) {
      TORCH_CHECK(size <= kMost, "muFFT takes at most ", kMost, " elements, not ", size);
      extents.push_back(static_cast<int>(size));
    }
    TORCH_CHECK(blocks <= kMost, "muFFT takes at most ", kMost, " signals, not ", blocks);
    require_success(mufftPlanMany(
        &handle_, static_cast<int>(extents.size()), extents.data(), nullptr, 1, 0, nullptr, 1, 0, type,
        static_cast<int>(blocks)));
    require_success(mufftSetStream(handle_, c10::musa::getCurrentMUSAStream()));
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    mufftDestroy(handle_);
  }
  mufftHandle handle() const {
    return handle_;
  }

 private:
  mufftHandle handle_ = 0;
};

bool is_double(const Tensor& tensor) {
  return c10::toRealValueType(tensor.scalar_type()) == kDouble;
}

/// muFFT has no half precision; PyTorch's CPU kernels do not, either.
void require_type(const Tensor& tensor, bool complex) {
  const ScalarType type = tensor.scalar_type();
  TORCH_CHECK(
      complex ? type == kComplexFloat || type == kComplexDouble : type == kFloat || type == kDouble,
      "Unsupported dtype ", type, " for a Fourier transform of ", complex ? "complex" : "real", " numbers");
}

/// Return a tensor for a result that is written along the last dimension.
Tensor row_result(const Tensor& rows, int64_t size, ScalarType type) {
  std::vector<int64_t> sizes = rows.sizes().vec();
  sizes.back() = size;
  return at::empty(sizes, rows.options().dtype(type));
}

/// The signals of the last `rank` dimensions, of which the last one has `last_size` elements.
std::vector<int64_t> signal_of(const Tensor& rows, int64_t rank, int64_t last_size) {
  std::vector<int64_t> sizes = rows.sizes().slice(rows.dim() - rank).vec();
  sizes.back() = last_size;
  return sizes;
}
int64_t signals_in(const Tensor& rows, int64_t rank) {
  return c10::multiply_integers(rows.sizes().slice(0, rows.dim() - rank));
}

Tensor transform_rows(const Tensor& rows, int64_t rank, bool forward) {
  const Tensor result = at::empty(rows.sizes(), rows.options());
  const bool wide = is_double(rows);
  const Plan plan(signal_of(rows, rank, rows.size(-1)), wide ? MUFFT_Z2Z : MUFFT_C2C, signals_in(rows, rank));
  const int direction = forward ? MUFFT_FORWARD : MUFFT_INVERSE;
  if (wide) {
    require_success(mufftExecZ2Z(
        plan.handle(), static_cast<mufftDoubleComplex*>(rows.mutable_data_ptr()),
        static_cast<mufftDoubleComplex*>(result.mutable_data_ptr()), direction));
  } else {
    require_success(mufftExecC2C(
        plan.handle(), static_cast<mufftComplex*>(rows.mutable_data_ptr()),
        static_cast<mufftComplex*>(result.mutable_data_ptr()), direction));
  }
  return result;
}

/// Half of the transformed rows; the other half mirrors it.
Tensor transform_real_rows(const Tensor& rows, int64_t rank) {
  const bool wide = is_double(rows);
  const Tensor result = row_result(rows, rows.size(-1) / 2 + 1, wide ? kComplexDouble : kComplexFloat);
  const Plan plan(signal_of(rows, rank, rows.size(-1)), wide ? MUFFT_D2Z : MUFFT_R2C, signals_in(rows, rank));
  if (wide) {
    require_success(mufftExecD2Z(
        plan.handle(), rows.mutable_data_ptr<double>(), static_cast<mufftDoubleComplex*>(result.mutable_data_ptr())));
  } else {
    require_success(mufftExecR2C(
        plan.handle(), rows.mutable_data_ptr<float>(), static_cast<mufftComplex*>(result.mutable_data_ptr())));
  }
  return result;
}

/// Real rows of `size` elements from half of their transform.
Tensor transform_to_real_rows(const Tensor& rows, int64_t rank, int64_t size) {
  const bool wide = is_double(rows);
  const Tensor result = row_result(rows, size, wide ? kDouble : kFloat);
  const Plan plan(signal_of(rows, rank, size), wide ? MUFFT_Z2D : MUFFT_C2R, signals_in(rows, rank));
  // The library may use the input as its working space.
  if (wide) {
    require_success(mufftExecZ2D(
        plan.handle(), static_cast<mufftDoubleComplex*>(rows.mutable_data_ptr()), result.mutable_data_ptr<double>()));
  } else {
    require_success(mufftExecC2R(
        plan.handle(), static_cast<mufftComplex*>(rows.mutable_data_ptr()), result.mutable_data_ptr<float>()));
  }
  return result;
}

/// Return a contiguous tensor with the dimension moved to the end.
Tensor as_rows(const Tensor& tensor, int64_t dim) {
  return tensor.movedim(dim, -1).resolve_conj().resolve_neg().contiguous();
}

/// How many of `dims`, from its end on, a plan can have at once: all, if they are the tensor's last ones, otherwise one.
int64_t rank_of(const Tensor& tensor, IntArrayRef dims) {
  constexpr size_t kMost = 3;
  std::vector<int64_t> sorted = dims.vec();
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<int64_t>(dims.size());
  for (int64_t i = 0; i < count; ++i) {
    if (sorted[i] != tensor.dim() - count + i) {
      return 1;
    }
  }
  return dims.back() == tensor.dim() - 1 && dims.size() <= kMost ? count : 1;
}

Tensor transform_dims(Tensor value, IntArrayRef dims, bool forward) {
  if (dims.size() > 1 && rank_of(value, dims) > 1) {
    return transform_rows(as_rows(value, -1), static_cast<int64_t>(dims.size()), forward);
  }
  for (int64_t i = static_cast<int64_t>(dims.size()) - 1; i >= 0; --i) {
    value = transform_rows(as_rows(value, dims[i]), 1, forward).movedim(-1, dims[i]);
  }
  return value;
}

/// Multiply by the factor of the normalization, for a signal of the sizes along `dims`.
Tensor normalized(const Tensor& value, int64_t normalization, IntArrayRef sizes, IntArrayRef dims) {
  using Mode = at::native::fft_norm_mode;
  double count = 1;
  for (const int64_t dim : dims) {
    count *= static_cast<double>(sizes[dim]);
  }
  switch (static_cast<Mode>(normalization)) {
    case Mode::none:
      return value;
    case Mode::by_n:
      return value.mul(1 / count);
    case Mode::by_root_n:
      return value.mul(1 / std::sqrt(count));
  }
  TORCH_CHECK(false, "unsupported normalization of a Fourier transform: ", normalization);
}

} // namespace

Tensor MusaFftC2C(const Tensor& self, IntArrayRef dims, int64_t normalization, bool forward) {
  require_type(self, true);
  if (dims.empty() || self.numel() == 0) {
    return self.clone();
  }
  return normalized(transform_dims(self, dims, forward), normalization, self.sizes(), dims);
}

Tensor MusaFftR2C(const Tensor& self, IntArrayRef dims, int64_t normalization, bool onesided) {
  require_type(self, false);
  if (!onesided) {
    return MusaFftC2C(self.to(c10::toComplexType(self.scalar_type())), dims, normalization, true);
  }
  const int64_t last = dims.back();
  if (self.numel() == 0) {
    std::vector<int64_t> sizes = self.sizes().vec();
    sizes[last] = sizes[last] / 2 + 1;
    return at::empty(sizes, self.options().dtype(c10::toComplexType(self.scalar_type())));
  }
  const int64_t rank = rank_of(self, dims);
  const Tensor half = transform_real_rows(as_rows(self, last), rank).movedim(-1, last);
  return normalized(transform_dims(half, dims.slice(0, dims.size() - rank), true), normalization, self.sizes(), dims);
}

Tensor MusaFftC2R(const Tensor& self, IntArrayRef dims, int64_t normalization, int64_t last_size) {
  require_type(self, true);
  const int64_t last = dims.back();
  std::vector<int64_t> sizes = self.sizes().vec();
  sizes[last] = last_size;
  if (self.numel() == 0) {
    return at::empty(sizes, self.options().dtype(c10::toRealValueType(self.scalar_type())));
  }
  const int64_t rank = rank_of(self, dims);
  const Tensor half = transform_dims(self, dims.slice(0, dims.size() - rank), false);
  const Tensor rows = as_rows(half, last);
  const Tensor result = transform_to_real_rows(rows.is_alias_of(self) ? rows.clone() : rows, rank, last_size);
  return normalized(result.movedim(-1, last), normalization, sizes, dims);
}

Tensor& MusaFftC2COut(const Tensor& self, IntArrayRef dims, int64_t normalization, bool forward, Tensor& out) {
  const Tensor result = MusaFftC2C(self, dims, normalization, forward);
  at::native::resize_output(out, result.sizes());
  return out.copy_(result);
}

Tensor& MusaFftR2COut(const Tensor& self, IntArrayRef dims, int64_t normalization, bool onesided, Tensor& out) {
  const Tensor result = MusaFftR2C(self, dims, normalization, onesided);
  at::native::resize_output(out, result.sizes());
  return out.copy_(result);
}

Tensor& MusaFftC2ROut(const Tensor& self, IntArrayRef dims, int64_t normalization, int64_t last_size, Tensor& out) {
  const Tensor result = MusaFftC2R(self, dims, normalization, last_size);
  at::native::resize_output(out, result.sizes());
  return out.copy_(result);
}

} // namespace at::musa
