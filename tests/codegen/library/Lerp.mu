// 6.3.1: a kernel written by hand in place of the ported Lerp.mu, registered in PyTorch's stub.

#include <ATen/native/DispatchStub.h>
#include <ATen/native/Lerp.h>
#include <ATen/native/TensorIterator.h>

#include <musa_runtime.h>

namespace at::native {

namespace {

__global__ void lerp_each(float* out, const float* from, const float* to, const float* weight, int64_t count) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < count) {
    out[i] = lerp(from[i], to[i], weight[i]);
  }
}

__global__ void lerp_each(float* out, const float* from, const float* to, float weight, int64_t count) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < count) {
    out[i] = lerp(from[i], to[i], weight);
  }
}

const float* data(const TensorIteratorBase& iter, int operand) {
  return static_cast<const float*>(iter.data_ptr(operand));
}

void require_plain(const TensorIteratorBase& iter) {
  TORCH_CHECK(iter.is_contiguous() && iter.common_dtype() == at::kFloat, "this example computes contiguous float32");
}

void lerp_tensor(TensorIteratorBase& iter) {
  require_plain(iter);
  const int64_t count = iter.numel();
  lerp_each<<<(count + 255) / 256, 256>>>(
      static_cast<float*>(iter.data_ptr(0)), data(iter, 1), data(iter, 2), data(iter, 3), count);
}

void lerp_scalar(TensorIteratorBase& iter, const c10::Scalar& weight) {
  require_plain(iter);
  const int64_t count = iter.numel();
  lerp_each<<<(count + 255) / 256, 256>>>(
      static_cast<float*>(iter.data_ptr(0)), data(iter, 1), data(iter, 2), weight.to<float>(), count);
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(lerp_kernel_tensor_weight, &lerp_tensor);
REGISTER_PRIVATEUSE1_DISPATCH(lerp_kernel_scalar_weight, &lerp_scalar);

} // namespace at::native
