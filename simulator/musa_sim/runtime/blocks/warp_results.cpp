// Fibers only; split_kernels.cpp computes the same results for split kernels, the usual case.
#include "blocks/warp_results.h"

namespace musa_sim {
namespace {

std::uint64_t result_of(const WarpGroup& group, const Participants& participants,
                        const Thread& thread, std::uint32_t lane) {
    auto is_true = [](const Thread& other) { return other.value != 0; };
    auto is_false = [](const Thread& other) { return other.value == 0; };
    auto is_equal = [&](const Thread& other) { return other.value == thread.value; };
    auto takes_part = [](const Thread&) { return true; };
    switch (group.operation) {
        case WarpOperation::sync:
        case WarpOperation::group_sync: return 0;
        case WarpOperation::shuffle: {
            // Reading from a lane that does not take part is undefined; it gives the reader's own
            // value.
            const Thread* source = participants.lane[shuffle_source(thread, lane)];
            return source ? source->value : thread.value;
        }
        case WarpOperation::ballot: return participants.bits(lane, is_true);
        case WarpOperation::vote_all: return participants.all(is_true);
        case WarpOperation::vote_any: return !participants.all(is_false);
        case WarpOperation::match_any: return participants.bits(lane, is_equal);
        case WarpOperation::match_all:
            return participants.all(is_equal) ? participants.bits(lane, takes_part) : 0;
        case WarpOperation::converge:
        case WarpOperation::together: return participants.bits(lane, takes_part);
    }
    return 0;
}

}  // namespace

void set_results(const WarpGroup& group, std::uint32_t warp_width) {
    const Participants participants(group, warp_width);
    for (Thread* thread = group.waiting.front(); thread; thread = thread->next) {
        thread->result =
            result_of(group, participants, *thread, thread->rank & (warp_width - 1));
    }
}

}  // namespace musa_sim
