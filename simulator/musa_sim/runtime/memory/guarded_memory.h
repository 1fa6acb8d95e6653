// Memory of checked programs: each allocation in pages of its own, between guard pages, and with a
// record of freed memory.
//
//     | no access | unused ... | the allocation | at most 15 bytes | no access |
//
// The allocation ends where the pages end, so that running past the end faults at once; alignment
// is 16 bytes for that reason, less than the 512 of unchecked memory. Freed pages stay reserved and
// without access, so that a stale pointer faults too. The unused bytes hold a pattern, which is
// verified when the memory is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "base/call_stack.h"
#include "memory/file_backing.h"

namespace musa_sim {

// The pattern in unwritten memory: a signalling NaN as a float, and no value that programs compute.
// Every aligned word has the same bytes, so that a copy is recognised as well.
inline constexpr std::uint32_t unwritten_word = 0xFFA5C3D7u;

// of the beginning of an allocation
inline constexpr std::size_t guarded_alignment = 16;

void fill_unwritten(void* memory, std::size_t size);
// Whether every aligned word that the bytes lie in still holds the pattern, and not because a kernel
// wrote it there.
bool is_unwritten(const void* memory, std::size_t size);
// A kernel has just written these bytes. A word that holds the pattern all the same counts as
// written until it is filled again.
void note_written(const void* memory, std::size_t size);

class GuardedMemory {
public:
    static GuardedMemory& instance();
    GuardedMemory();

    // nullptr if the system has no more memory or mappings. `what`: "device memory"
    void* allocate(std::size_t size, const char* what);
    // Record the caller as the one that freed the memory: another thread will release it later.
    void expect_release(void* memory);
    // False if the memory is not from allocate(), or was released before.
    bool release(void* memory);

    // The file that the pages of the allocation lie in from now on, as DeviceHeap::share().
    FilePages share(const void* memory);

    // Describe the allocation at or near the address; "" if none is near.
    std::string describe(const void* address);
    bool is_freed(const void* address);
    // Whether the address is freed memory or a guard page.
    bool is_forbidden(const void* address);

    // MUSA_SIM_CHECK=host: device memory can be touched only while the device works.
    void open();
    void close();

    void report_leaks();
    // In a child of fork(): shared pages are its parent's, so it gets copies.
    void keep_private();
    // A child of fork() does not free its parent's memory.
    void forget_leaks() { has_leaks_ = false; }
    std::mutex& mutex() { return mutex_; }

private:
    struct Block {
        char* pages;             // the first is without access, and so is the last
        std::size_t page_bytes;  // with both
        std::size_t size;
        const char* what;
        bool freed;
        CallStack allocated_by;
        CallStack freed_by;
        int file = -1;  // which the pages are mapped from, once they were shared
    };
    using Blocks = std::map<std::uintptr_t, Block>;

    Blocks::iterator nearest(std::uintptr_t address);
    void protect_all(int protection);
    void check_surroundings(std::uintptr_t begin, const Block& block);
    void drop_oldest_freed();

    std::mutex mutex_;
    Blocks blocks_;
    std::deque<std::uintptr_t> freed_;  // oldest first
    std::size_t freed_bytes_ = 0;
    bool has_leaks_ = true;
    int workers_ = 0;  // for which open() was called
};

// Held by work of devices; alone, by a DevicePause.
std::shared_mutex& device_work();

// While it lives, memory of devices may be touched.
template <class Lock>
class DeviceAccess {
public:
    DeviceAccess();
    ~DeviceAccess();
    DeviceAccess(const DeviceAccess&) = delete;
    DeviceAccess& operator=(const DeviceAccess&) = delete;

private:
    Lock works_;
    bool counted_;
};

using DeviceWork = DeviceAccess<std::shared_lock<std::shared_mutex>>;
// No device works meanwhile.
using DevicePause = DeviceAccess<std::unique_lock<std::shared_mutex>>;

}  // namespace musa_sim
