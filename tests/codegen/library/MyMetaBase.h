#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/TensorMeta.h>

namespace at::musa {

/// A base class of one's own: counts how often the checks run.
struct MyMetaBase : public at::impl::MetaBase {
  static int& checks() {
    static int count = 0;
    return count;
  }
};

} // namespace at::musa
