// Sharing device memory and events between processes: the memory becomes a file, which the other process maps. A handle names
// the process and its file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>

#include "base/devices.h"
#include "base/small_tables.h"
#include "memory/memory_table.h"
#include "memory/peer_access.h"
#include "memory/process_memory.h"
#include "streams/allocations.h"
#include "streams/capture.h"
#include "streams/events.h"

using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::device_numbered;
using musa_sim::DeviceTable;
using musa_sim::MemoryKind;
using musa_sim::MemoryTable;
using musa_sim::ProcessMemory;
using musa_sim::small_tables;
using musa_sim::unsafe_call;

namespace {

constexpr std::uint32_t handle_magic = 0x4d495043, event_magic = 0x4d495045;

static_assert(sizeof(ProcessMemory) <= sizeof(musaIpcMemHandle_t));

struct EventHandle {
    std::uint32_t magic;
    std::int32_t device;
    musa_sim::SharedFile file;
};
static_assert(sizeof(EventHandle) <= sizeof(musaIpcEventHandle_t));

// The memory that this process has opened, by address.
struct Opened {
    ProcessMemory handle;
    void* pages;
    unsigned times;
};
std::map<void*, Opened>& opened() {
    static auto& all = musa_sim::leaked<std::map<void*, Opened>>();
    return all;
}

// With small_tables() held.
musaError_t open_memory(const ProcessMemory& handle, int device, void** pointer) {
    for (auto& [address, memory] : opened()) {
        if (std::memcmp(&memory.handle, &handle, sizeof handle) != 0) continue;
        ++memory.times;
        *pointer = address;
        return musaSuccess;
    }
    void* const pages = musa_sim::map_pages(handle);
    if (!pages) return musaErrorInvalidResourceHandle;
    void* const address = static_cast<char*>(pages) + handle.offset;
    const musaError_t error = MemoryTable::instance().add(address, {handle.size, MemoryKind::mapped, device});
    if (error != musaSuccess) {
        munmap(pages, handle.file_bytes);
        return error;
    }
    opened()[address] = {handle, pages, 1};
    *pointer = address;
    return musaSuccess;
}

}  // namespace

musaError_t musaIpcGetMemHandle(musaIpcMemHandle_t* handle, void* devPtr) {
    return unsafe_call([&] {
        if (!handle) return musaErrorInvalidValue;
        ProcessMemory made{};
        const musaError_t error = musa_sim::share_memory(devPtr, handle_magic, &made);
        if (error != musaSuccess) return error;
        std::memset(handle, 0, sizeof *handle);
        std::memcpy(handle, &made, sizeof made);
        return musaSuccess;
    });
}

// The process that shares the memory has its own address of it.
musaError_t musaIpcOpenMemHandle(void** devPtr, musaIpcMemHandle_t handle, unsigned int flags) {
    return unsafe_call([&] {
        ProcessMemory given;
        std::memcpy(&given, &handle, sizeof given);
        if (!devPtr || (flags & ~static_cast<unsigned>(musaIpcMemLazyEnablePeerAccess)) != 0) return musaErrorInvalidValue;
        if (given.magic != handle_magic) return musaErrorInvalidResourceHandle;
        if (given.file.process == getpid()) return musaErrorDeviceUninitialized;
        const int device = device_numbered(given.device);
        if (device < 0) return musaErrorInvalidDevice;
        if (device != current_device() && (flags & musaIpcMemLazyEnablePeerAccess))
            musa_sim::PeerAccess::instance().enable(current_device(), device);
        std::lock_guard<std::mutex> lock(small_tables());
        return open_memory(given, device, devPtr);
    });
}

musaError_t musaIpcCloseMemHandle(void* devPtr) {
    return unsafe_call([&] {
        musa_sim::wait_for_all_devices();
        std::lock_guard<std::mutex> lock(small_tables());
        const auto found = opened().find(devPtr);
        if (found == opened().end()) return musaErrorInvalidValue;
        if (--found->second.times > 0) return musaSuccess;
        MemoryTable::instance().remove(devPtr, MemoryKind::mapped);
        munmap(found->second.pages, found->second.handle.file_bytes);
        opened().erase(found);
        return musaSuccess;
    });
}

musaError_t musaIpcGetEventHandle(musaIpcEventHandle_t* handle, musaEvent_t event) {
    return device_call([&] {
        const std::shared_ptr<MUevent_st> found = musa_sim::live_events().find(event);
        if (!handle) return musaErrorInvalidValue;
        if (!found || !found->shared) return musaErrorInvalidResourceHandle;
        const EventHandle made{event_magic, DeviceTable::instance()[found->device].number, found->shared->file()};
        std::memset(handle, 0, sizeof *handle);
        std::memcpy(handle, &made, sizeof made);
        return musaSuccess;
    });
}

musaError_t musaIpcOpenEventHandle(musaEvent_t* event, musaIpcEventHandle_t handle) {
    return device_call([&] {
        EventHandle given;
        std::memcpy(&given, &handle, sizeof given);
        if (!event) return musaErrorInvalidValue;
        if (given.magic != event_magic) return musaErrorInvalidResourceHandle;
        if (given.file.process == getpid()) return musaErrorDeviceUninitialized;
        const int device = device_numbered(given.device);
        if (device < 0) return musaErrorInvalidDevice;
        const std::shared_ptr<musa_sim::SharedEvent> shared = musa_sim::SharedEvent::open(given.file);
        if (!shared) return musaErrorInvalidResourceHandle;
        *event = musa_sim::live_events().add({device, musaEventInterprocess | musaEventDisableTiming, {}, shared});
        return musaSuccess;
    });
}
