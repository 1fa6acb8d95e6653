// Random numbers, by Philox 4x32-10. The numbers of four elements (two of 8 bytes) are one block of Philox, chosen by
// their position: a result depends on seed and offset alone, not on how many threads compute it, and a longer one begins
// like a shorter one. A call takes one block per thread from the generator.

#include <ATen/Dispatch_v2.h>
#include <ATen/OpMathType.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch_musa/csrc/core/MUSAException.h>
#include <torch_musa/csrc/core/MUSAStream.h>

#include "torch_musa/csrc/aten/ops/musa/Philox.muh"

#include <cmath>
#include <limits>

namespace at::musa {

namespace {

using namespace random;

constexpr int kThreads = 256;

/// Writes the elements of one block of random numbers.
template <typename B, typename T, typename F>
__global__ void draw(int64_t count, Numbers numbers, F f, T* result) {
  constexpr int kEach = 16 / sizeof(B);
  const int64_t thread = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (thread * kEach < count) {
    const Block block = philox(numbers, thread);
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      if (thread * kEach + i < count) {
        result[thread * kEach + i] = f(bits_of<B>(block, i), thread * kEach + i);
      }
    }
  }
}

/// The same for numbers that are made in pairs.
template <typename B, typename T, typename F>
__global__ void draw_pairs(int64_t count, Numbers numbers, F f, T* result) {
  constexpr int kEach = 16 / sizeof(B);
  const int64_t thread = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (thread * kEach < count) {
    const Block block = philox(numbers, thread);
#pragma unroll
    for (int i = 0; i < kEach; i += 2) {
      T first, second;
      f(bits_of<B>(block, i), bits_of<B>(block, i + 1), first, second);
      const int64_t at = thread * kEach + i;
      if (at < count) {
        result[at] = first;
      }
      if (at + 1 < count) {
        result[at + 1] = second;
      }
    }
  }
}

/// Fills a tensor: `f(bits, i)` is its i-th element.
template <typename B, bool kPairs = false, typename T, typename F>
void fill(const Tensor& self, const std::optional<Generator>& generator, const F& f, T) {
  if (self.numel() == 0) {
    return;
  }
  Tensor kept;
  const Numbers numbers = next_numbers(generator, self.device(), kept);
  const Tensor made = self.is_contiguous() ? self : at::empty(self.sizes(), self.options());
  const int64_t threads = (self.numel() + 16 / sizeof(B) - 1) / (16 / sizeof(B));
  const dim3 blocks((threads + kThreads - 1) / kThreads);
  const auto stream = c10::musa::getCurrentMUSAStream();
  if constexpr (kPairs) {
    draw_pairs<B><<<blocks, kThreads, 0, stream>>>(self.numel(), numbers, f, made.mutable_data_ptr<T>());
  } else {
    draw<B><<<blocks, kThreads, 0, stream>>>(self.numel(), numbers, f, made.mutable_data_ptr<T>());
  }
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  if (!made.is_same(self)) {
    self.copy_(made);
  }
}

/// Declares R, what a distribution over scalar_t is computed in, and B, its random bits.
#define MUSA_FLOATING(TYPE, NAME, ...)                                                       \
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, TYPE, NAME, [&] {                        \
    using R = Real<scalar_t>;                                                                \
    using B = Bits<R>;                                                                       \
    __VA_ARGS__                                                                              \
  })

void uniform_musa(TensorIteratorBase& iter, const double from, const double to, std::optional<Generator> generator) {
  MUSA_FLOATING(iter.dtype(), "uniform_musa", {
    const scalar_t low = static_cast<scalar_t>(from);
    const scalar_t high = static_cast<scalar_t>(to);
    const R range = static_cast<R>(high) - static_cast<R>(low);
    fill<B>(iter.tensor(0), generator, [=] __device__(B bits, int64_t) {
      const scalar_t value = static_cast<scalar_t>(unit(bits) * range + static_cast<R>(low));
      return static_cast<R>(value) == static_cast<R>(high) ? low : value; // rounded up
    }, scalar_t());
  });
}

/// Two normal numbers (Box and Muller).
template <typename B, typename R>
__device__ inline void normal_pair(B left, B right, R mean, R deviation, R& first, R& second) {
  const R radius = ::sqrt(R(-2) * ::log(open_unit(left)));
  const R angle = R(2 * M_PI) * unit(right);
  first = radius * ::cos(angle) * deviation + mean;
  second = radius * ::sin(angle) * deviation + mean;
}

void normal_musa(const TensorBase& self, const double mean, const double deviation, std::optional<Generator> generator) {
  const Tensor filled = *OptionalTensorRef(self);
  MUSA_FLOATING(self.scalar_type(), "normal_musa", {
    const R m = static_cast<R>(mean), s = static_cast<R>(deviation);
    fill<B, true>(filled, generator, [=] __device__(B left, B right, scalar_t& first, scalar_t& second) {
      R a, b;
      normal_pair(left, right, m, s, a, b);
      first = static_cast<scalar_t>(a);
      second = static_cast<scalar_t>(b);
    }, scalar_t());
  });
}

