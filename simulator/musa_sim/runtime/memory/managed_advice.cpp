#include "memory/managed_advice.h"

#include "base/host_memory.h"
#include "base/lifetime.h"

namespace musa_sim {

ManagedAdvice& ManagedAdvice::instance() {
    static ManagedAdvice& advice = leaked<ManagedAdvice>();
    return advice;
}

ManagedAdvice::Range ManagedAdvice::pages(const void* start, const void* begin, std::size_t size) {
    const auto origin = reinterpret_cast<std::uintptr_t>(start);
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(begin) - origin;
    return {origin + first / page_size * page_size,
            origin + (first + size + page_size - 1) / page_size * page_size};
}

// No part lies on both sides of the address any more.
void ManagedAdvice::split(std::uintptr_t at) {
    auto after = parts_.lower_bound(at);
    if (after == parts_.begin()) return;
    auto part = std::prev(after);
    if (part->second.end <= at) return;
    const Part rest = part->second;
    part->second.end = at;
    parts_[at] = rest;
}

// Parts without advice where there was none.
void ManagedAdvice::fill(const Range& range) {
    std::uintptr_t at = range.begin;
    while (at < range.end) {
        const auto next = parts_.lower_bound(at);
        if (next != parts_.end() && next->first == at) {
            at = next->second.end;
            continue;
        }
        const std::uintptr_t end = next == parts_.end() || next->first > range.end ? range.end : next->first;
        parts_[at] = {end, {}};
        at = end;
    }
}

void ManagedAdvice::note_memory(const void* begin, std::size_t size) {
    std::lock_guard<std::mutex> lock(mutex_);
    memory_[reinterpret_cast<std::uintptr_t>(begin)] = size;
}

void ManagedAdvice::forget(const void* begin) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = memory_.find(reinterpret_cast<std::uintptr_t>(begin));
    if (known == memory_.end()) return;
    const Range range = pages(begin, begin, known->second);
    split(range.begin);
    split(range.end);
    parts_.erase(parts_.lower_bound(range.begin), parts_.lower_bound(range.end));
    memory_.erase(known);
}

}  // namespace musa_sim
