// Attributes of addresses.
#include "base/device_abi.h"
#include "driver.h"

using driver::address;
using driver::pointer;

namespace {

struct Facts {
    musaPointerAttributes attributes{};
    bool known = false;  // it is in an allocation
    const void* begin = nullptr;
    unsigned long long size = 0;
    unsigned long long number = 0;
};

musaError_t facts_of(MUdeviceptr at, Facts* facts) {
    const musaError_t error = musaPointerGetAttributes(&facts->attributes, pointer(at));
    facts->known = __musa_sim_find_allocation(pointer(at), &facts->begin, &facts->size, &facts->number);
    return error;
}

template <class T>
musaError_t give(void* data, T value) {
    *static_cast<T*>(data) = value;
    return musaSuccess;
}

musaError_t give_attribute(const Facts& facts, MUpointer_attribute attribute, void* data) {
    const musaPointerAttributes& found = facts.attributes;
    const bool is_managed = found.type == musaMemoryTypeManaged;
    switch (attribute) {
        case MU_POINTER_ATTRIBUTE_MAPPED: return give<bool>(data, facts.known);
        case MU_POINTER_ATTRIBUTE_CONTEXT: {
            MUcontext context = nullptr;
            if (facts.known) driver::primary_context(found.device, &context);
            give(data, context);
            break;
        }
        case MU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            give<unsigned>(data, !facts.known                           ? 0
                                 : found.type == musaMemoryTypeHost ? MU_MEMORYTYPE_HOST
                                                                    : MU_MEMORYTYPE_DEVICE);
            break;
        case MU_POINTER_ATTRIBUTE_DEVICE_POINTER: give<MUdeviceptr>(data, address(found.devicePointer)); break;
        case MU_POINTER_ATTRIBUTE_HOST_POINTER:
            give<void*>(data, found.hostPointer);
            return facts.known && found.hostPointer ? musaSuccess : musaErrorInvalidValue;
        case MU_POINTER_ATTRIBUTE_SYNC_MEMOPS: give<bool>(data, false); break;
        case MU_POINTER_ATTRIBUTE_BUFFER_ID: give<unsigned long long>(data, facts.number); break;
        case MU_POINTER_ATTRIBUTE_IS_MANAGED: give<bool>(data, is_managed); break;
        case MU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: give<int>(data, facts.known ? found.device : -2); break;
        case MU_POINTER_ATTRIBUTE_IS_LEGACY_MUSA_IPC_CAPABLE:
        case MU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: give<bool>(data, false); break;
        case MU_POINTER_ATTRIBUTE_RANGE_START_ADDR: give<MUdeviceptr>(data, address(facts.begin)); break;
        case MU_POINTER_ATTRIBUTE_RANGE_SIZE: give<size_t>(data, facts.size); break;
        case MU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: give<unsigned long long>(data, 0); break;
        case MU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
            give<unsigned long long>(data, MU_MEM_ACCESS_FLAGS_PROT_READWRITE);
            break;
        case MU_POINTER_ATTRIBUTE_P2P_TOKENS:
        case MU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return musaErrorNotSupported;
        default: return musaErrorInvalidValue;
    }
    return facts.known ? musaSuccess : musaErrorInvalidValue;
}

}  // namespace

MUSA_EXPORT MUresult muMemGetAddressRange(MUdeviceptr* base, size_t* size, MUdeviceptr at) {
    return driver::call([=] {
        Facts facts;
        const musaError_t error = facts_of(at, &facts);
        if (error != musaSuccess) return error;
        if (!facts.known) return musaErrorInvalidValue;
        if (base) *base = address(facts.begin);
        if (size) *size = facts.size;
        return musaSuccess;
    });
}
MUSA_FIRST_NAME(muMemGetAddressRange)

MUSA_EXPORT MUresult muPointerGetAttribute(void* data, MUpointer_attribute attribute, MUdeviceptr at) {
    if (!data) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([=] {
        Facts facts;
        const musaError_t error = facts_of(at, &facts);
        return error != musaSuccess ? error : give_attribute(facts, attribute, data);
    });
}

// All attributes of an unknown address are zero; that is no error.
MUSA_EXPORT MUresult muPointerGetAttributes(unsigned int count, MUpointer_attribute* attributes, void** data,
                                            MUdeviceptr at) {
    if (count == 0 || !attributes || !data) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([=] {
        Facts facts;
        const musaError_t error = facts_of(at, &facts);
        if (error != musaSuccess) return error;
        for (unsigned i = 0; i < count; ++i) {
            if (!data[i]) return musaErrorInvalidValue;
            const musaError_t given = give_attribute(facts, attributes[i], data[i]);
            const bool lacking = attributes[i] == MU_POINTER_ATTRIBUTE_HOST_POINTER || !facts.known;
            if (given == musaErrorNotSupported || (given != musaSuccess && !lacking)) return given;
        }
        return musaSuccess;
    });
}

// The attribute requests synchronous copies, and changes nothing here.
MUSA_EXPORT MUresult muPointerSetAttribute(const void* value, MUpointer_attribute attribute, MUdeviceptr at) {
    if (!value || attribute != MU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([=] {
        Facts facts;
        const musaError_t error = facts_of(at, &facts);
        if (error != musaSuccess) return error;
        return facts.known && facts.attributes.type == musaMemoryTypeDevice ? musaSuccess : musaErrorInvalidValue;
    });
}
