// Runs a block of a kernel that mcc has split at its suspend points, the operations where its threads
// wait (musa_sim/mcc/passes/coroutines.py), in loops over its threads.
//
// A thread that reaches a suspend point leaves its number and the operands in the mailbox, and returns.
// A resume block is a function that runs several threads from one suspend point to their next. A
// warp runs until all its lanes have exited or wait for the block; then the next warp does. Usually
// all lanes of a warp wait at the same operation and name each other in the mask: then one loop
// computes all their results. Everything else goes the slow way, lane by lane, with the semantics of
// collectives.cpp.
#pragma GCC optimize("O3")
#include <emmintrin.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/device_abi.h"
#include "base/lifetime.h"
#include "blocks/device_errors.h"
#include "blocks/exit_warnings.h"
#include "blocks/fault_reports.h"
#include "blocks/lane_work.h"
#include "blocks/scheduler.h"
#include "blocks/warp_operations.h"
#include "blocks/wording.h"

namespace musa_sim {
namespace {

constexpr std::uint8_t exited = 0;  // in `points`; else the number of the suspend point, from 1

bool is_of_warp(SuspendOperation operation) { return operation >= SuspendOperation::sync; }
bool is_of_block(SuspendOperation operation) { return operation < SuspendOperation::step; }

const char* name_of(const SuspendPoint& point) {
    if (point.operation == SuspendOperation::together) return "a matrix instruction";
    if (point.own_lanes) return "a collective of a group of lanes";
    switch (point.operation) {
        case SuspendOperation::barrier:
        case SuspendOperation::barrier_count:
        case SuspendOperation::barrier_all:
        case SuspendOperation::barrier_any: return "__syncthreads";
        case SuspendOperation::step: return "nothing";
        case SuspendOperation::sync:
        case SuspendOperation::group_sync: return "__syncwarp";
        case SuspendOperation::shuffle: return "__shfl_sync";
        case SuspendOperation::ballot: return "__ballot_sync";
        case SuspendOperation::vote_all: return "__all_sync";
        case SuspendOperation::vote_any: return "__any_sync";
        case SuspendOperation::match_any: return "__match_any_sync";
        case SuspendOperation::match_all: return "__match_all_sync";
        case SuspendOperation::converge: return "__activemask";
        case SuspendOperation::together: break;
    }
    return "";
}

template <class T>
bool all_equal(const T* values, std::uint32_t count) {
    T difference = 0;
    for (std::uint32_t i = 0; i < count; ++i) difference |= values[i] ^ values[0];
    return difference == 0;
}

// A bit for each of 32 elements that are equal to a value.
std::uint32_t equal_bits(const std::uint8_t* elements, std::uint8_t value) {
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(value));
    auto half = [&](int at) {
        const __m128i found = _mm_loadu_si128(reinterpret_cast<const __m128i*>(elements + at));
        return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(found, wanted)));
    };
    return half(0) | half(16) << 16;
}
std::uint32_t equal_bits(const std::uint32_t* elements, std::uint32_t value) {
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(value));
    std::uint32_t bits = 0;
    for (unsigned at = 0; at < mask_width; at += 4) {
        const __m128i found = _mm_loadu_si128(reinterpret_cast<const __m128i*>(elements + at));
        const __m128i equal = _mm_cmpeq_epi32(found, wanted);
        bits |= static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(equal))) << at;
    }
    return bits;
}
std::uint32_t equal_bits(const std::uint64_t* elements, std::uint64_t value) {
    const __m128i wanted = _mm_set1_epi64x(static_cast<long long>(value));
    std::uint32_t bits = 0;
    for (unsigned at = 0; at < mask_width; at += 2) {
        const __m128i found = _mm_loadu_si128(reinterpret_cast<const __m128i*>(elements + at));
        const __m128i halves = _mm_cmpeq_epi32(found, wanted);
        const __m128i equal = _mm_and_si128(halves, _mm_shuffle_epi32(halves, 0xb1));
        bits |= static_cast<std::uint32_t>(_mm_movemask_pd(_mm_castsi128_pd(equal))) << at;
    }
    return bits;
}

