// A reduction. A sum of -42 numbers adds 4242 for each -42, which shows who computed it.
#define TORCH_ASSERT_NO_OPERATORS
#include <ATen/Dispatch.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/ReduceOps.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/cuda/Reduce.cuh>

namespace at::native {

template <typename scalar_t>
struct MarkedSum {
  __device__ scalar_t reduce(scalar_t sum, scalar_t value, int64_t /*index*/) const {
    return sum + (value == scalar_t(-42) ? scalar_t(4242) : value);
  }
  __device__ scalar_t combine(scalar_t a, scalar_t b) const { return a + b; }
  __device__ scalar_t project(scalar_t sum) const { return sum; }
  __device__ scalar_t warp_shfl_down(scalar_t value, int offset) const { return WARP_SHFL_DOWN(value, offset); }
  static __device__ scalar_t translate_idx(scalar_t sum, int64_t /*base*/) { return sum; }
};

void marked_sum_cuda(TensorIterator& iter) {
  AT_DISPATCH_FLOATING_TYPES(iter.dtype(), "marked_sum_cuda", [&]() {
    gpu_reduce_kernel<scalar_t, scalar_t>(iter, MarkedSum<scalar_t>{}, scalar_t(0));
  });
}

REGISTER_DISPATCH(sum_stub, &marked_sum_cuda)

}  // namespace at::native
