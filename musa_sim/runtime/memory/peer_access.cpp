#include "memory/peer_access.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstring>

#include "base/lifetime.h"

namespace musa_sim {
namespace {

constexpr std::uintptr_t page = 4096;

// Managed, pinned and registered memory is everybody's.
bool belongs_to_a_device(MemoryKind kind) {
    return kind == MemoryKind::device || kind == MemoryKind::mapped ||
           kind == MemoryKind::retired || kind == MemoryKind::variable;
}

}  // namespace

PeerAccess& PeerAccess::instance() {
    static PeerAccess& access = leaked<PeerAccess>();
    return access;
}

bool PeerAccess::enable(int device, int peer) {
    std::lock_guard<std::mutex> lock(mutex_);
    return enabled_.insert({device, peer}).second;
}

bool PeerAccess::disable(int device, int peer) {
    std::lock_guard<std::mutex> lock(mutex_);
    MemoryTable::instance().invalidate_lookups();
    return enabled_.erase({device, peer}) != 0;
}

void PeerAccess::disable_all(int device) {
    std::lock_guard<std::mutex> lock(mutex_);
    MemoryTable::instance().invalidate_lookups();
    enabled_.erase(enabled_.lower_bound({device, 0}), enabled_.lower_bound({device + 1, 0}));
}

void PeerAccess::set_pool_access(unsigned pool, int device, bool may) {
    std::lock_guard<std::mutex> lock(mutex_);
    MemoryTable::instance().invalidate_lookups();
    if (may) {
        pools_.insert({pool, device});
    } else {
        pools_.erase({pool, device});
    }
}

bool PeerAccess::is_out_of_reach(int device, const Allocation& allocation) {
    if (allocation.device == device || !belongs_to_a_device(allocation.kind)) return false;
    std::lock_guard<std::mutex> lock(mutex_);
    if (allocation.pool != 0) return pools_.count({allocation.pool, device}) == 0;
    return enabled_.count({device, allocation.device}) == 0;
}

void PeerAccess::hide_foreign_memory(int device, void* argument, std::size_t size) {
    auto* bytes = static_cast<char*>(argument);
    for (std::size_t at = 0; at + sizeof(void*) <= size; at += sizeof(void*)) {
        const void* pointer = nullptr;
        std::memcpy(&pointer, bytes + at, sizeof pointer);
        Allocation allocation;
        const char* begin = nullptr;
        if (reinterpret_cast<std::uintptr_t>(pointer) < page ||
            !MemoryTable::instance().find(pointer, &allocation, &begin) ||
            !is_out_of_reach(device, allocation))
            continue;
        const auto memory = reinterpret_cast<std::uintptr_t>(begin);
        const std::uintptr_t first = stand_in_for(memory, allocation);
        if (first == 0) continue;
        const std::uintptr_t instead =
            first + memory % page + (reinterpret_cast<std::uintptr_t>(pointer) - memory);
        std::memcpy(bytes + at, &instead, sizeof instead);
    }
}

// Zero if the system has no more addresses to give.
std::uintptr_t PeerAccess::stand_in_for(std::uintptr_t memory, const Allocation& allocation) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = pages_.find(memory);
    if (known != pages_.end()) return known->second;
    const std::size_t bytes = (memory % page + allocation.size + page - 1) / page * page;
    void* pages =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return 0;
    const auto first = reinterpret_cast<std::uintptr_t>(pages);
    stand_ins_[first] = {memory, bytes, allocation.device, allocation.pool};
    pages_[memory] = first;
    return first;
}

std::optional<std::string> PeerAccess::explain(int device, const void* pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto after = stand_ins_.upper_bound(address);
    if (after == stand_ins_.begin()) return std::nullopt;
    const auto& [first, stand_in] = *std::prev(after);
    if (address >= first + stand_in.page_bytes) return std::nullopt;
    const std::uintptr_t meant = stand_in.memory / page * page + (address - first);
    char text[64];
    std::snprintf(text, sizeof text, "0x%zx is memory of device %d, and ",
                  static_cast<std::size_t>(meant), stand_in.owner);
    return text + missing_peer_access(device, stand_in.owner, stand_in.pool);
}

void PeerAccess::forget(std::uintptr_t memory) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = pages_.find(memory);
    if (known == pages_.end()) return;
    const auto stand_in = stand_ins_.find(known->second);
    munmap(reinterpret_cast<void*>(stand_in->first), stand_in->second.page_bytes);
    stand_ins_.erase(stand_in);
    pages_.erase(known);
}

std::string missing_peer_access(int device, int owner, unsigned pool) {
    if (pool >= first_number_of_mapped_memory)
        return "device " + std::to_string(device) + " was not given access to it by muMemSetAccess";
    if (pool != 0)
        return "device " + std::to_string(device) +
               " was not given access to its memory pool by musaMemPoolSetAccess";
    return "device " + std::to_string(device) + " has not called musaDeviceEnablePeerAccess(" +
           std::to_string(owner) + ", 0)";
}

}  // namespace musa_sim
