// What the functions of the API that allocate and free have in common.
#pragma once

#include <cstddef>

#include "base/api.h"
#include "memory/memory_table.h"

namespace musa_sim {

// If there is not enough memory, memory that pools keep, or whose release waits in a stream, may help.
musaError_t allocate_now(void** pointer, std::size_t size, MemoryKind kind);
musaError_t allocate_now(void** pointer, std::size_t size, MemoryKind kind, int device, unsigned pool);

// Waits for all work of all devices that may still use the memory, as the synchronous forms of
// freeing do. Exchanges with others that wait on another device do not use it, and what they wait for
// may be the caller's next call.
void wait_for_users_of_memory();

}  // namespace musa_sim
