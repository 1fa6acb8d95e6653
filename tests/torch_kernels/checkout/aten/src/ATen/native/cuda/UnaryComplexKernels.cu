// It compiles, but needs a function of a file that is not used.
#include <ATen/native/DispatchStub.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/UnaryOps.h>

namespace at::native {

void angle_of_helper(TensorIteratorBase& iter);

void marked_angle_cuda(TensorIteratorBase& iter) {
  angle_of_helper(iter);
}

REGISTER_DISPATCH(angle_stub, &marked_angle_cuda)

}  // namespace at::native