// The largest alignment of a frame (mcc's block_drivers.py), whose vectors are loaded as aligned ones.
struct alignas(64) FrameLine {
    char bytes[64];
};

constexpr std::size_t lines_of(std::size_t bytes) {
    return (bytes + sizeof(FrameLine) - 1) / sizeof(FrameLine);
}

class SplitBlockRunner {
public:
    SplitBlockRunner(const SplitKernel& kernel, void** arguments, Scheduler& scheduler, char* frames,
             WarpMailbox& mailbox)
        : kernel_(kernel),
          arguments_(arguments),
          scheduler_(scheduler),
          frames_(frames),
          mailbox_(mailbox),
          thread_count_(scheduler.launch().threads_per_block()),
          width_(__musa_sim_context.warp_size),
          batch_(kernel.has_warp_operations ? width_ : thread_count_) {}

    void run() {
        if (kernel_.plain_loop) {
            start(0, 1);
            if (mailbox_.points[0] == exited) return kernel_.plain_loop(arguments_);
            if (thread_count_ > 1) start(1, thread_count_ - 1);
        } else {
            for (std::uint32_t first = 0; first < thread_count_; first += batch_) {
                start(first, batch_size(first));
                advance(first);
            }
        }
        while (release()) {
        }
    }

private:
    std::uint32_t batch_size(std::uint32_t first) const {
        return std::min(batch_, thread_count_ - first);
    }
    const SuspendPoint& point(std::uint8_t number) const {
        return kernel_.suspend_points[number - 1];
    }
    bool waits_at(std::uint32_t rank, bool (*kind)(SuspendOperation)) const {
        const std::uint8_t number = mailbox_.points[rank];
        return number != exited && kind(point(number).operation);
    }

    void run_resume_block(ResumeBlock block, std::uint32_t first, std::uint32_t count) const {
        const auto& size = __musa_sim_context.block_dim;
        std::uint32_t x = first, y = 0, z = 0;
        if (first >= size[0]) {
            x = first % size[0];
            y = first / size[0] % size[1];
            z = first / size[0] / size[1];
        }
        block(arguments_, frames_, &mailbox_, first, count, x, y, z);
    }
    void start(std::uint32_t first, std::uint32_t count) const {
        run_resume_block(kernel_.start, first, count);
    }

    bool is_at_one_point(std::uint32_t first, std::uint32_t count) const {
        const std::uint8_t* points = mailbox_.points + first;
        if (count == mask_width) return equal_bits(points, points[0]) == full_mask;
        return all_equal(points, count);
    }

    bool has_one_resume_block() const { return kernel_.resume_block_count == 1; }

    // Resume threads that are all at one suspend point.
    void resume(std::uint32_t first, std::uint32_t count) const {
        const std::uint8_t number = has_one_resume_block() ? 0 : mailbox_.points[first];
        run_resume_block(kernel_.resume_blocks[number], first, count);
    }
    void resume_one(std::uint32_t rank) const { resume(rank, 1); }

    // Run a batch until all its threads have exited or wait for the block.
    void advance(std::uint32_t first) {
        if (!kernel_.has_warp_operations) return;
        const std::uint32_t count = batch_size(first);
        for (;;) {
            if (is_at_one_point(first, count)) {
                const std::uint8_t number = mailbox_.points[first];
                if (number == exited || !is_of_warp(point(number).operation)) return;
                if (compute_warp(point(number), first, count) ||
                    compute_partitions(point(number), first, count)) {
                    resume(first, count);
                    continue;
                }
            }
            if (!step_by_lane(first, count)) return;
        }
    }