void log_normal_musa(
    TensorIteratorBase& iter, const double mean, const double deviation, std::optional<Generator> generator) {
  MUSA_FLOATING(iter.dtype(), "log_normal_musa", {
    const R m = static_cast<R>(mean), s = static_cast<R>(deviation);
    fill<B, true>(iter.tensor(0), generator, [=] __device__(B left, B right, scalar_t& first, scalar_t& second) {
      R a, b;
      normal_pair(left, right, m, s, a, b);
      first = static_cast<scalar_t>(::exp(a));
      second = static_cast<scalar_t>(::exp(b));
    }, scalar_t());
  });
}

void exponential_musa(TensorIteratorBase& iter, const double lambda, std::optional<Generator> generator) {
  MUSA_FLOATING(iter.dtype(), "exponential_musa", {
    const R rate = static_cast<R>(lambda);
    fill<B>(iter.tensor(0), generator, [=] __device__(B bits, int64_t) {
      return static_cast<scalar_t>(-::log(open_unit(bits)) / rate);
    }, scalar_t());
  });
}

void cauchy_musa(TensorIteratorBase& iter, const double median, const double sigma, std::optional<Generator> generator) {
  MUSA_FLOATING(iter.dtype(), "cauchy_musa", {
    const R m = static_cast<R>(median), s = static_cast<R>(sigma);
    fill<B>(iter.tensor(0), generator, [=] __device__(B bits, int64_t) {
      return static_cast<scalar_t>(m + s * ::tan(R(M_PI) * (open_unit(bits) - R(0.5))));
    }, scalar_t());
  });
}

void geometric_musa(TensorIteratorBase& iter, const double p, std::optional<Generator> generator) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, iter.dtype(), "geometric_musa", [&] {
    using R = Real<scalar_t>;
    using B = Bits<R>;
    const R scale = static_cast<R>(1 / std::log1p(-p));
    fill<B>(iter.tensor(0), generator, [=] __device__(B bits, int64_t) {
      return static_cast<scalar_t>(::ceil(::log(open_unit(bits)) * scale));
    }, scalar_t());
  });
}

void bernoulli_scalar_musa(const TensorBase& self, const double p, std::optional<Generator> generator) {
  const Tensor filled = *OptionalTensorRef(self);
  AT_DISPATCH_ALL_TYPES_AND3(kHalf, kBFloat16, kBool, self.scalar_type(), "bernoulli_musa", [&] {
    using R = Real<scalar_t>;
    using B = Bits<R>;
    const R share = static_cast<R>(p);
    fill<B>(filled, generator, [=] __device__(B bits, int64_t) {
      return static_cast<scalar_t>(unit(bits) < share ? 1 : 0);
    }, scalar_t());
  });
}

void bernoulli_tensor_musa(const TensorBase& self, const TensorBase& p, std::optional<Generator> generator) {
  const Tensor filled = *OptionalTensorRef(self);
  const bool wide = p.scalar_type() == kDouble;
  const Tensor shares = OptionalTensorRef(p)->to(wide ? kDouble : kFloat).expand(self.sizes()).contiguous();
  AT_DISPATCH_ALL_TYPES_AND3(kHalf, kBFloat16, kBool, self.scalar_type(), "bernoulli_musa", [&] {
    const auto fill_by = [&](auto real) {
      using R = decltype(real);
      using B = Bits<R>;
      const R* const share = shares.const_data_ptr<R>();
      fill<B>(filled, generator, [=] __device__(B bits, int64_t i) {
        CUDA_KERNEL_ASSERT(share[i] >= 0 && share[i] <= 1 && "bernoulli_ expects probabilities from 0 to 1");
        return static_cast<scalar_t>(unit(bits) < share[i] ? 1 : 0);
      }, scalar_t());
    };
    wide ? fill_by(double()) : fill_by(float());
  });
}

#define MUSA_ALL_INTEGERS(TYPE, NAME, ...)                                                                    \
  AT_DISPATCH_V2(                                                                                             \
      TYPE, NAME, AT_WRAP([&] { __VA_ARGS__ }), AT_EXPAND(AT_ALL_TYPES), kHalf, kBFloat16, kBool,             \
      AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES))

/// Integers of [base, base + range).
void random_from_to_musa(
    TensorIteratorBase& iter, const uint64_t range, const int64_t base, std::optional<Generator> generator) {
  MUSA_ALL_INTEGERS(iter.dtype(), "random_from_to_musa", {
    if (range >= (1ull << 28)) { // the remainder of 32 bits would favour small numbers
      fill<uint64_t>(iter.tensor(0), generator, [=] __device__(uint64_t bits, int64_t) {
        return static_cast<scalar_t>(static_cast<int64_t>(bits % range + base));
      }, scalar_t());
    } else {
      const uint32_t narrow = static_cast<uint32_t>(range);
      fill<uint32_t>(iter.tensor(0), generator, [=] __device__(uint32_t bits, int64_t) {
        return static_cast<scalar_t>(static_cast<int64_t>(bits % narrow) + base);
      }, scalar_t());
    }
  });
}

