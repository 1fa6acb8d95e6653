// Distributions that take an unknown number of random numbers for each element: gamma, Poisson, binomial, Dirichlet.

#include <ATen/Dispatch.h>
#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Distributions.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/ops/empty_like.h>
#include <torch_musa/csrc/core/MUSAException.h>
#include <torch_musa/csrc/core/MUSAStream.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Philox.muh"

#include <limits>

namespace at::musa {

namespace {

using namespace random;
using elementwise::kThreads;

/// As many random numbers as an element wants. The n-th block of Philox has n above the 40 bits of the element's number,
/// so that neither another element nor a later call gets it.
template <typename R>
class Draws {
 public:
  __device__ Draws(const Numbers& numbers, uint64_t element) : numbers_(numbers), element_(element) {}

  /// (0, 1)
  __device__ R uniform() {
    constexpr int kEach = 16 / sizeof(Bits<R>);
    if (used_ == kEach) {
      block_ = philox(numbers_, element_ | blocks_++ << 40);
      used_ = 0;
    }
    return open_unit(bits_of<Bits<R>>(block_, used_++));
  }

  __device__ R normal() {
    const R radius = ::sqrt(R(-2) * ::log(uniform()));
    return radius * ::cos(R(2 * M_PI) * uniform());
  }

 private:
  const Numbers& numbers_;
  uint64_t element_;
  uint64_t blocks_ = 0;
  Block block_;
  int used_ = 16 / sizeof(Bits<R>);
};

template <typename R, typename T, typename F>
__global__ void sample(int64_t count, Numbers numbers, F f, T* result) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (i < count) {
    Draws<R> draws(numbers, i);
    result[i] = static_cast<T>(f(draws, i));
  }
}

/// Fills a contiguous tensor: `f(draws, i)` is its i-th element.
template <typename R, typename T, typename F>
void fill(const Tensor& result, const std::optional<Generator>& generator, const F& f) {
  const int64_t count = result.numel();
  if (count == 0) {
    return;
  }
  Tensor kept;
  const Numbers numbers = next_numbers(generator, result.device(), kept);
  sample<R, T><<<(count + kThreads - 1) / kThreads, kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
      count, numbers, f, result.mutable_data_ptr<T>());
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

/// Hörmann 1993, "The transformed rejection method for generating Poisson random variables": PTRS, for means from 10 on.
template <typename R>
__device__ R large_poisson(Draws<R>& draws, R mean) {
  const R log_mean = ::log(mean);
  const R b = R(0.931) + R(2.53) * ::sqrt(mean);
  const R a = R(-0.059) + R(0.02483) * b;
  const R inverse_alpha = R(1.1239) + R(1.1328) / (b - R(3.4));
  const R accepted = R(0.9277) - R(3.6224) / (b - R(2));
  for (;;) {
    const R u = draws.uniform() - R(0.5);
    const R v = draws.uniform();
    const R us = R(0.5) - ::fabs(u);
    const R k = ::floor((R(2) * a / us + b) * u + mean + R(0.43));
    if (us >= R(0.07) && v <= accepted) {
      return k;
    }
    if (k < 0 || (us < R(0.013) && v > us)) {
      continue;
    }
    if (::log(v * inverse_alpha / (a / (us * us) + b)) <= k * log_mean - mean - ::lgamma(k + 1)) {
      return k;
    }
  }
}

/// Uniform numbers are multiplied until the product is below exp(-mean).
template <typename R>
__device__ R small_poisson(Draws<R>& draws, R mean) {
  const R limit = ::exp(-mean);
  R product = draws.uniform();
  R k = 0;
  while (product > limit) {
    product *= draws.uniform();
    k += 1;
  }
  return k;
}

Tensor contiguous_like(const Tensor& self) {
  return at::empty_like(self, MemoryFormat::Contiguous);
}

} // namespace

Tensor MusaPoisson(const Tensor& self, std::optional<Generator> generator) {
  const Tensor means = self.contiguous();
  Tensor result = contiguous_like(self);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "poisson_musa", [&] {
    using R = Real<scalar_t>;
    const scalar_t* const mean = means.const_data_ptr<scalar_t>();
    fill<R, scalar_t>(result, generator, [=] __device__(Draws<R>& draws, int64_t i) {
      const R m = static_cast<R>(mean[i]);
      CUDA_KERNEL_ASSERT(m >= 0 && "invalid Poisson rate, expected rate to be non-negative");
      return m == 0 ? R(0) : m < R(10) ? small_poisson(draws, m) : large_poisson(draws, m);
    });
  });
  return result;
}

