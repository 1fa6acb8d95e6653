// Copying and filling memory, in the order of streams.
//
// Copies are checked against the table of allocations: a copy that runs past the end of one, or
// whose direction says "device" where the address is ordinary host memory, is refused, although the
// simulator could carry it out.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "activity.h"
#include "capture.h"
#include "checks.h"
#include "devices.h"
#include "findings.h"
#include "guarded_memory.h"
#include "memory.h"
#include "registry.h"

using musa_sim::ActivityCall;
using musa_sim::ActivityOfWork;
using musa_sim::Allocation;
using musa_sim::Captures;
using musa_sim::Completion;
using musa_sim::current_device;
using musa_sim::default_stream_call;
using musa_sim::device_call;
using musa_sim::DeviceTable;
using musa_sim::enqueue;
using musa_sim::MemoryKind;
using musa_sim::MemoryTable;
using musa_sim::Start;
using musa_sim::stream_call;
using musa_sim::StreamQueues;
using musa_sim::Target;

namespace {

// A rectangle of bytes; a plain range has one row.
struct Region {
    std::size_t pitch;
    std::size_t width;
    std::size_t height;

    std::size_t extent() const { return pitch * (height - 1) + width; }
    bool empty() const { return width == 0 || height == 0; }
};

enum class Side { any, host, device };

Side destination_side(musaMemcpyKind kind) {
    switch (kind) {
        case musaMemcpyHostToHost:
        case musaMemcpyDeviceToHost: return Side::host;
        case musaMemcpyHostToDevice:
        case musaMemcpyDeviceToDevice: return Side::device;
        case musaMemcpyDefault: return Side::any;
    }
    return Side::any;
}

Side source_side(musaMemcpyKind kind) {
    switch (kind) {
        case musaMemcpyHostToHost:
        case musaMemcpyHostToDevice: return Side::host;
        case musaMemcpyDeviceToHost:
        case musaMemcpyDeviceToDevice: return Side::device;
        case musaMemcpyDefault: return Side::any;
    }
    return Side::any;
}

bool is_copy_kind(musaMemcpyKind kind) {
    return kind >= musaMemcpyHostToHost && kind <= musaMemcpyDefault;
}

// What a copy or fill may touch, and what memory that is.
struct Place {
    bool known = false;  // to the table: not plain memory of the host
    MemoryKind kind{};
    int device = -1;  // of memory of a device

    // Page-locked memory and that of devices can be copied while the program goes on.
    bool is_pageable() const { return !known; }
    bool is_on_device() const {
        return known && (kind == MemoryKind::device || kind == MemoryKind::variable);
    }
};

// The copy is refused in any case; the check says of which allocation it ran out.
void tell_overrun(const void* end, std::size_t size) {
    if (!musa_sim::is_checking(musa_sim::check_memory)) return;
    const std::string caller = musa_sim::CallStack::here().text();
    musa_sim::Findings& findings = musa_sim::Findings::instance();
    if (!findings.add("memory", caller)) return;
    findings.tell("memory: a copy or fill of " + std::to_string(size) + " bytes, out of bounds",
                  musa_sim::GuardedMemory::instance().describe(end) + "    in " + caller + "\n");
}

// Host memory is not told apart from device memory on the host side: managed, pinned and registered
// memory are both.
musaError_t check_range(const void* pointer, std::size_t size, Side side, Place* place) {
    if (!pointer) return musaErrorInvalidValue;
    Allocation allocation;
    const char* begin = nullptr;
    place->known = MemoryTable::instance().find(pointer, &allocation, &begin);
    if (!place->known) return side == Side::device ? musaErrorInvalidValue : musaSuccess;
    place->kind = allocation.kind;
    place->device = allocation.device;
    if (allocation.kind == MemoryKind::retired) return musaErrorInvalidValue;
    // Registered memory is a part of something larger that the host owns.
    if (allocation.kind == MemoryKind::registered) return musaSuccess;
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(pointer) - begin);
    if (size <= allocation.size - offset) return musaSuccess;
    tell_overrun(begin + allocation.size, size);
    return musaErrorInvalidValue;
}

void copy_rows(void* dst, const Region& to, const void* src, const Region& from) {
    const musa_sim::DeviceWork work;
    for (std::size_t row = 0; row < to.height; ++row) {
        std::memmove(static_cast<char*>(dst) + row * to.pitch,
                     static_cast<const char*>(src) + row * from.pitch, to.width);
    }
}

