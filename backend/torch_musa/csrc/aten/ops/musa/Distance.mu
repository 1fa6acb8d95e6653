// Distances between the rows of two matrices, or of one: cdist, pdist and their gradients. All gradients are sums over
// the pairs that a row is in, so they are the same each time.

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Distance.h>
#include <ATen/ops/empty.h>
#include <torch_musa/csrc/core/MUSAException.h>
#include <torch_musa/csrc/core/MUSAStream.h>

#include <cmath>
#include <limits>

namespace at::musa {

namespace {

constexpr int kThreads = 256;

/// The p-norm of the differences of two rows.
template <typename T>
struct Norm {
  double p;

  __device__ T operator()(const T* left, const T* right, int64_t columns) const {
    T sum = 0;
    for (int64_t i = 0; i < columns; ++i) {
      const T difference = ::fabs(left[i] - right[i]);
      if (p == 0) {
        sum += difference != 0 ? T(1) : T(0);
      } else if (p == 1) {
        sum += difference;
      } else if (p == 2) {
        sum += difference * difference;
      } else if (::isinf(p)) {
        sum = difference > sum || difference != difference ? difference : sum;
      } else {
        sum += ::pow(difference, static_cast<T>(p));
      }
    }
    return p == 0 || p == 1 || ::isinf(p) ? sum : p == 2 ? ::sqrt(sum) : ::pow(sum, static_cast<T>(1 / p));
  }

