// What goes wrong inside a kernel: reports, and the signals that turn faults of device code into
// error codes.
#pragma once

#include <string>

#include "blocks/launch.h"

namespace musa_sim {

enum class Where { block, thread };

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
void tell(const Scheduler& scheduler, const Fault& fault);

// Records the launch's first error and tells it on stderr: kernel, block and thread are those that
// run now. Where warps have more lanes than kernels are written for, the line names the setting.
// Safe in a signal handler.
void report(Launch& launch, musaError_t code, const char* text, Where where = Where::block);

// The same of the thread that calls it from a kernel; its block ends here.
[[noreturn]] void end_block(musaError_t code, const char* text);

// Work of a library: `name` gives it in words.
struct LibraryWork {
    void (*function)(void*);
    void* data;
    int device;
    std::string (*name)(const char* raw_name);
    const char* raw_name;
};

// Runs what a library of the SDK does on the host for a device. If it touches memory that it must not
// touch, it ends there: that is told on stderr and added to the findings, and the device has failed.
// What the library held then (memory, locks of its own) is lost.
void run_library_work(const LibraryWork& work);

// Installs the handlers for SIGSEGV, SIGBUS, SIGFPE and SIGILL, once. Signals that do not come from
// device code go to the handlers that were there before.
void install_fault_handlers();

// Gives the calling thread a stack to handle signals on: a kernel that overflows its stack has none
// left.
void ensure_signal_stack();

}  // namespace musa_sim
