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

void note_shuffle_width(Scheduler& scheduler, const char* where, unsigned width, unsigned lanes) {
    if (is_checking(check_sync))
        end_block_for_misuse(scheduler, where, "%s: width %u is no power of two up to the warp size %u", width, lanes);
    Launch& launch = scheduler.launch();
    if (launch.warned_of_width.exchange(true)) return;
    const std::string kernel = launch.kernel_name;
    Findings::instance().warn(
        "width " + kernel, "kernel " + kernel + ": " + where + ": width " + std::to_string(width) +
                               " is no power of two up to the warp size " + std::to_string(lanes) +
                               "\n    It goes on here, but CUDA does not define the result. "
                               "MUSA_SIM_CHECK=sync makes this an error; see: musa-build explain sync");
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