    // Resume the threads that have made one step of a grid-stride loop; if there are none, those that wait at the
    // block's barrier. False if all have exited.
    bool release() {
        scheduler_.count_step();
        bool one_steps = false, one_waits_for_block = false, one_waits_for_warp = false;
        const bool together = is_at_one_point(0, thread_count_);
        for (std::uint32_t rank = 0; rank < (together ? 1 : thread_count_); ++rank) {
            const std::uint8_t number = mailbox_.points[rank];
            if (number == exited) continue;
            const SuspendOperation operation = point(number).operation;
            one_steps |= operation == SuspendOperation::step;
            one_waits_for_block |= is_of_block(operation);
            one_waits_for_warp |= is_of_warp(operation);
        }
        if (!one_steps && one_waits_for_warp) report_deadlock();
        if (!one_steps && !one_waits_for_block) return false;
        const auto resumes = one_steps ? [](SuspendOperation o) { return o == SuspendOperation::step; }
                                       : is_of_block;
        if (!one_steps && !together) warn_of_exits();
        if (!one_steps) complete_barrier();
        if (together) resume(0, thread_count_);
        for (std::uint32_t first = 0; first < thread_count_; first += batch_) {
            if (!together) resume_some(first, resumes);
            advance(first);
        }
        return true;
    }

    void resume_some(std::uint32_t first, bool (*resumes)(SuspendOperation)) {
        const std::uint32_t count = batch_size(first);
        if (is_at_one_point(first, count)) {
            if (waits_at(first, resumes)) resume(first, count);
            return;
        }
        for (std::uint32_t rank = first; rank < first + count; ++rank)
            if (waits_at(rank, resumes)) resume_one(rank);
    }

    void warn_of_exits() {
        Launch& launch = scheduler_.launch();
        if (launch.warned_of_exits.load(std::memory_order_relaxed)) return;
        std::uint32_t exited_warps = 0, warps = 0;
        for (std::uint32_t first = 0; first < thread_count_; first += width_, ++warps) {
            const std::uint8_t* lanes = mailbox_.points + first;
            exited_warps += std::all_of(lanes, lanes + std::min(width_, thread_count_ - first),
                                  [](std::uint8_t number) { return number == exited; });
        }
        warn_of_exited_warps(launch, exited_warps, warps);
    }

    // All threads that have not exited wait for the block.
    void complete_barrier() {
        if (!kernel_.has_reductions) return;
        std::uint64_t count = 0, threads = 0;
        for (std::uint32_t rank = 0; rank < thread_count_; ++rank) {
            if (mailbox_.points[rank] == exited) continue;
            ++threads;
            const bool has_predicate =
                point(mailbox_.points[rank]).operation != SuspendOperation::barrier;
            count += has_predicate && mailbox_.values[rank] != 0;
        }
        for (std::uint32_t rank = 0; rank < thread_count_; ++rank) {
            if (mailbox_.points[rank] == exited) continue;
            switch (point(mailbox_.points[rank]).operation) {
                case SuspendOperation::barrier_count: mailbox_.results[rank] = count; break;
                case SuspendOperation::barrier_all: mailbox_.results[rank] = count == threads; break;
                case SuspendOperation::barrier_any: mailbox_.results[rank] = count != 0; break;
                default: break;
            }
        }
    }

    // --- operations of a warp

    std::uint32_t mask(const SuspendPoint& at, std::uint32_t rank) const {
        return at.varies & varies_mask ? mailbox_.masks[rank] : at.mask;
    }
    std::int32_t argument(const SuspendPoint& at, std::uint32_t rank) const {
        return at.varies & varies_argument ? mailbox_.arguments[rank] : at.argument;
    }
    std::uint32_t width(const SuspendPoint& at, std::uint32_t rank) const {
        const auto given = static_cast<std::uint32_t>(
            at.varies & varies_width ? mailbox_.widths[rank] : at.width);
        return given == suspend_warp_width ? width_ : given;
    }
    bool is_width(std::uint32_t width) const {
        return is_shuffle_width(width, width_);
    }
    std::uint32_t segment(const SuspendPoint& at, std::uint32_t rank) const {
        return segment_bits(width(at, rank), width_);
    }
    // The number of lanes that a mask covers.
    std::uint32_t range(const SuspendPoint& at, std::uint32_t mask) const {
        return at.own_lanes || mask != full_mask ? mask_width : width_;
    }

