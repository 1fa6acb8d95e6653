// Elements that change at places which an index names: sums, products, extremes. Repeated indices are no race.

#include <ATen/Context.h>
#include <ATen/OpMathType.h>
#include <ATen/musa/Atomic.muh>
#include <c10/util/BFloat16-math.h>

#include "torch_musa/csrc/aten/ops/musa/Index.muh"

namespace at::musa::indexing {

namespace {

/// A change: as an atomic operation, and what it makes of two values.
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

/// All along a line, one after another.
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

/// Takes the dimensions along which the index goes out of the places: the result has been given stride 0 there.
Line take_line(Places<3>& places) {
  Line line{};
  Places<3> left{};
  std::copy(places.data, places.data + 3, left.data);
  bool first = true;
  for (int dim = 0; dim < places.dims; ++dim) {
    if (places.strides[0][dim] != 0) {
      left.sizes[left.dims] = places.sizes[dim];
      for (int k = 0; k < 3; ++k) {
        left.strides[k][left.dims] = places.strides[k][dim];
      }
      ++left.dims;
    } else if (first) {
      line.length = places.sizes[dim];
      line.source = places.strides[1][dim];
      line.index = places.strides[2][dim];
      first = false;
    } else {
      line.sizes[line.others] = places.sizes[dim];
      line.sources[line.others] = places.strides[1][dim];
      line.indices[line.others] = places.strides[2][dim];
      line.repeats *= places.sizes[dim];
      ++line.others;
    }
  }
  for (; left.dims < 2; ++left.dims) {
    left.sizes[left.dims] = 1;
  }
  places = left;
  return line;
}

template <typename T, template <typename> typename Op>
void change_in_order(Places<3> places, const Indexed& indexed) {
  const Line line = take_line(places);
  visit(places, ChangeLine<T, Op>{indexed, line});
}

/// Rows that an index names, of elements beside each other. Strides are in bytes.
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
bool names_rows(const Places<3>& places, IndexedRows& rows) {
  constexpr int64_t kLeastWidth = 16;
  constexpr int64_t kSize = sizeof(T);
  const bool matrix = places.dims == 2 && places.sizes[0] >= kLeastWidth;
  const bool dense = places.strides[0][0] == kSize && places.strides[1][0] == kSize && places.strides[2][0] == 0;
  if (!matrix || !dense || places.strides[0][1] != 0) {
    return false;
  }
  rows = {places.data[0],  places.data[1],       places.data[2],      places.sizes[0],
          places.sizes[1], places.strides[1][1], places.strides[2][1]};
  return true;
}

/// Whether a thread for each line reads the source in its order, and there are some lines.
bool has_long_lines(const Places<3>& places) {
  constexpr int64_t kLeastLines = 8;
  const bool along = places.strides[0][0] == 0 && places.strides[1][0] != 0;
  int64_t lines = 1;
  for (int dim = 1; dim < places.dims; ++dim) {
    lines *= places.strides[0][dim] != 0 ? places.sizes[dim] : 1;
  }
  return along && lines >= kLeastLines;
}

template <typename T, template <typename> typename Op>
void change_each(const Places<3>& places, const Indexed& indexed, Order order) {
  IndexedRows rows;
  // the rare types have no kernel of their own for it
  constexpr bool kCommon = std::is_floating_point_v<T> || sizeof(T) == 8 || c10::is_reduced_floating_point_v<T>;
  if (kCommon && names_rows<T>(places, rows)) {
    if constexpr (kCommon) {
      const int64_t threads = (rows.width + kColumns - 1) / kColumns;
      const auto stream = c10::musa::getCurrentMUSAStream();
      change_rows<T, Op>
          <<<(threads + kThreads - 1) / kThreads, ::min(threads, int64_t(kThreads)), 0, stream>>>(rows, indexed);
      C10_MUSA_KERNEL_LAUNCH_CHECK();
    }
  } else if (order == Order::OfIndex || has_long_lines(places)) {
    change_in_order<T, Op>(places, indexed);
  } else {
    visit(places, ChangeOne<T, Op>{indexed});
  }
}

template <template <typename> typename Op>
void change_reals(const Places<3>& places, ScalarType type, const Indexed& indexed, Order order) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, type, "index_reduce_musa", [&] {
    change_each<scalar_t, Op>(places, indexed, order);
  });
}

} // namespace

void change(const Places<3>& places, ScalarType type, const Indexed& indexed, Change what, Order order) {
  const bool exact = isIntegralType(type, /*includeBool=*/true);
  if (!exact && at::globalContext().deterministicAlgorithms()) {
    order = Order::OfIndex;
  }
  switch (what) {
    case Change::Add:
      AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(kHalf, kBFloat16, kBool, kComplexHalf, type, "index_add_musa", [&] {
        change_each<scalar_t, Add>(places, indexed, order);
      });
      return;
    case Change::Multiply:
      return change_reals<Multiply>(places, type, indexed, order);
    case Change::Largest:
      return change_reals<Largest>(places, type, indexed, order);
    case Change::Smallest:
      return change_reals<Smallest>(places, type, indexed, order);
    case Change::Replace: // in any order it is a Put
      return for_size(c10::elementSize(type), [&](auto element) {
        change_in_order<decltype(element), Replace>(places, indexed);
      });
  }
}

} // namespace at::musa::indexing
