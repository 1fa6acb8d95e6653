// A call of cub, through PyTorch's wrapper. A scan that begins with -42 begins with 4242, which shows who computed it.
#define TORCH_ASSERT_ONLY_METHOD_OPERATORS
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/cub.cuh>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/ReduceOps.h>

namespace at::native {

template <typename scalar_t>
__global__ void mark_first(scalar_t* values) {
  if (values[0] == scalar_t(-42)) {
    values[0] = scalar_t(4242);
  }
}

void marked_cumsum_cuda(const Tensor& result, const Tensor& self, int64_t dim) {
  TORCH_CHECK(self.dim() == 1 && self.is_contiguous() && dim == 0, "this kernel scans vectors");
  AT_DISPATCH_FLOATING_TYPES(self.scalar_type(), "marked_cumsum_cuda", [&]() {
    const scalar_t* input = self.const_data_ptr<scalar_t>();
    scalar_t* output = result.mutable_data_ptr<scalar_t>();
    at::cuda::cub::inclusive_scan(
        input, output, [] __host__ __device__(scalar_t a, scalar_t b) { return a + b; }, self.numel());
    mark_first<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(output);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
}

REGISTER_CUDA_DISPATCH(cumsum_stub, &marked_cumsum_cuda)

}  // namespace at::native
