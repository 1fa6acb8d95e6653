// The signals that turn faults of device code into error codes.
#pragma once

#include <string>

namespace musa_sim {

// Work of a library. `name` makes its name readable.
struct LibraryWork {
    void (*function)(void*);
    void* data;
    int device;
    std::string (*name)(const char* raw_name);
    const char* raw_name;
};

// Run host work of a library of the SDK for a device. An illegal access ends it: it is reported on
// stderr, added to the findings, and the device fails. Memory and locks that the library held are
// lost.
void run_library_work(const LibraryWork& work);

// Install the handlers for SIGSEGV, SIGBUS, SIGFPE and SIGILL, once. Signals that do not come from
// device code go to the handlers that were there before.
void install_fault_handlers();

// Give the calling thread a stack to handle signals on: a kernel that overflows its stack has none
// left.
void ensure_signal_stack();

}  // namespace musa_sim
