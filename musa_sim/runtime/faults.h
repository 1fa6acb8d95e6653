// What goes wrong inside a kernel: reports, and the signals that turn faults of device code into
// error codes.
#pragma once

#include "launch.h"

namespace musa_sim {

enum class Where { block, thread };

// Records the launch's first error and tells it on stderr: kernel, block and thread are those that
// run now. Safe in a signal handler.
void report(Launch& launch, musaError_t code, const char* text, Where where = Where::block);

// Installs the handlers for SIGSEGV, SIGBUS, SIGFPE and SIGILL, once. Signals that do not come from
// device code go to the handlers that were there before.
void install_fault_handlers();

// Gives the calling thread a stack to handle signals on: a kernel that overflows its stack has none
// left.
void ensure_signal_stack();

}  // namespace musa_sim
