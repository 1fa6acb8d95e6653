// Prefetching of managed memory, and advice about it. Both move nothing: the memory is one for all.
#include <algorithm>
#include <optional>
#include <vector>

#include "base/devices.h"
#include "memory/managed_advice.h"
#include "memory/memory_table.h"
#include "streams/activity.h"
#include "streams/capture.h"

using musa_sim::Advice;
using musa_sim::Allocation;
using musa_sim::Captures;
using musa_sim::Completion;
using musa_sim::device_call;
using musa_sim::DeviceTable;
using musa_sim::ManagedAdvice;
using musa_sim::MemoryKind;
using musa_sim::MemoryTable;
using musa_sim::Start;
using musa_sim::stream_call;
using musa_sim::Target;

namespace {

// Managed memory, or pageable memory of the host, which the devices can use as well.
musaError_t check_range(const void* begin, std::size_t count, const char** origin) {
    if (!begin || count == 0) return musaErrorInvalidValue;
    Allocation allocation;
    const char* start = *origin = nullptr;
    if (!MemoryTable::instance().find(begin, &allocation, &start)) return musaSuccess;
    *origin = start;
    if (allocation.kind == MemoryKind::managed_variable) return musaSuccess;
    if (allocation.kind != MemoryKind::managed) return musaErrorInvalidValue;
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(begin) - start);
    if (count > allocation.size - offset) return musaErrorInvalidValue;
    ManagedAdvice::instance().note_memory(start, allocation.size);
    return musaSuccess;
}

bool is_location(int device) {
    return device == musaCpuDeviceId || DeviceTable::instance().contains(device);
}

// The device or the host that is meant; musaInvalidDeviceId if it is neither. The host's memory is one.
int number_of(const musaMemLocation& location) {
    switch (location.type) {
        case musaMemLocationTypeDevice: return location.id >= 0 ? location.id : musaInvalidDeviceId;
        case musaMemLocationTypeHost:
        case musaMemLocationTypeHostNuma:
        case musaMemLocationTypeHostNumaCurrent: return musaCpuDeviceId;
        default: return musaInvalidDeviceId;
    }
}

bool is_advice(musaMemoryAdvise advice) {
    return advice >= musaMemAdviseSetReadMostly && advice <= musaMemAdviseUnsetAccessedBy;
}

bool needs_device(musaMemoryAdvise advice) {
    return advice == musaMemAdviseSetPreferredLocation || advice == musaMemAdviseSetAccessedBy ||
           advice == musaMemAdviseUnsetAccessedBy;
}

void apply(Advice& to, musaMemoryAdvise advice, int device) {
    switch (advice) {
        case musaMemAdviseSetReadMostly: to.read_mostly = true; break;
        case musaMemAdviseUnsetReadMostly: to.read_mostly = false; break;
        case musaMemAdviseSetPreferredLocation: to.preferred = device; break;
        case musaMemAdviseUnsetPreferredLocation: to.preferred = musaInvalidDeviceId; break;
        case musaMemAdviseSetAccessedBy: to.accessed_by.insert(device); break;
        case musaMemAdviseUnsetAccessedBy: to.accessed_by.erase(device); break;
    }
}

// The value that all parts of the range have in common.
Advice common_advice(const void* start, const void* begin, std::size_t count) {
    std::optional<Advice> common;
    ManagedAdvice::instance().visit(start, begin, count, [&](const Advice& part) {
        if (!common) {
            common = part;
            return;
        }
        common->read_mostly = common->read_mostly && part.read_mostly;
        if (common->preferred != part.preferred) common->preferred = musaInvalidDeviceId;
        if (common->prefetched != part.prefetched) common->prefetched = musaInvalidDeviceId;
        for (auto device = common->accessed_by.begin(); device != common->accessed_by.end();)
            device = part.accessed_by.count(*device) ? std::next(device) : common->accessed_by.erase(device);
    });
    return *common;
}

