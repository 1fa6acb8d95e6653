// Distances between the rows of two matrices, or of one: cdist, pdist and their gradients. All gradients are sums over
// the pairs that a row is in, so they are the same each time. A thread has many sums that lie one after the other.

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Distance.h>
#include <ATen/ops/empty.h>
#include <torch_musa/csrc/core/MUSAException.h>
#include <torch_musa/csrc/core/MUSAStream.h>

#include <algorithm>
#include <cmath>

namespace at::musa {

namespace {

/// Threads per block: few, because each thread has much to do.
constexpr int kThreads = 16;
/// How many sums a thread has.
constexpr int64_t kDistances = 64;
constexpr int64_t kSlopes = 32;

/// The norms with code of their own, and all others.
enum class DistanceKind { one, two, largest, other };

template <typename T>
__device__ inline T size_of(T number) {
  return number < 0 ? -number : number;
}

/// The p-norm of the differences of two rows.
template <typename T, DistanceKind kind>
struct Norm {
  double p;

  __device__ T with(T sum, T difference) const {
    const T size = size_of(difference);
    if (kind == DistanceKind::one) {
      return sum + size;
    }
    if (kind == DistanceKind::two) {
      return sum + size * size;
    }
    if (kind == DistanceKind::largest) {
      return size > sum || size != size ? size : sum;
    }
    return sum + (p == 0 ? (size != 0 ? T(1) : T(0)) : ::pow(size, static_cast<T>(p)));
  }
  __device__ T whole(T sum) const {
    if (kind == DistanceKind::two) {
      return ::sqrt(sum);
    }
    return kind == DistanceKind::other && p != 0 ? ::pow(sum, static_cast<T>(1 / p)) : sum;
  }

  /// The derivative by an element of the left row, of which `difference` is the distance to the other's, is scale x slope.
  __device__ T scale(T gradient, T norm) const {
    return kind == DistanceKind::two ? (norm == 0 ? T(0) : gradient / norm) : gradient;
  }
  __device__ T slope(T difference, T norm) const {
    const T sign = difference > 0 ? T(1) : difference < 0 ? T(-1) : T(0);
    const T size = size_of(difference);
    if (kind == DistanceKind::one) {
      return sign;
    }
    if (kind == DistanceKind::two) {
      return difference;
    }
    if (kind == DistanceKind::largest) {
      return size == norm ? sign : T(0);
    }
    if (norm == 0 || p == 0 || (p < 1 && size == 0)) {
      return T(0);
    }
    return sign * ::pow(size / norm, static_cast<T>(p - 1));
  }
};

/// Rows of batches of matrices: left [batches, rows, columns], right [batches, others, columns]. Of `own` pairs, both are the
/// same matrix, and each pair of different rows counts once.
struct Sizes {
  int64_t batches, rows, others, columns;
  bool own;

