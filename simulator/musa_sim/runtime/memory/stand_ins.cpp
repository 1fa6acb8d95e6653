#include "memory/stand_ins.h"

#include <sys/mman.h>

#include <iterator>

#include "base/host_memory.h"
#include "base/lifetime.h"

namespace musa_sim {

StandIns& StandIns::instance() {
    static StandIns& stand_ins = leaked<StandIns>();
    return stand_ins;
}

std::uintptr_t StandIns::first_page(std::uintptr_t memory, std::size_t size, int owner,
                                    unsigned pool) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = pages_.find(memory);
    if (known != pages_.end()) return known->second;
    const std::size_t bytes = (memory % page_size + size + page_size - 1) / page_size * page_size;
    void* pages =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return 0;
    const auto first = reinterpret_cast<std::uintptr_t>(pages);
    stand_ins_[first] = {memory, bytes, owner, pool};
    pages_[memory] = first;
    return first;
}

std::optional<StandIns::Found> StandIns::find(const void* pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto after = stand_ins_.upper_bound(address);
    if (after == stand_ins_.begin()) return std::nullopt;
    const auto& [first, stand_in] = *std::prev(after);
    if (address >= first + stand_in.page_bytes) return std::nullopt;
    return Found{stand_in.memory / page_size * page_size + (address - first), stand_in.owner, stand_in.pool};
}

void StandIns::remove(std::uintptr_t memory) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = pages_.find(memory);
    if (known == pages_.end()) return;
    const auto stand_in = stand_ins_.find(known->second);
    munmap(reinterpret_cast<void*>(stand_in->first), stand_in->second.page_bytes);
    stand_ins_.erase(stand_in);
    pages_.erase(known);
}

}  // namespace musa_sim
