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
#include "streams/capture.h"
#include "streams/events.h"
#include "streams/stream_queues.h"

using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::DeviceTable;
using musa_sim::MemoryKind;
using musa_sim::MemoryTable;
using musa_sim::small_tables;
using musa_sim::unsafe_call;

namespace {

constexpr std::uint32_t handle_magic = 0x4d495043, event_magic = 0x4d495045;

struct Handle {
    std::uint32_t magic;
    std::int32_t device;  // of the machine's
    musa_sim::SharedFile file;
    std::uint64_t file_bytes;
    std::uint64_t offset;
    std::uint64_t size;
};
static_assert(sizeof(Handle) <= sizeof(musaIpcMemHandle_t));

struct EventHandle {
    std::uint32_t magic;
    std::int32_t device;
    musa_sim::SharedFile file;
};
static_assert(sizeof(EventHandle) <= sizeof(musaIpcEventHandle_t));

// The memory that this process has opened, by address.
struct Opened {
    Handle handle;
    void* pages;
    unsigned times;
};
std::map<void*, Opened>& opened() {
    static auto& all = musa_sim::leaked<std::map<void*, Opened>>();
    return all;
}

// The device with that number; -1 if this process does not see it.
int device_numbered(int number) {
    DeviceTable& table = DeviceTable::instance();
    for (int device = 0; device < table.count(); ++device) {
        if (table[device].number == number) return device;
    }
    return -1;
}

// The pages of the handle's file; nullptr if the process or its memory is gone.
void* map_pages(const Handle& handle) {
    const int file = musa_sim::open_shared(handle.file);
    if (file < 0) return nullptr;
    void* const pages = mmap(nullptr, handle.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return pages == MAP_FAILED ? nullptr : pages;
}

// With small_tables() held.
musaError_t open_memory(const Handle& handle, int device, void** pointer) {
    for (auto& [address, memory] : opened()) {
        if (std::memcmp(&memory.handle, &handle, sizeof handle) != 0) continue;
        ++memory.times;
        *pointer = address;
        return musaSuccess;
    }
    void* const pages = map_pages(handle);
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
        // While its pages are moved nothing may write to them.
        for (int device = 0; device < DeviceTable::instance().count(); ++device)
            musa_sim::StreamQueues::instance().synchronize_device(device);
        musa_sim::SharedAllocation shared{};
        const musaError_t error = MemoryTable::instance().share(devPtr, &shared);
        if (error != musaSuccess) return error;
        const Handle made{handle_magic,      DeviceTable::instance()[shared.device].number,
                          musa_sim::shared_file(shared.file), shared.file_bytes, shared.offset, shared.size};
        std::memset(handle, 0, sizeof *handle);
        std::memcpy(handle, &made, sizeof made);
        return musaSuccess;
    });
}

// The process that shares the memory has its own address of it.
musaError_t musaIpcOpenMemHandle(void** devPtr, musaIpcMemHandle_t handle, unsigned int flags) {
    return unsafe_call([&] {
        Handle given;
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
        for (int device = 0; device < DeviceTable::instance().count(); ++device)
            musa_sim::StreamQueues::instance().synchronize_device(device);
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
