#include "streams/allocations.h"

#include "base/devices.h"
#include "memory/memory_pools.h"
#include "streams/stream_queues.h"

namespace musa_sim {

musaError_t allocate_now(void** pointer, std::size_t size, MemoryKind kind) {
    return allocate_now(pointer, size, kind, current_device(), 0);
}

musaError_t allocate_now(void** pointer, std::size_t size, MemoryKind kind, int device,
                         unsigned pool) {
    MemoryTable& table = MemoryTable::instance();
    const musaError_t error = table.allocate(pointer, size, kind, device, pool);
    if (error != musaErrorMemoryAllocation) return error;
    StreamQueues::instance().synchronize_device(device);
    MemoryPools::instance().trim_all(device);
    return table.allocate(pointer, size, kind, device, pool);
}

void wait_for_users_of_memory() {
    StreamQueues::instance().synchronize_users_of_memory(current_device());
}

}  // namespace musa_sim
