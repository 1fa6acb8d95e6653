// Elements that change at places which an index names: sums, products, extremes. Repeated indices are no race.

#include <ATen/musa/Atomic.muh>

#include "torch_musa/csrc/aten/ops/musa/Index.muh"

namespace at::musa::indexing {

namespace {

template <typename T>
struct AddAt {
  Indexed indexed;
  __device__ void operator()(char* const* element) const {
    gpuAtomicAddNoReturn(
        reinterpret_cast<T*>(element[0] + indexed(element[2])), *reinterpret_cast<const T*>(element[1]));
  }
};

template <typename T>
struct MultiplyAt {
  Indexed indexed;
  __device__ void operator()(char* const* element) const {
    gpuAtomicMul(reinterpret_cast<T*>(element[0] + indexed(element[2])), *reinterpret_cast<const T*>(element[1]));
  }
};

template <typename T>
struct LargestAt {
  Indexed indexed;
  __device__ void operator()(char* const* element) const {
    gpuAtomicMax(reinterpret_cast<T*>(element[0] + indexed(element[2])), *reinterpret_cast<const T*>(element[1]));
  }
};

template <typename T>
struct SmallestAt {
  Indexed indexed;
  __device__ void operator()(char* const* element) const {
    gpuAtomicMin(reinterpret_cast<T*>(element[0] + indexed(element[2])), *reinterpret_cast<const T*>(element[1]));
  }
};

template <template <typename> typename F>
void change_reals(const Places<3>& places, ScalarType type, const Indexed& indexed) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, type, "index_reduce_musa", [&] {
    visit(places, F<scalar_t>{indexed});
  });
}

} // namespace

void change(const Places<3>& places, ScalarType type, const Indexed& indexed, Change what) {
  switch (what) {
    case Change::Add:
      AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(kHalf, kBFloat16, kBool, kComplexHalf, type, "index_add_musa", [&] {
        visit(places, AddAt<scalar_t>{indexed});
      });
      return;
    case Change::Multiply:
      return change_reals<MultiplyAt>(places, type, indexed);
    case Change::Largest:
      return change_reals<LargestAt>(places, type, indexed);
    case Change::Smallest:
      return change_reals<SmallestAt>(places, type, indexed);
  }
}

} // namespace at::musa::indexing
