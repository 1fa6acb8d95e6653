#include "streams/copies.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/active_checks.h"
#include "base/devices.h"
#include "base/findings.h"
#include "memory/guarded_memory.h"
#include "memory/memory_table.h"
#include "streams/activity.h"
#include "streams/capture.h"

namespace musa_sim {
namespace {

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

// The memory that a copy or fill touches.
struct MemoryRange {
    bool known = false;  // to the table: not plain memory of the host
    MemoryKind kind{};
    int device = -1;  // of memory of a device

    // Page-locked memory and device memory can be copied while the program runs on.
    bool is_pageable() const { return !known; }
    bool is_on_device() const {
        return known && (kind == MemoryKind::device || kind == MemoryKind::mapped ||
                         kind == MemoryKind::variable);
    }
};

// The copy is refused in any case; the check reports which allocation it overruns.
void report_overrun(const void* end, std::size_t size) {
    if (!is_checking(check_memory)) return;
    const std::string caller = CallStack::here().text();
    Findings& findings = Findings::instance();
    if (!findings.add("memory", caller)) return;
    findings.report("memory: a copy or fill of " + std::to_string(size) + " bytes, out of bounds",
                  GuardedMemory::instance().describe(end) + "    in " + caller + "\n");
}

// The host side accepts every kind of memory: managed, pinned and registered memory belong to both
// sides.
musaError_t check_range(const void* pointer, std::size_t size, Side side, MemoryRange* range) {
    if (!pointer) return musaErrorInvalidValue;
    Allocation allocation;
    const char* begin = nullptr;
    range->known = MemoryTable::instance().find(pointer, &allocation, &begin);
    if (!range->known) return side == Side::device ? musaErrorInvalidValue : musaSuccess;
    range->kind = allocation.kind;
    range->device = allocation.device;
    if (allocation.kind == MemoryKind::retired) return musaErrorInvalidValue;
    // Registered memory is a part of something larger that the host owns.
    if (allocation.kind == MemoryKind::registered) return musaSuccess;
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(pointer) - begin);
    if (size <= allocation.size - offset) return musaSuccess;
    report_overrun(begin + allocation.size, size);
    return musaErrorInvalidValue;
}

void copy_rows(void* dst, const Region& to, const void* src, const Region& from) {
    const DeviceWork work;
    for (std::size_t slice = 0; slice < to.depth; ++slice) {
        for (std::size_t row = 0; row < to.height; ++row) {
            std::memmove(static_cast<char*>(dst) + slice * to.slice + row * to.pitch,
                         static_cast<const char*>(src) + slice * from.slice + row * from.pitch,
                         to.width);
        }
    }
}

void fill_row(char* row, std::size_t width, const Pattern& pattern) {
    if (pattern.bytes == 1) {
        std::memset(row, static_cast<int>(pattern.value), width);
    } else {
        // The value's first bytes: machines that the simulator runs on have those of lower weight first.
        for (std::size_t at = 0; at < width; at += pattern.bytes)
            std::memcpy(row + at, &pattern.value, pattern.bytes);
    }
}

void fill_rows(void* dst, const Region& region, const Pattern& pattern) {
    const DeviceWork work;
    for (std::size_t slice = 0; slice < region.depth; ++slice) {
        for (std::size_t row = 0; row < region.height; ++row)
            fill_row(static_cast<char*>(dst) + slice * region.slice + row * region.pitch, region.width, pattern);
    }
}

musa_sim_memory memory_of(const MemoryRange& range) {
    if (!range.known) return musa_sim_memory_pageable;
    switch (range.kind) {
        case MemoryKind::device:
        case MemoryKind::mapped:
        case MemoryKind::retired:
        case MemoryKind::variable: return musa_sim_memory_device;
        case MemoryKind::managed:
        case MemoryKind::managed_variable: return musa_sim_memory_managed;
        case MemoryKind::pinned:
        case MemoryKind::registered: return musa_sim_memory_pinned;
    }
    return musa_sim_memory_none;
}

// For profilers, in the words that PyTorch uses for CUDA: "Memcpy HtoD (Pageable -> Device)".
const char* memory_name(musa_sim_memory memory) {
    switch (memory) {
        case musa_sim_memory_pageable: return "Pageable";
        case musa_sim_memory_pinned: return "Pinned";
        case musa_sim_memory_device: return "Device";
        case musa_sim_memory_managed: return "Managed";
        case musa_sim_memory_none: break;
    }
    return "Unknown";
}

musa_sim_copy_end end_of(Side named, const MemoryRange& range) {
    const bool is_device = named == Side::any ? range.is_on_device() : named == Side::device;
    return {memory_of(range), is_device, range.is_on_device() ? range.device : -1};
}

MemoryWork copy_work(musaMemcpyKind kind, const MemoryRange& destination, const MemoryRange& source) {
    MemoryWork work{{}, end_of(source_side(kind), source), end_of(destination_side(kind), destination)};
    const auto letter = [](const musa_sim_copy_end& end) { return end.is_device ? 'D' : 'H'; };
    std::string direction{letter(work.from), 't', 'o', letter(work.to)};
    if (work.from.device >= 0 && work.to.device >= 0 && work.from.device != work.to.device) direction = "PtoP";
    work.name = "Memcpy " + direction + " (" + memory_name(work.from.memory) + " -> " + memory_name(work.to.memory) + ")";
    return work;
}

MemoryWork fill_work(const MemoryRange& range, const Pattern& pattern) {
    const musa_sim_copy_end to = end_of(Side::device, range);
    return {std::string("Memset (") + memory_name(to.memory) + ")", {}, to, pattern.value};
}

// work(): what is called only with a profiler.
template <class Work>
ActivityOfWork activity_of(musa_sim_activity_kind kind, const Target& target, std::size_t bytes, Work&& work) {
    if (!Activities::recording()) return {};
    const MemoryWork& seen = work();
    return ActivityOfWork(
        kind, target, [&] { return seen.name; },
        [&](musa_sim_activity& facts) {
            facts.bytes = bytes;
            facts.from = seen.from;
            facts.to = seen.to;
            facts.value = seen.value;
        });
}

// For larger ones it pays to wake a thread at once.
constexpr std::size_t least_urgent_bytes = 256 * 1024;

Start start_for(const Region& region) {
    return region.bytes() >= least_urgent_bytes ? Start::now : Start::soon;
}

// Up to this size, the source of a copy from pageable memory is read during the call and the call
// does not wait, as CUDA documents.
constexpr std::size_t most_staged_bytes = 64 * 1024;

}  // namespace

