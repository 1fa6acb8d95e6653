// Sharing device memory between processes: the memory becomes a file, which the other process maps. A handle names the process and
// its file. Events are not shared: they are work of threads of one process.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>

#include "base/devices.h"
#include "base/small_tables.h"
#include "memory/memory_table.h"
#include "memory/peer_access.h"
#include "streams/capture.h"
#include "streams/stream_queues.h"

using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::DeviceTable;
using musa_sim::MemoryKind;
using musa_sim::MemoryTable;
using musa_sim::small_tables;
using musa_sim::unsafe_call;

namespace {

constexpr std::uint32_t handle_magic = 0x4d495043;

struct Handle {
    std::uint32_t magic;
    std::int32_t process;
    std::int32_t file;
    std::int32_t device;  // of the machine's
    std::uint64_t inode;  // so that another file with the same number is no such file
    std::uint64_t file_bytes;
    std::uint64_t offset;
    std::uint64_t size;
};
static_assert(sizeof(Handle) <= sizeof(musaIpcMemHandle_t));

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

std::uint64_t inode_of(int file) {
    struct stat facts {};
    return fstat(file, &facts) == 0 ? facts.st_ino : 0;
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
    const std::string path = "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    void* pages = MAP_FAILED;
    if (inode_of(file) == handle.inode)
        pages = mmap(nullptr, handle.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
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
        const Handle made{handle_magic,           getpid(),      shared.file, DeviceTable::instance()[shared.device].number,
                          inode_of(shared.file), shared.file_bytes, shared.offset, shared.size};
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
        if (given.process == getpid()) return musaErrorDeviceUninitialized;
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
