// Errors that device code finds itself: assert(), abort(), exceptions, misused functions.
#pragma once

#include "base/api.h"
#include "blocks/scheduler.h"

namespace musa_sim {

// Report an error of the calling thread of a kernel, and end its block.
[[noreturn]] void end_block(musaError_t code, const char* text);

// The same for a misused function: `what` is a format for `where`, `found` and `limit`.
[[noreturn]] __attribute__((noinline, cold)) void end_block_for_misuse(
    Scheduler& scheduler, const char* where, const char* what, unsigned found, unsigned limit);

inline constexpr char mask_lacks_lane[] = "%s: mask 0x%08x does not contain the calling lane %u";

// A shuffle whose width is no power of two up to the `lanes` of a warp: a warning, once per kernel. The check "sync"
// ends the block.
__attribute__((noinline, cold)) void note_shuffle_width(Scheduler& scheduler, const char* where, unsigned width,
                                                        unsigned lanes);

// A __syncwarp of a `lane` that `mask` lacks: a warning, once per kernel. The check "sync" ends the block.
__attribute__((noinline, cold)) void note_mask_without_lane(Scheduler& scheduler, unsigned mask, unsigned lane);

}  // namespace musa_sim
