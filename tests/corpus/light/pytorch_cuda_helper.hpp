// The part of mmcv's helper of this name that device code uses, without the rest of PyTorch: parsed in a second, not in ten.
#pragma once

#include <ATen/AccumulateType.h>
#include <ATen/ceil_div.h>
#include <ATen/musa/Atomic.muh>
#include <c10/util/Half.h>

#include "common_cuda_helper.hpp"

namespace at::musa {
template <class T>
__host__ __device__ T ATenCeilDiv(T a, T b) {
    return at::ceil_div(a, b);
}
}  // namespace at::musa

using at::Half;
using phalf = at::Half;

#define __PHALF(x) (x)
#define DIVUP(m, n) ((m) / (n) + ((m) % (n) > 0))
