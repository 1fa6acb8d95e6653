// Which kind of memory an address is in. A thread's own variables are on stacks, in frames of coroutines or in arrays for
// the lanes of a warp: what is neither global nor shared is local.
#include <link.h>

#include <cstring>

#include "base/device_abi.h"
#include "blocks/scheduler.h"
#include "memory/device_ranges.h"
#include "memory/memory_table.h"

namespace musa_sim {
namespace {

enum class AddressSpace { global = 1, shared = 2, local = 3 };

bool is_within(const char* address, const void* begin, std::size_t size) {
    return static_cast<std::size_t>(address - static_cast<const char*>(begin)) < size;
}

struct Search {
    const char* address;
    AddressSpace found;
};

// Device variables are variables of the device's images. Static shared variables are thread-local ones, since a block runs on
// one thread of the system.
int look_into(dl_phdr_info* image, std::size_t, void* argument) {
    Search& search = *static_cast<Search*>(argument);
    const bool is_for_device = std::strncmp(image->dlpi_name, image_path_prefix, sizeof(image_path_prefix) - 1) == 0;
    for (int i = 0; is_for_device && i < image->dlpi_phnum; ++i) {
        const auto& segment = image->dlpi_phdr[i];
        const void* loaded = reinterpret_cast<const void*>(image->dlpi_addr + segment.p_vaddr);
        if (segment.p_type == PT_TLS && image->dlpi_tls_data &&
            is_within(search.address, image->dlpi_tls_data, segment.p_memsz))
            search.found = AddressSpace::shared;
        if (segment.p_type == PT_LOAD && is_within(search.address, loaded, segment.p_memsz))
            search.found = AddressSpace::global;
    }
    return search.found != AddressSpace::local;
}

bool is_allocated(const char* address) {
    Allocation allocation;
    const char* begin = nullptr;
    const char* end = nullptr;
    return MemoryTable::instance().find(address, &allocation, &begin) ||
           DeviceRanges::instance().find(address, &begin, &end);
}

AddressSpace space_of(const char* address) {
    const std::size_t dynamic = Scheduler::active()->dynamic_shared().size();
    if (is_within(address, __musa_sim_context.dynamic_shared, dynamic)) return AddressSpace::shared;
    if (is_allocated(address)) return AddressSpace::global;
    Search search{address, AddressSpace::local};
    dl_iterate_phdr(look_into, &search);
    return search.found;
}

}  // namespace
}  // namespace musa_sim

int __musa_sim_address_space(const void* address) {
    return static_cast<int>(musa_sim::space_of(static_cast<const char*>(address)));
}
