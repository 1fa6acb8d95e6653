#include "memory/memory_table.h"

#include <sys/mman.h>

#include <cstdlib>
#include <utility>

#include "base/active_checks.h"
#include "base/devices.h"
#include "base/findings.h"
#include "base/host_memory.h"
#include "base/lifetime.h"
#include "memory/device_heap.h"
#include "memory/guarded_memory.h"
#include "memory/stand_ins.h"

namespace musa_sim {
namespace {

// At least the 256 that CUDA promises, so that kernels may use the widest vector accesses.
constexpr std::size_t alignment = 512;

bool counts_as_device_memory(MemoryKind kind) {
    return kind == MemoryKind::device || kind == MemoryKind::managed || kind == MemoryKind::retired;
}

const char* in_words(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::device:
        case MemoryKind::mapped:
        case MemoryKind::retired: return "device memory";
        case MemoryKind::managed: return "managed memory";
        case MemoryKind::pinned: return "pinned memory";
        case MemoryKind::registered: return "registered memory";
        case MemoryKind::variable: return "a device variable";
        case MemoryKind::managed_variable: return "a managed variable";
    }
    return "memory";
}

// Memory of checked programs is guarded; both kinds can exist, because a program that asks for
// checks may be loaded later.
void* take(std::size_t size, Allocation* allocation) {
    if (is_checking(~0u)) {
        allocation->backing = Backing::guarded;
        return GuardedMemory::instance().allocate(size, in_words(allocation->kind));
    }
    if (allocation->kind == MemoryKind::device) {
        allocation->backing = Backing::device_heap;
        return DeviceHeap::instance().allocate(size);
    }
    allocation->backing = Backing::malloc;
    void*& block = allocation->block;
    // posix_memalign() takes eight times as long as malloc(), which keeps small blocks at hand.
    block = std::malloc(MemoryTable::rounded(size) + alignment);
    if (!block) return nullptr;
    return reinterpret_cast<void*>(MemoryTable::rounded(reinterpret_cast<std::uintptr_t>(block)));
}

void give_back(void* memory, const Allocation& allocation) {
    switch (allocation.backing) {
        case Backing::not_owned: break;
        case Backing::malloc: std::free(allocation.block); break;
        case Backing::device_heap: DeviceHeap::instance().release(memory); break;
        case Backing::guarded: GuardedMemory::instance().release(memory); break;
        case Backing::other_process: munmap(allocation.block, allocation.block_bytes); break;
    }
}

// The address was not allocated, or by another function.
musaError_t refuse_release(void* pointer) {
    if (!is_checking(check_memory)) return musaErrorInvalidValue;
    const std::string caller = CallStack::here().text();
    if (Findings::instance().add("memory", caller)) {
        const bool again = GuardedMemory::instance().is_freed(pointer);
        Findings::instance().report(
            again ? "memory: memory is freed a second time"
                  : "memory: an address is freed that was not allocated so",
            GuardedMemory::instance().describe(pointer) + "    in " + caller + "\n");
    }
    return musaErrorInvalidValue;
}

// Linux overcommits memory, and kills the process that uses too much. Device memory is
// bounded from the start; page-locked memory would be taken at once.
bool host_can_bear(std::size_t size) {
    constexpr std::size_t least_worth_asking = std::size_t{64} << 20;
    return size < least_worth_asking || size <= available_memory();
}

}  // namespace

bool take_memory(Device& device, std::size_t size) {
    std::size_t used = device.used_memory.load();
    do {
        if (used > device.total_memory || size > device.total_memory - used) return false;
    } while (!device.used_memory.compare_exchange_weak(used, used + size));
    return true;
}

void give_back_memory(Device& device, std::size_t size) { device.used_memory -= size; }

MemoryTable& MemoryTable::instance() {
    static MemoryTable& table = leaked<MemoryTable>();
    return table;
}

std::size_t MemoryTable::rounded(std::size_t size) {
    return (size + alignment - 1) / alignment * alignment;
}

