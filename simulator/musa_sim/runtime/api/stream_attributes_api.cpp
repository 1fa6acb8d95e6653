// The attributes, the number and the device of a stream.
#include <map>

#include "base/small_tables.h"
#include "memory/memory_table.h"
#include "streams/capture.h"

using musa_sim::device_call;
using musa_sim::find_target;
using musa_sim::live_streams;
using musa_sim::StreamHints;
using musa_sim::StreamQueues;
using musa_sim::Target;

namespace {

struct DefaultStreams {
    std::map<int, StreamHints> by_device;

    static DefaultStreams& instance() {
        static auto& streams = musa_sim::leaked<DefaultStreams>();
        return streams;
    }
};

// body(stream's hints, priority) as an API function.
template <class Body>
musaError_t hints_call(musaStream_t stream, Body&& body) {
    return device_call([&] {
        DefaultStreams& defaults = DefaultStreams::instance();
        std::lock_guard<std::mutex> lock(musa_sim::small_tables());
        if (musa_sim::is_default_stream(stream))
            return body(defaults.by_device[musa_sim::current_device()], musa_sim::least_stream_priority);
        const auto found = live_streams().find(stream);
        return found ? body(found->hints, found->priority) : musaErrorInvalidResourceHandle;
    });
}

bool is_window(const musaAccessPolicyWindow& window) {
    const bool known = window.hitProp >= musaAccessPropertyNormal && window.hitProp <= musaAccessPropertyPersisting &&
                       (window.missProp == musaAccessPropertyNormal || window.missProp == musaAccessPropertyStreaming);
    return known && window.hitRatio >= 0 && window.hitRatio <= 1;
}

bool is_policy(musaSynchronizationPolicy policy) {
    return policy >= musaSyncPolicyAuto && policy <= musaSyncPolicyBlockingSync;
}

}  // namespace

musaError_t musaStreamGetAttribute(musaStream_t stream, musaStreamAttrID attr, musaStreamAttrValue* value) {
    return hints_call(stream, [&](const StreamHints& hints, int priority) {
        if (!value) return musaErrorInvalidValue;
        *value = {};
        switch (attr) {
            case musaStreamAttributeAccessPolicyWindow: value->accessPolicyWindow = hints.window; return musaSuccess;
            case musaStreamAttributeSynchronizationPolicy: value->syncPolicy = hints.policy; return musaSuccess;
            case musaStreamAttributePriority: value->priority = priority; return musaSuccess;
            default: return musaErrorInvalidValue;
        }
    });
}

musaError_t musaStreamSetAttribute(musaStream_t stream, musaStreamAttrID attr, const musaStreamAttrValue* value) {
    return hints_call(stream, [&](StreamHints& hints, int) {
        if (!value) return musaErrorInvalidValue;
        switch (attr) {
            case musaStreamAttributeAccessPolicyWindow:
                if (!is_window(value->accessPolicyWindow)) return musaErrorInvalidValue;
                hints.window = value->accessPolicyWindow;
                return musaSuccess;
            case musaStreamAttributeSynchronizationPolicy:
                if (!is_policy(value->syncPolicy)) return musaErrorInvalidValue;
                hints.policy = value->syncPolicy;
                return musaSuccess;
            default: return musaErrorInvalidValue;
        }
    });
}

musaError_t musaStreamCopyAttributes(musaStream_t dst, musaStream_t src) {
    StreamHints copied;
    const musaError_t error =
        hints_call(src, [&](const StreamHints& hints, int) { return copied = hints, musaSuccess; });
    if (error != musaSuccess) return error;
    return hints_call(dst, [&](StreamHints& hints, int) { return hints = copied, musaSuccess; });
}

musaError_t musaStreamGetId(musaStream_t stream, unsigned long long* streamId) {
    return device_call([&] {
        Target target;
        const musaError_t error = streamId ? find_target(stream, &target) : musaErrorInvalidValue;
        if (error == musaSuccess) *streamId = static_cast<unsigned long long>(StreamQueues::number(target.queue));
        return error;
    });
}

musaError_t musaStreamGetDevice(musaStream_t stream, int* device) {
    return device_call([&] {
        Target target;
        const musaError_t error = device ? find_target(stream, &target) : musaErrorInvalidValue;
        if (error == musaSuccess) *device = target.device;
        return error;
    });
}

musaError_t musaStreamAttachMemAsync(musaStream_t stream, void* devPtr, size_t length, unsigned int flags) {
    return musa_sim::stream_call(stream, [&](const Target&) {
        if (flags != musaMemAttachGlobal && flags != musaMemAttachHost && flags != musaMemAttachSingle)
            return musaErrorInvalidValue;
        musa_sim::Allocation allocation;
        const char* begin = nullptr;
        if (!musa_sim::MemoryTable::instance().find(devPtr, &allocation, &begin)) return musaErrorInvalidValue;
        const bool managed = allocation.kind == musa_sim::MemoryKind::managed ||
                             allocation.kind == musa_sim::MemoryKind::managed_variable;
        const bool whole = devPtr == begin && (length == 0 || length == allocation.size);
        return managed && whole ? musaSuccess : musaErrorInvalidValue;
    });
}
