#include "memory/process_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/devices.h"

namespace musa_sim {

int device_numbered(int number) {
    DeviceTable& table = DeviceTable::instance();
    for (int device = 0; device < table.count(); ++device) {
        if (table[device].number == number) return device;
    }
    return -1;
}

void* map_pages(const ProcessMemory& shared) {
    const int file = open_shared(shared.file);
    if (file < 0) return nullptr;
    void* const pages = mmap(nullptr, shared.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return pages == MAP_FAILED ? nullptr : pages;
}

}  // namespace musa_sim
