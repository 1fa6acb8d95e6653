// Elements that change at places which an index names: sums, products, extremes. Repeated indices are no race.

#include <ATen/OpMathType.h>
#include <ATen/musa/Atomic.muh>

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

template <typename T, template <typename> typename Op>
struct ChangeOne {
  Indexed indexed;
  __device__ void operator()(char* const* element) const {
    Op<T>::at(reinterpret_cast<T*>(element[0] + indexed(element[2])), *reinterpret_cast<const T*>(element[1]));
  }
};

/// All along the indexed dimension, one after another.
template <typename T, template <typename> typename Op>
struct ChangeLine {
  Indexed indexed;
  Line line;
  __device__ void operator()(char* const* element) const {
    const char* source = element[1];
    const char* index = element[2];
    for (int64_t k = 0; k < line.length; ++k) {
      T* const changed = reinterpret_cast<T*>(element[0] + indexed(index));
      *changed = Op<T>::of(*changed, *reinterpret_cast<const T*>(source));
      source += line.source;
      index += line.index;
    }
  }
};

template <typename T, template <typename> typename Op>
void change_each(const Places<3>& places, const Indexed& indexed, const std::optional<Line>& line) {
  line ? visit(places, ChangeLine<T, Op>{indexed, *line}) : visit(places, ChangeOne<T, Op>{indexed});
}

template <template <typename> typename Op>
void change_reals(
    const Places<3>& places, ScalarType type, const Indexed& indexed, const std::optional<Line>& line) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, type, "index_reduce_musa", [&] {
    change_each<scalar_t, Op>(places, indexed, line);
  });
}

} // namespace

void change(
    const Places<3>& places, ScalarType type, const Indexed& indexed, Change what, const std::optional<Line>& line) {
  switch (what) {
    case Change::Add:
      AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(kHalf, kBFloat16, kBool, kComplexHalf, type, "index_add_musa", [&] {
        change_each<scalar_t, Add>(places, indexed, line);
      });
      return;
    case Change::Multiply:
      return change_reals<Multiply>(places, type, indexed, line);
    case Change::Largest:
      return change_reals<Largest>(places, type, indexed, line);
    case Change::Smallest:
      return change_reals<Smallest>(places, type, indexed, line);
  }
}

} // namespace at::musa::indexing
