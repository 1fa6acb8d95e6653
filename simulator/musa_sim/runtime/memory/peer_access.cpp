#include "memory/peer_access.h"

#include <cstdio>
#include <cstring>

#include "base/host_memory.h"
#include "base/lifetime.h"
#include "memory/stand_ins.h"

namespace musa_sim {
namespace {

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
        if (reinterpret_cast<std::uintptr_t>(pointer) < page_size ||
            !MemoryTable::instance().find(pointer, &allocation, &begin) ||
            !is_out_of_reach(device, allocation))
            continue;
        const auto memory = reinterpret_cast<std::uintptr_t>(begin);
        const std::uintptr_t first = StandIns::instance().first_page(
            memory, allocation.size, allocation.device, allocation.pool);
        if (first == 0) continue;
        const std::uintptr_t instead =
            first + memory % page_size + (reinterpret_cast<std::uintptr_t>(pointer) - memory);
        std::memcpy(bytes + at, &instead, sizeof instead);
    }
}

std::optional<std::string> PeerAccess::explain(int device, const void* pointer) {
    const auto found = StandIns::instance().find(pointer);
    if (!found) return std::nullopt;
    char text[64];
    std::snprintf(text, sizeof text, "0x%zx is memory of device %d, and ",
                  static_cast<std::size_t>(found->address), found->owner);
    return text + missing_peer_access(device, found->owner, found->pool);
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
