// Memory pools and their attributes.
#include <fcntl.h>

#include <cstring>

#include "base/devices.h"
#include "memory/memory_pools.h"
#include "memory/memory_table.h"
#include "memory/peer_access.h"
#include "memory/process_memory.h"
#include "streams/allocations.h"
#include "streams/capture.h"

using musa_sim::Captures;
using musa_sim::device_call;
using musa_sim::DeviceTable;
using musa_sim::MemoryPool;
using musa_sim::MemoryPools;
using musa_sim::MemoryTable;
using musa_sim::PeerAccess;
using musa_sim::ProcessMemory;
using musa_sim::stream_call;
using musa_sim::Target;

namespace {

// body(pool) as an API function.
template <class Body>
musaError_t pool_call(musaMemPool_t handle, Body&& body) {
    return device_call([&] {
        std::shared_ptr<MemoryPool> pool;
        const musaError_t error = MemoryPools::instance().find(handle, &pool);
        return error != musaSuccess ? error : body(*pool);
    });
}

template <class Find>
musaError_t give_pool(musaMemPool_t* handle, int device, Find&& find) {
    return device_call([&] {
        if (!handle) return musaErrorInvalidValue;
        if (!DeviceTable::instance().contains(device)) return musaErrorInvalidDevice;
        *handle = find();
        return musaSuccess;
    });
}

bool is_reuse(musaMemPoolAttr attr) {
    return attr >= musaMemPoolReuseFollowEventDependencies &&
           attr <= musaMemPoolReuseAllowInternalDependencies;
}

int& reuse(MemoryPool& pool, musaMemPoolAttr attr) {
    return pool.reuse[static_cast<std::size_t>(attr - musaMemPoolReuseFollowEventDependencies)];
}

bool is_access(musaMemAccessFlags flags) {
    return flags == musaMemAccessFlagsProtNone || flags == musaMemAccessFlagsProtRead ||
           flags == musaMemAccessFlagsProtReadWrite;
}

// A high watermark can be set to zero only: it restarts at the present amount.
musaError_t begin_again(std::uint64_t& high, std::uint64_t current, const void* value) {
    std::uint64_t given = 0;
    std::memcpy(&given, value, sizeof given);
    if (given != 0) return musaErrorInvalidValue;
    high = current;
    return musaSuccess;
}

// The content of musaMemPoolPtrExportData.
struct ExportedPointer {
    ProcessMemory memory;
    musa_sim::SharedFile pool;
};
static_assert(sizeof(ExportedPointer) <= sizeof(musaMemPoolPtrExportData));
constexpr std::uint32_t pointer_magic = 0x4d505054;

}  // namespace

musaError_t musaDeviceGetDefaultMemPool(musaMemPool_t* memPool, int device) {
    return give_pool(memPool, device, [&] { return MemoryPools::instance().default_of(device); });
}

musaError_t musaDeviceGetMemPool(musaMemPool_t* memPool, int device) {
    return give_pool(memPool, device, [&] { return MemoryPools::instance().current_of(device); });
}

musaError_t musaDeviceSetMemPool(int device, musaMemPool_t memPool) {
    return pool_call(memPool, [&](MemoryPool& pool) {
        if (!DeviceTable::instance().contains(device)) return musaErrorInvalidDevice;
        if (pool.device != device || pool.is_imported) return musaErrorInvalidValue;
        MemoryPools::instance().make_current(device, memPool);
        return musaSuccess;
    });
}

musaError_t musaMemPoolCreate(musaMemPool_t* memPool, const musaMemPoolProps* poolProps) {
    return device_call([&] {
        if (!memPool || !poolProps) return musaErrorInvalidValue;
        if (poolProps->allocType != musaMemAllocationTypePinned ||
            poolProps->location.type != musaMemLocationTypeDevice)
            return musaErrorInvalidValue;
        if (!DeviceTable::instance().contains(poolProps->location.id))
            return musaErrorInvalidDevice;
        MemoryPools& pools = MemoryPools::instance();
        switch (poolProps->handleTypes) {
            case musaMemHandleTypeNone: *memPool = pools.create(poolProps->location.id); break;
            case musaMemHandleTypePosixFileDescriptor:
                *memPool = pools.create_shareable(poolProps->location.id);
                break;
            default: return musa_sim::not_simulated("memory pools whose handles are no files (handleTypes)");
        }
        return *memPool ? musaSuccess : musaErrorOperatingSystem;
    });
}

