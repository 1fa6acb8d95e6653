// Device, managed, pinned and registered memory: ordinary memory of the host, with a table of its
// allocations.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

#include "base/api.h"
#include "base/devices.h"
#include "memory/process_memory.h"

namespace musa_sim {

// Retired memory is device memory whose release waits in a stream, mapped memory that of
// virtual_memory.h.
enum class MemoryKind {
    device,
    mapped,
    managed,
    pinned,
    registered,
    variable,
    managed_variable,
    retired
};

// The owner of the memory in which an allocation lies; not_owned: of add(), the caller.
enum class Backing { not_owned, malloc, device_heap, guarded, other_process };

struct Allocation {
    std::size_t size;
    MemoryKind kind;
    int device;
    unsigned pool = 0;  // the number of the memory pool that it is from; 0: of none
    Backing backing = Backing::not_owned;
    void* block = nullptr;     // of malloc(), or the first page of another process's file,
    std::size_t block_bytes = 0;  // which has so many
    unsigned flags = 0;        // of musaHostAlloc or musaHostRegister
    std::uint64_t number = 0;  // that the table gave it, and no other
};

// Count memory as used; false if the device has less left.
bool take_memory(Device& device, std::size_t size);
void give_back_memory(Device& device, std::size_t size);

class MemoryTable {
public:
    static MemoryTable& instance();

    // Memory of the device and for the pool, or of the host for MemoryKind::pinned. nullptr for zero bytes. The API goes
    // through streams/allocations.h.
    musaError_t allocate(void** pointer, std::size_t size, MemoryKind kind, int device, unsigned pool);
    // The bytes that an allocation takes of its device.
    static std::size_t rounded(std::size_t size);
    // Free what allocate() returned, if its kind is one of the two; musaErrorInvalidValue for
    // anything else. Sets *released to the allocation.
    musaError_t release(void* pointer, MemoryKind kind, MemoryKind or_kind,
                        Allocation* released = nullptr);

    // Note the flags that musaHostGetFlags returns for memory that allocate() returned.
    void note_flags(void* pointer, unsigned flags);

    // Add device memory of another process for a pool; musaErrorInvalidValue if that process or its memory is gone.
    musaError_t open(void** pointer, const ProcessMemory& shared, int device, unsigned pool);
    // Name the file of the device memory that contains the address, for other processes. If it has none, its pages are moved
    // into one, and a DevicePause lives: nothing may write meanwhile.
    musaError_t share(const void* pointer, std::uint32_t magic, ProcessMemory* shared);
    bool has_file(const void* pointer);

    // Device memory is to be freed, but not yet; false if it is none, or was retired before.
    bool retire(void* pointer);

    // Add memory that the table does not own. musaErrorHostMemoryAlreadyRegistered if it overlaps known
    // memory.
    musaError_t add(const void* pointer, const Allocation& allocation);
    musaError_t remove(const void* pointer, MemoryKind kind);

    // The allocation that contains the address, and where it begins; false if none does.
    bool find(const void* pointer, Allocation* allocation, const char** begin);

    // Changes whenever memory is freed: earlier results of find() may then be wrong.
    std::uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }
    void invalidate_lookups() { generation_.fetch_add(1, std::memory_order_relaxed); }

    std::mutex& mutex() { return mutex_; }

private:
    std::map<std::uintptr_t, Allocation>::iterator containing(const void* pointer);

    std::mutex mutex_;
    std::map<std::uintptr_t, Allocation> allocations_;
    std::map<std::uintptr_t, Allocation>::node_type spare_;  // of the last release, for the next allocation
    std::atomic<std::uint64_t> generation_{0};
    std::uint64_t last_number_ = 0;
};

}  // namespace musa_sim
