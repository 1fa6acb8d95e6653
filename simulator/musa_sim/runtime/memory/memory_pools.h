// Memory pools: the memory that musaMallocAsync takes, and how much of it a pool keeps.
//
// Freed memory goes back to the host at once, so that the checks see a use after free. A pool keeps only a number of
// bytes: its device counts them as used, until a synchronising call finds more than the release threshold.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/api.h"

namespace musa_sim {

class MemoryPool {
public:
    MemoryPool(int device, unsigned number, bool is_default)
        : device(device), number(number), is_default(is_default) {}
    ~MemoryPool();
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    const int device;
    const unsigned number;
    const bool is_default;
    // Of a pool for other processes: the file by which they import it.
    int file = -1;
    bool is_imported = false;  // gives no memory; only pointers can be imported

    // All below: with the mutex of MemoryPools held.
    std::array<int, 3> reuse{1, 1, 1};
    std::uint64_t threshold = 0;
    std::uint64_t used = 0, used_high = 0;
    std::uint64_t kept = 0;  // not in use, and not given back
    std::uint64_t reserved_high = 0;
    std::map<int, musaMemAccessFlags> access;  // of other devices

    std::uint64_t reserved() const { return used + kept; }
};

}  // namespace musa_sim

struct MUmemPoolHandle_st {
    std::shared_ptr<musa_sim::MemoryPool> pool;
};

namespace musa_sim {

class MemoryPools {
public:
    static MemoryPools& instance();

    // musaErrorInvalidValue for handles that are none.
    musaError_t find(musaMemPool_t handle, std::shared_ptr<MemoryPool>* pool);
    musaMemPool_t default_of(int device);
    musaMemPool_t current_of(int device);
    void make_current(int device, musaMemPool_t handle);
    musaMemPool_t create(int device);
    // A pool that other processes can import. nullptr if the system has no more files.
    musaMemPool_t create_shareable(int device);
    // A pool of another process, by its file, which stays the caller's; nullptr for any other file.
    musaMemPool_t import(int file);
    void destroy(musaMemPool_t handle);

    // Before an allocation of so many bytes: release as many kept bytes.
    void use_kept(MemoryPool& pool, std::size_t bytes);
    // Count an allocation of so many bytes for the pool.
    void add(void* pointer, std::size_t bytes, const std::shared_ptr<MemoryPool>& pool);
    // The pool that an allocation is from; nullptr for other addresses.
    std::shared_ptr<MemoryPool> pool_of(void* pointer);
    // Memory that may be a pool's was given back to the host.
    void freed(void* pointer);
    // A synchronising call returns: pools release bytes above their thresholds.
    void synchronized();
    // Keep so many bytes at most; of all pools of the device.
    void trim(MemoryPool& pool, std::uint64_t keep);
    void trim_all(int device);

    std::mutex& mutex() { return mutex_; }

private:
    struct Piece {
        std::shared_ptr<MemoryPool> pool;
        std::size_t bytes;
    };

    musaMemPool_t create_locked(int device, bool is_default);
    std::vector<musaMemPool_t>& of_devices(std::vector<musaMemPool_t>& handles);
    void keep_at_most(MemoryPool& pool, std::uint64_t bytes);

    std::mutex mutex_;
    std::map<musaMemPool_t, std::unique_ptr<MUmemPoolHandle_st>> handles_;
    std::vector<musaMemPool_t> defaults_, current_;  // by device
    std::map<void*, Piece> pieces_;
    std::atomic<std::uint64_t> kept_{0};  // by all pools
    unsigned last_number_ = 0;
};

}  // namespace musa_sim
