// The memory behind `extern __shared__`: of the size that the launch requests, between guard pages.
// Without them, a kernel that writes past its end would overwrite memory of the process.
#pragma once

#include <cstddef>

namespace musa_sim {

class DynamicShared {
public:
    DynamicShared() = default;
    ~DynamicShared();
    DynamicShared(const DynamicShared&) = delete;
    DynamicShared& operator=(const DynamicShared&) = delete;

    // Memory of at least `size` bytes, aligned to 256, that ends at the guard page, up to
    // alignment. Kept until the next call. Throws std::bad_alloc.
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
