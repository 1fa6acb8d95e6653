#include <musa/std/array>
#include <musa/std/type_traits>
#include <musa/functional>
#include "cuda/helpers.h"

namespace cuda { int own(); }

__global__ void first(musa::std::array<int, 4>* a, ::musa::std::size_t n) {
  using musa::std::numeric_limits;
  static_assert(::musa :: std::is_same_v<int, int>, "cuda::std in a string");  // cuda::std in a comment
  cuda::standard(); cuda::own(); my.cuda::std::x;
}
