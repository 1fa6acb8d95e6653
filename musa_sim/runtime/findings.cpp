#include "findings.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>

#include "checks.h"
#include "devices.h"
#include "guarded_memory.h"
#include "lifetime.h"

namespace musa_sim {

Findings& Findings::instance() {
    static Findings& findings = leaked<Findings>();
    return findings;
}

bool Findings::add(const std::string& kind, const std::string& place) {
    watch_exit();
    std::lock_guard<std::mutex> lock(mutex_);
    return ++counts_[{kind, place}] == 1;
}

void Findings::tell(const std::string& headline, const std::string& details) {
    const std::string text = "[musa-sim] " + headline + "\n" + details;
    std::lock_guard<std::mutex> lock(mutex_);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

void Findings::forget() { counts_.clear(); }

// On a device with an error musaFree fails as well: nothing is known about leaks then.
static bool has_failed_device() {
    for (int device = 0; device < DeviceTable::instance().count(); ++device) {
        if (device_failed(device)) return true;
    }
    return false;
}

void Findings::at_exit(int status, void*) {
    if (is_checking(check_leaks) && !has_failed_device()) GuardedMemory::instance().tell_leaks();
    Findings& self = instance();
    std::unique_lock<std::mutex> lock(self.mutex_);
    if (self.counts_.empty()) return;
    for (const auto& [what, count] : self.counts_) {
        if (count < 2) continue;
        std::fprintf(stderr, "[musa-sim] %s: %s: found %lu times\n", what.first.c_str(),
                     what.second.c_str(), count);
    }
    const int wanted = check_exit_status();
    std::fprintf(stderr, "[musa-sim] the checks found %zu defect%s\n", self.counts_.size(),
                 self.counts_.size() == 1 ? "" : "s");
    if (status != 0 || wanted == 0) return;
    lock.unlock();
    std::fflush(nullptr);
    _exit(wanted);
}

void watch_exit() {
    // on_exit, because only it tells the status, which must stay if it is a failure already. The
    // first to register is the last to run: what the program frees in its own handlers is no leak.
    static const int registered = on_exit(&Findings::at_exit, nullptr);
    static_cast<void>(registered);
}

}  // namespace musa_sim