  /// The number of a pair of rows; the left one's number is in all batches.
  __device__ int64_t pair(int64_t i, int64_t j) const {
    return own ? i * (2 * rows - i - 1) / 2 + j - i - 1 : i * others + j;
  }
};

/// results[pair] = the distance of row i of the left matrix and row j of the right one, which is turned: [columns, length],
/// where a row has `length` elements, a multiple of kDistances. A thread has kDistances of them.
template <typename T, DistanceKind kind>
__global__ void distances(const T* left, const T* turned, Sizes sizes, int64_t length, Norm<T, kind> norm, T* results) {
  const int64_t at = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  const int64_t parts = length / kDistances;
  const int64_t first = at % parts * kDistances, row = at / parts;
  const int64_t begin = sizes.own ? std::max<int64_t>(row + 1 - first, 0) : 0;
  if (row < sizes.batches * sizes.rows && begin < kDistances) {
    T sums[kDistances] = {};
    const T* const mine = left + row * sizes.columns;
    const T* theirs = turned + row / sizes.rows * sizes.columns * length + first;
    for (int64_t column = 0; column < sizes.columns; ++column, theirs += length) {
      const T element = mine[column];
      for (int64_t j = 0; j < kDistances; ++j) {
        sums[j] = norm.with(sums[j], element - theirs[j]);
      }
    }
    const int64_t end = std::min(kDistances, sizes.others - first);
    for (int64_t j = begin; j < end; ++j) {
      results[sizes.pair(row, first + j)] = norm.whole(sums[j]);
    }
  }
}

/// The gradients of elements of the left matrices. A thread has up to kSlopes of a row.
template <typename T, DistanceKind kind>
__global__ void distances_gradient(
    const T* gradients, const T* left, const T* right, const T* norms, Sizes sizes, Norm<T, kind> norm, T* results) {
  const int64_t at = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  const int64_t parts = (sizes.columns + kSlopes - 1) / kSlopes;
  const int64_t first = at % parts * kSlopes, row = at / parts;
  if (row < sizes.batches * sizes.rows) {
    const int64_t width = std::min(kSlopes, sizes.columns - first);
    T sums[kSlopes] = {};
    const T* const mine = left + row * sizes.columns + first;
    const T* theirs = right + row / sizes.rows * sizes.others * sizes.columns + first;
    for (int64_t j = 0; j < sizes.others; ++j, theirs += sizes.columns) {
      if (sizes.own && j == row) {
        continue;
      }
      const int64_t number = sizes.own && j < row ? sizes.pair(j, row) : sizes.pair(row, j);
      const T length = norms[number];
      const T scale = norm.scale(gradients[number], length);
      if (width == kSlopes) { // a number that the compiler knows
        for (int64_t i = 0; i < kSlopes; ++i) {
          sums[i] += scale * norm.slope(mine[i] - theirs[i], length);
        }
      } else {
        for (int64_t i = 0; i < width; ++i) {
          sums[i] += scale * norm.slope(mine[i] - theirs[i], length);
        }
      }
    }
    for (int64_t i = 0; i < width; ++i) {
      results[row * sizes.columns + first + i] = sums[i];
    }
  }
}

dim3 blocks_for(int64_t threads) {
  return dim3((threads + kThreads - 1) / kThreads);
}

template <typename T, typename F>
void with_norm(double p, const F& f) {
  if (p == 1) {
    f(Norm<T, DistanceKind::one>{p});
  } else if (p == 2) {
    f(Norm<T, DistanceKind::two>{p});
  } else if (std::isinf(p)) {
    f(Norm<T, DistanceKind::largest>{p});
  } else {
    f(Norm<T, DistanceKind::other>{p});
  }
}

Sizes sizes_of(const Tensor& left, const Tensor& right, bool own) {
  const int64_t rows = left.size(-2), columns = left.size(-1);
  return {left.numel() / (rows * columns), rows, right.size(-2), columns, own};
}

/// The matrices turned, their rows filled with zeros.
Tensor turned(const Tensor& right, const Sizes& sizes) {
  const int64_t length = (sizes.others + kDistances - 1) / kDistances * kDistances;
  const Tensor result = at::empty({sizes.batches, sizes.columns, length}, right.options());
  result.narrow(-1, 0, sizes.others)
      .copy_(right.view({sizes.batches, sizes.others, sizes.columns}).transpose(1, 2));
  result.narrow(-1, sizes.others, length - sizes.others).zero_();
  return result;
}

void compute_distances(const Tensor& result, const Tensor& left, const Tensor& right, double p, bool own) {
  const Sizes sizes = sizes_of(left, right, own);
  const Tensor others = turned(right, sizes);
  const int64_t length = others.size(-1), threads = sizes.batches * sizes.rows * (length / kDistances);
  AT_DISPATCH_FLOATING_TYPES(result.scalar_type(), "cdist_musa", [&] {
    with_norm<scalar_t>(p, [&](auto norm) {
      distances<<<blocks_for(threads), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          left.const_data_ptr<scalar_t>(), others.const_data_ptr<scalar_t>(), sizes, length, norm,
          result.mutable_data_ptr<scalar_t>());
    });
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

void compute_gradient(
    const Tensor& result, const Tensor& grad, const Tensor& left, const Tensor& right, double p, const Tensor& norms,
    bool own) {
  const Sizes sizes = sizes_of(left, right, own);
  const int64_t threads = sizes.batches * sizes.rows * ((sizes.columns + kSlopes - 1) / kSlopes);
  AT_DISPATCH_FLOATING_TYPES(result.scalar_type(), "cdist_backward_musa", [&] {
    with_norm<scalar_t>(p, [&](auto norm) {
      distances_gradient<<<blocks_for(threads), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          grad.const_data_ptr<scalar_t>(), left.const_data_ptr<scalar_t>(), right.const_data_ptr<scalar_t>(),
          norms.const_data_ptr<scalar_t>(), sizes, norm, result.mutable_data_ptr<scalar_t>());
    });
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

/// PyTorch has made the batches equal and has dealt with tensors without elements.
void cdist_musa(Tensor& result, const Tensor& x1, const Tensor& x2, const double p) {
  const Tensor made = result.is_contiguous() ? result : at::empty(result.sizes(), result.options());
  compute_distances(made, x1.contiguous(), x2.contiguous(), p, false);
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

void cdist_backward_musa(
    Tensor& result, const Tensor& grad, const Tensor& x1, const Tensor& x2, const double p, const Tensor& cdist) {
  if (result.numel() == 0) {
    return;
  }
  const Tensor made = result.is_contiguous() ? result : at::empty(result.sizes(), result.options());
  compute_gradient(made, grad.contiguous(), x1.contiguous(), x2.contiguous(), p, cdist.contiguous(), false);
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

void pdist_forward_musa(Tensor& result, const Tensor& self, const double p) {
  const Tensor matrix = self.contiguous();
  compute_distances(result, matrix, matrix, p, true);
}

void pdist_backward_musa(Tensor& result, const Tensor& grad, const Tensor& self, const double p, const Tensor& pdist) {
  if (result.numel() == 0) {
    return;
  }
  const Tensor matrix = self.contiguous();
  compute_gradient(result, grad.contiguous(), matrix, matrix, p, pdist.contiguous(), true);
}

} // namespace

} // namespace at::musa

namespace at::native {

REGISTER_PRIVATEUSE1_DISPATCH(cdist_stub, &at::musa::cdist_musa)
REGISTER_PRIVATEUSE1_DISPATCH(cdist_backward_stub, &at::musa::cdist_backward_musa)
REGISTER_PRIVATEUSE1_DISPATCH(pdist_forward_stub, &at::musa::pdist_forward_musa)
REGISTER_PRIVATEUSE1_DISPATCH(pdist_backward_stub, &at::musa::pdist_backward_musa)

} // namespace at::native