musaError_t give_attribute(const Advice& advice, musaMemRangeAttribute attribute, void* data,
                           std::size_t size) {
    if (!data || size == 0 || size % sizeof(int) != 0) return musaErrorInvalidValue;
    int* numbers = static_cast<int*>(data);
    if (attribute == musaMemRangeAttributeAccessedBy) {
        std::fill_n(numbers, size / sizeof(int), musaInvalidDeviceId);
        const std::size_t most = std::min(size / sizeof(int), advice.accessed_by.size());
        std::copy_n(advice.accessed_by.begin(), most, numbers);
        return musaSuccess;
    }
    if (size != sizeof(int)) return musaErrorInvalidValue;
    switch (attribute) {
        case musaMemRangeAttributeReadMostly: *numbers = advice.read_mostly; break;
        case musaMemRangeAttributePreferredLocation: *numbers = advice.preferred; break;
        case musaMemRangeAttributeLastPrefetchLocation: *numbers = advice.prefetched; break;
        default: return musaErrorInvalidValue;
    }
    return musaSuccess;
}

}  // namespace

musaError_t musaMemPrefetchAsync(const void* devPtr, size_t count, int dstDevice,
                                 musaStream_t stream) {
    const musa_sim::ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        const char* start = nullptr;
        const musaError_t error = check_range(devPtr, count, &start);
        if (error != musaSuccess) return error;
        if (!is_location(dstDevice)) return musaErrorInvalidDevice;
        if (musa_sim::is_captured(target)) return Captures::instance().refuse(target);
        ManagedAdvice::instance().change(start, devPtr, count, [=](Advice& advice) { advice.prefetched = dstDevice; });
        return musa_sim::enqueue(target, Completion::not_awaited, Start::soon, [] {});
    });
}

musaError_t musaMemAdvise(const void* devPtr, size_t count, musaMemoryAdvise advice, int device) {
    return device_call([&] {
        if (!is_advice(advice)) return musaErrorInvalidValue;
        const char* start = nullptr;
        const musaError_t error = check_range(devPtr, count, &start);
        if (error != musaSuccess) return error;
        if (needs_device(advice) && !is_location(device)) return musaErrorInvalidDevice;
        ManagedAdvice::instance().change(start, devPtr, count, [=](Advice& to) { apply(to, advice, device); });
        return musaSuccess;
    });
}

musaError_t musaMemPrefetchAsync_v2(const void* devPtr, size_t count, musaMemLocation location, unsigned int flags,
                                    musaStream_t stream) {
    if (flags != 0) return device_call([] { return musaErrorInvalidValue; });
    return musaMemPrefetchAsync(devPtr, count, number_of(location), stream);
}

musaError_t musaMemAdvise_v2(const void* devPtr, size_t count, musaMemoryAdvise advice, musaMemLocation location) {
    return musaMemAdvise(devPtr, count, advice, number_of(location));
}

musaError_t musaMemRangeGetAttribute(void* data, size_t dataSize, musaMemRangeAttribute attribute,
                                     const void* devPtr, size_t count) {
    return device_call([&] {
        const char* start = nullptr;
        const musaError_t error = check_range(devPtr, count, &start);
        if (error != musaSuccess) return error;
        return give_attribute(common_advice(start, devPtr, count), attribute, data, dataSize);
    });
}

musaError_t musaMemRangeGetAttributes(void** data, size_t* dataSizes,
                                      musaMemRangeAttribute* attributes, size_t numAttributes,
                                      const void* devPtr, size_t count) {
    return device_call([&] {
        if (!data || !dataSizes || !attributes || numAttributes == 0) return musaErrorInvalidValue;
        const char* start = nullptr;
        const musaError_t error = check_range(devPtr, count, &start);
        if (error != musaSuccess) return error;
        const Advice common = common_advice(start, devPtr, count);
        for (size_t i = 0; i < numAttributes; ++i) {
            const musaError_t given = give_attribute(common, attributes[i], data[i], dataSizes[i]);
            if (given != musaSuccess) return given;
        }
        return musaSuccess;
    });
}