musaError_t musaMemPoolDestroy(musaMemPool_t memPool) {
    return pool_call(memPool, [&](MemoryPool& pool) {
        if (pool.is_default) return musaErrorInvalidValue;
        MemoryPools::instance().destroy(memPool);
        return musaSuccess;
    });
}

musaError_t musaMemPoolTrimTo(musaMemPool_t memPool, size_t minBytesToKeep) {
    return pool_call(memPool, [&](MemoryPool& pool) {
        MemoryPools::instance().trim(pool, minBytesToKeep);
        return musaSuccess;
    });
}

musaError_t musaMemPoolSetAttribute(musaMemPool_t memPool, musaMemPoolAttr attr, void* value) {
    return pool_call(memPool, [&](MemoryPool& pool) {
        if (!value) return musaErrorInvalidValue;
        std::lock_guard<std::mutex> lock(MemoryPools::instance().mutex());
        if (is_reuse(attr)) {
            std::memcpy(&reuse(pool, attr), value, sizeof(int));
            return musaSuccess;
        }
        switch (attr) {
            case musaMemPoolAttrReleaseThreshold:
                std::memcpy(&pool.threshold, value, sizeof pool.threshold);
                return musaSuccess;
            case musaMemPoolAttrReservedMemHigh:
                return begin_again(pool.reserved_high, pool.reserved(), value);
            case musaMemPoolAttrUsedMemHigh: return begin_again(pool.used_high, pool.used, value);
            default: return musaErrorInvalidValue;
        }
    });
}

musaError_t musaMemPoolGetAttribute(musaMemPool_t memPool, musaMemPoolAttr attr, void* value) {
    return pool_call(memPool, [&](MemoryPool& pool) {
        if (!value) return musaErrorInvalidValue;
        std::lock_guard<std::mutex> lock(MemoryPools::instance().mutex());
        if (is_reuse(attr)) {
            std::memcpy(value, &reuse(pool, attr), sizeof(int));
            return musaSuccess;
        }
        std::uint64_t number = 0;
        switch (attr) {
            case musaMemPoolAttrReleaseThreshold: number = pool.threshold; break;
            case musaMemPoolAttrReservedMemCurrent: number = pool.reserved(); break;
            case musaMemPoolAttrReservedMemHigh: number = pool.reserved_high; break;
            case musaMemPoolAttrUsedMemCurrent: number = pool.used; break;
            case musaMemPoolAttrUsedMemHigh: number = pool.used_high; break;
            default: return musaErrorInvalidValue;
        }
        std::memcpy(value, &number, sizeof number);
        return musaSuccess;
    });
}

// Read-only access is not distinguished: a device that may read may write.
musaError_t musaMemPoolSetAccess(musaMemPool_t memPool, const musaMemAccessDesc* descList,
                                 size_t count) {
    return pool_call(memPool, [&](MemoryPool& pool) {
        if (!descList && count > 0) return musaErrorInvalidValue;
        for (size_t i = 0; i < count; ++i) {
            const musaMemAccessDesc& desc = descList[i];
            if (desc.location.type != musaMemLocationTypeDevice || !is_access(desc.flags))
                return musaErrorInvalidValue;
            if (!DeviceTable::instance().contains(desc.location.id)) return musaErrorInvalidDevice;
            // The owner's own access cannot be taken away.
            if (desc.location.id == pool.device && desc.flags != musaMemAccessFlagsProtReadWrite)
                return musaErrorInvalidValue;
        }
        for (size_t i = 0; i < count; ++i) {
            const musaMemAccessDesc& desc = descList[i];
            const int device = desc.location.id;
            const bool may = desc.flags != musaMemAccessFlagsProtNone;
            PeerAccess::instance().set_pool_access(pool.number, device, may);
            std::lock_guard<std::mutex> lock(MemoryPools::instance().mutex());
            pool.access[device] = desc.flags;
        }
        return musaSuccess;
    });
}

