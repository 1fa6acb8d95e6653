// Threads of the simulator inside the user's program.
#pragma once

#include <functional>

namespace musa_sim {

// The signal with which the watchdog interrupts a thread of a kernel. Programs hardly use it, and its
// default is to do nothing.
int interrupt_signal();

// Start a detached thread that takes only the signals of faults and of the watchdog: others
// are meant for the program's own threads. False if the system has no more threads.
bool start_background_thread(std::function<void()> body);

}  // namespace musa_sim
