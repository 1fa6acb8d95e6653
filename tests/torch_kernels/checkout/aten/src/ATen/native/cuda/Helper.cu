// It registers no kernel, so it is not used, but UnaryComplexKernels.cu needs it.
#include <ATen/native/TensorIterator.h>

namespace at::native {

void angle_of_helper(TensorIteratorBase& iter) {
  iter.tensor(0);
}

}  // namespace at::native