void fill_rows(void* dst, const Region& region, int value) {
    const musa_sim::DeviceWork work;
    for (std::size_t row = 0; row < region.height; ++row)
        std::memset(static_cast<char*>(dst) + row * region.pitch, value, region.width);
}

// For profilers, in the words that PyTorch uses for CUDA: "Memcpy HtoD (Pageable -> Device)".
const char* memory_name(const Place& place) {
    if (!place.known) return "Pageable";
    switch (place.kind) {
        case MemoryKind::device:
        case MemoryKind::retired:
        case MemoryKind::variable: return "Device";
        case MemoryKind::managed:
        case MemoryKind::managed_variable: return "Managed";
        case MemoryKind::pinned:
        case MemoryKind::registered: return "Pinned";
    }
    return "Unknown";
}

char side_letter(Side told, const Place& place) {
    if (told == Side::any) return place.is_on_device() ? 'D' : 'H';
    return told == Side::device ? 'D' : 'H';
}

std::string copy_name(musaMemcpyKind kind, const Place& destination, const Place& source) {
    std::string direction{side_letter(source_side(kind), source), 't', 'o',
                          side_letter(destination_side(kind), destination)};
    const bool between_devices = destination.is_on_device() && source.is_on_device() &&
                                 destination.device != source.device;
    if (between_devices) direction = "PtoP";
    return "Memcpy " + direction + " (" + memory_name(source) + " -> " + memory_name(destination) +
           ")";
}

// Larger ones are worth waking somebody to do them at once.
constexpr std::size_t least_urgent_bytes = 256 * 1024;

Start start_for(const Region& region) {
    return region.width * region.height >= least_urgent_bytes ? Start::now : Start::soon;
}

// Up to this size, the source of a copy from pageable memory is read during the call and the call
// does not wait, as CUDA documents.
constexpr std::size_t most_staged_bytes = 64 * 1024;

enum class Call { synchronous, asynchronous };

// In a graph: as often as that is launched. Memory of the host is read, and written, each time.
musaError_t add_copy(const Target& target, void* dst, const Region& to, const void* src,
                     const Region& from, const std::string& name) {
    const auto make = [=](const Target& lane) {
        ActivityOfWork activity(
            musa_sim_activity_copy, lane, [&] { return name; },
            [&](musa_sim_activity& facts) { facts.bytes = to.width * to.height; });
        return [=, activity = std::move(activity)]() mutable {
            activity.run([&] { copy_rows(dst, to, src, from); });
        };
    };
    return Captures::instance().add(target, musaGraphNodeTypeMemcpy, name,
                                    musa_sim::as_node_work(make));
}

musaError_t add_fill(const Target& target, void* dst, const Region& region, int value,
                     const std::string& name) {
    const auto make = [=](const Target& lane) {
        ActivityOfWork activity(
            musa_sim_activity_fill, lane, [&] { return name; },
            [&](musa_sim_activity& facts) { facts.bytes = region.width * region.height; });
        return [=, activity = std::move(activity)]() mutable {
            activity.run([&] { fill_rows(dst, region, value); });
        };
    };
    return Captures::instance().add(target, musaGraphNodeTypeMemset, name,
                                    musa_sim::as_node_work(make));
}

// The rules are those of "API synchronization behavior" in CUDA's manual: copies of the
// asynchronous form wait if pageable memory is involved, except for a small source; the
// synchronous form does not wait for copies within the device.
musaError_t copy(const Target& target, Call call, void* dst, const Region& to, const void* src,
                 const Region& from, musaMemcpyKind kind) {
    if (!is_copy_kind(kind)) return musaErrorInvalidMemcpyDirection;
    if (to.empty()) return musaSuccess;
    if (to.height > 1 && (to.width > to.pitch || from.width > from.pitch))
        return musaErrorInvalidPitchValue;
    Place destination, source;
    musaError_t error = check_range(dst, to.extent(), destination_side(kind), &destination);
    if (error == musaSuccess) error = check_range(src, from.extent(), source_side(kind), &source);
    if (error != musaSuccess) return error;

    if (musa_sim::is_captured(target))
        return add_copy(target, dst, to, src, from, copy_name(kind, destination, source));

    const bool within_device = destination.is_on_device() && source.is_on_device();
    const std::size_t bytes = to.width * to.height;
    const bool staged = source.is_pageable() && bytes <= most_staged_bytes;
    const bool awaited = call == Call::synchronous
                             ? !within_device
                             : destination.is_pageable() || (source.is_pageable() && !staged);
    ActivityOfWork activity(
        musa_sim_activity_copy, target, [&] { return copy_name(kind, destination, source); },
        [&](musa_sim_activity& facts) { facts.bytes = bytes; });
    if (awaited || !source.is_pageable()) {
        return enqueue(target, awaited ? Completion::awaited : Completion::not_awaited,
                       start_for(to), [=, activity = std::move(activity)]() mutable {
                           activity.run([&] { copy_rows(dst, to, src, from); });
                       });
    }
    const Region packed{from.width, from.width, from.height};
    std::vector<char> stage(bytes);
    copy_rows(stage.data(), packed, src, from);
    return enqueue(target, Completion::not_awaited, Start::soon,
                   [=, stage = std::move(stage), activity = std::move(activity)]() mutable {
                       activity.run([&] { copy_rows(dst, to, stage.data(), packed); });
                   });
}

