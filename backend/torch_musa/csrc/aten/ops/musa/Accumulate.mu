// Changes of the elements that an index selects: sums, products, extremes. Repeated indices are no race.

#include <ATen/Context.h>
#include <ATen/OpMathType.h>
#include <ATen/musa/Atomic.muh>
#include <c10/util/BFloat16-math.h>

#include "torch_musa/csrc/aten/ops/musa/Index.muh"

namespace at::musa::indexing {

namespace {

/// A change: an atomic operation, and the result of two values.
template <typename T>
struct Add {
  static __device__ void at(T* element, T by) {
    gpuAtomicAddNoReturn(element, by);
  }
  static __device__ T of(T element, T by) {
    return static_cast<T>(element + by);
  }
};

template <typename T>
struct Multiply {
  static __device__ void at(T* element, T by) {
    gpuAtomicMul(element, by);
  }
  static __device__ T of(T element, T by) {
    return static_cast<T>(element * by);
  }
};

template <typename T>
struct Largest {
  static __device__ void at(T* element, T by) {
    gpuAtomicMax(element, by);
  }
  static __device__ T of(T element, T by) {
    const at::opmath_type<T> old = element;
    const at::opmath_type<T> other = by;
    return old < other || other != other ? by : element; // a NaN stays
  }
};

template <typename T>
struct Smallest {
  static __device__ void at(T* element, T by) {
    gpuAtomicMin(element, by);
  }
  static __device__ T of(T element, T by) {
    const at::opmath_type<T> old = element;
    const at::opmath_type<T> other = by;
    return other < old || other != other ? by : element;
  }
};

template <typename T>
struct Replace {
  static __device__ T of(T, T by) {
    return by;
  }
};

template <typename T, template <typename> typename Op>
struct ChangeOne {
  Indexed indexed;
  __device__ void operator()(char* const* element) const {
    Op<T>::at(reinterpret_cast<T*>(element[0] + indexed(element[2])), *reinterpret_cast<const T*>(element[1]));
  }
};

/// The dimensions along which the index goes; an element may be met again there, and only there. Strides are in bytes.
struct Line {
  int64_t length = 1; // of the first dimension
  int64_t source = 0; // from one element to the next
  int64_t index = 0;
  int64_t repeats = 1; // of the first dimension, by all others together
  int others = 0;
  int64_t sizes[kMostDims];
  int64_t sources[kMostDims];
  int64_t indices[kMostDims];
};

/// Change all elements along a line, one after another.
template <typename T, template <typename> typename Op>
struct ChangeLine {
  Indexed indexed;
  Line line;
  __device__ void operator()(char* const* element) const {
    for (int64_t repeat = 0; repeat < line.repeats; ++repeat) {
      const char* source = element[1];
      const char* index = element[2];
      int64_t rest = repeat;
      for (int dim = 0; dim < line.others; ++dim) {
        source += rest % line.sizes[dim] * line.sources[dim];
        index += rest % line.sizes[dim] * line.indices[dim];
        rest /= line.sizes[dim];
      }
      for (int64_t k = 0; k < line.length; ++k) {
        T* const changed = reinterpret_cast<T*>(element[0] + indexed(index));
        *changed = Op<T>::of(*changed, *reinterpret_cast<const T*>(source));
        source += line.source;
        index += line.index;
      }
    }
  }
};

/// Moves the dimensions along which the index goes from the operands to the line. The result has stride 0 there.
Line take_line(Operands<3>& operands) {
  Line line{};
  Operands<3> left{};
  std::copy(operands.data, operands.data + 3, left.data);
  bool first = true;
  for (int dim = 0; dim < operands.dims; ++dim) {
    if (operands.strides[0][dim] != 0) {
      left.sizes[left.dims] = operands.sizes[dim];
      for (int k = 0; k < 3; ++k) {
        left.strides[k][left.dims] = operands.strides[k][dim];
      }
      ++left.dims;
    } else if (first) {
      line.length = operands.sizes[dim];
      line.source = operands.strides[1][dim];
      line.index = operands.strides[2][dim];
      first = false;
    } else {
      line.sizes[line.others] = operands.sizes[dim];
      line.sources[line.others] = operands.strides[1][dim];
      line.indices[line.others] = operands.strides[2][dim];
      line.repeats *= operands.sizes[dim];
      ++line.others;
    }
  }
  for (; left.dims < 2; ++left.dims) {
    left.sizes[left.dims] = 1;
  }
  operands = left;
  return line;
}

template <typename T, template <typename> typename Op>
void change_in_order(Operands<3> operands, const Indexed& indexed) {
  const Line line = take_line(operands);
  visit(operands, ChangeLine<T, Op>{indexed, line});
}

/// Rows that an index selects, of contiguous elements. Strides are in bytes.
struct IndexedRows {
  char* result;
  const char* source;
  const char* index;
  int64_t width; // of a row
  int64_t count;
  int64_t source_next; // from one row to the next
  int64_t index_next;
};

constexpr int kColumns = 64; // of a row, in one thread: the loop over them becomes vector instructions

/// A thread changes some columns of all rows, one row after another.
template <typename T, template <typename> typename Op>
__global__ void change_rows(IndexedRows rows, Indexed indexed) {
  const int64_t first = (blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x) * kColumns;
  if (first >= rows.width) {
    return;
  }
  const int64_t columns = ::min(rows.width - first, static_cast<int64_t>(kColumns));
  for (int64_t k = 0; k < rows.count; ++k) {
    T* const changed = reinterpret_cast<T*>(rows.result + indexed(rows.index + k * rows.index_next)) + first;
    const T* const by = reinterpret_cast<const T*>(rows.source + k * rows.source_next) + first;
    for (int64_t column = 0; column < columns; ++column) {
      changed[column] = Op<T>::of(changed[column], by[column]);
    }
  }
}

/// Whether the index goes along one dimension and names rows without gaps. Sets `rows` then.
template <typename T>
bool names_rows(const Operands<3>& operands, IndexedRows& rows) {
  constexpr int64_t kLeastWidth = 16;
  constexpr int64_t kSize = sizeof(T);
  const bool matrix = operands.dims == 2 && operands.sizes[0] >= kLeastWidth;
  const bool dense = operands.strides[0][0] == kSize && operands.strides[1][0] == kSize && operands.strides[2][0] == 0;
  if (!matrix || !dense || operands.strides[0][1] != 0) {
    return false;
  }
  rows = {operands.data[0],  operands.data[1],       operands.data[2],      operands.sizes[0],
          operands.sizes[1], operands.strides[1][1], operands.strides[2][1]};
  return true;
}

/// Whether a thread for each line reads the source in its order, and there are some lines.
bool has_long_lines(const Operands<3>& operands) {
  constexpr int64_t kLeastLines = 8;
  const bool along = operands.strides[0][0] == 0 && operands.strides[1][0] != 0;
  int64_t lines = 1;
  for (int dim = 1; dim < operands.dims; ++dim) {
    lines *= operands.strides[0][dim] != 0 ? operands.sizes[dim] : 1;
  }
  return along && lines >= kLeastLines;
}

template <typename T, template <typename> typename Op>
void change_each(const Operands<3>& operands, const Indexed& indexed, Order order) {
  IndexedRows rows;
  // the rare types have no kernel of their own for it
  constexpr bool kCommon = std::is_floating_point_v<T> || sizeof(T) == 8 || c10::is_reduced_floating_point_v<T>;
  if (kCommon && names_rows<T>(operands, rows)) {
    if constexpr (kCommon) {
      const int64_t threads = (rows.width + kColumns - 1) / kColumns;
      const auto stream = c10::musa::getCurrentMUSAStream();
      change_rows<T, Op>
          <<<(threads + kThreads - 1) / kThreads, ::min(threads, int64_t(kThreads)), 0, stream>>>(rows, indexed);
      C10_MUSA_KERNEL_LAUNCH_CHECK();
    }
  } else if (order == Order::OfIndex || has_long_lines(operands)) {
    change_in_order<T, Op>(operands, indexed);
  } else {
    visit(operands, ChangeOne<T, Op>{indexed});
  }
}

template <template <typename> typename Op>
void change_reals(const Operands<3>& operands, ScalarType type, const Indexed& indexed, Order order) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, type, "index_reduce_musa", [&] {
    change_each<scalar_t, Op>(operands, indexed, order);
  });
}

} // namespace

void change(const Operands<3>& operands, ScalarType type, const Indexed& indexed, Change what, Order order) {
  const bool exact = isIntegralType(type, /*includeBool=*/true);
  if (!exact && at::globalContext().deterministicAlgorithms()) {
    order = Order::OfIndex;
  }
  switch (what) {
    case Change::Add:
      AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(kHalf, kBFloat16, kBool, kComplexHalf, type, "index_add_musa", [&] {
        change_each<scalar_t, Add>(operands, indexed, order);
      });
      return;
    case Change::Multiply:
      return change_reals<Multiply>(operands, type, indexed, order);
    case Change::Largest:
      return change_reals<Largest>(operands, type, indexed, order);
    case Change::Smallest:
      return change_reals<Smallest>(operands, type, indexed, order);
    case Change::Replace: // in any order it is a Put
      return for_size(c10::elementSize(type), [&](auto element) {
        change_in_order<decltype(element), Replace>(operands, indexed);
      });
  }
}

} // namespace at::musa::indexing
