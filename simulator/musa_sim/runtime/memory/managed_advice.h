// Advice of the program about managed and pageable memory, by pages. It has no effect on the simulated device; the
// program can query it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "base/api.h"

namespace musa_sim {

struct Advice {
    bool read_mostly = false;
    int preferred = musaInvalidDeviceId;
    std::set<int> accessed_by{};
    int prefetched = musaInvalidDeviceId;
};

class ManagedAdvice {
public:
    static ManagedAdvice& instance();

    // change(advice) for each part of the pages that the range touches. Pages are counted from `start`, where the
    // allocation begins.
    template <class Change>
    void change(const void* start, const void* begin, std::size_t size, Change&& change) {
        std::lock_guard<std::mutex> lock(mutex_);
        const Range range = pages(start, begin, size);
        split(range.begin);
        split(range.end);
        fill(range);
        for (auto part = parts_.find(range.begin); part != parts_.end() && part->first < range.end; ++part)
            change(part->second.advice);
    }
    // visit(advice) for each part of the range; parts without advice are one without any.
    template <class Visit>
    void visit(const void* start, const void* begin, std::size_t size, Visit&& visit) {
        std::lock_guard<std::mutex> lock(mutex_);
        const Range range = pages(start, begin, size);
        std::uintptr_t at = range.begin;
        auto part = parts_.upper_bound(at);
        if (part != parts_.begin()) --part;
        for (; part != parts_.end() && part->first < range.end; ++part) {
            if (part->second.end <= at) continue;
            if (part->first > at) visit(Advice{});
            visit(part->second.advice);
            at = part->second.end;
        }
        if (at < range.end) visit(Advice{});
    }
    // The memory that began here is gone.
    void forget(const void* begin);
    // How large the memory is whose advice begins in it, so that forget() knows.
    void note_memory(const void* begin, std::size_t size);

    std::mutex& mutex() { return mutex_; }

private:
    struct Range {
        std::uintptr_t begin;
        std::uintptr_t end;
    };
    struct Part {
        std::uintptr_t end;
        Advice advice;
    };

    static Range pages(const void* start, const void* begin, std::size_t size);
    void split(std::uintptr_t at);
    void fill(const Range& range);

    std::mutex mutex_;
    std::map<std::uintptr_t, Part> parts_;
    std::map<std::uintptr_t, std::size_t> memory_;
};

}  // namespace musa_sim
