// Random numbers, by Philox 4x32-10. The numbers of four elements (two of 8 bytes) are one block of Philox, chosen by
// their position: a result depends on seed and offset alone, not on how many threads compute it, and a longer one begins
// like a shorter one. A call takes one block per thread from the generator.

#include <ATen/Dispatch_v2.h>
#include <ATen/OpMathType.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/randperm_native.h>
#include <torch_musa/csrc/core/MUSAException.h>
#include <torch_musa/csrc/core/MUSAStream.h>

#include "torch_musa/csrc/aten/ops/musa/Philox.muh"

#include <cmath>
#include <limits>

namespace at::musa {

namespace {

using namespace random;

constexpr int kThreads = 256;

/// Writes the elements of one block of random numbers. The members of Numbers are single arguments: a pointer in a
/// struct would be read again after each store, and the loop over threads be no vector.
template <typename B, typename T, typename F>
__global__ void draw(int64_t count, uint64_t seed, uint64_t offset, const int64_t* drawn, F f, T* result) {
  constexpr int kEach = 16 / sizeof(B);
  const int64_t thread = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (thread * kEach < count) {
    const Block block = philox({seed, offset, drawn}, thread);
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
__global__ void draw_pairs(int64_t count, uint64_t seed, uint64_t offset, const int64_t* drawn, F f, T* result) {
  constexpr int kEach = 16 / sizeof(B);
  const int64_t thread = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (thread * kEach < count) {
    const Block block = philox({seed, offset, drawn}, thread);
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
    draw_pairs<B><<<blocks, kThreads, 0, stream>>>(
        self.numel(), numbers.seed, numbers.offset, numbers.drawn, f, made.mutable_data_ptr<T>());
  } else {
    draw<B><<<blocks, kThreads, 0, stream>>>(
        self.numel(), numbers.seed, numbers.offset, numbers.drawn, f, made.mutable_data_ptr<T>());
  }
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  if (!made.is_same(self)) {
    self.copy_(made);
  }
}

/// Fills a tensor of a type that has no kernels of its own: `draw` fills one of `type`, whose numbers are converted.
template <typename F>
void fill_converted(const Tensor& self, ScalarType type, const F& draw) {
  Tensor drawn = at::empty(self.sizes(), self.options().dtype(type));
  draw(drawn);
  self.copy_(drawn);
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

/// log of a number of (0, 1), as arithmetic alone, so that loops over it become vector instructions.
__device__ inline float log_of_unit(float x) {
  constexpr int kHalfRoot = 0x3f3504f3; // the bits of sqrt(0.5)
  const int bits = __builtin_bit_cast(int, x);
  const int exponent = (bits - kHalfRoot) >> 23;
  const float f = __builtin_bit_cast(float, bits - (exponent << 23)) - 1.0F;
  float p = 7.0376836292e-2F;
  p = ::fmaf(p, f, -1.1514610310e-1F);
  p = ::fmaf(p, f, 1.1676998740e-1F);
  p = ::fmaf(p, f, -1.2420140846e-1F);
  p = ::fmaf(p, f, 1.4249322787e-1F);
  p = ::fmaf(p, f, -1.6668057665e-1F);
  p = ::fmaf(p, f, 2.0000714765e-1F);
  p = ::fmaf(p, f, -2.4999993993e-1F);
  p = ::fmaf(p, f, 3.3333331174e-1F);
  const float scale = static_cast<float>(exponent);
  const float square = f * f;
  const float rest = ::fmaf(scale, -2.12194440e-4F, p * f * square) - 0.5F * square;
  return ::fmaf(scale, 0.693359375F, f + rest);
}
__device__ inline double log_of_unit(double x) {
  return ::log(x);
}

/// Sine and cosine of a number of whole turns, from 0 to 1.
__device__ inline void sine_and_cosine(float turns, float& sine, float& cosine) {
  const int quarter = static_cast<int>(turns * 4.0F + 0.5F);
  const float x = (turns * 4.0F - static_cast<float>(quarter)) * 1.57079632679F;
  const float z = x * x;
  const float s = ::fmaf(::fmaf(::fmaf(-1.9515295891e-4F, z, 8.3321608736e-3F), z, -1.6666654611e-1F), z * x, x);
  const float c = ::fmaf(
      ::fmaf(::fmaf(2.443315711809948e-5F, z, -1.388731625493765e-3F), z, 4.166664568298827e-2F), z * z,
      1.0F - 0.5F * z);
  const bool swaps = (quarter & 1) != 0;
  const float along = swaps ? s : c, across = swaps ? c : s;
  cosine = ((quarter + 1) & 2) != 0 ? -along : along;
  sine = (quarter & 2) != 0 ? -across : across;
}
__device__ inline void sine_and_cosine(double turns, double& sine, double& cosine) {
  sine = ::sin(2 * M_PI * turns);
  cosine = ::cos(2 * M_PI * turns);
}

/// Two normal numbers (Box and Muller).
template <typename B, typename R>
__device__ inline void normal_pair(B left, B right, R mean, R deviation, R& first, R& second) {
  const R radius = ::sqrt(R(-2) * log_of_unit(open_unit(left)));
  R sine, cosine;
  sine_and_cosine(unit(right), sine, cosine);
  first = radius * cosine * deviation + mean;
  second = radius * sine * deviation + mean;
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
  const auto draw = [&](const Tensor& self) {
    MUSA_FLOATING(self.scalar_type(), "geometric_musa", {
      const R scale = static_cast<R>(1 / std::log1p(-p));
      fill<B>(self, generator, [=] __device__(B bits, int64_t) {
        return static_cast<scalar_t>(::ceil(::log(open_unit(bits)) * scale));
      }, scalar_t());
    });
  };
  const Tensor self = iter.tensor(0);
  at::isFloatingType(self.scalar_type()) ? draw(self) : fill_converted(self, kFloat, draw);
}

void bernoulli_scalar_musa(const TensorBase& given, const double p, std::optional<Generator> generator) {
  const auto draw = [&](const Tensor& self) {
    AT_DISPATCH_FLOATING_TYPES_AND3(kHalf, kBFloat16, kBool, self.scalar_type(), "bernoulli_musa", [&] {
      using R = Real<scalar_t>;
      using B = Bits<R>;
      const R share = static_cast<R>(p);
      fill<B>(self, generator, [=] __device__(B bits, int64_t) {
        return static_cast<scalar_t>(unit(bits) < share ? 1 : 0);
      }, scalar_t());
    });
  };
  const Tensor self = *OptionalTensorRef(given);
  at::isIntegralType(self.scalar_type(), false) ? fill_converted(self, kBool, draw) : draw(self);
}

void bernoulli_tensor_musa(const TensorBase& given, const TensorBase& p, std::optional<Generator> generator) {
  const Tensor self = *OptionalTensorRef(given);
  const bool wide = p.scalar_type() == kDouble;
  const Tensor shares = OptionalTensorRef(p)->to(wide ? kDouble : kFloat).expand(self.sizes()).contiguous();
  const auto draw = [&](const Tensor& filled) {
    AT_DISPATCH_FLOATING_TYPES_AND3(kHalf, kBFloat16, kBool, filled.scalar_type(), "bernoulli_musa", [&] {
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
  };
  at::isIntegralType(self.scalar_type(), false) ? fill_converted(self, kBool, draw) : draw(self);
}

#define MUSA_ALL_INTEGERS(TYPE, NAME, ...)                                                                    \
  AT_DISPATCH_V2(                                                                                             \
      TYPE, NAME, AT_WRAP([&] { __VA_ARGS__ }), AT_EXPAND(AT_ALL_TYPES), kHalf, kBFloat16, kBool,             \
      AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES))

/// Integers of [base, base + range).
void random_from_to_musa(
    TensorIteratorBase& iter, const uint64_t range, const int64_t base, std::optional<Generator> generator) {
  const auto draw = [&](const Tensor& self) {
    AT_DISPATCH_V2(self.scalar_type(), "random_from_to_musa", AT_WRAP([&] {
      if (range >= (1ull << 28)) { // the remainder of 32 bits would favour small numbers
        fill<uint64_t>(self, generator, [=] __device__(uint64_t bits, int64_t) {
          return static_cast<scalar_t>(static_cast<int64_t>(bits % range + base));
        }, scalar_t());
      } else {
        const uint32_t narrow = static_cast<uint32_t>(range);
        fill<uint32_t>(self, generator, [=] __device__(uint32_t bits, int64_t) {
          return static_cast<scalar_t>(static_cast<int64_t>(bits % narrow) + base);
        }, scalar_t());
      }
    }), kLong, kInt, kFloat);
  };
  const Tensor self = iter.tensor(0);
  const ScalarType type = self.scalar_type();
  type == kLong || type == kInt || type == kFloat ? draw(self) : fill_converted(self, kLong, draw);
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

/// Swaps each number with one before it, or leaves it. One thread does it: no number knows where it goes before the
/// others have gone.
__global__ void shuffle(int64_t count, const int64_t* random, int64_t* numbers) {
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = static_cast<uint64_t>(random[i]) << 1; // a random integer has 63
    const int64_t other = static_cast<int64_t>(__umul64hi(bits, static_cast<uint64_t>(i) + 1));
    numbers[i] = other < i ? numbers[other] : i;
    numbers[other] = i;
  }
}

} // namespace

Tensor& MusaRandpermGeneratorOut(int64_t n, std::optional<Generator> generator, Tensor& out) {
  TORCH_CHECK(n >= 0, "n must be non-negative, got", n);
  TORCH_CHECK(
      !generator.has_value() || !generator->defined() || generator->device() == out.device(), "Expected a '",
      out.device(), "' generator device but found '", generator->device(), "'");
  at::native::resize_output(out, {n});
  if (n == 0) {
    return out;
  }
  const Tensor random = at::empty({n}, out.options().dtype(kLong)).random_(generator);
  const bool fits = out.scalar_type() == kLong && out.is_contiguous();
  const Tensor numbers = fits ? out : at::empty({n}, random.options());
  shuffle<<<1, 1, 0, c10::musa::getCurrentMUSAStream()>>>(
      n, random.const_data_ptr<int64_t>(), numbers.mutable_data_ptr<int64_t>());
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  return fits ? out : out.copy_(numbers);
}

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
