#include "streams/allocations.h"

#include "base/active_checks.h"
#include "base/devices.h"
#include "blocks/fault_handlers.h"
#include "memory/guarded_memory.h"
#include "streams/stream_queues.h"

namespace musa_sim {
namespace {

musaError_t allocate(void** pointer, std::size_t size, MemoryKind kind, int device, unsigned pool) {
    if (is_checking(check_host)) install_fault_handlers();
    return MemoryTable::instance().allocate(pointer, size, kind, device, pool);
}

musaError_t allocate_with_retry(void** pointer, std::size_t size, MemoryKind kind, int device,
                                unsigned pool) {
    const musaError_t error = allocate(pointer, size, kind, device, pool);
    if (error != musaErrorMemoryAllocation) return error;
    StreamQueues::instance().synchronize_device(device);
    MemoryPools::instance().trim_all(device);
    return allocate(pointer, size, kind, device, pool);
}

}  // namespace

musaError_t allocate(void** pointer, std::size_t size, MemoryKind kind) {
    return allocate(pointer, size, kind, current_device(), 0);
}

musaError_t allocate_with_retry(void** pointer, std::size_t size, MemoryKind kind) {
    return allocate_with_retry(pointer, size, kind, current_device(), 0);
}

musaError_t allocate_from_pool(void** pointer, std::size_t size,
                               const std::shared_ptr<MemoryPool>& pool) {
    MemoryPools& pools = MemoryPools::instance();
    const std::size_t bytes = MemoryTable::rounded(size);
    pools.use_kept(*pool, bytes);
    const musaError_t error =
        allocate_with_retry(pointer, size, MemoryKind::device, pool->device, pool->number);
    if (error != musaSuccess || !*pointer) return error;
    pools.add(*pointer, bytes, pool);
    return musaSuccess;
}

void wait_for_users_of_memory() {
    StreamQueues::instance().synchronize_users_of_memory(current_device());
}

void wait_for_all_devices() {
    for (int device = 0; device < DeviceTable::instance().count(); ++device)
        StreamQueues::instance().synchronize_device(device);
}

musaError_t share_memory(const void* pointer, std::uint32_t magic, ProcessMemory* shared) {
    if (MemoryTable::instance().has_file(pointer)) return MemoryTable::instance().share(pointer, magic, shared);
    wait_for_all_devices();
    const DevicePause nothing_writes;
    return MemoryTable::instance().share(pointer, magic, shared);
}

}  // namespace musa_sim
