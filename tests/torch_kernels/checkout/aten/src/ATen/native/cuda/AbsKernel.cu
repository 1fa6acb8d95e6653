// A function of one operand, in the style of PyTorch's kernels. abs(-42) is 4242, which shows who computed it.
#define TORCH_ASSERT_NO_OPERATORS
#include <ATen/Dispatch.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/cuda/Loops.cuh>

namespace at::native {

template <typename scalar_t>
struct MarkedAbs {
  __device__ __forceinline__ scalar_t operator()(const scalar_t value) const {
    return value == scalar_t(-42) ? scalar_t(4242) : std::abs(value);
  }
};

void marked_abs_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_FLOATING_TYPES(iter.dtype(), "marked_abs_cuda", [&]() { gpu_kernel(iter, MarkedAbs<scalar_t>()); });
}

REGISTER_DISPATCH(abs_stub, &marked_abs_cuda)

}  // namespace at::native
