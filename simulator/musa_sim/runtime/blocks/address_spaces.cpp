// Which kind of memory an address is in, as the thread that asks sees it.
#include <link.h>
#include <pthread.h>

#include "base/device_abi.h"
#include "blocks/scheduler.h"
#include "memory/device_ranges.h"
#include "memory/memory_table.h"

namespace musa_sim {
namespace {

enum class AddressSpace { none, global, shared, local };

bool is_within(const char* address, const void* begin, std::size_t size) {
    return static_cast<std::size_t>(address - static_cast<const char*>(begin)) < size;
}

// Static shared variables are thread-local variables of the images: a block runs on one thread of the system.
int looks_into_image(dl_phdr_info* image, std::size_t, void* argument) {
    const char* address = *static_cast<const char**>(argument);
    if (image->dlpi_tls_data == nullptr) return 0;
    for (int i = 0; i < image->dlpi_phnum; ++i) {
        const auto& segment = image->dlpi_phdr[i];
        if (segment.p_type == PT_TLS && is_within(address, image->dlpi_tls_data, segment.p_memsz)) return 1;
    }
    return 0;
}

bool is_shared(const char* address) {
    const Scheduler& scheduler = *Scheduler::active();
    if (is_within(address, __musa_sim_context.dynamic_shared, scheduler.dynamic_shared().size())) return true;
    return dl_iterate_phdr(looks_into_image, &address) != 0;
}

bool is_global(const char* address) {
    Allocation allocation;
    const char* begin = nullptr;
    const char* end = nullptr;
    return MemoryTable::instance().find(address, &allocation, &begin) ||
           DeviceRanges::instance().find(address, &begin, &end);
}

bool is_local(const char* address) {
    pthread_attr_t attributes;
    void* stack = nullptr;
    std::size_t size = 0;
    if (!Scheduler::active()->stack_owner(address).empty()) return true;  // of a thread of the block
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
    pthread_attr_getstack(&attributes, &stack, &size);
    pthread_attr_destroy(&attributes);
    return is_within(address, stack, size);  // of a loop over the block's threads
}

AddressSpace space_of(const char* address) {
    if (is_shared(address)) return AddressSpace::shared;
    if (is_global(address)) return AddressSpace::global;
    return is_local(address) ? AddressSpace::local : AddressSpace::none;
}

}  // namespace
}  // namespace musa_sim

int __musa_sim_address_space(const void* address) {
    return static_cast<int>(musa_sim::space_of(static_cast<const char*>(address)));
}