bool is_copy_kind(musaMemcpyKind kind) {
    return kind >= musaMemcpyHostToHost && kind <= musaMemcpyDefault;
}

bool is_from_host(musaMemcpyKind kind) { return source_side(kind) == Side::host; }

bool is_to_host(musaMemcpyKind kind) { return destination_side(kind) == Side::host; }

namespace {

struct Ends {
    MemoryRange destination, source;
};

// Nothing is set for a copy of nothing.
musaError_t check_copy(void* dst, const Region& to, const void* src, const Region& from, musaMemcpyKind kind,
                       Ends* ends) {
    if (!is_copy_kind(kind)) return musaErrorInvalidMemcpyDirection;
    if (to.empty()) return musaSuccess;
    if (!to.is_valid() || !from.is_valid()) return musaErrorInvalidPitchValue;
    const musaError_t error = check_range(dst, to.extent(), destination_side(kind), &ends->destination);
    return error != musaSuccess ? error : check_range(src, from.extent(), source_side(kind), &ends->source);
}

musaError_t check_fill(void* dst, const Region& region, const Pattern& pattern, MemoryRange* range) {
    if (region.empty()) return musaSuccess;
    const auto at = reinterpret_cast<std::uintptr_t>(dst);
    if (at % pattern.bytes != 0 || region.pitch % pattern.bytes != 0) return musaErrorInvalidValue;
    if (!region.is_valid()) return musaErrorInvalidPitchValue;
    return check_range(dst, region.extent(), Side::device, range);
}

}  // namespace

std::unique_ptr<Work> CopyNode::make(const Target& target) const {
    ActivityOfWork activity =
        activity_of(musa_sim_activity_copy, target, to_.bytes(), [&]() -> const MemoryWork& { return work_; });
    // Memory of the host is read, and written, in each launch.
    return as_work([dst = dst_, to = to_, src = src_, from = from_, activity = std::move(activity)]() mutable {
        activity.run([&] { copy_rows(dst, to, src, from); });
    });
}

musaMemcpy3DParms CopyNode::parameters() const {
    if (given_) return *given_;
    const auto linear = [](const void* begin, const Region& region) {
        return musaPitchedPtr{const_cast<void*>(begin), region.pitch, region.width, region.height};
    };
    musaMemcpy3DParms parameters{};
    parameters.srcPtr = linear(src_, from_);
    parameters.dstPtr = linear(dst_, to_);
    parameters.extent = {to_.width, to_.height, to_.depth};
    parameters.kind = kind_;
    return parameters;
}

