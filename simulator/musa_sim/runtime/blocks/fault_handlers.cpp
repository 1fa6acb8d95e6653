#include "blocks/fault_handlers.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <mutex>

#include "base/active_checks.h"
#include "base/background_thread.h"
#include "base/devices.h"
#include "base/findings.h"
#include "base/lifetime.h"
#include "blocks/fault_reports.h"
#include "blocks/fiber.h"
#include "blocks/scheduler.h"
#include "memory/guarded_memory.h"
#include "memory/peer_access.h"
#include "programs/images.h"

namespace musa_sim {
namespace {

constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::size_t signal_stack_size = 64 * 1024;
// Less than this does not hold the registers of an AVX-512 processor and the report.
constexpr std::size_t least_signal_stack_size = 16 * 1024;

struct sigaction& previous_action(int signal) {
    static struct sigaction actions[NSIG];
    return actions[signal];
}

struct FaultKind {
    musaError_t code;
    const char* text;
};

FaultKind classify(int signal, bool stack_overflow) {
    if (stack_overflow)
        return {musaErrorIllegalAddress, "stack overflow (MUSA_SIM_STACK sets the size)"};
    switch (signal) {
        case SIGFPE:
            return {musaErrorLaunchFailure, "integer division by zero or overflow of a division"};
        case SIGILL: return {musaErrorLaunchFailure, "trap or illegal instruction"};
        default: return {musaErrorIllegalAddress, "illegal memory access"};
    }
}

Fault describe(const Scheduler& scheduler, int signal, const siginfo_t& info) {
    const bool has_address = signal == SIGSEGV || signal == SIGBUS;
    const FaultKind kind = classify(signal, has_address && scheduler.is_stack_overflow(info.si_addr));
    const auto foreign =
        has_address ? PeerAccess::instance().explain(scheduler.launch().device, info.si_addr)
                    : std::nullopt;
    Fault fault{signal, kind.code, has_address ? info.si_addr : nullptr, foreign.has_value(), ""};
    if (foreign) {
        std::snprintf(fault.text, sizeof fault.text, "%s: %s", kind.text, foreign->c_str());
    } else if (has_address && scheduler.dynamic_shared().is_guard(info.si_addr)) {
        std::snprintf(fault.text, sizeof fault.text,
                      "%s: outside the block's %zu bytes of dynamic shared memory", kind.text,
                      scheduler.dynamic_shared().size());
    } else if (has_address && info.si_code == SI_KERNEL) {
        // The processor does not say which address it was.
        std::snprintf(fault.text, sizeof fault.text,
                      "%s: an impossible address, or a misaligned vector access", kind.text);
    } else if (has_address) {
        std::snprintf(fault.text, sizeof fault.text, "%s at address %p", kind.text, info.si_addr);
    } else {
        std::snprintf(fault.text, sizeof fault.text, "%s", kind.text);
    }
    return fault;
}

void pass_on(int signal, siginfo_t* info, void* context) {
    const struct sigaction& before = previous_action(signal);
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(signal);
    } else {
        // Delivered when the handler returns. To run the faulting instruction again would not do: the
        // memory may be a kernel's to use by now.
        ::signal(signal, SIG_DFL);
        raise(signal);
    }
}

// Host code cannot touch device memory. With MUSA_SIM_CHECK=host, or where memory was freed, it
// ends as on hardware, after a report.
void report_host_fault(const void* address) {
    if (!is_checking(check_memory | check_host)) return;
    GuardedMemory& memory = GuardedMemory::instance();
    if (!memory.is_forbidden(address)) return;
    Findings::instance().report(
        "host: host code touched memory of the device",
        memory.describe(address) + "    in " + CallStack::here().text() + "\n");
}

// The resume point of a thread whose work for a library fails.
struct Escape {
    sigjmp_buf resume_point;
    const void* address = nullptr;
};
thread_local Escape* volatile escape_of_library = nullptr;

void on_fault(int signal, siginfo_t* info, void* context) {
    Scheduler* scheduler = Scheduler::active();
    const bool sent_by_a_process = info->si_code <= 0;
    if (!scheduler && escape_of_library && signal == SIGSEGV && !sent_by_a_process) {
        Escape& escape = *escape_of_library;
        escape.address = info->si_addr;
        siglongjmp(escape.resume_point, 1);
    }
    if (!scheduler || sent_by_a_process) {
        if (signal == SIGSEGV && !sent_by_a_process) report_host_fault(info->si_addr);
        pass_on(signal, info, context);
        return;
    }
    scheduler->fault(describe(*scheduler, signal, *info));

    // Return from the handler to the end of the block.
    auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    registers[REG_RIP] = reinterpret_cast<greg_t>(musa_sim_fiber_jump);
    registers[REG_RDI] = reinterpret_cast<greg_t>(scheduler->worker_context());
}

// The watchdog pauses this thread, or ends the block that it runs. It interrupts only code of the
// kernel: a library that the kernel calls may hold a lock. The watchdog then tries again.
void on_interrupt(int signal, siginfo_t* info, void* context) {
    auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    Scheduler* scheduler = Scheduler::active();
    if (!scheduler) {
        const struct sigaction& before = previous_action(signal);
        const bool has_handler = before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN;
        if (has_handler) pass_on(signal, info, context);
        return;
    }
    if (!is_device_code(reinterpret_cast<const void*>(registers[REG_RIP]))) return;
    const int error_number = errno;
    scheduler->os_thread().pause_if_asked();
    errno = error_number;
    Launch& launch = scheduler->launch();
    if (!launch.timed_out && !launch.failed()) return;
    if (launch.timed_out) scheduler->report_timeout();
    registers[REG_RIP] = reinterpret_cast<greg_t>(musa_sim_fiber_jump);
    registers[REG_RDI] = reinterpret_cast<greg_t>(scheduler->worker_context());
}

class SignalStack {
public:
    SignalStack() {
        stack_t before{};
        sigaltstack(nullptr, &before);
        if (!(before.ss_flags & SS_DISABLE) && before.ss_size >= least_signal_stack_size) return;
        void* memory = mmap(nullptr, signal_stack_size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return;
        stack_t stack{};
        stack.ss_sp = memory;
        stack.ss_size = signal_stack_size;
        sigaltstack(&stack, nullptr);
        memory_ = memory;
    }
    ~SignalStack() {
        if (!memory_) return;
        stack_t now{};
        sigaltstack(nullptr, &now);
        if (now.ss_sp == memory_) {
            stack_t none{};
            none.ss_flags = SS_DISABLE;
            sigaltstack(&none, nullptr);
        }
        munmap(memory_, signal_stack_size);
    }
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

private:
    void* memory_ = nullptr;
};

}  // namespace

void run_library_work(const LibraryWork& work) {
    install_fault_handlers();
    ensure_signal_stack();
    Escape escape;
    if (sigsetjmp(escape.resume_point, 1) == 0) {
        escape_of_library = &escape;
        work.function(work.data);
        escape_of_library = nullptr;
        return;
    }
    escape_of_library = nullptr;
    const std::string name = work.name(work.raw_name);
    fail_device(work.device, musaErrorIllegalAddress);
    char text[64];
    std::snprintf(text, sizeof text, "illegal memory access at address %p", escape.address);
    if (!is_checking(check_memory)) {
        std::fprintf(stderr, "[musa-sim] library function %s: %s\n", name.c_str(), text);
    } else if (Findings::instance().add("memory", name)) {
        const std::string details = GuardedMemory::instance().describe(escape.address);
        Findings::instance().report(
            "memory: library function " + name + " touched memory that is not its own",
            details.empty() ? "    " + std::string(text) + "\n" : details);
    }
}

void install_fault_handlers() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action{};
        action.sa_sigaction = on_fault;
        // SA_NODEFER: the handler does not return to the interrupted code, so a blocked
        // signal would stay blocked.
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (int signal : fault_signals) sigaction(signal, &action, &previous_action(signal));
        action.sa_sigaction = on_interrupt;
        action.sa_flags |= SA_RESTART;
        sigaction(interrupt_signal(), &action, &previous_action(interrupt_signal()));
    });
}

void ensure_signal_stack() { PerThread<SignalStack>::get(); }

}  // namespace musa_sim
