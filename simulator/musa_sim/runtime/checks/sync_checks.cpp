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

std::string location_of(const Thread& thread) {
    return thread.location ? thread.location : "lines that only code compiled with the check can tell";
}

std::string block_name(const Launch& launch) {
    return std::string("    kernel ") + launch.kernel_name + ", block " +
           index_text(__musa_sim_context.block_idx);
}

// The calls at which threads wait, if they differ.
struct DifferentCalls {
    std::string text;    // "16 at a.mu:3:5, 16 at a.mu:5:5"
    std::string locations;  // "a.mu:3:5 and a.mu:5:5": identifies the defect, whatever the numbers of threads
};

std::optional<DifferentCalls> different_calls(const ThreadQueue& waiting) {
    std::map<const void*, std::pair<std::string, int>> calls;
    for (const Thread* thread = waiting.front(); thread; thread = thread->next) {
        auto& [location, count] = calls[thread->site];
        location = location_of(*thread);
        ++count;
    }
    if (calls.size() < 2) return std::nullopt;
    std::map<std::string, int> by_location;
    DifferentCalls result;
    for (const auto& [site, call] : calls) by_location[call.first] += call.second;
    for (const auto& [location, count] : by_location) {
        result.text += (result.text.empty() ? "" : ", ") + std::to_string(count) + " at " + location;
        result.locations += (result.locations.empty() ? "" : " and ") + location;
    }
    if (by_location.size() == 1) {
        result.text.clear();
        for (const auto& [site, call] : calls)
            result.text += (result.text.empty() ? "" : " and ") + std::to_string(call.second);
        result.text += " threads, at " + result.locations;
    }
    return result;
}

void report(const Launch& launch, const std::string& location, const std::string& headline,
          const std::string& detail) {
    if (!Findings::instance().add("sync", location)) return;
    Findings::instance().report("sync: " + headline, block_name(launch) + detail + "\n");
}

}  // namespace

void check_block_barrier(Scheduler& scheduler) {
    const ThreadQueue& waiting = scheduler.block_barrier().waiting;
    const Thread& first = *waiting.front();
    if (const auto calls = different_calls(waiting)) {
        report(scheduler.launch(), calls->locations,
             "threads of a block wait at different barriers: " + calls->text, "");
    }
    const std::uint32_t all = scheduler.launch().threads_per_block();
    if (waiting.size() < all) {
        const std::string location = location_of(first);
        report(scheduler.launch(), location,
             "a barrier that not all threads of the block come to, at " + location,
             ": " + counted(waiting.size(), "thread") + " came, " +
                 std::to_string(all - waiting.size()) + " had exited");
    }
}

void check_grid_barrier(Scheduler& scheduler, std::uint64_t arrived) {
    const std::uint64_t all = scheduler.launch().block_count();
    const std::string location = location_of(scheduler.current());
    report(scheduler.launch(), location,
         "sync() of the grid that not all blocks come to, at " + location,
         ": " + counted(arrived, "block") + " came, " + std::to_string(all - arrived) + " had exited");
}

// __syncwarp and the other *_sync functions need every non-exited thread of the mask to arrive; collectives of a
// cooperative group need every thread of the group.
static void check_whole_group(Scheduler& scheduler, const WarpGroup& group) {
    const auto lanes = static_cast<std::uint32_t>(__builtin_popcount(group.mask));
    const std::uint32_t arrived = group.waiting.size();
    if (group.operation != WarpOperation::group_sync || arrived >= lanes) return;
    const std::string location = location_of(*group.waiting.front());
    report(scheduler.launch(), location,
         "sync() of a group that not all threads of the group come to, at " + location,
         ": " + counted(arrived, "thread") + " came, " + std::to_string(lanes - arrived) +
             " had exited");
}

void check_warp_group(Scheduler& scheduler, const WarpGroup& group) {
    check_whole_group(scheduler, group);
    const auto calls = different_calls(group.waiting);
    if (!calls) return;
    char mask[32];
    std::snprintf(mask, sizeof mask, "0x%08x", group.mask);
    report(scheduler.launch(), calls->locations,
         "lanes of a warp meet in different calls of one operation: " + calls->text,
         ", mask " + std::string(mask) + ": each branch must name its own lanes");
}

void check_shuffle_sources(Scheduler& scheduler, const WarpGroup& group) {
    const Participants participants(group, scheduler.warp_width());
    for (const Thread* thread = group.waiting.front(); thread; thread = thread->next) {
        const std::uint32_t lane = scheduler.lane_of(*thread);
        const std::uint32_t source = shuffle_source(*thread, lane);
        if (participants.lane[source]) continue;
        const std::string location = location_of(*thread);
        report(scheduler.launch(), location,
             "a shuffle reads from a lane that takes no part, at " + location,
             ": lane " + std::to_string(lane) + " reads from lane " + std::to_string(source) +
                 ", which has exited or is not in the mask");
    }
}

}  // namespace musa_sim