std::unique_ptr<Work> FillNode::make(const Target& target) const {
    ActivityOfWork activity =
        activity_of(musa_sim_activity_fill, target, region_.bytes(), [&]() -> const MemoryWork& { return work_; });
    return as_work([dst = dst_, region = region_, pattern = pattern_, activity = std::move(activity)]() mutable {
        activity.run([&] { fill_rows(dst, region, pattern); });
    });
}

musaMemsetParams FillNode::parameters() const {
    return {dst_,          region_.pitch, pattern_.value, static_cast<unsigned>(pattern_.bytes),
            region_.width / pattern_.bytes, region_.height};
}

musaError_t make_copy_node(void* dst, const Region& to, const void* src, const Region& from, musaMemcpyKind kind,
                           std::shared_ptr<CopyNode>* made) {
    Ends ends;
    const musaError_t error = check_copy(dst, to, src, from, kind, &ends);
    if (error != musaSuccess) return error;
    *made = std::make_shared<CopyNode>(dst, to, src, from, kind, copy_work(kind, ends.destination, ends.source));
    return musaSuccess;
}

musaError_t make_fill_node(void* dst, const Region& region, const Pattern& pattern,
                           std::shared_ptr<FillNode>* made) {
    MemoryRange range;
    const musaError_t error = check_fill(dst, region, pattern, &range);
    if (error != musaSuccess) return error;
    *made = std::make_shared<FillNode>(dst, region, pattern, fill_work(range, pattern));
    return musaSuccess;
}

// The rules are those of "API synchronization behavior" in CUDA's manual: copies of the
// asynchronous form wait if pageable memory is involved, except for a small source; the
// synchronous form does not wait for copies within the device.
musaError_t copy(const Target& target, Call call, void* dst, const Region& to, const void* src,
                 const Region& from, musaMemcpyKind kind) {
    Ends ends;
    const musaError_t error = check_copy(dst, to, src, from, kind, &ends);
    if (error != musaSuccess || to.empty()) return error;
    const MemoryRange& destination = ends.destination;
    const MemoryRange& source = ends.source;

    if (is_captured(target)) {
        const MemoryWork work = copy_work(kind, destination, source);
        return Captures::instance().add(target, musaGraphNodeTypeMemcpy, work.name,
                                        std::make_shared<CopyNode>(dst, to, src, from, kind, work));
    }

    const bool within_device = destination.is_on_device() && source.is_on_device();
    const std::size_t bytes = to.bytes();
    const bool staged = source.is_pageable() && bytes <= most_staged_bytes;
    const bool awaited = call == Call::synchronous
                             ? !within_device
                             : destination.is_pageable() || (source.is_pageable() && !staged);
    ActivityOfWork activity = activity_of(musa_sim_activity_copy, target, bytes,
                                          [&] { return copy_work(kind, destination, source); });
    if (awaited || !source.is_pageable()) {
        return enqueue(target, awaited ? Completion::awaited : Completion::not_awaited,
                       start_for(to), [=, activity = std::move(activity)]() mutable {
                           activity.run([&] { copy_rows(dst, to, src, from); });
                       });
    }
    const Region packed{from.width, from.width, from.height, from.width * from.height, from.depth};
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
musaError_t fill(const Target& target, Call call, void* dst, const Region& region, const Pattern& pattern) {
    MemoryRange range;
    const musaError_t error = check_fill(dst, region, pattern, &range);
    if (error != musaSuccess || region.empty()) return error;
    if (is_captured(target)) {
        const MemoryWork work = fill_work(range, pattern);
        return Captures::instance().add(target, musaGraphNodeTypeMemset, work.name,
                                        std::make_shared<FillNode>(dst, region, pattern, work));
    }

    const bool awaited = call == Call::synchronous && !range.is_on_device();
    ActivityOfWork activity =
        activity_of(musa_sim_activity_fill, target, region.bytes(), [&] { return fill_work(range, pattern); });
    return enqueue(target, awaited ? Completion::awaited : Completion::not_awaited,
                   start_for(region), [=, activity = std::move(activity)]() mutable {
                       activity.run([&] { fill_rows(dst, region, pattern); });
                   });
}

}  // namespace musa_sim
