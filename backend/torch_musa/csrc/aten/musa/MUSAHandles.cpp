// The libraries' handles: each calling thread has one per device, created at its first use.

#include "torch_musa/csrc/aten/musa/Exceptions.h"
#include "torch_musa/csrc/aten/musa/MUSAContextLight.h"
#include "torch_musa/csrc/core/MUSAStream.h"

#include <memory>
#include <type_traits>
#include <vector>

namespace at::musa {

namespace {

/// Create and destroy a library's handle. A thread destroys its handles when it ends: no caller is left to receive an
/// error.
template <typename HandleType, typename Status, Status (*Create)(HandleType*), Status (*Destroy)(HandleType)>
struct Library {
  using Type = HandleType;
  struct Deleter {
    void operator()(HandleType handle) const {
      Destroy(handle);
    }
  };

  static HandleType current() {
    using Owned = std::unique_ptr<std::remove_pointer_t<HandleType>, Deleter>;
    thread_local std::vector<Owned> handles(c10::musa::device_count_ensure_non_zero());
    Owned& handle = handles.at(c10::musa::current_device());
    if (handle == nullptr) {
      HandleType made = nullptr;
      const Status status = Create(&made);
      TORCH_CHECK(static_cast<int>(status) == 0, "A library of MUSA made no handle: status ", static_cast<int>(status));
      handle.reset(made);
    }
    return handle.get();
  }
};

using Blas = Library<mublasHandle_t, mublasStatus_t, mublasCreate, mublasDestroy>;
using BlasLt = Library<mublasLtHandle_t, mublasStatus_t, mublasLtCreate, mublasLtDestroy>;
using SolverDn = Library<musolverDnHandle_t, musolverStatus_t, musolverDnCreate, musolverDnDestroy>;
using Sparse = Library<musparseHandle_t, musparseStatus_t, musparseCreate, musparseDestroy>;

} // namespace

mublasHandle_t getCurrentMUSABlasHandle() {
  mublasHandle_t handle = Blas::current();
  TORCH_MUSABLAS_CHECK(mublasSetStream(handle, c10::musa::getCurrentMUSAStream()));
  return handle;
}

mublasLtHandle_t getCurrentMUSABlasLtHandle() {
  return BlasLt::current();
}

musolverDnHandle_t getCurrentMUSASolverDnHandle() {
  musolverDnHandle_t handle = SolverDn::current();
  TORCH_CHECK(musolverDnSetStream(handle, c10::musa::getCurrentMUSAStream()) == 0, "muSOLVER refused a stream");
  return handle;
}

musparseHandle_t getCurrentMUSASparseHandle() {
  musparseHandle_t handle = Sparse::current();
  TORCH_CHECK(musparseSetStream(handle, c10::musa::getCurrentMUSAStream()) == 0, "muSPARSE refused a stream");
  return handle;
}

} // namespace at::musa
