// The results of the threads of a complete group of a warp, for kernels whose threads are fibers. SplitBlockRunner
// (split_kernels.cpp) has those of split kernels: change both.
#pragma once

#include <cstdint>

#include "blocks/threads.h"
#include "blocks/warp_operations.h"

namespace musa_sim {

// The threads of a group by lane; lanes that do not take part are nullptr.
struct Participants {
    Thread* lane[max_warp_width] = {};

    Participants(const WarpGroup& group, std::uint32_t warp_width) {
        for (Thread* thread = group.waiting.front(); thread; thread = thread->next) {
            lane[thread->rank & (warp_width - 1)] = thread;
        }
    }

    // A bit for each of the 32 lanes around `around` for which the test holds.
    template <class Test>
    std::uint32_t bits(std::uint32_t around, Test&& test) const {
        const std::uint32_t first = around & ~(mask_width - 1);
        std::uint32_t result = 0;
        for (std::uint32_t i = 0; i < mask_width; ++i) {
            const Thread* thread = lane[first + i];
            if (thread && test(*thread)) result |= 1u << i;
        }
        return result;
    }

    template <class Test>
    bool all(Test&& test) const {
        for (const Thread* thread : lane) {
            if (thread && !test(*thread)) return false;
        }
        return true;
    }
};

// The lane that a thread at a shuffle reads.
inline std::uint32_t shuffle_source(const Thread& thread, std::uint32_t lane) {
    return shuffle_source(static_cast<ShuffleKind>(thread.kind),
                          static_cast<std::uint32_t>(thread.argument), thread.segment, lane);
}

// Set the result of every waiting thread.
void set_results(const WarpGroup& group, std::uint32_t warp_width);

}  // namespace musa_sim
