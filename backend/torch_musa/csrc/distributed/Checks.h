#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

// The checks of NCCL's process group on its arguments, with its exceptions: ValueError and TypeError, in the calling thread,
// before anything is sent.
namespace c10d::mccl {

/// Check that all tensors are strided, on one musa device, and of a type that NCCL knows.
void check_tensors(const char* operation, const std::vector<at::Tensor>& tensors);

/// Return the one tensor of an operation whose interface takes a list.
const at::Tensor& only(const char* operation, const std::vector<at::Tensor>& tensors);
const std::vector<at::Tensor>& only(const char* operation, const std::vector<std::vector<at::Tensor>>& lists);

/// Check that a tensor has no gaps: the operation works in place, and its result has the operand's layout.
void check_dense(const char* operation, const at::Tensor& tensor);

void check_contiguous(const char* operation, const char* which, const at::Tensor& tensor);

/// Check that there is one tensor for each rank, of the type of `like`.
void check_one_per_rank(
    const char* operation,
    const char* which,
    const std::vector<at::Tensor>& list,
    int size,
    const at::Tensor& like);

/// Check that `whole` has the type of `part` and as many elements as all ranks' parts.
void check_whole_and_part(
    const char* operation,
    const char* which_whole,
    const at::Tensor& whole,
    const char* which_part,
    const at::Tensor& part,
    int size);

/// Check that both have the same number of elements.
void check_same_count(const char* operation, const at::Tensor& found, const at::Tensor& wanted);

void check_one_type(const char* operation, const at::Tensor& first, const at::Tensor& second);

/// Check that `partner` is another rank of the group.
void check_partner(const char* operation, int partner, int rank, int size);

void check_rank(const char* operation, const char* which, int64_t rank, int size);

/// Check that `splits` has one entry for each rank, which add up to the first dimension of `tensor`; if it is empty, that the number
/// of ranks divides that dimension.
void check_splits(
    const char* operation,
    const char* which,
    const std::vector<int64_t>& splits,
    const at::Tensor& tensor,
    int size);

} // namespace c10d::mccl
