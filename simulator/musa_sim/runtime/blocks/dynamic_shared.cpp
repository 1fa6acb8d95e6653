#include "blocks/dynamic_shared.h"

#include <sys/mman.h>

#include <new>

namespace musa_sim {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t step = 64 * 1024;      // of the capacity: pages of any size
constexpr std::size_t guard_size = 1 << 20;  // address space alone: also far steps land in it

std::size_t rounded(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

}  // namespace

DynamicShared::~DynamicShared() {
    if (mapping_) munmap(mapping_, capacity_ + 2 * guard_size);
}

char* DynamicShared::resize(std::size_t size) {
    if (!mapping_ || capacity_ < size) {
        const std::size_t capacity = rounded(size, step);
        void* memory = mmap(nullptr, capacity + 2 * guard_size, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        char* mapping = static_cast<char*>(memory);
        if (mprotect(mapping + guard_size, capacity, PROT_READ | PROT_WRITE) != 0) {
            munmap(mapping, capacity + 2 * guard_size);
            throw std::bad_alloc();
        }
        if (mapping_) munmap(mapping_, capacity_ + 2 * guard_size);
        mapping_ = mapping;
        capacity_ = capacity;
    }
    size_ = size;
    return end() - rounded(size, alignment);
}

bool DynamicShared::is_guard(const void* address) const {
    if (!mapping_) return false;
    const char* wanted = static_cast<const char*>(address);
    const bool before = wanted >= mapping_ && wanted < mapping_ + guard_size;
    return before || (wanted >= end() && wanted < end() + guard_size);
}

char* DynamicShared::end() const { return mapping_ + guard_size + capacity_; }

}  // namespace musa_sim
