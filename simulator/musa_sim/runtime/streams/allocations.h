// Allocate and free memory for the functions of the API: these have to respect streams and pools.
#pragma once

#include <cstddef>
#include <memory>

#include "base/api.h"
#include "memory/memory_pools.h"
#include "memory/memory_table.h"

namespace musa_sim {

// Memory of the current device, or of the host for MemoryKind::pinned. With MUSA_SIM_CHECK=host, illegal accesses of
// host code are reported from now on.
musaError_t allocate(void** pointer, std::size_t size, MemoryKind kind);
// The same. If memory runs out, waits for the device, trims its pools and tries once more.
musaError_t allocate_with_retry(void** pointer, std::size_t size, MemoryKind kind);
musaError_t allocate_from_pool(void** pointer, std::size_t size,
                               const std::shared_ptr<MemoryPool>& pool);

// Wait for all work of all devices that may still use the memory, as the synchronous forms of
// freeing do. Tasks of other devices behind a closed gate are not awaited: they do not use it, and
// their gate may be opened by the caller's next call.
void wait_for_users_of_memory();
// Wait for all work of all devices.
void wait_for_all_devices();

// MemoryTable::share() for functions of the API. Waits for all devices if the memory has no file yet.
musaError_t share_memory(const void* pointer, std::uint32_t magic, ProcessMemory* shared);

}  // namespace musa_sim
