#include "streams/symbols.h"

#include "base/devices.h"
#include "memory/memory_table.h"
#include "programs/registry.h"

namespace musa_sim {

musaError_t find_symbol(const void* symbol, void** address, std::size_t* size) {
    const musaError_t error = Registry::instance().find_variable(symbol, current_device(), address, size);
    if (error != musaSuccess) return error;
    MemoryTable::instance().add(*address, {*size, MemoryKind::variable, current_device()});
    return musaSuccess;
}

musaError_t part_of_symbol(const void* symbol, std::size_t offset, std::size_t count, char** begin) {
    void* address = nullptr;
    std::size_t size = 0;
    const musaError_t error = find_symbol(symbol, &address, &size);
    if (error != musaSuccess) return error;
    if (offset > size || count > size - offset) return musaErrorInvalidValue;
    *begin = static_cast<char*>(address) + offset;
    return musaSuccess;
}

}  // namespace musa_sim
