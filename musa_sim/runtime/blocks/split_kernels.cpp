// Runs a block of a kernel that mcc has cut at the operations where its threads wait
// (musa_sim/mcc/passes/coroutines.py), in loops over its threads.
//
// A thread that comes to a suspension leaves the number of the place and its operands in an
// exchange, and returns. What follows is a region: a function that runs all threads of a row from
// that suspension to their next one. A warp runs until all its lanes have ended or wait for the
// block; then the next warp does. Usually all lanes of a warp wait at the same operation and name
// each other in the mask: then one loop computes what all of them get. Everything else goes the slow
// way, lane by lane, with the semantics of collectives.cpp.
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
#include "blocks/scheduler.h"
#include "blocks/warp_operations.h"

namespace musa_sim {
namespace {

constexpr std::uint8_t finished = 0;  // in `places`; else the number of the place, from 1

bool is_of_warp(CutOperation operation) { return operation >= CutOperation::sync; }
bool is_of_block(CutOperation operation) { return operation < CutOperation::step; }

const char* name_of(const CutPlace& place) {
    if (place.own_lanes) return "a collective of a group of lanes";
    switch (place.operation) {
        case CutOperation::barrier:
        case CutOperation::barrier_count:
        case CutOperation::barrier_all:
        case CutOperation::barrier_any: return "__syncthreads";
        case CutOperation::step: return "nothing";
        case CutOperation::sync:
        case CutOperation::group_sync: return "__syncwarp";
        case CutOperation::shuffle: return "__shfl_sync";
        case CutOperation::ballot: return "__ballot_sync";
        case CutOperation::vote_all: return "__all_sync";
        case CutOperation::vote_any: return "__any_sync";
        case CutOperation::match_any: return "__match_any_sync";
        case CutOperation::match_all: return "__match_all_sync";
        case CutOperation::converge: return "__activemask";
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

// The most that a frame asks for (mcc's block_drivers.py): its vectors are loaded as aligned ones.
struct alignas(64) FrameLine {
    char bytes[64];
};

constexpr std::size_t lines_of(std::size_t bytes) {
    return (bytes + sizeof(FrameLine) - 1) / sizeof(FrameLine);
}

class CutBlock {
public:
    CutBlock(const CutKernel& kernel, void** arguments, Scheduler& scheduler, char* frames,
             CutExchange& exchange)
        : kernel_(kernel),
          arguments_(arguments),
          scheduler_(scheduler),
          frames_(frames),
          exchange_(exchange),
          thread_count_(scheduler.launch().threads_per_block()),
          width_(__musa_sim_context.warp_size),
          row_(kernel.has_warp_operations ? width_ : thread_count_) {}

    void run() {
        if (kernel_.rest) {
            start(0, 1);
            if (exchange_.places[0] == finished) return kernel_.rest(arguments_);
            if (thread_count_ > 1) start(1, thread_count_ - 1);
        } else {
            for (std::uint32_t first = 0; first < thread_count_; first += row_) {
                start(first, row_size(first));
                advance(first);
            }
        }
        while (cross()) {
        }
    }

private:
    std::uint32_t row_size(std::uint32_t first) const {
        return std::min(row_, thread_count_ - first);
    }
    const CutPlace& place(std::uint8_t number) const { return kernel_.places[number - 1]; }
    bool waits_at(std::uint32_t rank, bool (*kind)(CutOperation)) const {
        const std::uint8_t number = exchange_.places[rank];
        return number != finished && kind(place(number).operation);
    }
    char* frame(std::uint32_t rank) const { return frames_ + rank * kernel_.frame_size; }
    std::uint8_t state(std::uint32_t rank) const {
        return static_cast<std::uint8_t>(frame(rank)[kernel_.state_offset]);
    }

    void run_region(CutRegion region, std::uint32_t first, std::uint32_t count) const {
        const auto& size = __musa_sim_context.block_dim;
        std::uint32_t x = first, y = 0, z = 0;
        if (first >= size[0]) {
            x = first % size[0];
            y = first / size[0] % size[1];
            z = first / size[0] / size[1];
        }
        region(arguments_, frames_, &exchange_, first, count, x, y, z);
    }
    void start(std::uint32_t first, std::uint32_t count) const {
        run_region(kernel_.start, first, count);
    }

    bool is_at_one_place(std::uint32_t first, std::uint32_t count) const {
        const std::uint8_t* places = exchange_.places + first;
        if (count == mask_width) return equal_bits(places, places[0]) == full_mask;
        return all_equal(places, count);
    }

    // Lets threads that are all at one place go on.
    void resume(std::uint32_t first, std::uint32_t count) const {
        std::uint8_t at = 0;
        if (kernel_.by_place) {
            at = exchange_.places[first];
        } else if (kernel_.region_count > 1) {
            // LLVM has joined or doubled a suspension: the place is not the state.
            at = state(first);
            std::uint8_t difference = 0;
            for (std::uint32_t i = 1; i < count; ++i) 
                difference |= static_cast<std::uint8_t>(state(first + i) ^ at);
            if (__builtin_expect(difference != 0, 0)) {
                for (std::uint32_t i = 0; i < count; ++i) resume_one(first + i);
                return;
            }
        }
        run_region(kernel_.regions[at], first, count);
    }
    void resume_one(std::uint32_t rank) const {
        const std::uint8_t at = kernel_.by_place            ? exchange_.places[rank]
                                : kernel_.region_count > 1 ? state(rank)
                                                           : 0;
        run_region(kernel_.regions[at], rank, 1);
    }

    // Runs a row until nobody in it can go on by itself.
    void advance(std::uint32_t first) {
        if (!kernel_.has_warp_operations) return;
        const std::uint32_t count = row_size(first);
        for (;;) {
            if (is_at_one_place(first, count)) {
                const std::uint8_t number = exchange_.places[first];
                if (number == finished || !is_of_warp(place(number).operation)) return;
                if (exchange_all(place(number), first, count) ||
                    exchange_parts(place(number), first, count)) {
                    resume(first, count);
                    continue;
                }
            }
            if (!step_by_lane(first, count)) return;
        }
    }

    // Lets those go on that wait for the block or have made one step of a grid-stride loop; false
    // if all have ended.
    bool cross() {
        scheduler_.count_step();
        bool one_steps = false, one_waits = false, one_is_stuck = false;
        const bool together = is_at_one_place(0, thread_count_);
        for (std::uint32_t rank = 0; rank < (together ? 1 : thread_count_); ++rank) {
            const std::uint8_t number = exchange_.places[rank];
            if (number == finished) continue;
            const CutOperation operation = place(number).operation;
            one_steps |= operation == CutOperation::step;
            one_waits |= is_of_block(operation);
            one_is_stuck |= is_of_warp(operation);
        }
        if (!one_steps && one_is_stuck) report_deadlock();
        if (!one_steps && !one_waits) return false;
        const auto goes_on = one_steps ? [](CutOperation o) { return o == CutOperation::step; }
                                       : is_of_block;
        if (!one_steps && !together) warn_of_exits();
        if (!one_steps) complete_barrier();
        if (together) resume(0, thread_count_);
        for (std::uint32_t first = 0; first < thread_count_; first += row_) {
            if (!together) resume_some(first, goes_on);
            advance(first);
        }
        return true;
    }

    void resume_some(std::uint32_t first, bool (*goes_on)(CutOperation)) {
        const std::uint32_t count = row_size(first);
        if (is_at_one_place(first, count)) {
            if (waits_at(first, goes_on)) resume(first, count);
            return;
        }
        for (std::uint32_t rank = first; rank < first + count; ++rank)
            if (waits_at(rank, goes_on)) resume_one(rank);
    }

    void warn_of_exits() {
        Launch& launch = scheduler_.launch();
        if (launch.told_of_exits.load(std::memory_order_relaxed)) return;
        std::uint32_t exited = 0, warps = 0;
        for (std::uint32_t first = 0; first < thread_count_; first += width_, ++warps) {
            const std::uint8_t* lanes = exchange_.places + first;
            exited += std::all_of(lanes, lanes + std::min(width_, thread_count_ - first),
                                  [](std::uint8_t number) { return number == finished; });
        }
        warn_of_exited_warps(launch, exited, warps);
    }

    // All threads that have not ended wait for the block.
    void complete_barrier() {
        if (!kernel_.has_reductions) return;
        std::uint64_t count = 0, threads = 0;
        for (std::uint32_t rank = 0; rank < thread_count_; ++rank) {
            if (exchange_.places[rank] == finished) continue;
            ++threads;
            const bool has_predicate =
                place(exchange_.places[rank]).operation != CutOperation::barrier;
            count += has_predicate && exchange_.values[rank] != 0;
        }
        for (std::uint32_t rank = 0; rank < thread_count_; ++rank) {
            if (exchange_.places[rank] == finished) continue;
            switch (place(exchange_.places[rank]).operation) {
                case CutOperation::barrier_count: exchange_.results[rank] = count; break;
                case CutOperation::barrier_all: exchange_.results[rank] = count == threads; break;
                case CutOperation::barrier_any: exchange_.results[rank] = count != 0; break;
                default: break;
            }
        }
    }

    // --- operations of a warp

    std::uint32_t mask(const CutPlace& at, std::uint32_t rank) const {
        return at.varies & cut_varies_mask ? exchange_.masks[rank] : at.mask;
    }
    std::int32_t argument(const CutPlace& at, std::uint32_t rank) const {
        return at.varies & cut_varies_argument ? exchange_.arguments[rank] : at.argument;
    }
    std::uint32_t width(const CutPlace& at, std::uint32_t rank) const {
        const auto given = static_cast<std::uint32_t>(
            at.varies & cut_varies_width ? exchange_.widths[rank] : at.width);
        return given == cut_warp_width ? width_ : given;
    }
    bool is_width(std::uint32_t width) const {
        return width - 1 < width_ && (width & (width - 1)) == 0;
    }
    // How many lanes a mask speaks of.
    std::uint32_t range(const CutPlace& at, std::uint32_t mask) const {
        return at.own_lanes || mask != full_mask ? mask_width : width_;
    }

    // Computes what all lanes of a warp get that wait at one place. False if the masks do not name
    // all of them, or if something is wrong.
    bool exchange_all(const CutPlace& at, std::uint32_t first, std::uint32_t count) {
        if (at.varies & cut_varies_mask && !all_equal(exchange_.masks + first, count)) return false;
        const std::uint32_t lanes = mask(at, first);
        const std::uint32_t chunk = range(at, lanes);
        if (lanes != full_mask) {
            const std::uint32_t largest = std::min(count, mask_width);
            const std::uint32_t there = full_mask >> (mask_width - largest);
            if ((lanes & there) != there) return false;
        }
        if (at.operation == CutOperation::sync || at.operation == CutOperation::group_sync)
            return true;
        if (at.operation == CutOperation::shuffle) {
            if (at.varies & cut_varies_width && !all_equal(exchange_.widths + first, count))
                return false;
            if (!is_width(width(at, first))) return false;
        }
        for (std::uint32_t done = 0; done < count; done += chunk)
            exchange_chunk(at, first + done, std::min(chunk, count - done));
        return true;
    }

    // The same where the masks part the warp: each names exactly the lanes that have it.
    bool exchange_parts(const CutPlace& at, std::uint32_t first, std::uint32_t count) {
        if (width_ != mask_width || !(at.varies & cut_varies_mask) ||
            at.operation == CutOperation::converge)
            return false;
        const std::uint32_t* masks = exchange_.masks + first;
        const std::uint32_t there = full_mask >> (mask_width - count);
        for (std::uint32_t left = there; left != 0;) {
            const std::uint32_t wanted = masks[__builtin_ctz(left)];
            const std::uint32_t lanes = equal_bits(masks, wanted) & there;
            if (lanes != (wanted & there)) return false;
            left &= ~lanes;
        }
        if (at.operation == CutOperation::shuffle && !are_widths(at, there, first)) return false;
        for (std::uint32_t left = there; left != 0;) {
            const std::uint32_t lanes = masks[__builtin_ctz(left)] & there;
            exchange_lanes(at.operation, lanes, first);
            left &= ~lanes;
        }
        return true;
    }

    void exchange_chunk(const CutPlace& at, std::uint32_t first, std::uint32_t count) {
        const std::uint64_t* values = exchange_.values + first;
        std::uint64_t* results = exchange_.results + first;
        switch (at.operation) {
            case CutOperation::shuffle: return shuffle(at, first, count);
            case CutOperation::vote_all:
            case CutOperation::vote_any: {
                std::uint32_t true_count = 0;
                for (std::uint32_t i = 0; i < count; ++i) true_count += values[i] != 0;
                const bool wants_all = at.operation == CutOperation::vote_all;
                return fill(results, count, wants_all ? true_count == count : true_count != 0);
            }
            case CutOperation::match_all:
                if (!all_equal(values, count)) return fill(results, count, 0);
                break;
            case CutOperation::converge: break;
            default: break;
        }
        // Results that are masks speak of 32 lanes.
        for (std::uint32_t done = 0; done < count; done += mask_width) {
            const std::uint32_t lanes = std::min(mask_width, count - done);
            if (at.operation == CutOperation::ballot) {
                fill(results + done, lanes,
                     ~equal_bits(values + done, 0) & (full_mask >> (mask_width - lanes)));
            } else if (at.operation == CutOperation::match_any) {
                for (std::uint32_t i = 0; i < lanes; ++i)
                    results[done + i] = equal_bits(values + done, values[done + i]) &
                                        (full_mask >> (mask_width - lanes));
            } else {
                fill(results + done, lanes, full_mask >> (mask_width - lanes));
            }
        }
    }

    static void fill(std::uint64_t* results, std::uint32_t count, std::uint64_t value) {
        for (std::uint32_t i = 0; i < count; ++i) results[i] = value;
    }

    // Gives lane i the element i ^ `flipped`, `flipped` even, or its neighbour.
    static void copy_lanes(std::uint64_t* results, const std::uint64_t* values,
                           std::uint32_t flipped, bool neighbours) {
        for (std::uint32_t i = 0; i < mask_width; i += 2) {
            const auto* from = reinterpret_cast<const __m128i*>(values + (i ^ flipped));
            __m128i pair = _mm_loadu_si128(from);
            if (neighbours) pair = _mm_shuffle_epi32(pair, 0x4e);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(results + i), pair);
        }
    }

    void shuffle(const CutPlace& at, std::uint32_t first, std::uint32_t count) {
        const std::uint64_t* values = exchange_.values + first;
        std::uint64_t* results = exchange_.results + first;
        const std::uint32_t segment = width(at, first);
        const auto kind = static_cast<ShuffleKind>(at.kind);
        const bool same = !(at.varies & cut_varies_argument) ||
                          all_equal(exchange_.arguments + first, count);
        const auto distance = static_cast<std::uint32_t>(argument(at, first));
        if (same && count == mask_width && segment == mask_width && distance < mask_width) {
            switch (kind) {
                case ShuffleKind::index: return fill(results, mask_width, values[distance]);
                // Vectors of two, also from beyond the warp's lanes; then the lanes that keep theirs.
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
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t source =
                shuffle_source(kind, static_cast<std::uint32_t>(argument(at, first + i)), segment, i);
            results[i] = values[source < count ? source : i];
        }
    }

    // Completes the operations to which all lanes have come that a mask names and that have not
    // ended, and lets their lanes go on. False if nobody can.
    bool step_by_lane(std::uint32_t first, std::uint32_t count) {
        if (width_ == mask_width && step_by_mask(first, count)) return true;
        bool ready[max_warp_width] = {};
        bool any = complete_groups(first, count, false, ready);
        // Who asks which lanes are active waits for the others as long as they can still come.
        if (!any) any = complete_groups(first, count, true, ready);
        for (std::uint32_t lane = 0; lane < count; ++lane)
            if (ready[lane]) resume_one(first + lane);
        return any;
    }

    // The same for warps of 32 lanes, when nothing is wrong: lanes of one group as bits of a mask.
    bool step_by_mask(std::uint32_t first, std::uint32_t count) {
        const std::uint8_t* places = exchange_.places + first;
        const std::uint32_t there = full_mask >> (mask_width - count);
        const std::uint32_t live = there & ~equal_bits(places, finished);
        LaneGroup groups[mask_width];
        std::uint32_t group_count = 0;
        for (std::uint32_t left = live; left != 0;) {
            const std::uint8_t number = places[__builtin_ctz(left)];
            const std::uint32_t lanes = equal_bits(places, number) & live;
            left &= ~lanes;
            const CutPlace& at = place(number);
            if (!is_of_warp(at.operation)) continue;
            if (at.operation == CutOperation::shuffle && !are_widths(at, lanes, first))
                return false;
            for (std::uint32_t others = lanes; others != 0;) {
                const std::uint32_t wanted = mask(at, first + __builtin_ctz(others));
                std::uint32_t same = others;
                if (at.varies & cut_varies_mask)
                    same &= equal_bits(exchange_.masks + first, wanted);
                others &= ~same;
                if ((same & ~wanted) != 0) return false;
                const bool converges = at.operation == CutOperation::converge;
                std::uint32_t i = 0;
                while (i < group_count && (groups[i].operation != at.operation ||
                                           groups[i].mask != wanted || converges))
                    ++i;
                if (i == group_count) groups[group_count++] = {at.operation, wanted, 0};
                groups[i].lanes |= same;
            }
        }
        std::uint32_t ready = 0, asks = 0;  // who asks which lanes are active, and not all have come
        for (std::uint32_t i = 0; i < group_count; ++i) {
            const LaneGroup& group = groups[i];
            if ((group.mask & live & ~group.lanes) != 0) {
                if (group.operation == CutOperation::converge) asks |= group.lanes;
                continue;
            }
            ready |= group.lanes;
            exchange_lanes(group.operation, group.lanes, first);
        }
        if (ready == 0) {
            for (std::uint32_t left = asks; left != 0;) {
                const std::uint32_t lanes = equal_bits(places, places[__builtin_ctz(left)]) & left;
                left &= ~lanes;
                exchange_lanes(CutOperation::converge, lanes, first);
            }
            ready = asks;
        }
        if (ready == 0) return false;
        resume_lanes(first, ready);
        return true;
    }

    struct LaneGroup {
        CutOperation operation;
        std::uint32_t mask;
        std::uint32_t lanes;  // that have come
    };

    bool are_widths(const CutPlace& at, std::uint32_t lanes, std::uint32_t first) const {
        if (!(at.varies & cut_varies_width)) return is_width(width(at, first));
        for (; lanes != 0; lanes &= lanes - 1)
            if (!is_width(width(at, first + __builtin_ctz(lanes)))) return false;
        return true;
    }

    // Computes what the lanes of one group get.
    void exchange_lanes(CutOperation operation, std::uint32_t lanes, std::uint32_t first) {
        if (operation == CutOperation::sync || operation == CutOperation::group_sync) return;
        const std::uint64_t* values = exchange_.values + first;
        std::uint64_t* results = exchange_.results + first;
        auto each = [&](auto result) {
            for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
                const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
                results[lane] = result(lane);
            }
        };
        auto equal_to = [&](std::uint64_t value) { return equal_bits(values, value) & lanes; };
        switch (operation) {
            case CutOperation::shuffle: {
                const std::uint8_t* places = exchange_.places + first;
                const std::uint8_t number = places[__builtin_ctz(lanes)];
                const CutPlace& same = place(number);
                // A lane that takes no part: undefined; it gives the own value.
                auto value_of = [&](std::uint32_t source, std::uint32_t lane) {
                    return values[source < mask_width && (lanes >> source & 1) ? source : lane];
                };
                if (static_cast<ShuffleKind>(same.kind) == ShuffleKind::index && same.own_lanes &&
                    (equal_bits(places, number) & lanes) == lanes)
                    return each([&](std::uint32_t lane) {
                        const std::int32_t source = argument(same, first + lane);
                        return value_of(static_cast<std::uint32_t>(source) % mask_width, lane);
                    });
                return each([&](std::uint32_t lane) {
                    const CutPlace& at = place(places[lane]);
                    const std::uint32_t source = shuffle_source(
                        static_cast<ShuffleKind>(at.kind),
                        static_cast<std::uint32_t>(argument(at, first + lane)),
                        width(at, first + lane), lane);
                    return value_of(source, lane);
                });
            }
            case CutOperation::match_any:
                return each([&](std::uint32_t lane) { return equal_to(values[lane]); });
            case CutOperation::match_all: {
                const std::uint32_t same = equal_to(values[__builtin_ctz(lanes)]);
                return each([&](std::uint32_t) { return same == lanes ? lanes : 0; });
            }
            case CutOperation::converge: return each([&](std::uint32_t) { return lanes; });
            default: break;
        }
        const std::uint32_t are_true = lanes & ~equal_to(0);
        const std::uint32_t result = operation == CutOperation::ballot     ? are_true
                                     : operation == CutOperation::vote_all ? are_true == lanes
                                                                           : are_true != 0;
        each([&](std::uint32_t) { return result; });
    }

    // Lets some lanes of a warp go on: those that are at one place together.
    void resume_lanes(std::uint32_t first, std::uint32_t lanes) {
        const std::uint8_t* places = exchange_.places + first;
        if (!kernel_.by_place || !kernel_.listed) {
            for (; lanes != 0; lanes &= lanes - 1)
                resume_one(first + static_cast<std::uint32_t>(__builtin_ctz(lanes)));
            return;
        }
        std::uint8_t at[mask_width], listed[mask_width];
        std::copy(places, places + mask_width, at);
        while (lanes != 0) {
            const std::uint8_t number = at[__builtin_ctz(lanes)];
            std::uint32_t together = equal_bits(at, number) & lanes;
            lanes &= ~together;
            std::uint32_t count = 0;
            for (; together != 0; together &= together - 1)
                listed[count++] = static_cast<std::uint8_t>(__builtin_ctz(together));
            kernel_.listed[number](arguments_, frames_, &exchange_, first, count, listed);
        }
    }

    bool complete_groups(std::uint32_t first, std::uint32_t count, bool incomplete, bool* ready) {
        bool seen[max_warp_width] = {};
        bool any = false;
        for (std::uint32_t lane = 0; lane < count; ++lane) {
            if (seen[lane] || !waits_at(first + lane, is_of_warp)) continue;
            const CutPlace& at = place(exchange_.places[first + lane]);
            const std::uint32_t lanes = mask(at, first + lane);
            if (!contains(lanes, lane))
                end_block_for_misuse(scheduler_, name_of(at),
                       "%s: mask 0x%08x does not contain the calling lane %u", lanes, lane);
            if (at.operation == CutOperation::shuffle && !is_width(width(at, first + lane)))
                end_block_for_misuse(scheduler_, name_of(at),
                       "%s: width %u is no power of two up to the warp size %u",
                       width(at, first + lane), width_);
            Group group{at.operation, lanes, range(at, lanes), 0, 0, {}};
            group.begin = lane & ~(group.size - 1);
            group.end = std::min(group.begin + group.size, count);
            if (gather(group, first, exchange_.places[first + lane], seen) || 
                (incomplete && at.operation == CutOperation::converge)) {
                any = true;
                for (std::uint32_t i = group.begin; i < group.end; ++i) {
                    if (!group.has[i]) continue;
                    ready[i] = true;
                    exchange_.results[first + i] = result(group, first, i);
                }
            }
        }
        return any;
    }

    struct Group {
        CutOperation operation;
        std::uint32_t mask;
        std::uint32_t size;   // of the lanes that the mask speaks of,
        std::uint32_t begin;  // from here
        std::uint32_t end;
        bool has[max_warp_width];
    };

    // Finds the lanes that wait together. True if all have come.
    bool gather(Group& group, std::uint32_t first, std::uint8_t number, bool* seen) const {
        bool all = true;
        for (std::uint32_t lane = group.begin; lane < group.end; ++lane) {
            const std::uint8_t other = exchange_.places[first + lane];
            if (other != finished) {
                const CutPlace& at = place(other);
                group.has[lane] = contains(group.mask, lane) && is_of_warp(at.operation) &&
                                  at.operation == group.operation &&
                                  mask(at, first + lane) == group.mask &&
                                  range(at, group.mask) == group.size &&
                                  (at.operation != CutOperation::converge || other == number);
                seen[lane] |= group.has[lane];
                all &= group.has[lane] || !contains(group.mask, lane);
            }
        }
        return all;
    }

    std::uint64_t result(const Group& group, std::uint32_t first, std::uint32_t lane) const {
        const std::uint64_t* values = exchange_.values + first;
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
            case CutOperation::shuffle: {
                const CutPlace& at = place(exchange_.places[first + lane]);
                const std::uint32_t source = shuffle_source(
                    static_cast<ShuffleKind>(at.kind),
                    static_cast<std::uint32_t>(argument(at, first + lane)), width(at, first + lane),
                    lane);
                // Another lane's group, or one that has ended: undefined; it gives the own value.
                return source < group.end && source >= group.begin && group.has[source]
                           ? values[source]
                           : own;
            }
            case CutOperation::ballot: return bits(is_true);
            case CutOperation::vote_all: return all(is_true);
            case CutOperation::vote_any: return !all(is_false);
            case CutOperation::match_any: return bits(is_equal);
            case CutOperation::match_all: return all(is_equal) ? bits(takes_part) : 0;
            case CutOperation::converge: return bits(takes_part);
            default: return 0;
        }
    }

    [[noreturn]] __attribute__((noinline, cold)) void report_deadlock() {
        {
            std::map<std::string, int> waiting;
            int ended = 0;
            for (std::uint32_t rank = 0; rank < thread_count_; ++rank) {
                const std::uint8_t number = exchange_.places[rank];
                if (number == finished) {
                    ++ended;
                } else {
                    ++waiting[name_of(place(number))];
                }
            }
            std::string text = "deadlock: ";
            for (const auto& [where, count] : waiting)
                text += std::to_string(count) + " threads wait at " + where + ", ";
            text += std::to_string(ended) + " have exited";
            report(scheduler_.launch(), musaErrorLaunchFailure, text.c_str());
        }
        scheduler_.leave_block();
    }

    const CutKernel& kernel_;
    void** const arguments_;
    Scheduler& scheduler_;
    char* const frames_;
    CutExchange& exchange_;
    const std::uint32_t thread_count_;
    const std::uint32_t width_;  // of a warp
    const std::uint32_t row_;    // how many threads run together between barriers of the block
};

}  // namespace
}  // namespace musa_sim

void __musa_sim_run_block(const void* kernel, void* arguments) {
    using namespace musa_sim;
    // Per worker, reused from block to block.
    auto& memory = PerThread<std::vector<FrameLine>>::get();
    const auto& cut = *static_cast<const CutKernel*>(kernel);
    Scheduler& scheduler = *Scheduler::active();
    constexpr std::size_t exchange_lines = lines_of(sizeof(CutExchange));
    const std::size_t wanted =
        exchange_lines + lines_of(cut.frame_size * scheduler.launch().threads_per_block());
    if (memory.size() < wanted) memory.resize(wanted);
    auto* exchange = reinterpret_cast<CutExchange*>(memory.data());
    auto* frames = reinterpret_cast<char*>(memory.data() + exchange_lines);
    CutBlock(cut, static_cast<void**>(arguments), scheduler, frames, *exchange).run();
}
