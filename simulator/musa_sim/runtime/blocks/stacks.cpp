#include "blocks/stacks.h"

#include <sys/mman.h>

#include <atomic>

#include "base/host_memory.h"
#include "base/settings.h"

namespace musa_sim {
namespace {

// Stacks of equal alignment would put the hot frames of all threads into the same cache sets.
constexpr std::size_t stagger_step = 832;
constexpr std::size_t stagger_range = 16 * 1024;  // the least stack size is twice this

// Each guard page is one more memory mapping, and Linux gives a process 65530. Where hundreds of
// blocks run at the same time, the later ones have none.
constexpr int most_guards = 12000;
std::atomic<int> guards{0};

std::size_t mapping_size() { return page_size + settings().stack_size; }

}  // namespace

Stacks::~Stacks() {
    for (char* mapping : mappings_) munmap(mapping, mapping_size());
    guards -= guards_;
}

char* Stacks::top(std::size_t index) {
    while (mappings_.size() <= index) {
        void* memory = mmap(nullptr, mapping_size(), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (memory == MAP_FAILED) return nullptr;
        if (guards < most_guards) {
            ++guards;
            ++guards_;
            if (mprotect(memory, page_size, PROT_NONE) != 0) {
                munmap(memory, mapping_size());
                return nullptr;
            }
        }
        mappings_.push_back(static_cast<char*>(memory));
    }
    return mappings_[index] + mapping_size() - index * stagger_step % stagger_range;
}

bool Stacks::is_guard(const void* address) const {
    const char* wanted = static_cast<const char*>(address);
    for (const char* mapping : mappings_) {
        if (wanted >= mapping && wanted < mapping + page_size) return true;
    }
    return false;
}

}  // namespace musa_sim
