// Virtual memory: libmusart implements it, but its runtime API has no functions for it.
#include "driver.h"
#include "memory/virtual_memory.h"

namespace {

using musa_sim::MemoryAccess;
using musa_sim::VirtualMemory;

VirtualMemory& memory() { return VirtualMemory::instance(); }

bool is_on_device(const MUmemLocation& location) { return location.type == MU_MEM_LOCATION_TYPE_DEVICE; }

// Return whether the simulator has this kind of memory.
bool is_known(const MUmemAllocationProp* prop) {
    return prop && prop->type == MU_MEM_ALLOCATION_TYPE_PINNED && is_on_device(prop->location) &&
           (prop->requestedHandleTypes == MU_MEM_HANDLE_TYPE_NONE ||
            prop->requestedHandleTypes == MU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
}

bool is_access(MUmemAccess_flags flags) {
    return flags == MU_MEM_ACCESS_FLAGS_PROT_NONE || flags == MU_MEM_ACCESS_FLAGS_PROT_READ ||
           flags == MU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

}  // namespace

MUSA_EXPORT MUresult muMemGetAllocationGranularity(size_t* granularity, const MUmemAllocationProp* prop,
                                                   MUmemAllocationGranularity_flags) {
    return driver::call([=] {
        if (!granularity || !is_known(prop)) return musaErrorInvalidValue;
        *granularity = musa_sim::virtual_granularity;
        return musaSuccess;
    });
}

MUSA_EXPORT MUresult muMemCreate(MUmemGenericAllocationHandle* handle, size_t size, const MUmemAllocationProp* prop,
                                 unsigned long long flags) {
    return driver::call([=] {
        if (!is_known(prop) || flags != 0) return musaErrorInvalidValue;
        return memory().create(handle, size, prop->location.id);
    });
}

MUSA_EXPORT MUresult muMemRelease(MUmemGenericAllocationHandle handle) {
    return driver::call([=] { return memory().release(handle); });
}

MUSA_EXPORT MUresult muMemRetainAllocationHandle(MUmemGenericAllocationHandle* handle, void* address) {
    return driver::call([=] { return memory().retain(handle, reinterpret_cast<std::uintptr_t>(address)); });
}

MUSA_EXPORT MUresult muMemGetAllocationPropertiesFromHandle(MUmemAllocationProp* prop,
                                                            MUmemGenericAllocationHandle handle) {
    return driver::call([=] {
        int device = 0;
        const musaError_t error = prop ? memory().device_of(handle, &device) : musaErrorInvalidValue;
        if (error != musaSuccess) return error;
        *prop = {};
        prop->type = MU_MEM_ALLOCATION_TYPE_PINNED;
        prop->requestedHandleTypes = MU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        prop->location = {MU_MEM_LOCATION_TYPE_DEVICE, device};
        return musaSuccess;
    });
}

MUSA_EXPORT MUresult muMemExportToShareableHandle(void* shareable, MUmemGenericAllocationHandle handle,
                                                  MUmemAllocationHandleType type, unsigned long long flags) {
    return driver::call([=] {
        if (type != MU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags != 0) return musaErrorInvalidValue;
        return memory().export_file(handle, static_cast<int*>(shareable));
    });
}

// The handle is the file descriptor itself: (void*)(uintptr_t)file.
MUSA_EXPORT MUresult muMemImportFromShareableHandle(MUmemGenericAllocationHandle* handle, void* shareable,
                                                    MUmemAllocationHandleType type) {
    return driver::call([=] {
        if (type != MU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return musaErrorInvalidValue;
        return memory().import_file(handle, static_cast<int>(reinterpret_cast<std::uintptr_t>(shareable)));
    });
}

MUSA_EXPORT MUresult muMemAddressReserve(MUdeviceptr* address, size_t size, size_t alignment, MUdeviceptr hint,
                                         unsigned long long flags) {
    return driver::call([=] {
        std::uintptr_t reserved = 0;
        if (!address || flags != 0) return musaErrorInvalidValue;
        const musaError_t error = memory().reserve(&reserved, size, alignment, hint);
        if (error == musaSuccess) *address = reserved;
        return error;
    });
}

MUSA_EXPORT MUresult muMemAddressFree(MUdeviceptr address, size_t size) {
    return driver::call([=] { return memory().free(address, size); });
}

MUSA_EXPORT MUresult muMemMap(MUdeviceptr address, size_t size, size_t offset, MUmemGenericAllocationHandle handle,
                              unsigned long long flags) {
    return driver::call([=] {
        if (offset != 0 || flags != 0) return musaErrorInvalidValue;
        return memory().map(address, size, handle);
    });
}

MUSA_EXPORT MUresult muMemUnmap(MUdeviceptr address, size_t size) {
    return driver::call([=] { return memory().unmap(address, size); });
}

MUSA_EXPORT MUresult muMemSetAccess(MUdeviceptr address, size_t size, const MUmemAccessDesc* descriptions,
                                    size_t count) {
    return driver::call([=] {
        if (!descriptions || count == 0) return musaErrorInvalidValue;
        for (size_t i = 0; i < count; ++i) {
            if (!is_on_device(descriptions[i].location) || !is_access(descriptions[i].flags))
                return musaErrorInvalidValue;
        }
        musaError_t error = musaSuccess;
        for (size_t i = 0; i < count && error == musaSuccess; ++i) {
            error = memory().set_access(address, size, descriptions[i].location.id,
                                        static_cast<MemoryAccess>(descriptions[i].flags));
        }
        return error;
    });
}

MUSA_EXPORT MUresult muMemGetAccess(unsigned long long* flags, const MUmemLocation* location, MUdeviceptr address) {
    return driver::call([=] {
        if (!flags || !location || !is_on_device(*location)) return musaErrorInvalidValue;
        MemoryAccess access = MemoryAccess::none;
        const musaError_t error = memory().get_access(address, location->id, &access);
        if (error == musaSuccess) *flags = static_cast<unsigned long long>(access);
        return error;
    });
}