Tensor MusaBinomial(const Tensor& count, const Tensor& prob, std::optional<Generator> generator) {
  TORCH_CHECK_VALUE(
      at::isFloatingType(count.scalar_type()), "binomial only supports floating-point dtypes for count, got: ",
      count.scalar_type());
  TORCH_CHECK_VALUE(
      at::isFloatingType(prob.scalar_type()), "binomial only supports floating-point dtypes for prob, got: ",
      prob.scalar_type());
  const auto [wide_count, wide_prob] = at::expand_outplace(count, prob);
  const Tensor counts = wide_count->contiguous();
  const Tensor probs = wide_prob->to(count.scalar_type()).contiguous();
  Tensor result = contiguous_like(counts);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, count.scalar_type(), "binomial_musa", [&] {
    using R = Real<scalar_t>;
    const scalar_t* const n = counts.const_data_ptr<scalar_t>();
    const scalar_t* const p = probs.const_data_ptr<scalar_t>();
    fill<R, scalar_t>(result, generator, [=] __device__(Draws<R>& draws, int64_t i) {
      const auto uniform = [&draws] __device__() { return draws.uniform(); };
      BaseSampler<R, decltype(uniform)> uniforms(uniform);
      return sample_binomial<R, R, decltype(uniform)>(static_cast<R>(n[i]), static_cast<R>(p[i]), uniforms);
    });
  });
  return result;
}

Tensor MusaStandardGamma(const Tensor& self, std::optional<Generator> generator) {
  const Tensor shapes = self.contiguous();
  Tensor result = contiguous_like(self);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "_standard_gamma_musa", [&] {
    using R = Real<scalar_t>;
    const scalar_t* const alpha = shapes.const_data_ptr<scalar_t>();
    const R least = static_cast<R>(std::numeric_limits<scalar_t>::min());
    fill<R, scalar_t>(result, generator, [=] __device__(Draws<R>& draws, int64_t i) {
      const auto uniform = [&draws] __device__() { return draws.uniform(); };
      const auto normal = [&draws] __device__() { return draws.normal(); };
      BaseSampler<R, decltype(uniform)> uniforms(uniform);
      BaseSampler<R, decltype(normal)> normals(normal);
      const R drawn = sample_gamma<R, R, decltype(uniform), decltype(normal)>(
          static_cast<R>(alpha[i]), uniforms, normals);
      return drawn > least ? drawn : least;
    });
  });
  return result;
}

Tensor MusaSampleDirichlet(const Tensor& self, std::optional<Generator> generator) {
  // float32 at least: a half cannot tell small numbers from each other, and their sum decides
  const ScalarType wide = self.scalar_type() == kDouble ? kDouble : kFloat;
  const Tensor gamma = MusaStandardGamma(self.to(wide), generator);
  const Tensor shares = (gamma / gamma.sum(-1, /*keepdim=*/true)).to(self.scalar_type());
  double least = 0, most = 1;
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "_sample_dirichlet_musa", [&] {
    least = static_cast<double>(std::numeric_limits<scalar_t>::min());
    most = 1 - static_cast<double>(std::numeric_limits<scalar_t>::epsilon()) / 2;
  });
  return shares.clamp(least, most);
}

Tensor MusaStandardGammaGrad(const Tensor& self, const Tensor& output) {
  Tensor result = at::empty_like(self);
  auto iter = TensorIteratorConfig().add_output(result).add_const_input(self).add_const_input(output).build();
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "_standard_gamma_grad_musa", [&] {
    using R = Real<scalar_t>;
    elementwise::compute(iter, [] MUSA_LAMBDA(scalar_t alpha, scalar_t drawn) -> scalar_t {
      return static_cast<scalar_t>(
          standard_gamma_grad_one<R, R>(static_cast<R>(alpha), static_cast<R>(drawn)));
    });
  });
  return result;
}

Tensor MusaDirichletGrad(const Tensor& x, const Tensor& alpha, const Tensor& total) {
  Tensor result = at::empty_like(x);
  auto iter = TensorIteratorConfig()
                  .add_output(result)
                  .add_const_input(x)
                  .add_const_input(alpha)
                  .add_const_input(total)
                  .build();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "_dirichlet_grad_musa", [&] {
    elementwise::compute(iter, [] MUSA_LAMBDA(scalar_t share, scalar_t a, scalar_t sum) -> scalar_t {
      return dirichlet_grad_one<scalar_t, scalar_t>(share, a, sum);
    });
  });
  return result;
}

} // namespace at::musa
