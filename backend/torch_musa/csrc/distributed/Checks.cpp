#include "torch_musa/csrc/distributed/Checks.h"

#include "torch_musa/csrc/core/Device.h"

#include <c10/util/Exception.h>

#include <numeric>

namespace c10d::mccl {

namespace {

/// The types that NCCL has a name for, and complex numbers as pairs.
bool is_known(at::ScalarType type) {
  switch (type) {
    case at::kByte:
    case at::kChar:
    case at::kBool:
    case at::kInt:
    case at::kLong:
    case at::kHalf:
    case at::kBFloat16:
    case at::kFloat:
    case at::kDouble:
    case at::kComplexFloat:
    case at::kComplexDouble:
    case at::kFloat8_e5m2:
    case at::kFloat8_e4m3fn:
    case at::kFloat8_e5m2fnuz:
    case at::kFloat8_e4m3fnuz:
      return true;
    default:
      return false;
  }
}

} // namespace

void check_tensors(const char* operation, const std::vector<at::Tensor>& tensors) {
  for (const at::Tensor& tensor : tensors) {
    TORCH_CHECK_VALUE(tensor.defined(), "mccl: ", operation, " was given an undefined tensor");
    TORCH_CHECK_VALUE(
        tensor.device().type() == at::musa::kMUSA,
        "mccl: ", operation, " needs tensors on a musa device, but got one on ", tensor.device());
    TORCH_CHECK_VALUE(
        tensor.device() == tensors[0].device(),
        "mccl: ", operation, " needs all tensors on one device, but got ", tensors[0].device(), " and ", tensor.device());
    TORCH_CHECK_VALUE(
        tensor.layout() == c10::kStrided,
        "mccl: ", operation, " needs dense tensors, but got one of layout ", tensor.layout());
    TORCH_CHECK_TYPE(
        is_known(tensor.scalar_type()),
        "mccl: ", operation, " does not know the type ", tensor.scalar_type(), ", as NCCL does not");
  }
}

const at::Tensor& only(const char* operation, const std::vector<at::Tensor>& tensors) {
  TORCH_CHECK_VALUE(
      tensors.size() == 1, "mccl: ", operation, " needs one tensor for each rank, but got ", tensors.size());
  return tensors[0];
}

const std::vector<at::Tensor>& only(const char* operation, const std::vector<std::vector<at::Tensor>>& lists) {
  TORCH_CHECK_VALUE(
      lists.size() == 1, "mccl: ", operation, " needs one list of tensors for each rank, but got ", lists.size());
  return lists[0];
}

void check_dense(const char* operation, const at::Tensor& tensor) {
  TORCH_CHECK_VALUE(
      tensor.is_non_overlapping_and_dense(),
      "mccl: ", operation, " works in place and needs a tensor without holes and overlaps, but got one of sizes ",
      tensor.sizes(), " and strides ", tensor.strides(), ". Call contiguous() first.");
}

void check_contiguous(const char* operation, const char* which, const at::Tensor& tensor) {
  TORCH_CHECK_VALUE(
      tensor.is_contiguous(),
      "mccl: ", operation, " needs a contiguous ", which, ", but got one of sizes ", tensor.sizes(), " and strides ",
      tensor.strides());
}

void check_one_per_rank(
    const char* operation,
    const char* which,
    const std::vector<at::Tensor>& list,
    int size,
    const at::Tensor& like) {
  TORCH_CHECK_VALUE(
      list.size() == static_cast<size_t>(size),
      "mccl: ", operation, " needs as many ", which, " tensors as ranks, ", size, ", but got ", list.size());
  for (const at::Tensor& tensor : list) {
    check_one_type(operation, like, tensor);
  }
}

void check_whole_and_part(
    const char* operation,
    const char* which_whole,
    const at::Tensor& whole,
    const char* which_part,
    const at::Tensor& part,
    int size) {
  check_one_type(operation, whole, part);
  TORCH_CHECK_VALUE(
      whole.numel() == part.numel() * size,
      "mccl: ", operation, " needs an ", which_whole, " tensor of ", part.numel() * size, " elements (", size,
      " ranks times the ", which_part, " tensor's ", part.numel(), "), but got ", whole.numel());
}

void check_same_count(const char* operation, const at::Tensor& found, const at::Tensor& wanted) {
  TORCH_CHECK_VALUE(
      found.numel() == wanted.numel(),
      "mccl: ", operation, " needs tensors with as many elements on both sides, but got sizes ", found.sizes(), " and ",
      wanted.sizes());
}

void check_rank(const char* operation, const char* which, int64_t rank, int size) {
  TORCH_CHECK_VALUE(
      rank >= 0 && rank < size,
      "mccl: ", operation, " was given ", rank, " as ", which, " rank, but the group's ranks are 0 to ", size - 1);
}

void check_one_type(const char* operation, const at::Tensor& first, const at::Tensor& second) {
  TORCH_CHECK_TYPE(
      first.scalar_type() == second.scalar_type(),
      "mccl: ", operation, " needs tensors of one type, but got ", first.scalar_type(), " and ", second.scalar_type());
}

void check_partner(const char* operation, int partner, int rank, int size) {
  check_rank(operation, "the other", partner, size);
  TORCH_CHECK_VALUE(partner != rank, "mccl: ", operation, " needs another rank, but got the caller's own, ", rank);
}

void check_splits(
    const char* operation,
    const char* which,
    const std::vector<int64_t>& splits,
    const at::Tensor& tensor,
    int size) {
  const int64_t rows = tensor.dim() == 0 ? 1 : tensor.size(0);
  if (splits.empty()) {
    TORCH_CHECK_VALUE(
        rows % size == 0,
        "mccl: ", operation, " without split sizes needs an ", which, " tensor whose first dimension divides by ", size,
        " ranks, but got ", tensor.sizes());
    return;
  }
  TORCH_CHECK_VALUE(
      splits.size() == static_cast<size_t>(size),
      "mccl: ", operation, " needs as many ", which, " split sizes as ranks, ", size, ", but got ", splits.size());
  const int64_t sum = std::accumulate(splits.begin(), splits.end(), int64_t{0});
  TORCH_CHECK_VALUE(
      sum == rows,
      "mccl: ", operation, " needs ", which, " split sizes with the sum of the first dimension, ", rows, ", but got ", sum);
}

} // namespace c10d::mccl
