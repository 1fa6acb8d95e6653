#include "checks/sync_checks.h"

#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "base/findings.h"
#include "blocks/warp_results.h"
#include "blocks/wording.h"

namespace musa_sim {
namespace {

std::string place_of(const Thread& thread) {
    return thread.place ? thread.place : "lines that only code compiled with the check can tell";
}

std::string block_name(const Launch& launch) {
    return std::string("    kernel ") + launch.kernel_name + ", block " +
           index_text(__musa_sim_context.block_idx);
}

// The calls at which threads wait, if they are not all the same.
struct DifferentCalls {
    std::string text;    // "16 at a.mu:3:5, 16 at a.mu:5:5"
    std::string places;  // "a.mu:3:5 and a.mu:5:5": what makes it one defect, however many came
};

std::optional<DifferentCalls> different_calls(const ThreadQueue& waiting) {
    std::map<const void*, std::pair<std::string, int>> calls;
    for (const Thread* thread = waiting.front(); thread; thread = thread->next) {
        auto& [place, count] = calls[thread->site];
        place = place_of(*thread);
        ++count;
    }
    if (calls.size() < 2) return std::nullopt;
    std::map<std::string, int> by_place;
    DifferentCalls result;
    for (const auto& [site, call] : calls) by_place[call.first] += call.second;
    for (const auto& [place, count] : by_place) {
        result.text += (result.text.empty() ? "" : ", ") + std::to_string(count) + " at " + place;
        result.places += (result.places.empty() ? "" : " and ") + place;
    }
    if (by_place.size() == 1) {
        result.text.clear();
        for (const auto& [site, call] : calls)
            result.text += (result.text.empty() ? "" : " and ") + std::to_string(call.second);
        result.text += " threads, at " + result.places;
    }
    return result;
}

void tell(const Launch& launch, const std::string& place, const std::string& headline,
          const std::string& detail) {
    if (!Findings::instance().add("sync", place)) return;
    Findings::instance().tell("sync: " + headline, block_name(launch) + detail + "\n");
}

}  // namespace

void check_block_barrier(Scheduler& scheduler) {
    const ThreadQueue& waiting = scheduler.block_barrier().waiting;
    const Thread& first = *waiting.front();
    if (const auto calls = different_calls(waiting)) {
        tell(scheduler.launch(), calls->places,
             "threads of a block wait at different barriers: " + calls->text, "");
    }
    const std::uint32_t all = scheduler.launch().threads_per_block();
    if (waiting.size() < all) {
        const std::string place = place_of(first);
        tell(scheduler.launch(), place,
             "a barrier that not all threads of the block come to, at " + place,
             ": " + counted(waiting.size(), "thread") + " came, " +
                 std::to_string(all - waiting.size()) + " had exited");
    }
}

void check_grid_barrier(Scheduler& scheduler, std::uint64_t came) {
    const std::uint64_t all = scheduler.launch().block_count();
    const std::string place = place_of(scheduler.current());
    tell(scheduler.launch(), place,
         "sync() of the grid that not all blocks come to, at " + place,
         ": " + counted(came, "block") + " came, " + std::to_string(all - came) + " had exited");
}

// CUDA asks of __syncwarp and its kin that all threads of the mask come that have not exited, but of
// the collectives of a cooperative group that all of its threads do.
static void check_whole_group(Scheduler& scheduler, const WarpGroup& group) {
    const auto lanes = static_cast<std::uint32_t>(__builtin_popcount(group.mask));
    const std::uint32_t came = group.waiting.size();
    if (group.operation != WarpOperation::group_sync || came >= lanes) return;
    const std::string place = place_of(*group.waiting.front());
    tell(scheduler.launch(), place,
         "sync() of a group that not all threads of the group come to, at " + place,
         ": " + counted(came, "thread") + " came, " + std::to_string(lanes - came) +
             " had exited");
}

void check_warp_group(Scheduler& scheduler, const WarpGroup& group) {
    check_whole_group(scheduler, group);
    const auto calls = different_calls(group.waiting);
    if (!calls) return;
    char mask[32];
    std::snprintf(mask, sizeof mask, "0x%08x", group.mask);
    tell(scheduler.launch(), calls->places,
         "lanes of a warp meet in different calls of one operation: " + calls->text,
         ", mask " + std::string(mask) + ": each branch must name its own lanes");
}

void check_shuffle_sources(Scheduler& scheduler, const WarpGroup& group) {
    const Participants participants(group, scheduler.warp_width());
    for (const Thread* thread = group.waiting.front(); thread; thread = thread->next) {
        const std::uint32_t lane = scheduler.lane_of(*thread);
        const std::uint32_t source = shuffle_source(*thread, lane);
        if (participants.lane[source]) continue;
        const std::string place = place_of(*thread);
        tell(scheduler.launch(), place,
             "a shuffle reads from a lane that takes no part, at " + place,
             ": lane " + std::to_string(lane) + " reads from lane " + std::to_string(source) +
                 ", which has exited or is not in the mask");
    }
}

}  // namespace musa_sim
