#include "blocks/pausable_thread.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/background_thread.h"

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

void PausableThread::interrupt() const { pthread_kill(thread_, interrupt_signal()); }

// Interrupt again if the thread was not in code of the kernel at the last request.
void PausableThread::pause() {
    if (pause_ == Pause::in_pause || pause_ == Pause::over) return;
    Pause none = Pause::none;
    pause_.compare_exchange_strong(none, Pause::asked);
    interrupt();
}

void PausableThread::resume() {
    Pause expected = Pause::asked;
    if (pause_.compare_exchange_strong(expected, Pause::none)) return;
    expected = Pause::in_pause;
    if (pause_.compare_exchange_strong(expected, Pause::over))
        futex(pause_, FUTEX_WAKE, Pause::over);
}

bool PausableThread::is_waking() const { return pause_ == Pause::over; }

void PausableThread::pause_if_asked() {
    Pause expected = Pause::asked;
    if (!pause_.compare_exchange_strong(expected, Pause::in_pause)) return;
    while (pause_ == Pause::in_pause) futex(pause_, FUTEX_WAIT, Pause::in_pause);
    pause_ = Pause::none;
}

}  // namespace musa_sim