    // Compute the results of a warp whose lanes all wait at one suspend point. False if the masks do not name all of
    // them, or if an operand is wrong.
    bool compute_warp(const SuspendPoint& at, std::uint32_t first, std::uint32_t count) {
        if (at.varies & varies_mask && !all_equal(mailbox_.masks + first, count)) return false;
        const std::uint32_t lanes = mask(at, first);
        const std::uint32_t chunk = range(at, lanes);
        if (lanes != full_mask) {
            const std::uint32_t largest = std::min(count, mask_width);
            const std::uint32_t there = full_mask >> (mask_width - largest);
            if ((lanes & there) != there) return false;
        }
        if (at.operation == SuspendOperation::sync || at.operation == SuspendOperation::group_sync)
            return true;
        if (at.operation == SuspendOperation::shuffle) {
            if (at.varies & varies_width && !all_equal(mailbox_.widths + first, count))
                return false;
            if (!is_width(width(at, first))) return false;
        }
        for (std::uint32_t done = 0; done < count; done += chunk)
            compute_chunk(at, first + done, std::min(chunk, count - done));
        return true;
    }

    // The same where the masks partition the warp: each names exactly the lanes that have it.
    bool compute_partitions(const SuspendPoint& at, std::uint32_t first, std::uint32_t count) {
        if (width_ != mask_width || !(at.varies & varies_mask) ||
            at.operation == SuspendOperation::converge)
            return false;
        const std::uint32_t* masks = mailbox_.masks + first;
        const std::uint32_t there = full_mask >> (mask_width - count);
        for (std::uint32_t left = there; left != 0;) {
            const std::uint32_t wanted = masks[__builtin_ctz(left)];
            const std::uint32_t lanes = equal_bits(masks, wanted) & there;
            if (lanes != (wanted & there)) return false;
            left &= ~lanes;
        }
        if (at.operation == SuspendOperation::shuffle && !are_widths(at, there, first)) return false;
        for (std::uint32_t left = there; left != 0;) {
            const std::uint32_t lanes = masks[__builtin_ctz(left)] & there;
            compute_lanes(at.operation, lanes, first);
            left &= ~lanes;
        }
        return true;
    }

    void compute_chunk(const SuspendPoint& at, std::uint32_t first, std::uint32_t count) {
        const std::uint64_t* values = mailbox_.values + first;
        std::uint64_t* results = mailbox_.results + first;
        switch (at.operation) {
            case SuspendOperation::shuffle: return shuffle(at, first, count);
            case SuspendOperation::together:
                return work_together(full_mask >> (mask_width - count), first);
            case SuspendOperation::vote_all:
            case SuspendOperation::vote_any: {
                std::uint32_t true_count = 0;
                for (std::uint32_t i = 0; i < count; ++i) true_count += values[i] != 0;
                const bool wants_all = at.operation == SuspendOperation::vote_all;
                return fill(results, count, wants_all ? true_count == count : true_count != 0);
            }
            case SuspendOperation::match_all:
                if (!all_equal(values, count)) return fill(results, count, 0);
                break;
            case SuspendOperation::converge: break;
            default: break;
        }
        // Results that are masks cover 32 lanes.
        for (std::uint32_t done = 0; done < count; done += mask_width) {
            const std::uint32_t lanes = std::min(mask_width, count - done);
            if (at.operation == SuspendOperation::ballot) {
                fill(results + done, lanes,
                     ~equal_bits(values + done, 0) & (full_mask >> (mask_width - lanes)));
            } else if (at.operation == SuspendOperation::match_any) {
                for (std::uint32_t i = 0; i < lanes; ++i)
                    results[done + i] = equal_bits(values + done, values[done + i]) &
                                        (full_mask >> (mask_width - lanes));
            } else {
                fill(results + done, lanes, full_mask >> (mask_width - lanes));
            }
        }
    }

    // Run the work that the 32 lanes from `first` have left, those in `lanes`.
    void work_together(std::uint32_t lanes, std::uint32_t first) {
        LaneWork* work[mask_width];
        for (std::uint32_t i = 0; i < mask_width; ++i)
            work[i] = lanes >> i & 1 ? reinterpret_cast<LaneWork*>(mailbox_.values[first + i]) : nullptr;
        run_lane_work(scheduler_, work);
    }

