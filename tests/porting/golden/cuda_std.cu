#include <cuda/std/array>
#include <cuda/std/type_traits>
#include <cuda/functional>
#include "cuda/helpers.h"

namespace cuda { int own(); }

__global__ void first(cuda::std::array<int, 4>* a, ::cuda::std::size_t n) {
  using cuda::std::numeric_limits;
  static_assert(::cuda :: std::is_same_v<int, int>, "cuda::std in a string");  // cuda::std in a comment
  cuda::standard(); cuda::own(); my.cuda::std::x;
}
