#include "blocks/fault_reports.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/active_checks.h"
#include "base/device_abi.h"
#include "base/findings.h"
#include "base/settings.h"
#include "memory/guarded_memory.h"

namespace musa_sim {
namespace {

// Lengths in the line that reports a fault. Names of kernels made from templates have thousands of characters,
// and the rest of the line must still fit.
constexpr int name_room = 1000;
constexpr std::size_t position_room = name_room + 200;
constexpr std::size_t line_room = 3 * 1024;
constexpr int device_code_warp = 32;  // the width that kernels are written for

// Report which allocation a kernel overran. Locks and strings are safe in this signal handler: the
// kernel was interrupted in its own code, not in the library that they belong to.
void report_guarded_fault(const Launch& launch, const void* address) {
    const std::string details = GuardedMemory::instance().describe(address);
    if (details.empty()) return;
    const std::string kernel = launch.kernel_name;
    if (Findings::instance().add("memory", kernel)) {
        Findings::instance().report(
            "memory: kernel " + kernel + " touched memory that is not its own", details);
    }
}

int describe_position(char* text, std::size_t size, const Launch& launch, Where where) {
    const auto& c = __musa_sim_context;
    const char* name = launch.kernel_name;
    const char* rest = strnlen(name, name_room + 1) > name_room ? "..." : "";
    int length =
        std::snprintf(text, size, "[musa-sim] kernel %.*s%s, block (%u,%u,%u)", name_room, name,
                      rest, c.block_idx[0], c.block_idx[1], c.block_idx[2]);
    length = std::min(length, static_cast<int>(size) - 1);
    if (where == Where::block) return length;
    if (where == Where::unknown_thread) {
        length += std::snprintf(text + length, size - length,
                                ", thread unknown (MUSA_SIM_FIBERS=1 tells it)");
    } else {
        length += std::snprintf(text + length, size - length, ", thread (%u,%u,%u)",
                                c.thread_idx[0], c.thread_idx[1], c.thread_idx[2]);
    }
    return std::min(length, static_cast<int>(size) - 1);
}

// Every kind of error, from too little shared memory to a lane that never arrives, may be caused by warps that are
// wider than the kernel expects.
void describe_warps(char* text, std::size_t size, musaError_t code) {
    text[0] = '\0';
    const int width = settings().warp_width;
    if (width == device_code_warp || code == musaErrorLaunchOutOfResources) return;
    std::snprintf(text, size,
                  "; with MUSA_SIM_WARP=%d a warp has that many lanes, and this kernel may be "
                  "written for %d",
                  width, device_code_warp);
}

void write_line(const Launch& launch, musaError_t code, const char* text, Where where) {
    char warps[256];
    describe_warps(warps, sizeof warps, code);
    char line[line_room];
    int length = describe_position(line, position_room, launch, where);
    const int text_room = static_cast<int>(sizeof line - sizeof warps) - length;
    length += std::snprintf(line + length, sizeof line - length, ": %.*s%s\n", text_room, text,
                            warps);
    length = std::min(length, static_cast<int>(sizeof line) - 1);
    if (write(STDERR_FILENO, line, static_cast<std::size_t>(length)) < 0) {
        // stderr is closed; the error code still reports it.
    }
}

}  // namespace

void report(Launch& launch, musaError_t code, const char* text, Where where) {
    if (launch.fail(code)) write_line(launch, code, text, where);
}

void report_fault(const Launch& launch, const Fault& fault, Where where) {
    write_line(launch, fault.code, fault.text, where);
    if (!is_checking(check_memory)) return;
    if (fault.foreign) {
        Findings::instance().add("memory", std::string(launch.kernel_name));
    } else if (fault.signal == SIGSEGV || fault.signal == SIGBUS) {
        report_guarded_fault(launch, fault.address);
    }
}

}  // namespace musa_sim
