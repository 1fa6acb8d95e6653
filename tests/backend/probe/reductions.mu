// PyTorch's own kernels, from its ported headers: they are written for warps of C10_WARP_SIZE lanes.
#include <ATen/core/Tensor.h>
#include <ATen/native/TensorIterator.h>
#include <torch_musa/csrc/aten/musa/MUSAContext.h>
#include <ATen/native/musa/PersistentSoftmax.muh>
#include <ATen/native/musa/Reduce.muh>
#include <torch/library.h>

namespace {

/// Sums over the dimensions that `out` has once.
void launch_sum(const at::Tensor& x, const at::Tensor& out) {
  at::TensorIterator iterator = at::TensorIterator::reduce_op(const_cast<at::Tensor&>(out), x);
  at::native::gpu_reduce_kernel<float, float>(
      iterator, at::native::func_wrapper<float>([] GPU_LAMBDA(float a, float b) -> float { return a + b; }));
}

/// Over the rows of a matrix.
void launch_softmax(const at::Tensor& x, const at::Tensor& out) {
  const int columns = static_cast<int>(x.size(1));
  dispatch_softmax_forward<float, float, float, false, false>(
      out.mutable_data_ptr<float>(), x.const_data_ptr<float>(), columns, columns, static_cast<int>(x.size(0)));
}

} // namespace

TORCH_LIBRARY_FRAGMENT(musa_probe, m) {
  m.def("launch_sum(Tensor x, Tensor(a!) out) -> ()", &launch_sum);
  m.def("launch_softmax(Tensor x, Tensor(a!) out) -> ()", &launch_softmax);
}
