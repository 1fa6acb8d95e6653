// Copying and filling memory, in the order of streams.
//
// Copies are checked against the table of allocations: a copy that runs past the end of one, or
// whose direction says "device" where the address is ordinary host memory, is refused, although the
// simulator could carry it out.
#include "base/device_abi.h"
#include "base/devices.h"
#include "streams/activity.h"
#include "streams/capture.h"
#include "streams/copies.h"
#include "streams/symbols.h"

using musa_sim::ActivityCall;
using musa_sim::bytes_of;
using musa_sim::Call;
using musa_sim::copy;
using musa_sim::default_stream_call;
using musa_sim::device_call;
using musa_sim::DeviceTable;
using musa_sim::fill;
using musa_sim::find_symbol;
using musa_sim::part_of_symbol;
using musa_sim::stream_call;
using musa_sim::StreamQueues;
using musa_sim::Target;

namespace {

musaError_t copy_to_symbol(const Target& target, Call call, const void* symbol, const void* src,
                           std::size_t count, std::size_t offset, musaMemcpyKind kind) {
    char* begin = nullptr;
    const musaError_t error = part_of_symbol(symbol, offset, count, &begin);
    if (error != musaSuccess) return error;
    if (musa_sim::is_to_host(kind)) return musaErrorInvalidMemcpyDirection;
    return copy(target, call, begin, src, count, kind);
}

musaError_t copy_from_symbol(const Target& target, Call call, void* dst, const void* symbol,
                             std::size_t count, std::size_t offset, musaMemcpyKind kind) {
    char* begin = nullptr;
    const musaError_t error = part_of_symbol(symbol, offset, count, &begin);
    if (error != musaSuccess) return error;
    if (musa_sim::is_from_host(kind)) return musaErrorInvalidMemcpyDirection;
    return copy(target, call, dst, begin, count, kind);
}

}  // namespace

musaError_t musaMemcpy(void* dst, const void* src, size_t count, musaMemcpyKind kind) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return copy(target, Call::synchronous, dst, src, count, kind);
    });
}

musaError_t musaMemcpyAsync(void* dst, const void* src, size_t count, musaMemcpyKind kind,
                            musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return copy(target, Call::asynchronous, dst, src, count, kind);
    });
}

musaError_t musaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, musaMemcpyKind kind) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return copy(target, Call::synchronous, dst, {dpitch, width, height}, src,
                    {spitch, width, height}, kind);
    });
}

musaError_t musaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                              size_t width, size_t height, musaMemcpyKind kind,
                              musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return copy(target, Call::asynchronous, dst, {dpitch, width, height}, src,
                    {spitch, width, height}, kind);
    });
}

// Comes after all work of both devices, and before all that follows.
musaError_t musaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        const DeviceTable& table = DeviceTable::instance();
        if (!table.contains(dstDevice) || !table.contains(srcDevice)) return musaErrorInvalidDevice;
        StreamQueues::instance().synchronize_device(dstDevice);
        StreamQueues::instance().synchronize_device(srcDevice);
        musaError_t error =
            copy(target, Call::synchronous, dst, src, count, musaMemcpyDeviceToDevice);
        StreamQueues::instance().synchronize(target.queue);
        return error;
    });
}

musaError_t musaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice,
                                size_t count, musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        const DeviceTable& table = DeviceTable::instance();
        if (!table.contains(dstDevice) || !table.contains(srcDevice)) return musaErrorInvalidDevice;
        return copy(target, Call::asynchronous, dst, src, count, musaMemcpyDeviceToDevice);
    });
}

musaError_t musaMemset(void* devPtr, int value, size_t count) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return fill(target, Call::synchronous, devPtr, {count, count, 1}, bytes_of(value));
    });
}

musaError_t musaMemsetAsync(void* devPtr, int value, size_t count, musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return fill(target, Call::asynchronous, devPtr, {count, count, 1}, bytes_of(value));
    });
}

musaError_t musaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return fill(target, Call::synchronous, devPtr, {pitch, width, height}, bytes_of(value));
    });
}

musaError_t musaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                              musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return fill(target, Call::asynchronous, devPtr, {pitch, width, height}, bytes_of(value));
    });
}

musaError_t musaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                               musaMemcpyKind kind) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return copy_to_symbol(target, Call::synchronous, symbol, src, count, offset, kind);
    });
}

musaError_t musaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count,
                                    size_t offset, musaMemcpyKind kind, musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return copy_to_symbol(target, Call::asynchronous, symbol, src, count, offset, kind);
    });
}

musaError_t musaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                 musaMemcpyKind kind) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return copy_from_symbol(target, Call::synchronous, dst, symbol, count, offset, kind);
    });
}

musaError_t musaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                      musaMemcpyKind kind, musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return copy_from_symbol(target, Call::asynchronous, dst, symbol, count, offset, kind);
    });
}

musaError_t musaGetSymbolAddress(void** devPtr, const void* symbol) {
    return device_call([&] {
        if (!devPtr) return musaErrorInvalidValue;
        std::size_t size = 0;
        return find_symbol(symbol, devPtr, &size);
    });
}

musaError_t musaGetSymbolSize(size_t* size, const void* symbol) {
    return device_call([&] {
        if (!size) return musaErrorInvalidValue;
        void* address = nullptr;
        return find_symbol(symbol, &address, size);
    });
}

int __musa_sim_fill(void* to, unsigned long long pitch, unsigned value, unsigned long long element_bytes,
                    unsigned long long width, unsigned long long height, void* stream, bool awaited) {
    const ActivityCall call(awaited ? "musaMemset" : "musaMemsetAsync");
    const auto body = [&](const Target& target) {
        return fill(target, awaited ? Call::synchronous : Call::asynchronous, to, {pitch, width, height},
                    {value, element_bytes});
    };
    return awaited ? default_stream_call(body) : stream_call(static_cast<musaStream_t>(stream), body);
}
