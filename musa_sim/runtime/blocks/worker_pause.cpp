// How the watchdog pauses and interrupts a thread that runs a kernel, which does not cooperate.
//
// Only code of the kernel itself is paused: anything else may hold a lock that others need,
// the watchdog among them.
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/background_thread.h"
#include "blocks/scheduler.h"

namespace musa_sim {
namespace {

// System calls as such, because the condition variables of C++ must not be used in signal handlers.
template <class Word>
void futex(std::atomic<Word>& word, int operation, Word value) {
    static_assert(sizeof word == sizeof(int), "the kernel looks at an int");
    const int argument = operation == FUTEX_WAKE ? 1 : static_cast<int>(value);
    syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, argument, nullptr, nullptr, 0);
}

}  // namespace

void Scheduler::interrupt() const { pthread_kill(thread_, interrupt_signal()); }

// Asks again if the thread was not in code of the kernel when it was asked before.
void Scheduler::pause() {
    if (pause_ == Pause::in_pause || pause_ == Pause::over) return;
    Pause none = Pause::none;
    pause_.compare_exchange_strong(none, Pause::asked);
    interrupt();
}

void Scheduler::resume() {
    Pause expected = Pause::asked;
    if (pause_.compare_exchange_strong(expected, Pause::none)) return;
    expected = Pause::in_pause;
    if (pause_.compare_exchange_strong(expected, Pause::over))
        futex(pause_, FUTEX_WAKE, Pause::over);
}

bool Scheduler::is_waking() const { return pause_ == Pause::over; }

void Scheduler::pause_if_asked() {
    Pause expected = Pause::asked;
    if (!pause_.compare_exchange_strong(expected, Pause::in_pause)) return;
    while (pause_ == Pause::in_pause) futex(pause_, FUTEX_WAIT, Pause::in_pause);
    pause_ = Pause::none;
}

}  // namespace musa_sim
