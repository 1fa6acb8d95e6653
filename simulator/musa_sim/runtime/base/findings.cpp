#include "base/findings.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include "base/active_checks.h"
#include "base/devices.h"
#include "base/lifetime.h"
#include "base/settings.h"

namespace musa_sim {
namespace {

std::string json_text(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            quoted += escaped;
        } else {
            if (c == '"' || c == '\\') quoted += '\\';
            quoted += c;
        }
    }
    return quoted + '"';
}

}  // namespace

Findings& Findings::instance() {
    static Findings& findings = leaked<Findings>();
    return findings;
}

// One write: processes share the file.
void Findings::log_line(const std::string& content) {
    const char* path = std::getenv("MUSA_SIM_CHECK_LOG");
    if (!path || !*path) return;
    const std::string line =
        "{\"program\": " + json_text(program_invocation_short_name) +
        ", \"process\": " + std::to_string(getpid()) + ", " + content + "}\n";
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    const bool written =
        file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    const char* reason = std::strerror(errno);
    if (file >= 0) close(file);
    if (written || log_failed_) return;
    log_failed_ = true;
    std::fprintf(stderr, "[musa-sim] cannot write MUSA_SIM_CHECK_LOG=%s: %s\n", path, reason);
}

bool Findings::add(const std::string& kind, const std::string& location) {
    watch_exit();
    std::lock_guard<std::mutex> lock(mutex_);
    return ++counts_[{kind, location}] == 1;
}

void Findings::warn(const std::string& about, const std::string& text) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (warned_about_.insert(about).second) std::fprintf(stderr, "[musa-sim] %s\n", text.c_str());
}

void Findings::report(const std::string& headline, const std::string& details) {
    const std::string text = "[musa-sim] " + headline + "\n" + details;
    std::lock_guard<std::mutex> lock(mutex_);
    std::fwrite(text.data(), 1, text.size(), stderr);
    log_line("\"headline\": " + json_text(headline) + ", \"details\": " + json_text(details));
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
    Findings& self = instance();
    void (*const report_leaks)() = self.leak_report_;
    if (report_leaks && is_checking(check_leaks) && !has_failed_device()) report_leaks();
    std::unique_lock<std::mutex> lock(self.mutex_);
    if (self.counts_.empty()) return;
    std::set<std::string> kinds;
    for (const auto& [what, count] : self.counts_) {
        kinds.insert(what.first);
        self.log_line("\"kind\": " + json_text(what.first) + ", \"place\": " + json_text(what.second) +
                 ", \"times\": " + std::to_string(count));
        if (count < 2) continue;
        std::fprintf(stderr, "[musa-sim] %s: %s: found %lu times\n", what.first.c_str(),
                     what.second.c_str(), count);
    }
    const int wanted = settings().check_exit_status;
    std::string pages;
    for (const std::string& kind : kinds) pages += " " + kind;
    std::fprintf(stderr, "[musa-sim] the checks found %zu defect%s; see: musa-build explain%s\n",
                 self.counts_.size(), self.counts_.size() == 1 ? "" : "s", pages.c_str());
    if (status != 0 || wanted == 0) return;
    lock.unlock();
    std::fflush(nullptr);
    _exit(wanted);
}

void watch_exit() {
    // on_exit, because only it passes the status, which must stay if it is a failure already. The
    // first to register is the last to run: memory that the program frees in its own handlers is no leak.
    static const int registered = on_exit(&Findings::at_exit, nullptr);
    static_cast<void>(registered);
}

}  // namespace musa_sim
