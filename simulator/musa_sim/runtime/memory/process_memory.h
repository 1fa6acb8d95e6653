// Device memory as other processes get it: the name of a file, and where in it the memory lies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/api.h"
#include "memory/file_backing.h"

namespace musa_sim {

struct ProcessMemory {
    std::uint32_t magic;  // of the interface that gave it
    std::int32_t device;  // of the machine's
    SharedFile file;
    std::uint64_t file_bytes;
    std::uint64_t offset;
    std::uint64_t size;
};

// The device with that number; -1 if this process does not see it.
int device_numbered(int number);

// Map the file; nullptr if its process or its memory is gone. The memory lies at its offset.
void* map_pages(const ProcessMemory& shared);

}  // namespace musa_sim