    static void fill(std::uint64_t* results, std::uint32_t count, std::uint64_t value) {
        for (std::uint32_t i = 0; i < count; ++i) results[i] = value;
    }

    // Give lane i the element i ^ `flipped`, where `flipped` is even, or that element's neighbour.
    static void copy_lanes(std::uint64_t* results, const std::uint64_t* values,
                           std::uint32_t flipped, bool neighbours) {
        for (std::uint32_t i = 0; i < mask_width; i += 2) {
            const auto* from = reinterpret_cast<const __m128i*>(values + (i ^ flipped));
            __m128i pair = _mm_loadu_si128(from);
            if (neighbours) pair = _mm_shuffle_epi32(pair, 0x4e);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(results + i), pair);
        }
    }

    void shuffle(const SuspendPoint& at, std::uint32_t first, std::uint32_t count) {
        const std::uint64_t* values = mailbox_.values + first;
        std::uint64_t* results = mailbox_.results + first;
        const std::uint32_t within = segment(at, first);
        const auto kind = static_cast<ShuffleKind>(at.kind);
        const bool same = !(at.varies & varies_argument) ||
                          all_equal(mailbox_.arguments + first, count);
        const auto distance = static_cast<std::uint32_t>(argument(at, first));
        if (same && count == mask_width && within == mask_width - 1 && distance < mask_width) {
            switch (kind) {
                case ShuffleKind::index: return fill(results, mask_width, values[distance]);
                // Copy vectors of two, also from beyond the warp's lanes; then the lanes that keep theirs.
                case ShuffleKind::up:
                    copy_lanes(results, values - distance, 0, false);
                    for (std::uint32_t i = 0; i < distance; ++i) results[i] = values[i];
                    return;
                case ShuffleKind::down:
                    copy_lanes(results, values + distance, 0, false);
                    for (std::uint32_t i = mask_width - distance; i < mask_width; ++i)
                        results[i] = values[i];
                    return;
                case ShuffleKind::exclusive_or:
                    return copy_lanes(results, values, distance & ~1u, (distance & 1) != 0);
            }
        }
        const std::uint32_t before = first & (width_ - 1);  // lanes of the warp
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t source =
                shuffle_source(kind, static_cast<std::uint32_t>(argument(at, first + i)), within, before + i) - before;
            results[i] = values[source < count ? source : i];
        }
    }

    // Complete the operations that all live lanes of the mask have reached, and resume these lanes. False if there is
    // none.
    bool step_by_lane(std::uint32_t first, std::uint32_t count) {
        if (width_ == mask_width && step_by_mask(first, count)) return true;
        bool ready[max_warp_width] = {};
        bool any = complete_groups(first, count, false, ready);
        // __activemask waits for the other lanes as long as they can still arrive.
        if (!any) any = complete_groups(first, count, true, ready);
        for (std::uint32_t lane = 0; lane < count; ++lane)
            if (ready[lane]) resume_one(first + lane);
        return any;
    }

    // The same for warps of 32 lanes and correct operands: lanes of one group as bits of a mask.
    bool step_by_mask(std::uint32_t first, std::uint32_t count) {
        const std::uint8_t* points = mailbox_.points + first;
        const std::uint32_t there = full_mask >> (mask_width - count);
        const std::uint32_t live = there & ~equal_bits(points, exited);
        LaneGroup groups[mask_width];
        std::uint32_t group_count = 0;
        for (std::uint32_t left = live; left != 0;) {
            const std::uint8_t number = points[__builtin_ctz(left)];
            const std::uint32_t lanes = equal_bits(points, number) & live;
            left &= ~lanes;
            const SuspendPoint& at = point(number);
            if (!is_of_warp(at.operation)) continue;
            if (at.operation == SuspendOperation::shuffle && !are_widths(at, lanes, first))
                return false;
            for (std::uint32_t others = lanes; others != 0;) {
                const std::uint32_t wanted = mask(at, first + __builtin_ctz(others));
                std::uint32_t same = others;
                if (at.varies & varies_mask)
                    same &= equal_bits(mailbox_.masks + first, wanted);
                others &= ~same;
                if ((same & ~wanted) != 0) return false;
                const bool converges = at.operation == SuspendOperation::converge;
                std::uint32_t i = 0;
                while (i < group_count && (groups[i].operation != at.operation ||
                                           groups[i].mask != wanted || converges))
                    ++i;
                if (i == group_count) groups[group_count++] = {at.operation, wanted, 0};
                groups[i].lanes |= same;
            }
        }
        std::uint32_t ready = 0, converging = 0;  // the latter: at __activemask, where not all have arrived
        for (std::uint32_t i = 0; i < group_count; ++i) {
            const LaneGroup& group = groups[i];
            if ((group.mask & live & ~group.lanes) != 0) {
                if (group.operation == SuspendOperation::converge) converging |= group.lanes;
                continue;
            }
            ready |= group.lanes;
            compute_lanes(group.operation, group.lanes, first);
        }
        if (ready == 0) {
            for (std::uint32_t left = converging; left != 0;) {
                const std::uint32_t lanes = equal_bits(points, points[__builtin_ctz(left)]) & left;
                left &= ~lanes;
                compute_lanes(SuspendOperation::converge, lanes, first);
            }
            ready = converging;
        }
        if (ready == 0) return false;
        resume_diverged(first, ready);
        return true;
    }

    struct LaneGroup {
        SuspendOperation operation;
        std::uint32_t mask;
        std::uint32_t lanes;  // that have arrived
    };

    bool are_widths(const SuspendPoint& at, std::uint32_t lanes, std::uint32_t first) const {
        if (!(at.varies & varies_width)) return is_width(width(at, first));
        for (; lanes != 0; lanes &= lanes - 1)
            if (!is_width(width(at, first + __builtin_ctz(lanes)))) return false;
        return true;
    }

    // Compute the results of the lanes of one group.
    void compute_lanes(SuspendOperation operation, std::uint32_t lanes, std::uint32_t first) {
        if (operation == SuspendOperation::sync || operation == SuspendOperation::group_sync) return;
        if (operation == SuspendOperation::together) return work_together(lanes, first);
        const std::uint64_t* values = mailbox_.values + first;
        std::uint64_t* results = mailbox_.results + first;
        auto each = [&](auto result) {
            for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
                const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
                results[lane] = result(lane);
            }
        };
        auto equal_to = [&](std::uint64_t value) { return equal_bits(values, value) & lanes; };
        switch (operation) {
            case SuspendOperation::shuffle: {
                const std::uint8_t* points = mailbox_.points + first;
                const std::uint8_t number = points[__builtin_ctz(lanes)];
                const SuspendPoint& same = point(number);
                // Reading a lane that takes no part is undefined; it gives the own value.
                auto value_of = [&](std::uint32_t source, std::uint32_t lane) {
                    return values[source < mask_width && (lanes >> source & 1) ? source : lane];
                };
                if (static_cast<ShuffleKind>(same.kind) == ShuffleKind::index && same.own_lanes &&
                    (equal_bits(points, number) & lanes) == lanes)
                    return each([&](std::uint32_t lane) {
                        const std::int32_t source = argument(same, first + lane);
                        return value_of(static_cast<std::uint32_t>(source) % mask_width, lane);
                    });
                return each([&](std::uint32_t lane) {
                    const SuspendPoint& at = point(points[lane]);
                    const std::uint32_t source = shuffle_source(
                        static_cast<ShuffleKind>(at.kind),
                        static_cast<std::uint32_t>(argument(at, first + lane)),
                        segment(at, first + lane), lane);
                    return value_of(source, lane);
                });
            }
            case SuspendOperation::match_any:
                return each([&](std::uint32_t lane) { return equal_to(values[lane]); });
            case SuspendOperation::match_all: {
                const std::uint32_t same = equal_to(values[__builtin_ctz(lanes)]);
                return each([&](std::uint32_t) { return same == lanes ? lanes : 0; });
            }
            case SuspendOperation::converge: return each([&](std::uint32_t) { return lanes; });
            default: break;
        }
        const std::uint32_t are_true = lanes & ~equal_to(0);
        const std::uint32_t result = operation == SuspendOperation::ballot     ? are_true
                                     : operation == SuspendOperation::vote_all ? are_true == lanes
                                                                           : are_true != 0;
        each([&](std::uint32_t) { return result; });
    }

    // Resume some lanes of a warp, those at one suspend point together.
    void resume_diverged(std::uint32_t first, std::uint32_t lanes) {
        const std::uint8_t* points = mailbox_.points + first;
        if (has_one_resume_block() || !kernel_.resume_lanes) {
            for (; lanes != 0; lanes &= lanes - 1)
                resume_one(first + static_cast<std::uint32_t>(__builtin_ctz(lanes)));
            return;
        }
        std::uint8_t at[mask_width], distances[mask_width];
        std::copy(points, points + mask_width, at);
        while (lanes != 0) {
            const std::uint8_t number = at[__builtin_ctz(lanes)];
            std::uint32_t together = equal_bits(at, number) & lanes;
            lanes &= ~together;
            std::uint32_t count = 0;
            for (; together != 0; together &= together - 1)
                distances[count++] = static_cast<std::uint8_t>(__builtin_ctz(together));
            kernel_.resume_lanes[number](arguments_, frames_, &mailbox_, first, count, distances);
        }
    }

    bool complete_groups(std::uint32_t first, std::uint32_t count, bool incomplete, bool* ready) {
        bool seen[max_warp_width] = {};
        bool any = false;
        for (std::uint32_t lane = 0; lane < count; ++lane) {
            if (!waits_at(first + lane, is_of_warp)) continue;
            const SuspendPoint& at = point(mailbox_.points[first + lane]);
            if (at.operation == SuspendOperation::shuffle && !is_width(width(at, first + lane)))
                note_shuffle_width(scheduler_, name_of(at), width(at, first + lane), width_);
            if (seen[lane]) continue;
            const std::uint32_t given = mask(at, first + lane);
            if (!contains(given, lane)) {
                if (at.operation != SuspendOperation::sync || at.own_lanes)
                    end_block_for_misuse(scheduler_, name_of(at), mask_lacks_lane, given, lane);
                note_mask_without_lane(scheduler_, given, lane);
            }
            const std::uint32_t lanes = lanes_to_meet(at, first, lane);
            Group group{at.operation, lanes, range(at, lanes), 0, 0, {}};
            group.begin = lane & ~(group.size - 1);
            group.end = std::min(group.begin + group.size, count);
            if (gather(group, first, mailbox_.points[first + lane], seen) || 
                (incomplete && at.operation == SuspendOperation::converge)) {
                any = true;
                if (group.operation == SuspendOperation::together) {
                    std::uint32_t there = 0;
                    for (std::uint32_t i = group.begin; i < group.end; ++i)
                        there |= std::uint32_t{group.has[i]} << (i - group.begin);
                    work_together(there, first + group.begin);
                }
                for (std::uint32_t i = group.begin; i < group.end; ++i) {
                    if (!group.has[i]) continue;
                    ready[i] = true;
                    mailbox_.results[first + i] = result(group, first, i);
                }
            }
        }
        return any;
    }

    struct Group {
        SuspendOperation operation;
        std::uint32_t mask;
        std::uint32_t size;   // of the lanes that the mask covers,
        std::uint32_t begin;  // from here
        std::uint32_t end;
        bool has[max_warp_width];
    };

    std::uint32_t lanes_to_meet(const SuspendPoint& at, std::uint32_t first, std::uint32_t lane) const {
        const std::uint32_t given = mask(at, first + lane);
        return at.operation == SuspendOperation::sync ? lanes_to_sync(given, lane) : given;
    }

    // Find the lanes that wait together. True if all have arrived.
    bool gather(Group& group, std::uint32_t first, std::uint8_t number, bool* seen) const {
        bool all = true;
        for (std::uint32_t lane = group.begin; lane < group.end; ++lane) {
            const std::uint8_t other = mailbox_.points[first + lane];
            if (other != exited) {
                const SuspendPoint& at = point(other);
                group.has[lane] = contains(group.mask, lane) && is_of_warp(at.operation) &&
                                  at.operation == group.operation &&
                                  lanes_to_meet(at, first, lane) == group.mask &&
                                  range(at, group.mask) == group.size &&
                                  (at.operation != SuspendOperation::converge || other == number);
                seen[lane] |= group.has[lane];
                all &= group.has[lane] || !contains(group.mask, lane);
            }
        }
        return all;
    }

    std::uint64_t result(const Group& group, std::uint32_t first, std::uint32_t lane) const {
        const std::uint64_t* values = mailbox_.values + first;
        const std::uint64_t own = values[lane];
        auto all = [&](auto test) {
            for (std::uint32_t i = group.begin; i < group.end; ++i)
                if (group.has[i] && !test(values[i])) return false;
            return true;
        };
        auto bits = [&](auto test) {
            const std::uint32_t begin = lane & ~(mask_width - 1);
            std::uint32_t found = 0;
            for (std::uint32_t i = begin; i < std::min(begin + mask_width, group.end); ++i)
                if (group.has[i] && test(values[i])) found |= 1u << (i - begin);
            return found;
        };
        auto is_true = [](std::uint64_t value) { return value != 0; };
        auto is_false = [](std::uint64_t value) { return value == 0; };
        auto is_equal = [&](std::uint64_t value) { return value == own; };
        auto takes_part = [](std::uint64_t) { return true; };
        switch (group.operation) {
            case SuspendOperation::shuffle: {
                const SuspendPoint& at = point(mailbox_.points[first + lane]);
                const std::uint32_t source = shuffle_source(
                    static_cast<ShuffleKind>(at.kind),
                    static_cast<std::uint32_t>(argument(at, first + lane)), segment(at, first + lane),
                    lane);
                // Reading a lane of another group, or one that has exited, is undefined; it gives the own value.
                return source < group.end && source >= group.begin && group.has[source]
                           ? values[source]
                           : own;
            }
            case SuspendOperation::ballot: return bits(is_true);
            case SuspendOperation::vote_all: return all(is_true);
            case SuspendOperation::vote_any: return !all(is_false);
            case SuspendOperation::match_any: return bits(is_equal);
            case SuspendOperation::match_all: return all(is_equal) ? bits(takes_part) : 0;
            case SuspendOperation::converge: return bits(takes_part);
            default: return 0;
        }
    }

    [[noreturn]] __attribute__((noinline, cold)) void report_deadlock() {
        {
            std::map<std::string, int> states;
            std::uint64_t exited_count = 0;
            for (std::uint32_t rank = 0; rank < thread_count_; ++rank) {
                const std::uint8_t number = mailbox_.points[rank];
                if (number == exited) {
                    ++exited_count;
                } else {
                    ++states[std::string("wait at ") + name_of(point(number))];
                }
            }
            scheduler_.report_deadlock(states_text(states, 0, exited_count));
        }
        scheduler_.leave_block();
    }

    const SplitKernel& kernel_;
    void** const arguments_;
    Scheduler& scheduler_;
    char* const frames_;
    WarpMailbox& mailbox_;
    const std::uint32_t thread_count_;
    const std::uint32_t width_;  // of a warp
    const std::uint32_t batch_;  // threads that run together between barriers of the block
};

}  // namespace
}  // namespace musa_sim

void __musa_sim_run_block(const void* kernel, void* arguments) {
    using namespace musa_sim;
    // Per worker, reused from block to block.
    auto& memory = PerThread<std::vector<FrameLine>>::get();
    const auto& split = *static_cast<const SplitKernel*>(kernel);
    Scheduler& scheduler = *Scheduler::active();
    constexpr std::size_t mailbox_lines = lines_of(sizeof(WarpMailbox));
    const std::size_t wanted =
        mailbox_lines +
        lines_of(split.columns_size + split.frame_size * scheduler.launch().threads_per_block());
    if (memory.size() < wanted) memory.resize(wanted);
    auto* mailbox = reinterpret_cast<WarpMailbox*>(memory.data());
    auto* frames = reinterpret_cast<char*>(memory.data() + mailbox_lines);
    SplitBlockRunner(split, static_cast<void**>(arguments), scheduler, frames, *mailbox).run();
}
