// Tensors of one number, and complex numbers from their parts.

#include <ATen/native/DispatchStub.h>
#include <ATen/native/Fill.h>
#include <ATen/native/TensorFactories.h>

#include <algorithm>
#include <cstring>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Math.muh"

namespace at::native {

namespace {

using at::musa::elementwise::compute;

template <typename T>
bool is_zero_bytes(const T& value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  return std::all_of(bytes, bytes + sizeof(T), [](char byte) { return byte == 0; });
}

void fill_musa(TensorIterator& iter, const Scalar& number) {
  AT_DISPATCH_V2(
      iter.dtype(), "fill_musa", AT_WRAP([&] {
        const scalar_t value = number.to<scalar_t>();
        if (iter.numel() > 0 && iter.is_contiguous() && is_zero_bytes(value)) {
          C10_MUSA_CHECK(musaMemsetAsync(
              iter.data_ptr(0), 0, iter.numel() * sizeof(scalar_t), c10::musa::getCurrentMUSAStream()));
          return;
        }
        compute(iter, [value] MUSA_LAMBDA() -> scalar_t { return value; });
      }),
      MUSA_INTEGRAL, AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES), kBool, MUSA_FLOATING, MUSA_ALL_COMPLEX,
      AT_EXPAND(AT_FLOAT8_TYPES));
}

/// Complex numbers out of their parts.
void complex_musa(TensorIterator& iter) {
  AT_DISPATCH_V2(
      iter.input_dtype(0), "complex_musa", AT_WRAP([&] {
        compute(iter, [] MUSA_LAMBDA(scalar_t real, scalar_t imaginary) -> c10::complex<scalar_t> {
          return c10::complex<scalar_t>(real, imaginary);
        });
      }),
      kFloat, kDouble, kHalf);
}

void polar_musa(TensorIterator& iter) {
  AT_DISPATCH_V2(
      iter.input_dtype(0), "polar_musa", AT_WRAP([&] {
        compute(iter, [] MUSA_LAMBDA(scalar_t length, scalar_t angle) -> c10::complex<scalar_t> {
          return c10::complex<scalar_t>(length * ::cos(angle), length * ::sin(angle));
        });
      }),
      kFloat, kDouble);
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(fill_stub, &fill_musa)
REGISTER_PRIVATEUSE1_DISPATCH(complex_stub, &complex_musa)
REGISTER_PRIVATEUSE1_DISPATCH(polar_stub, &polar_musa)

} // namespace at::native
