#include "sync_checks.h"

#include <cstdio>
#include <map>
#include <string>

#include "findings.h"

namespace musa_sim {
namespace {

std::string place_of(const Thread& thread) {
    return thread.place ? thread.place : "a line that only code compiled with the check can tell";
}

std::string block_name(const Launch& launch) {
    const auto& index = __musa_sim_context.block_idx;
    return std::string("    kernel ") + launch.kernel_name + ", block (" +
           std::to_string(index[0]) + "," + std::to_string(index[1]) + "," +
           std::to_string(index[2]) + ")";
}

std::string count_of(std::uint32_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// The calls at which the threads wait, if they are not all the same: "16 at a.mu:3:5, 16 at a.mu:5:5".
std::string different_calls(const ThreadQueue& waiting) {
    std::map<const void*, std::pair<std::string, int>> calls;
    for (const Thread* thread = waiting.front(); thread; thread = thread->next) {
        auto& [place, count] = calls[thread->site];
        place = place_of(*thread);
        ++count;
    }
    if (calls.size() < 2) return "";
    std::map<std::string, int> by_place;
    for (const auto& [site, call] : calls) by_place[call.first] += call.second;
    std::string text;
    for (const auto& [place, count] : by_place) {
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " at " + place;
    }
    return text;
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
    const std::string calls = different_calls(waiting);
    if (!calls.empty()) {
        tell(scheduler.launch(), calls, "threads of a block wait at different barriers: " + calls,
             "");
    }
    const std::uint32_t all = scheduler.launch().threads_per_block();
    if (waiting.size() < all) {
        const std::string place = place_of(first);
        tell(scheduler.launch(), place,
             "a barrier that not all threads of the block come to, at " + place,
             ": " + count_of(waiting.size(), "thread") + " came, " +
                 std::to_string(all - waiting.size()) + " had exited");
    }
}

void check_warp_group(Scheduler& scheduler, const WarpGroup& group) {
    const std::string calls = different_calls(group.waiting);
    if (calls.empty()) return;
    char mask[32];
    std::snprintf(mask, sizeof mask, "0x%08x", group.mask);
    tell(scheduler.launch(), calls,
         "lanes of a warp meet in different calls of one operation: " + calls,
         ", mask " + std::string(mask) + ": each branch must name its own lanes");
}

void note_foreign_source(Scheduler& scheduler, const Thread& reader, std::uint32_t source) {
    const std::string place = place_of(reader);
    tell(scheduler.launch(), place, "a shuffle reads from a lane that takes no part, at " + place,
         ": lane " + std::to_string(scheduler.lane_of(reader)) + " reads from lane " +
             std::to_string(source) + ", which has exited or is not in the mask");
}

}  // namespace musa_sim
