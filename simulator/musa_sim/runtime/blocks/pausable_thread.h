// An operating system thread that runs kernels. The watchdog pauses and interrupts it; the thread does
// not cooperate.
//
// Only code of the kernel itself is paused: anything else may hold a lock that others need,
// the watchdog among them.
#pragma once

#include <pthread.h>

#include <atomic>

namespace musa_sim {

class PausableThread {
public:
    // Make the thread look, as soon as it runs code of the kernel, whether it is to pause or to
    // end the block.
    void interrupt() const;
    void pause();
    void resume();
    // Its pause is over, but the operating system has not yet let it run.
    bool is_waking() const;

    // For the thread itself: returns when the pause is over, if there is one. Safe in a signal handler.
    void pause_if_asked();

private:
    enum class Pause : int { none, asked, in_pause, over };

    const pthread_t thread_ = pthread_self();  // the one that makes the object
    std::atomic<Pause> pause_{Pause::none};
};

}  // namespace musa_sim
