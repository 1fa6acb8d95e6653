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
  /// The generated classes make the result, and then tell the base class, as TensorIteratorBase wants it.
  void set_output_raw_strided(int64_t, IntArrayRef, IntArrayRef, TensorOptions) override {}
};

} // namespace at::musa
