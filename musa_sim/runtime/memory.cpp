#include "memory.h"

#include <cstdlib>

#include "devices.h"

namespace musa_sim {
namespace {

// At least what CUDA promises (256), so that kernels may use the widest vector accesses.
constexpr std::size_t alignment = 512;

std::size_t rounded(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

bool counts_as_device_memory(MemoryKind kind) {
    return kind == MemoryKind::device || kind == MemoryKind::managed || kind == MemoryKind::retired;
}

bool reserve(Device& device, std::size_t size) {
    std::size_t used = device.used_memory.load();
    do {
        if (size > device.total_memory - used) return false;
    } while (!device.used_memory.compare_exchange_weak(used, used + size));
    return true;
}

}  // namespace

MemoryTable& MemoryTable::instance() {
    static MemoryTable* table = new MemoryTable();
    return *table;
}

musaError_t MemoryTable::allocate(void** pointer, std::size_t size, MemoryKind kind) {
    if (!pointer) return musaErrorInvalidValue;
    *pointer = nullptr;
    if (size == 0) return musaSuccess;
    if (size > SIZE_MAX - alignment) return musaErrorMemoryAllocation;
    const std::size_t bytes = rounded(size);
    if (counts_as_device_memory(kind) && !reserve(current(), bytes))
        return musaErrorMemoryAllocation;
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, bytes) != 0) {
        if (counts_as_device_memory(kind)) current().used_memory -= bytes;
        return musaErrorMemoryAllocation;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    allocations_[reinterpret_cast<std::uintptr_t>(memory)] = {size, kind, current_device()};
    *pointer = memory;
    return musaSuccess;
}

musaError_t MemoryTable::release(void* pointer, MemoryKind kind, MemoryKind or_kind) {
    if (!pointer) return musaSuccess;
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == allocations_.end()) return musaErrorInvalidValue;
    const Allocation allocation = found->second;
    if (allocation.kind != kind && allocation.kind != or_kind) return musaErrorInvalidValue;
    if (counts_as_device_memory(allocation.kind)) {
        DeviceTable::instance()[allocation.device].used_memory -= rounded(allocation.size);
    }
    allocations_.erase(found);
    std::free(pointer);
    return musaSuccess;
}

bool MemoryTable::retire(void* pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == allocations_.end() || found->second.kind != MemoryKind::device) return false;
    found->second.kind = MemoryKind::retired;
    return true;
}

musaError_t MemoryTable::add(const void* pointer, const Allocation& allocation) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    auto next = allocations_.lower_bound(begin);
    const bool overlaps = containing(pointer) != allocations_.end() ||
                          (next != allocations_.end() && next->first < begin + allocation.size);
    if (overlaps) return musaErrorHostMemoryAlreadyRegistered;
    allocations_[begin] = allocation;
    return musaSuccess;
}

musaError_t MemoryTable::remove(const void* pointer, MemoryKind kind) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == allocations_.end() || found->second.kind != kind)
        return musaErrorHostMemoryNotRegistered;
    allocations_.erase(found);
    return musaSuccess;
}

bool MemoryTable::find(const void* pointer, Allocation* allocation, const char** begin) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = containing(pointer);
    if (found == allocations_.end()) return false;
    *allocation = found->second;
    *begin = reinterpret_cast<const char*>(found->first);
    return true;
}

std::map<std::uintptr_t, Allocation>::iterator MemoryTable::containing(const void* pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto after = allocations_.upper_bound(address);
    if (after == allocations_.begin()) return allocations_.end();
    auto candidate = std::prev(after);
    return address < candidate->first + candidate->second.size ? candidate : allocations_.end();
}

}  // namespace musa_sim
