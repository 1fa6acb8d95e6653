// The memory behind `extern __shared__`: of the size that the launch asks for, with pages around it
// that nobody may touch. What a kernel writes past its end would be the process's own otherwise.
#pragma once

#include <cstddef>

namespace musa_sim {

class DynamicShared {
public:
    DynamicShared() = default;
    ~DynamicShared();
    DynamicShared(const DynamicShared&) = delete;
    DynamicShared& operator=(const DynamicShared&) = delete;

    // Memory of at least `size` bytes, aligned to 256, that ends where the guard begins, but for
    // what the alignment takes. Kept until the next call. Throws std::bad_alloc.
    char* resize(std::size_t size);
    std::size_t size() const { return size_; }
    // Whether the address lies outside, and near enough to have been meant.
    bool is_guard(const void* address) const;

private:
    char* end() const;

    char* mapping_ = nullptr;  // a guard, `capacity_` bytes, a guard
    std::size_t capacity_ = 0;
    std::size_t size_ = 0;
};

}  // namespace musa_sim
