// It does not compile.
#include <ATen/native/BinaryOps.h>
#include <ATen/native/DispatchStub.h>

namespace at::native {

void marked_zeta_cuda(TensorIteratorBase& iter) {
  a_function_without_declaration(iter);
}

REGISTER_DISPATCH(zeta_stub, &marked_zeta_cuda)

}  // namespace at::native
