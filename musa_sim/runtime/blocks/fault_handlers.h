// The signals that turn faults of device code into error codes.
#pragma once

#include <string>

namespace musa_sim {

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
