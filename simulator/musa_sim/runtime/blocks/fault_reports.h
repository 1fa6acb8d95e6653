// Report errors inside a kernel: a line on stderr, and the launch's error.
#pragma once

#include "base/api.h"
#include "blocks/launch.h"

namespace musa_sim {

// The position that a line names. A block that runs as a loop often does not know its thread.
enum class Where { block, thread, unknown_thread };

// A fault of device code, as its signal described it.
struct Fault {
    int signal;
    musaError_t code;
    const void* address;  // nullptr if it is not about memory
    bool foreign;         // memory of a device that this one has no access to
    char text[256];
};

// Report a fault on stderr, at the running block and thread, and add it to the findings. The launch has
// failed with it. Safe in a signal handler.
void report_fault(const Launch& launch, const Fault& fault, Where where);

// Record the launch's first error and report it on stderr, at the running block and thread. Where warps
// have more lanes than kernels are written for, the line names the setting. Safe in a signal handler.
void report(Launch& launch, musaError_t code, const char* text, Where where = Where::block);

}  // namespace musa_sim
