// Allocate and free memory; query addresses.
#include "base/device_abi.h"
#include "base/devices.h"
#include "memory/managed_advice.h"
#include "memory/memory_pools.h"
#include "memory/memory_table.h"
#include "streams/allocations.h"
#include "streams/capture.h"
#include "streams/graph_memory.h"

using musa_sim::allocate_with_retry;
using musa_sim::Allocation;
using musa_sim::Captures;
using musa_sim::Completion;
using musa_sim::current;
using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::GraphMemory;
using musa_sim::MemoryKind;
using musa_sim::MemoryPool;
using musa_sim::MemoryPools;
using musa_sim::MemoryTable;
using musa_sim::Start;
using musa_sim::stream_call;
using musa_sim::Target;
using musa_sim::unsafe_call;

namespace {

musaError_t allocation_call(void** pointer, std::size_t size, MemoryKind kind) {
    return unsafe_call([&] { return allocate_with_retry(pointer, size, kind); });
}

// Also forget advice about managed memory, and return memory to its pool.
musaError_t release_now(void* pointer, MemoryKind kind, MemoryKind or_kind) {
    Allocation released{};
    const musaError_t error = MemoryTable::instance().release(pointer, kind, or_kind, &released);
    if (error != musaSuccess) return error;
    if (released.kind == MemoryKind::managed) musa_sim::ManagedAdvice::instance().forget(pointer);
    if (released.pool != 0) MemoryPools::instance().freed(pointer);
    return musaSuccess;
}

musaError_t release(void* pointer, MemoryKind kind, MemoryKind or_kind) {
    return unsafe_call([&] {
        if (!pointer) return musaSuccess;
        musa_sim::wait_for_users_of_memory();
        return release_now(pointer, kind, or_kind);
    });
}

}  // namespace

musaError_t musaMalloc(void** devPtr, size_t size) {
    return allocation_call(devPtr, size, MemoryKind::device);
}

musaError_t musaFree(void* devPtr) {
    const auto of_graph = GraphMemory::left_at(devPtr);
    if (!of_graph) return release(devPtr, MemoryKind::device, MemoryKind::managed);
    return unsafe_call([&] {
        musa_sim::wait_for_users_of_memory();
        return of_graph->end() ? musaSuccess : musaErrorInvalidValue;
    });
}

// The address is known at once; the memory counts as used from now on.
musaError_t musaMallocAsync(void** devPtr, size_t size, musaStream_t stream) {
    return stream_call(stream, [&](const Target& target) {
        if (musa_sim::is_captured(target)) return Captures::instance().allocate(target, devPtr, size);
        if (!devPtr) return musaErrorInvalidValue;
        MemoryPools& pools = MemoryPools::instance();
        std::shared_ptr<MemoryPool> pool;
        const musaError_t error = pools.find(pools.current_of(target.device), &pool);
        return error != musaSuccess ? error : musa_sim::allocate_from_pool(devPtr, size, pool);
    });
}

musaError_t musaFreeAsync(void* devPtr, musaStream_t stream) {
    return stream_call(stream, [&](const Target& target) {
        if (!devPtr) return musaSuccess;
        if (musa_sim::is_captured(target)) return Captures::instance().free(target, devPtr);
        if (const auto of_graph = GraphMemory::left_at(devPtr)) {
            if (!of_graph->end()) return musaErrorInvalidValue;
            // The memory goes with its graph. If that is gone, it goes now.
            if (of_graph.use_count() == 1) musa_sim::wait_for_users_of_memory();
            return musaSuccess;
        }
        if (!MemoryTable::instance().retire(devPtr)) return musaErrorInvalidValue;
        return musa_sim::enqueue(target, Completion::not_awaited, Start::soon, [devPtr] {
            release_now(devPtr, MemoryKind::retired, MemoryKind::retired);
        });
    });
}

musaError_t musaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
    return unsafe_call([&] {
        if (flags != musaMemAttachGlobal && flags != musaMemAttachHost)
            return musaErrorInvalidValue;
        return allocate_with_retry(devPtr, size, MemoryKind::managed);
    });
}

musaError_t musaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
    return unsafe_call([&] {
        if (!pitch) return musaErrorInvalidValue;
        constexpr std::size_t row_alignment = 512;
        *pitch = (width + row_alignment - 1) / row_alignment * row_alignment;
        std::size_t size = 0;
        if (__builtin_mul_overflow(*pitch, height, &size)) return musaErrorMemoryAllocation;
        return allocate_with_retry(devPtr, size, MemoryKind::device);
    });
}

