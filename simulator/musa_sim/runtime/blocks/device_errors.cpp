#include "blocks/device_errors.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "base/active_checks.h"
#include "base/device_abi.h"
#include "base/findings.h"
#include "blocks/fault_reports.h"

namespace musa_sim {

void end_block(musaError_t code, const char* text) {
    Scheduler& scheduler = *Scheduler::active();
    Launch& launch = scheduler.launch();
    report(launch, code, text, scheduler.where());
    const bool is_of_memory = code == musaErrorIllegalAddress || code == musaErrorMisalignedAddress;
    if (is_of_memory && is_checking(check_memory))
        Findings::instance().add("memory", std::string(launch.kernel_name) + ": " + text);
    scheduler.leave_block();
}

void end_block_for_misuse(Scheduler& scheduler, const char* where, const char* what, unsigned found,
                          unsigned limit) {
    char text[160];
    std::snprintf(text, sizeof text, what, where, found, limit);
    report(scheduler.launch(), musaErrorLaunchFailure, text);
    scheduler.leave_block();
}

// Warn of what works here and CUDA does not define.
static void warn_of_undefined(const char* key, const Launch& launch, const std::string& found) {
    const std::string kernel = launch.kernel_name;
    Findings::instance().warn(std::string(key) + " " + kernel,
                              "kernel " + kernel + ": " + found +
                                  "\n    It goes on here, but CUDA does not define the result. "
                                  "MUSA_SIM_CHECK=sync makes this an error; see: musa-build explain sync");
}

void note_shuffle_width(Scheduler& scheduler, const char* where, unsigned width, unsigned lanes) {
    if (is_checking(check_sync))
        end_block_for_misuse(scheduler, where, "%s: width %u is no power of two up to the warp size %u", width, lanes);
    Launch& launch = scheduler.launch();
    if (launch.warned_of_width.exchange(true)) return;
    warn_of_undefined("width", launch,
                      std::string(where) + ": width " + std::to_string(width) +
                          " is no power of two up to the warp size " + std::to_string(lanes));
}

void note_mask_without_lane(Scheduler& scheduler, unsigned mask, unsigned lane) {
    if (is_checking(check_sync)) end_block_for_misuse(scheduler, "__syncwarp", mask_lacks_lane, mask, lane);
    Launch& launch = scheduler.launch();
    if (launch.warned_of_mask.exchange(true)) return;
    char found[128];
    std::snprintf(found, sizeof found, mask_lacks_lane, "__syncwarp", mask, lane);
    warn_of_undefined("mask", launch, found);
}

}  // namespace musa_sim

using musa_sim::end_block;

void __musa_sim_assert_fail(const char* expression, const char* file, unsigned line,
                            const char* function) {
    char text[1024];
    std::snprintf(text, sizeof text, "%s:%u: %s: assertion `%s` failed", file, line, function,
                  expression);
    end_block(musaErrorAssert, text);
}

void __musa_sim_throw(const char* type, const char* what) {
    char text[1024];
    const bool has_text = what && *what;
    // The type may be the text of an expression: its arguments are left out.
    std::snprintf(text, sizeof text, "%.*s thrown in device code%s%s",
                  static_cast<int>(std::strcspn(type, "(<{")), type, has_text ? ": " : "",
                  has_text ? what : "");
    end_block(musaErrorLaunchFailure, text);
}

void __musa_sim_abort() { end_block(musaErrorLaunchFailure, "abort() called in device code"); }
