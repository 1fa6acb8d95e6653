// Convert the runtime's activities to records.
#include <unistd.h>

#include <set>
#include <string_view>

#include "state.h"

namespace mupti {
namespace {

// Records point to the names of kernels, so these live as long as the process.
const char* lasting(const char* name) {
    static std::mutex& mutex = musa_sim::leaked<std::mutex>();
    static std::set<std::string>& names = musa_sim::leaked<std::set<std::string>>();
    std::lock_guard<std::mutex> lock(mutex);
    return names.emplace(name).first->c_str();
}

template <class T>
T begun(MUpti_ActivityKind kind, const musa_sim_activity& activity, std::int64_t offset) {
    T record{};
    record.kind = kind;
    record.start = static_cast<std::uint64_t>(activity.begin + offset);
    record.end = static_cast<std::uint64_t>(activity.end + offset);
    record.correlationId = activity.correlation;
    return record;
}

template <class T>
T on_stream(MUpti_ActivityKind kind, const musa_sim_activity& activity, std::int64_t offset) {
    T record = begun<T>(kind, activity, offset);
    record.deviceId = static_cast<std::uint32_t>(activity.device);
    record.contextId = context_id(activity.device);
    record.streamId = static_cast<std::uint32_t>(activity.stream);
    return record;
}

MUpti_ActivityKernel6 kernel_record(MUpti_ActivityKind kind, const musa_sim_activity& activity, std::int64_t offset) {
    auto record = on_stream<MUpti_ActivityKernel6>(kind, activity, offset);
    record.completed = record.end;
    record.gridX = static_cast<std::int32_t>(activity.grid[0]);
    record.gridY = static_cast<std::int32_t>(activity.grid[1]);
    record.gridZ = static_cast<std::int32_t>(activity.grid[2]);
    record.blockX = static_cast<std::int32_t>(activity.block[0]);
    record.blockY = static_cast<std::int32_t>(activity.block[1]);
    record.blockZ = static_cast<std::int32_t>(activity.block[2]);
    record.staticSharedMemory = static_cast<std::int32_t>(activity.static_shared);
    record.dynamicSharedMemory = static_cast<std::int32_t>(activity.dynamic_shared);
    record.sharedMemoryExecuted = static_cast<std::uint32_t>(activity.static_shared + activity.dynamic_shared);
    record.gridId = activity.correlation;
    record.name = lasting(activity.name);
    return record;
}

std::uint8_t memory_kind(const musa_sim_copy_end& end) {
    switch (end.memory) {
        case musa_sim_memory_pageable: return MUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
        case musa_sim_memory_pinned: return MUPTI_ACTIVITY_MEMORY_KIND_PINNED;
        case musa_sim_memory_device: return MUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
        case musa_sim_memory_managed: return MUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
        case musa_sim_memory_none: break;
    }
    return MUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN;
}

bool is_between_devices(const musa_sim_activity& copy) {
    return copy.from.device >= 0 && copy.to.device >= 0 && copy.from.device != copy.to.device;
}

std::uint8_t copy_kind(const musa_sim_activity& copy) {
    if (is_between_devices(copy)) return MUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
    if (copy.from.is_device)
        return copy.to.is_device ? MUPTI_ACTIVITY_MEMCPY_KIND_DTOD : MUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
    return copy.to.is_device ? MUPTI_ACTIVITY_MEMCPY_KIND_HTOD : MUPTI_ACTIVITY_MEMCPY_KIND_HTOH;
}

template <class T>
T copy_record(MUpti_ActivityKind kind, const musa_sim_activity& copy, std::int64_t offset) {
    T record = on_stream<T>(kind, copy, offset);
    record.copyKind = copy_kind(copy);
    record.srcKind = memory_kind(copy.from);
    record.dstKind = memory_kind(copy.to);
    record.bytes = copy.bytes;
    return record;
}

MUpti_ActivityMemcpyPtoP peer_record(const musa_sim_activity& copy, std::int64_t offset) {
    auto record = copy_record<MUpti_ActivityMemcpyPtoP>(MUPTI_ACTIVITY_KIND_MEMCPY2, copy, offset);
    record.srcDeviceId = static_cast<std::uint32_t>(copy.from.device);
    record.srcContextId = context_id(copy.from.device);
    record.dstDeviceId = static_cast<std::uint32_t>(copy.to.device);
    record.dstContextId = context_id(copy.to.device);
    return record;
}

MUpti_ActivityMemset fill_record(const musa_sim_activity& fill, std::int64_t offset) {
    auto record = on_stream<MUpti_ActivityMemset>(MUPTI_ACTIVITY_KIND_MEMSET, fill, offset);
    record.value = fill.value;
    record.bytes = fill.bytes;
    record.memoryKind = memory_kind(fill.to);
    return record;
}

MUpti_ActivityKind kind_of(const CallNumber& call) {
    return call.domain == MUPTI_CB_DOMAIN_DRIVER_API ? MUPTI_ACTIVITY_KIND_DRIVER : MUPTI_ACTIVITY_KIND_RUNTIME;
}

MUpti_ActivityAPI call_record(const musa_sim_activity& call, std::int64_t offset) {
    const CallNumber number = number_of_call(call.name);
    auto record = begun<MUpti_ActivityAPI>(kind_of(number), call, offset);
    record.cbid = number.id;
    record.processId = static_cast<std::uint32_t>(getpid());
    record.threadId = static_cast<std::uint32_t>(call.thread);
    return record;
}

MUpti_ActivitySynchronizationType waits(const musa_sim_activity& call) {
    const std::string_view name = call.name;
    if (name == "musaStreamSynchronize" || name == "muStreamSynchronize")
        return MUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    if (name == "musaDeviceSynchronize" || name == "muCtxSynchronize")
        return MUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
    if (name == "musaEventSynchronize" || name == "muEventSynchronize")
        return MUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE;
    return MUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN;
}

MUpti_ActivitySynchronization wait_record(const musa_sim_activity& call, std::int64_t offset) {
    auto record = begun<MUpti_ActivitySynchronization>(MUPTI_ACTIVITY_KIND_SYNCHRONIZATION, call, offset);
    record.type = waits(call);
    record.contextId = context_id(call.device);
    record.streamId = static_cast<std::uint32_t>(call.stream);  // -1: MUPTI_SYNCHRONIZATION_INVALID_VALUE
    record.musaEventId = MUPTI_SYNCHRONIZATION_INVALID_VALUE;
    return record;
}

}  // namespace

std::size_t record_size(MUpti_ActivityKind kind) {
    switch (kind) {
        case MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        case MUPTI_ACTIVITY_KIND_KERNEL: return sizeof(MUpti_ActivityKernel6);
        case MUPTI_ACTIVITY_KIND_MEMCPY: return sizeof(MUpti_ActivityMemcpy);
        case MUPTI_ACTIVITY_KIND_MEMCPY2: return sizeof(MUpti_ActivityMemcpyPtoP);
        case MUPTI_ACTIVITY_KIND_MEMSET: return sizeof(MUpti_ActivityMemset);
        case MUPTI_ACTIVITY_KIND_RUNTIME:
        case MUPTI_ACTIVITY_KIND_DRIVER: return sizeof(MUpti_ActivityAPI);
        case MUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return sizeof(MUpti_ActivitySynchronization);
        case MUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: return sizeof(MUpti_ActivityExternalCorrelation);
        default: return 0;
    }
}

void add_records(const musa_sim_activity& activity, const Kinds& kinds, std::int64_t offset,
                 std::vector<Record>* records) {
    switch (activity.kind) {
        case musa_sim_activity_call:
            if (kinds[kind_of(number_of_call(activity.name))]) records->emplace_back(call_record(activity, offset));
            if (kinds[MUPTI_ACTIVITY_KIND_SYNCHRONIZATION] &&
                waits(activity) != MUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN)
                records->emplace_back(wait_record(activity, offset));
            break;
        case musa_sim_activity_kernel:
        case musa_sim_activity_library:
        case musa_sim_activity_operator:
            for (const auto kind : {MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, MUPTI_ACTIVITY_KIND_KERNEL})
                if (kinds[kind]) records->emplace_back(kernel_record(kind, activity, offset));
            break;
        case musa_sim_activity_copy:
            if (is_between_devices(activity)) {
                if (kinds[MUPTI_ACTIVITY_KIND_MEMCPY2]) records->emplace_back(peer_record(activity, offset));
            } else if (kinds[MUPTI_ACTIVITY_KIND_MEMCPY]) {
                records->emplace_back(copy_record<MUpti_ActivityMemcpy>(MUPTI_ACTIVITY_KIND_MEMCPY, activity, offset));
            }
            break;
        case musa_sim_activity_fill:
            if (kinds[MUPTI_ACTIVITY_KIND_MEMSET]) records->emplace_back(fill_record(activity, offset));
            break;
    }
}

}  // namespace mupti