musaError_t musaMallocHost(void** ptr, size_t size) {
    return allocation_call(ptr, size, MemoryKind::pinned);
}

musaError_t musaHostAlloc(void** ptr, size_t size, unsigned int flags) {
    return unsafe_call([&] {
        constexpr unsigned known =
            musaHostAllocPortable | musaHostAllocMapped | musaHostAllocWriteCombined;
        if ((flags & ~known) != 0) return musaErrorInvalidValue;
        const musaError_t error = musa_sim::allocate(ptr, size, MemoryKind::pinned);
        if (error == musaSuccess) MemoryTable::instance().note_flags(*ptr, flags);
        return error;
    });
}

musaError_t musaFreeHost(void* ptr) { return release(ptr, MemoryKind::pinned, MemoryKind::pinned); }

musaError_t musaHostRegister(void* ptr, size_t size, unsigned int flags) {
    return unsafe_call([&] {
        constexpr unsigned known =
            musaHostRegisterPortable | musaHostRegisterMapped | musaHostRegisterReadOnly;
        if (flags & musaHostRegisterIoMemory) return musaErrorNotSupported;
        if (!ptr || size == 0 || (flags & ~known) != 0) return musaErrorInvalidValue;
        Allocation registered{size, MemoryKind::registered, current_device()};
        registered.flags = flags;
        return MemoryTable::instance().add(ptr, registered);
    });
}

musaError_t musaHostUnregister(void* ptr) {
    return unsafe_call([&] { return MemoryTable::instance().remove(ptr, MemoryKind::registered); });
}

musaError_t musaHostGetFlags(unsigned int* flags, void* ptr) {
    return device_call([&] {
        Allocation allocation;
        const char* begin = nullptr;
        if (!flags || !MemoryTable::instance().find(ptr, &allocation, &begin)) return musaErrorInvalidValue;
        const bool is_hosts =
            allocation.kind == MemoryKind::pinned || allocation.kind == MemoryKind::registered;
        if (!is_hosts) return musaErrorInvalidValue;
        *flags = allocation.flags;
        return musaSuccess;
    });
}

musaError_t musaHostGetDevicePointer(void** devPtr, void* hostPtr, unsigned int flags) {
    return device_call([&] {
        if (!devPtr || flags != 0) return musaErrorInvalidValue;
        Allocation allocation;
        const char* begin = nullptr;
        if (!MemoryTable::instance().find(hostPtr, &allocation, &begin))
            return musaErrorInvalidValue;
        if (allocation.kind != MemoryKind::pinned && allocation.kind != MemoryKind::registered) {
            return musaErrorInvalidValue;
        }
        *devPtr = hostPtr;
        return musaSuccess;
    });
}

musaError_t musaMemGetInfo(size_t* freeBytes, size_t* totalBytes) {
    return device_call([&] {
        if (!freeBytes || !totalBytes) return musaErrorInvalidValue;
        *totalBytes = current().total_memory;
        *freeBytes = current().total_memory - current().used_memory;
        return musaSuccess;
    });
}

musaError_t musaPointerGetAttributes(musaPointerAttributes* attributes, const void* ptr) {
    return device_call([&] {
        if (!attributes) return musaErrorInvalidValue;
        void* pointer = const_cast<void*>(ptr);
        Allocation allocation;
        const char* begin = nullptr;
        if (!MemoryTable::instance().find(ptr, &allocation, &begin)) {
            *attributes = {musaMemoryTypeUnregistered, musaInvalidDeviceId, nullptr, pointer};
            return musaSuccess;
        }
        switch (allocation.kind) {
            case MemoryKind::device:
            case MemoryKind::mapped:
            case MemoryKind::retired:
            case MemoryKind::variable:
                *attributes = {musaMemoryTypeDevice, allocation.device, pointer, nullptr};
                break;
            case MemoryKind::managed:
            case MemoryKind::managed_variable:
                *attributes = {musaMemoryTypeManaged, allocation.device, pointer, pointer};
                break;
            case MemoryKind::pinned:
            case MemoryKind::registered:
                *attributes = {musaMemoryTypeHost, allocation.device, pointer, pointer};
                break;
        }
        return musaSuccess;
    });
}

bool __musa_sim_find_allocation(const void* address, const void** begin, unsigned long long* size,
                                unsigned long long* number) {
    Allocation allocation;
    const char* first = nullptr;
    if (!MemoryTable::instance().find(address, &allocation, &first)) return false;
    *begin = first;
    *size = allocation.size;
    *number = allocation.number;
    return true;
}
