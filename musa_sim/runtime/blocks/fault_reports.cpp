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

// Of the line that tells a fault. Names of kernels made from templates have thousands of characters,
// and what follows them must still be there.
constexpr int name_room = 1000;
constexpr std::size_t place_room = name_room + 200;
constexpr std::size_t line_room = 3 * 1024;
constexpr int device_code_warp = 32;  // what kernels are written for

// Which allocation a kernel ran out of. In a signal handler, and yet with locks and strings: the
// kernel was interrupted in its own code, not in the library that they belong to.
void tell_guarded_fault(const Launch& launch, const void* address) {
    const std::string details = GuardedMemory::instance().describe(address);
    if (details.empty()) return;
    const std::string kernel = launch.kernel_name;
    if (Findings::instance().add("memory", kernel)) {
        Findings::instance().tell(
            "memory: kernel " + kernel + " touched memory that is not its own", details);
    }
}

int describe_place(char* text, std::size_t size, const Launch& launch, Where where) {
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

// Whatever went wrong, shared memory that is too small or a lane that never comes: the cause may be
// that warps are wider than the kernel knows.
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
    int length = describe_place(line, place_room, launch, where);
    const int text_room = static_cast<int>(sizeof line - sizeof warps) - length;
    length += std::snprintf(line + length, sizeof line - length, ": %.*s%s\n", text_room, text,
                            warps);
    length = std::min(length, static_cast<int>(sizeof line) - 1);
    if (write(STDERR_FILENO, line, static_cast<std::size_t>(length)) < 0) {
        // Nowhere left to tell it; the error code still does.
    }
}

}  // namespace

void report(Launch& launch, musaError_t code, const char* text, Where where) {
    if (launch.fail(code)) write_line(launch, code, text, where);
}

void tell(const Launch& launch, const Fault& fault, Where where) {
    write_line(launch, fault.code, fault.text, where);
    if (!is_checking(check_memory)) return;
    if (fault.foreign) {
        Findings::instance().add("memory", std::string(launch.kernel_name));
    } else if (fault.signal == SIGSEGV || fault.signal == SIGBUS) {
        tell_guarded_fault(launch, fault.address);
    }
}

}  // namespace musa_sim