musaError_t copy(const Target& target, Call call, void* dst, const void* src, std::size_t count,
                 musaMemcpyKind kind) {
    const Region line{count, count, 1};
    return copy(target, call, dst, line, src, line, kind);
}

// The synchronous form waits only if the host can see the memory.
musaError_t fill(const Target& target, Call call, void* dst, const Region& region, int value) {
    if (region.empty()) return musaSuccess;
    if (region.height > 1 && region.width > region.pitch) return musaErrorInvalidPitchValue;
    Place place;
    musaError_t error = check_range(dst, region.extent(), Side::device, &place);
    if (error != musaSuccess) return error;
    const auto name = [&] { return std::string("Memset (") + memory_name(place) + ")"; };
    if (musa_sim::is_captured(target)) return add_fill(target, dst, region, value, name());

    const bool awaited = call == Call::synchronous && !place.is_on_device();
    ActivityOfWork activity(
        musa_sim_activity_fill, target, name,
        [&](musa_sim_activity& facts) { facts.bytes = region.width * region.height; });
    return enqueue(target, awaited ? Completion::awaited : Completion::not_awaited,
                   start_for(region), [=, activity = std::move(activity)]() mutable {
                       activity.run([&] { fill_rows(dst, region, value); });
                   });
}

// The address and size of a device variable, entered into the table so that copies can be checked.
musaError_t find_symbol(const void* symbol, void** address, std::size_t* size) {
    musaError_t error =
        musa_sim::Registry::instance().find_variable(symbol, current_device(), address, size);
    if (error != musaSuccess) return error;
    MemoryTable::instance().add(*address, {*size, MemoryKind::variable, current_device()});
    return musaSuccess;
}

bool contains_range(std::size_t size, std::size_t offset, std::size_t count) {
    return offset <= size && count <= size - offset;
}

musaError_t copy_to_symbol(const Target& target, Call call, const void* symbol, const void* src,
                           std::size_t count, std::size_t offset, musaMemcpyKind kind) {
    void* address = nullptr;
    std::size_t size = 0;
    musaError_t error = find_symbol(symbol, &address, &size);
    if (error != musaSuccess) return error;
    if (!contains_range(size, offset, count)) return musaErrorInvalidValue;
    if (destination_side(kind) == Side::host) return musaErrorInvalidMemcpyDirection;
    return copy(target, call, static_cast<char*>(address) + offset, src, count, kind);
}

musaError_t copy_from_symbol(const Target& target, Call call, void* dst, const void* symbol,
                             std::size_t count, std::size_t offset, musaMemcpyKind kind) {
    void* address = nullptr;
    std::size_t size = 0;
    musaError_t error = find_symbol(symbol, &address, &size);
    if (error != musaSuccess) return error;
    if (!contains_range(size, offset, count)) return musaErrorInvalidValue;
    if (source_side(kind) == Side::host) return musaErrorInvalidMemcpyDirection;
    return copy(target, call, dst, static_cast<char*>(address) + offset, count, kind);
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
        return fill(target, Call::synchronous, devPtr, {count, count, 1}, value);
    });
}

musaError_t musaMemsetAsync(void* devPtr, int value, size_t count, musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return fill(target, Call::asynchronous, devPtr, {count, count, 1}, value);
    });
}

musaError_t musaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return fill(target, Call::synchronous, devPtr, {pitch, width, height}, value);
    });
}

musaError_t musaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                              musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return fill(target, Call::asynchronous, devPtr, {pitch, width, height}, value);
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