musaError_t musaMemPoolGetAccess(musaMemAccessFlags* flags, musaMemPool_t memPool,
                                 musaMemLocation* location) {
    return pool_call(memPool, [&](MemoryPool& pool) {
        if (!flags || !location || location->type != musaMemLocationTypeDevice)
            return musaErrorInvalidValue;
        if (!DeviceTable::instance().contains(location->id)) return musaErrorInvalidDevice;
        std::lock_guard<std::mutex> lock(MemoryPools::instance().mutex());
        const auto given = pool.access.find(location->id);
        *flags = location->id == pool.device       ? musaMemAccessFlagsProtReadWrite
                 : given != pool.access.end() ? given->second
                                              : musaMemAccessFlagsProtNone;
        return musaSuccess;
    });
}

// The address is known at once; the memory counts as used from now on.
musaError_t musaMallocFromPoolAsync(void** ptr, size_t size, musaMemPool_t memPool,
                                    musaStream_t stream) {
    return stream_call(stream, [&](const Target& target) {
        std::shared_ptr<MemoryPool> pool;
        const musaError_t error = MemoryPools::instance().find(memPool, &pool);
        if (error != musaSuccess) return error;
        if (!ptr || pool->is_imported) return musaErrorInvalidValue;
        if (musa_sim::is_captured(target)) return Captures::instance().allocate(target, ptr, size);
        return musa_sim::allocate_from_pool(ptr, size, pool);
    });
}

// The handle is a new descriptor of the pool's file, for the caller to send and to close.
musaError_t musaMemPoolExportToShareableHandle(void* shareableHandle, musaMemPool_t memPool,
                                               musaMemAllocationHandleType handleType, unsigned int flags) {
    return pool_call(memPool, [&](MemoryPool& pool) {
        if (!shareableHandle || flags != 0 || handleType != musaMemHandleTypePosixFileDescriptor) return musaErrorInvalidValue;
        if (pool.file < 0 || pool.is_imported) return musaErrorInvalidValue;
        const int file = fcntl(pool.file, F_DUPFD_CLOEXEC, 0);
        if (file < 0) return musaErrorOperatingSystem;
        std::memcpy(shareableHandle, &file, sizeof file);
        return musaSuccess;
    });
}

// The descriptor stays the caller's.
musaError_t musaMemPoolImportFromShareableHandle(musaMemPool_t* memPool, void* shareableHandle,
                                                 musaMemAllocationHandleType handleType, unsigned int flags) {
    return device_call([&] {
        if (!memPool || flags != 0 || handleType != musaMemHandleTypePosixFileDescriptor) return musaErrorInvalidValue;
        *memPool = MemoryPools::instance().import(static_cast<int>(reinterpret_cast<std::intptr_t>(shareableHandle)));
        return *memPool ? musaSuccess : musaErrorInvalidValue;
    });
}

musaError_t musaMemPoolExportPointer(musaMemPoolPtrExportData* exportData, void* ptr) {
    return device_call([&] {
        const std::shared_ptr<MemoryPool> pool = MemoryPools::instance().pool_of(ptr);
        if (!exportData || !pool || pool->file < 0) return musaErrorInvalidValue;
        ExportedPointer made{{}, musa_sim::shared_file(pool->file)};
        const musaError_t error = musa_sim::share_memory(ptr, pointer_magic, &made.memory);
        if (error != musaSuccess) return error;
        std::memset(exportData, 0, sizeof *exportData);
        std::memcpy(exportData, &made, sizeof made);
        return musaSuccess;
    });
}

// The memory is freed as any other, which unmaps it from this process.
musaError_t musaMemPoolImportPointer(void** ptr, musaMemPool_t memPool, musaMemPoolPtrExportData* exportData) {
    return pool_call(memPool, [&](MemoryPool& pool) {
        if (!ptr || !exportData || !pool.is_imported) return musaErrorInvalidValue;
        ExportedPointer given;
        std::memcpy(&given, exportData, sizeof given);
        if (given.memory.magic != pointer_magic || !musa_sim::is_same_file(pool.file, given.pool)) return musaErrorInvalidValue;
        return MemoryTable::instance().open(ptr, given.memory, pool.device, pool.number);
    });
}
