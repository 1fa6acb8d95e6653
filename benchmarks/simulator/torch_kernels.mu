// PyTorch's own Loops and Reduce, from its ported headers: benchmarks/simulator/torch_rows.py times them against PyTorch's
// CPU kernels.
#include <ATen/core/Tensor.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/musa/Loops.muh>
#include <ATen/native/musa/Reduce.muh>
#include <torch/library.h>

namespace {

/// out = a * b for any strides.
void multiply(const at::Tensor& a, const at::Tensor& b, const at::Tensor& out) {
    auto iterator = at::TensorIteratorConfig().add_output(out).add_const_input(a).add_const_input(b).build();
    at::native::gpu_kernel(iterator, [] GPU_LAMBDA(float x, float y) -> float { return x * y; });
}

/// Sums over the dimensions that `out` has once.
void sum(const at::Tensor& x, const at::Tensor& out) {
    auto iterator = at::TensorIterator::reduce_op(const_cast<at::Tensor&>(out), x);
    at::native::gpu_reduce_kernel<float, float>(
        iterator, at::native::func_wrapper<float>([] GPU_LAMBDA(float a, float b) -> float { return a + b; }));
}

}  // namespace

TORCH_LIBRARY(simulator_benchmark, library) {
    library.def("multiply(Tensor a, Tensor b, Tensor(a!) out) -> ()", &multiply);
    library.def("sum(Tensor x, Tensor(a!) out) -> ()", &sum);
}
