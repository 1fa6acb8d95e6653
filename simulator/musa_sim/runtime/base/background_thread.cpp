#include "base/background_thread.h"

#include <signal.h>

#include <system_error>
#include <thread>
#include <utility>

namespace musa_sim {

int interrupt_signal() { return SIGURG; }

bool start_background_thread(std::function<void()> body) {
    sigset_t blocked;
    sigset_t before;
    sigfillset(&blocked);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, interrupt_signal()})
        sigdelset(&blocked, signal);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    bool started = true;
    try {
        std::thread(std::move(body)).detach();
    } catch (const std::system_error&) {
        started = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
}

}  // namespace musa_sim
