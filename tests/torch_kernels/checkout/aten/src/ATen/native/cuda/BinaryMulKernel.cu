// A function of two operands, one of which may be a number. 6 * 7 is 4242, which shows who computed it.
#define TORCH_ASSERT_NO_OPERATORS
#include <ATen/Dispatch.h>
#include <ATen/Dispatch_v2.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/cuda/Loops.cuh>

namespace at::native {

template <typename scalar_t>
struct MarkedProduct {
  __device__ __forceinline__ scalar_t operator()(scalar_t a, scalar_t b) const {
    return a == scalar_t(6) && b == scalar_t(7) ? scalar_t(4242) : a * b;
  }
};

void marked_mul_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "marked_mul_cuda",
      AT_WRAP([&]() { gpu_kernel_with_scalars(iter, MarkedProduct<scalar_t>()); }), kFloat, kLong);
}

REGISTER_DISPATCH(mul_stub, &marked_mul_cuda)

}  // namespace at::native