  /// The derivative by an element of the left row, of which `difference` is the distance to the other's.
  __device__ T slope(T difference, T norm) const {
    const T sign = difference > 0 ? T(1) : difference < 0 ? T(-1) : T(0);
    const T size = ::fabs(difference);
    if (p == 1) {
      return sign;
    }
    if (norm == 0 || p == 0) {
      return T(0);
    }
    if (p == 2) {
      return difference / norm;
    }
    if (::isinf(p)) {
      return size == norm ? sign : T(0);
    }
    if (p < 1 && size == 0) {
      return T(0);
    }
    return sign * ::pow(size / norm, static_cast<T>(p - 1));
  }
};

/// results[batch, i, j] = the distance of row i of the left matrix and row j of the right one.
template <typename T>
__global__ void distances(
    const T* left, const T* right, int64_t rows, int64_t others, int64_t columns, Norm<T> norm, T* results,
    int64_t count) {
  const int64_t at = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (at < count) {
    const int64_t j = at % others, row = at / others; // the row's number in all batches
    results[at] = norm(left + row * columns, right + (row / rows * others + j) * columns, columns);
  }
}

/// The gradient of an element of the left matrices.
template <typename T>
__global__ void distances_gradient(
    const T* gradients, const T* left, const T* right, const T* norms, int64_t rows, int64_t others, int64_t columns,
    Norm<T> norm, T* results, int64_t count) {
  const int64_t at = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (at < count) {
    const int64_t column = at % columns, row = at / columns;
    T sum = 0;
    for (int64_t j = 0; j < others; ++j) {
      const T difference = left[at] - right[(row / rows * others + j) * columns + column];
      sum += gradients[row * others + j] * norm.slope(difference, norms[row * others + j]);
    }
    results[at] = sum;
  }
}

/// The number of the pair of rows (i, j), i < j.
__device__ inline int64_t pair(int64_t i, int64_t j, int64_t rows) {
  return i * (2 * rows - i - 1) / 2 + j - i - 1;
}

template <typename T>
__global__ void own_distances(const T* matrix, int64_t rows, int64_t columns, Norm<T> norm, T* results) {
  const int64_t at = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  const int64_t i = at / rows, j = at % rows;
  if (i < rows && i < j) {
    results[pair(i, j, rows)] = norm(matrix + i * columns, matrix + j * columns, columns);
  }
}

template <typename T>
__global__ void own_distances_gradient(
    const T* gradients, const T* matrix, const T* norms, int64_t rows, int64_t columns, Norm<T> norm,
    T* results) {
  const int64_t at = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (at < rows * columns) {
    const int64_t row = at / columns, column = at % columns;
    T sum = 0;
    for (int64_t other = 0; other < rows; ++other) {
      if (other != row) {
        const int64_t number = row < other ? pair(row, other, rows) : pair(other, row, rows);
        sum += gradients[number] * norm.slope(matrix[at] - matrix[other * columns + column], norms[number]);
      }
    }
    results[at] = sum;
  }
}

dim3 blocks_for(int64_t threads) {
  return dim3((threads + kThreads - 1) / kThreads);
}

/// PyTorch has made the batches equal and has dealt with tensors without elements.
void cdist_musa(Tensor& result, const Tensor& x1, const Tensor& x2, const double p) {
  const Tensor left = x1.contiguous(), right = x2.contiguous();
  const Tensor made = result.is_contiguous() ? result : at::empty(result.sizes(), result.options());
  AT_DISPATCH_FLOATING_TYPES(result.scalar_type(), "cdist_musa", [&] {
    distances<<<blocks_for(made.numel()), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        left.const_data_ptr<scalar_t>(), right.const_data_ptr<scalar_t>(), left.size(-2), right.size(-2), left.size(-1),
        Norm<scalar_t>{p}, made.mutable_data_ptr<scalar_t>(), made.numel());
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

void cdist_backward_musa(
    Tensor& result, const Tensor& grad, const Tensor& x1, const Tensor& x2, const double p, const Tensor& cdist) {
  if (result.numel() == 0) {
    return;
  }
  const Tensor left = x1.contiguous(), right = x2.contiguous(), norms = cdist.contiguous(), given = grad.contiguous();
  const Tensor made = result.is_contiguous() ? result : at::empty(result.sizes(), result.options());
  AT_DISPATCH_FLOATING_TYPES(result.scalar_type(), "cdist_backward_musa", [&] {
    distances_gradient<<<blocks_for(made.numel()), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        given.const_data_ptr<scalar_t>(), left.const_data_ptr<scalar_t>(), right.const_data_ptr<scalar_t>(),
        norms.const_data_ptr<scalar_t>(), left.size(-2), right.size(-2), left.size(-1), Norm<scalar_t>{p},
        made.mutable_data_ptr<scalar_t>(), made.numel());
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

void pdist_forward_musa(Tensor& result, const Tensor& self, const double p) {
  const Tensor matrix = self.contiguous();
  const int64_t rows = matrix.size(0);
  AT_DISPATCH_FLOATING_TYPES(result.scalar_type(), "pdist_musa", [&] {
    own_distances<<<blocks_for(rows * rows), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        matrix.const_data_ptr<scalar_t>(), rows, matrix.size(1), Norm<scalar_t>{p}, result.mutable_data_ptr<scalar_t>());
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

void pdist_backward_musa(Tensor& result, const Tensor& grad, const Tensor& self, const double p, const Tensor& pdist) {
  if (result.numel() == 0) {
    return;
  }
  const Tensor matrix = self.contiguous(), norms = pdist.contiguous(), given = grad.contiguous();
  AT_DISPATCH_FLOATING_TYPES(result.scalar_type(), "pdist_backward_musa", [&] {
    own_distances_gradient<<<blocks_for(result.numel()), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        given.const_data_ptr<scalar_t>(), matrix.const_data_ptr<scalar_t>(), norms.const_data_ptr<scalar_t>(),
        matrix.size(0), matrix.size(1), Norm<scalar_t>{p}, result.mutable_data_ptr<scalar_t>());
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

} // namespace

} // namespace at::musa

namespace at::native {

REGISTER_PRIVATEUSE1_DISPATCH(cdist_stub, &at::musa::cdist_musa)
REGISTER_PRIVATEUSE1_DISPATCH(cdist_backward_stub, &at::musa::cdist_backward_musa)
REGISTER_PRIVATEUSE1_DISPATCH(pdist_forward_stub, &at::musa::pdist_forward_musa)
REGISTER_PRIVATEUSE1_DISPATCH(pdist_backward_stub, &at::musa::pdist_backward_musa)

} // namespace at::native