void random_full_64_bits_range_musa(TensorIteratorBase& iter, std::optional<Generator> generator) {
  TORCH_CHECK(
      iter.dtype() == kLong || iter.dtype() == kDouble || iter.dtype() == kFloat || iter.dtype() == kBFloat16,
      "random_full_64_bits_range_musa handles only int64, double, float and bfloat16");
  AT_DISPATCH_V2(iter.dtype(), "random_full_64_bits_range_musa", AT_WRAP([&] {
    fill<uint64_t>(iter.tensor(0), generator, [] __device__(uint64_t bits, int64_t) {
      return static_cast<scalar_t>(static_cast<int64_t>(bits));
    }, scalar_t());
  }), kLong, kDouble, kFloat, kBFloat16);
}

/// The largest number of random_() without bounds, plus one: all integers that the type has, or has without gaps.
template <typename T>
constexpr uint64_t range_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return 2;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(std::numeric_limits<T>::max()) + (sizeof(T) < 8 || std::is_signed_v<T> ? 1 : 0);
  } else {
    return (1ull << std::numeric_limits<T>::digits) + 1;
  }
}

void random_musa(TensorIteratorBase& iter, std::optional<Generator> generator) {
  uint64_t range = 0;
  MUSA_ALL_INTEGERS(iter.dtype(), "random_musa", { range = range_of<scalar_t>(); });
  random_from_to_musa(iter, range, 0, generator);
}

/// The sums of each row of weights up to each element.
template <typename T, typename R>
__global__ void add_up(const T* weights, int64_t rows, int64_t columns, R* sums) {
  const int64_t row = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (row < rows) {
    R sum = 0;
    for (int64_t i = 0; i < columns; ++i) {
      const R weight = static_cast<R>(weights[row * columns + i]);
      CUDA_KERNEL_ASSERT(weight >= 0 && "probability tensor contains either `inf`, `nan` or element < 0");
      sum += weight;
      sums[row * columns + i] = sum;
    }
    CUDA_KERNEL_ASSERT(sum > 0 && "invalid multinomial distribution (sum of probabilities <= 0)");
  }
}

void multinomial_musa(Tensor& result, const Tensor& self, int64_t samples, std::optional<Generator> generator) {
  const Tensor weights = self.contiguous();
  const int64_t columns = weights.size(-1);
  const int64_t rows = weights.numel() / columns;
  MUSA_FLOATING(self.scalar_type(), "multinomial_musa", {
    const Tensor sums = at::empty(weights.sizes(), weights.options().dtype(c10::CppTypeToScalarType<R>::value));
    R* const upto = sums.mutable_data_ptr<R>();
    add_up<<<(rows + kThreads - 1) / kThreads, kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        weights.const_data_ptr<scalar_t>(), rows, columns, upto);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    fill<B>(result, generator, [=] __device__(B bits, int64_t i) {
      const R* const row = upto + i / samples * columns;
      const R wanted = unit(bits) * row[columns - 1];
      int64_t low = 0, high = columns - 1; // the first element whose sum is larger
      while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (row[middle] > wanted) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }, int64_t());
  });
}

} // namespace

} // namespace at::musa

namespace at::native {

REGISTER_PRIVATEUSE1_DISPATCH(uniform_stub, &at::musa::uniform_musa)
REGISTER_PRIVATEUSE1_DISPATCH(normal_stub, &at::musa::normal_musa)
REGISTER_PRIVATEUSE1_DISPATCH(log_normal_stub, &at::musa::log_normal_musa)
REGISTER_PRIVATEUSE1_DISPATCH(exponential_stub, &at::musa::exponential_musa)
REGISTER_PRIVATEUSE1_DISPATCH(cauchy_stub, &at::musa::cauchy_musa)
REGISTER_PRIVATEUSE1_DISPATCH(geometric_stub, &at::musa::geometric_musa)
REGISTER_PRIVATEUSE1_DISPATCH(bernoulli_scalar_stub, &at::musa::bernoulli_scalar_musa)
REGISTER_PRIVATEUSE1_DISPATCH(bernoulli_tensor_stub, &at::musa::bernoulli_tensor_musa)
REGISTER_PRIVATEUSE1_DISPATCH(random_from_to_stub, &at::musa::random_from_to_musa)
REGISTER_PRIVATEUSE1_DISPATCH(random_full_64_bits_range_stub, &at::musa::random_full_64_bits_range_musa)
REGISTER_PRIVATEUSE1_DISPATCH(random_stub, &at::musa::random_musa)
REGISTER_PRIVATEUSE1_DISPATCH(multinomial_with_replacement_stub, &at::musa::multinomial_musa)

} // namespace at::native
