// What goes wrong inside a kernel, in a line on stderr and as the launch's error.
#pragma once

#include "base/api.h"
#include "blocks/launch.h"

namespace musa_sim {

// What a line names besides the kernel and the block. Blocks that run as a loop often do not know the thread.
enum class Where { block, thread, unknown_thread };

// What a signal said of device code.
struct Fault {
    int signal;
    musaError_t code;
    const void* address;  // nullptr if it is not about memory
    bool foreign;         // memory of a device that this one has no access to
    char text[256];
};

// Tells a fault on stderr, in the place that runs now, and adds it to the findings. The launch has
// failed with it. Safe in a signal handler.
void tell(const Launch& launch, const Fault& fault, Where where);

// Records the launch's first error and tells it on stderr: kernel, block and thread are those that
// run now. Where warps have more lanes than kernels are written for, the line names the setting.
// Safe in a signal handler.
void report(Launch& launch, musaError_t code, const char* text, Where where = Where::block);

}  // namespace musa_sim
