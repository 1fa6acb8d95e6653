#include "memory/memory_pools.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/devices.h"
#include "base/lifetime.h"
#include "memory/process_memory.h"

namespace musa_sim {
namespace {

// The content of a pool's file.
struct PoolRecord {
    std::uint32_t magic;
    std::int32_t device;  // of the machine's
};
constexpr std::uint32_t pool_magic = 0x4d504f4c;

}  // namespace

MemoryPool::~MemoryPool() {
    if (file >= 0) close(file);
}

MemoryPools& MemoryPools::instance() {
    static MemoryPools& pools = leaked<MemoryPools>();
    return pools;
}

musaError_t MemoryPools::find(musaMemPool_t handle, std::shared_ptr<MemoryPool>* pool) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = handles_.find(handle);
    if (found == handles_.end()) return musaErrorInvalidValue;
    *pool = found->second->pool;
    return musaSuccess;
}

musaMemPool_t MemoryPools::create_locked(int device, bool is_default) {
    auto made = std::make_unique<MUmemPoolHandle_st>();
    made->pool = std::make_shared<MemoryPool>(device, ++last_number_, is_default);
    const musaMemPool_t handle = made.get();
    handles_[handle] = std::move(made);
    return handle;
}

std::vector<musaMemPool_t>& MemoryPools::of_devices(std::vector<musaMemPool_t>& handles) {
    if (defaults_.empty()) {
        for (int device = 0; device < DeviceTable::instance().count(); ++device)
            defaults_.push_back(create_locked(device, true));
        current_ = defaults_;
    }
    return handles;
}

musaMemPool_t MemoryPools::default_of(int device) {
    std::lock_guard<std::mutex> lock(mutex_);
    return of_devices(defaults_)[static_cast<std::size_t>(device)];
}

musaMemPool_t MemoryPools::current_of(int device) {
    std::lock_guard<std::mutex> lock(mutex_);
    return of_devices(current_)[static_cast<std::size_t>(device)];
}

void MemoryPools::make_current(int device, musaMemPool_t handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    of_devices(current_)[static_cast<std::size_t>(device)] = handle;
}

musaMemPool_t MemoryPools::create(int device) {
    std::lock_guard<std::mutex> lock(mutex_);
    of_devices(defaults_);
    return create_locked(device, false);
}

musaMemPool_t MemoryPools::create_shareable(int device) {
    const PoolRecord record{pool_magic, DeviceTable::instance()[device].number};
    const int file = memfd_create("musa-sim memory pool", MFD_CLOEXEC);
    if (file < 0 || pwrite(file, &record, sizeof record, 0) != sizeof record) return nullptr;
    const musaMemPool_t handle = create(device);
    handle->pool->file = file;
    return handle;
}

musaMemPool_t MemoryPools::import(int file) {
    PoolRecord record{};
    if (pread(file, &record, sizeof record, 0) != sizeof record || record.magic != pool_magic) return nullptr;
    const int device = device_numbered(record.device);
    const int own = device < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return nullptr;
    const musaMemPool_t handle = create(device);
    handle->pool->file = own;
    handle->pool->is_imported = true;
    return handle;
}

// Memory that is in use stays so, and is given back when it is freed.
void MemoryPools::destroy(musaMemPool_t handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = handles_.find(handle);
    if (found == handles_.end()) return;
    MemoryPool& pool = *found->second->pool;
    pool.threshold = 0;
    keep_at_most(pool, 0);
    for (std::size_t device = 0; device < current_.size(); ++device) {
        if (current_[device] == handle) current_[device] = defaults_[device];
    }
    handles_.erase(found);
}

void MemoryPools::keep_at_most(MemoryPool& pool, std::uint64_t bytes) {
    if (pool.kept <= bytes) return;
    const std::uint64_t excess = pool.kept - bytes;
    pool.kept = bytes;
    kept_ -= excess;
    DeviceTable::instance()[pool.device].used_memory -= excess;
}

void MemoryPools::use_kept(MemoryPool& pool, std::size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    keep_at_most(pool, pool.kept - std::min<std::uint64_t>(pool.kept, bytes));
}

void MemoryPools::add(void* pointer, std::size_t bytes, const std::shared_ptr<MemoryPool>& pool) {
    std::lock_guard<std::mutex> lock(mutex_);
    pieces_[pointer] = {pool, bytes};
    pool->used += bytes;
    pool->used_high = std::max(pool->used_high, pool->used);
    pool->reserved_high = std::max(pool->reserved_high, pool->reserved());
}

std::shared_ptr<MemoryPool> MemoryPools::pool_of(void* pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = pieces_.find(pointer);
    return found == pieces_.end() ? nullptr : found->second.pool;
}

void MemoryPools::freed(void* pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = pieces_.find(pointer);
    if (found == pieces_.end()) return;
    const Piece piece = found->second;
    pieces_.erase(found);
    piece.pool->used -= piece.bytes;
    const bool is_alive = std::any_of(handles_.begin(), handles_.end(), [&](const auto& entry) {
        return entry.second->pool == piece.pool;
    });
    if (!is_alive) return;
    piece.pool->kept += piece.bytes;
    kept_ += piece.bytes;
    DeviceTable::instance()[piece.pool->device].used_memory += piece.bytes;
}

void MemoryPools::synchronized() {
    if (kept_.load(std::memory_order_relaxed) == 0) return;
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& entry : handles_) {
        MemoryPool& pool = *entry.second->pool;
        keep_at_most(pool, pool.threshold - std::min(pool.threshold, pool.used));
    }
}

void MemoryPools::trim(MemoryPool& pool, std::uint64_t keep) {
    std::lock_guard<std::mutex> lock(mutex_);
    keep_at_most(pool, keep - std::min(keep, pool.used));
}

void MemoryPools::trim_all(int device) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& entry : handles_) {
        if (entry.second->pool->device == device) keep_at_most(*entry.second->pool, 0);
    }
}

}  // namespace musa_sim