musaError_t MemoryTable::allocate(void** pointer, std::size_t size, MemoryKind kind, int device,
                                  unsigned pool) {
    if (!pointer) return musaErrorInvalidValue;
    *pointer = nullptr;
    if (size == 0) return musaSuccess;
    if (size > SIZE_MAX - 2 * alignment) return musaErrorMemoryAllocation;
    const std::size_t bytes = rounded(size);
    Device& owner = DeviceTable::instance()[device];
    if (counts_as_device_memory(kind) && !take_memory(owner, bytes)) return musaErrorMemoryAllocation;
    if (kind == MemoryKind::pinned && !host_can_bear(bytes)) return musaErrorMemoryAllocation;
    std::lock_guard<std::mutex> lock(mutex_);
    Allocation allocation{size, kind, device, pool};
    void* memory = take(size, &allocation);
    if (!memory) {
        if (counts_as_device_memory(kind)) give_back_memory(owner, bytes);
        return musaErrorMemoryAllocation;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    allocation.number = ++last_number_;
    if (spare_) {
        spare_.key() = begin;
        spare_.mapped() = allocation;
        allocations_.insert(std::move(spare_));
    } else {
        allocations_[begin] = allocation;
    }
    *pointer = memory;
    return musaSuccess;
}

musaError_t MemoryTable::release(void* pointer, MemoryKind kind, MemoryKind or_kind,
                                 Allocation* released) {
    if (!pointer) return musaSuccess;
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == allocations_.end()) return refuse_release(pointer);
    const Allocation allocation = found->second;
    if (allocation.kind != kind && allocation.kind != or_kind) return refuse_release(pointer);
    if (counts_as_device_memory(allocation.kind)) {
        give_back_memory(DeviceTable::instance()[allocation.device], rounded(allocation.size));
    }
    spare_ = allocations_.extract(found);
    invalidate_lookups();
    if (DeviceTable::instance().count() > 1)
        StandIns::instance().remove(reinterpret_cast<std::uintptr_t>(pointer));
    give_back(pointer, allocation);
    if (released) *released = allocation;
    return musaSuccess;
}

void MemoryTable::note_flags(void* pointer, unsigned flags) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found != allocations_.end()) found->second.flags = flags;
}

musaError_t MemoryTable::share(const void* pointer, std::uint32_t magic, ProcessMemory* shared) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = containing(pointer);
    if (found == allocations_.end() || found->second.kind != MemoryKind::device) return musaErrorInvalidValue;
    const Allocation& allocation = found->second;
    const auto* begin = reinterpret_cast<const void*>(found->first);
    if (allocation.backing == Backing::other_process) return musaErrorInvalidValue;
    const bool is_guarded = allocation.backing == Backing::guarded;
    const FilePages made = is_guarded ? GuardedMemory::instance().share(begin) : DeviceHeap::instance().share(begin);
    if (made.file < 0) return musaErrorOperatingSystem;
    *shared = {magic,
               DeviceTable::instance()[allocation.device].number,
               shared_file(made.file),
               made.pages.bytes,
               found->first - made.pages.begin,
               allocation.size};
    return musaSuccess;
}

bool MemoryTable::has_file(const void* pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = containing(pointer);
    return found != allocations_.end() && found->second.backing == Backing::device_heap &&
           DeviceHeap::instance().is_shared(reinterpret_cast<const void*>(found->first));
}

musaError_t MemoryTable::open(void** pointer, const ProcessMemory& shared, int device, unsigned pool) {
    Device& owner = DeviceTable::instance()[device];
    if (!take_memory(owner, rounded(shared.size))) return musaErrorMemoryAllocation;
    musaError_t error = musaErrorInvalidValue;
    if (void* const pages = map_pages(shared)) {
        *pointer = static_cast<char*>(pages) + shared.offset;
        error = add(*pointer, {shared.size, MemoryKind::device, device, pool, Backing::other_process, pages, shared.file_bytes});
        if (error != musaSuccess) munmap(pages, shared.file_bytes);
    }
    if (error != musaSuccess) give_back_memory(owner, rounded(shared.size));
    return error;
}

bool MemoryTable::retire(void* pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == allocations_.end() || found->second.kind != MemoryKind::device) return false;
    found->second.kind = MemoryKind::retired;
    GuardedMemory::instance().expect_release(pointer);
    return true;
}

musaError_t MemoryTable::add(const void* pointer, const Allocation& allocation) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    auto next = allocations_.lower_bound(begin);
    const bool overlaps = containing(pointer) != allocations_.end() ||
                          (next != allocations_.end() && next->first < begin + allocation.size);
    if (overlaps) return musaErrorHostMemoryAlreadyRegistered;
    Allocation& added = allocations_[begin] = allocation;
    added.number = ++last_number_;
    return musaSuccess;
}

musaError_t MemoryTable::remove(const void* pointer, MemoryKind kind) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == allocations_.end() || found->second.kind != kind)
        return musaErrorHostMemoryNotRegistered;
    allocations_.erase(found);
    invalidate_lookups();
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
