// Threads of the simulator inside somebody else's program.
#pragma once

#include <functional>

namespace musa_sim {

// The signal with which the watchdog ends a thread of a kernel. Programs hardly use it, and its
// default is to do nothing.
int interrupt_signal();

// Starts a detached thread that takes no signals but those of faults and of the watchdog: others
// are meant for the program's own threads. False if the system has no more threads.
bool start_background_thread(std::function<void()> body);

}  // namespace musa_sim
