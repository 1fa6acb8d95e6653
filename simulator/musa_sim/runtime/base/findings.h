// The findings of the checks: each kind and location is reported once, counted, and summed up when the process
// ends.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace musa_sim {

class Findings {
public:
    static Findings& instance();

    // Count one more of a kind ("race") at a location: source lines, a call stack or a kernel. True the first time.
    bool add(const std::string& kind, const std::string& location);
    // Warn on stderr, once per text and process. A warning is not a finding.
    void warn(const std::string& text) { warn(text, text); }
    // The same, once for each `about`.
    void warn(const std::string& about, const std::string& text);
    // Write one report as a whole: a headline and lines of detail.
    void report(const std::string& headline, const std::string& details);

    // Call `report` at exit, before the sum, if the check for leaks is on (guarded_memory.h).
    void set_leak_report(void (*report)()) { leak_report_ = report; }

    // A child of fork() has found nothing yet.
    void forget();
    std::mutex& mutex() { return mutex_; }

    // Sum up; end the process with MUSA_SIM_CHECK_EXITCODE instead of 0 if anything was found.
    static void at_exit(int status, void*);

private:
    // Append a line of JSON with these members to the file that MUSA_SIM_CHECK_LOG names.
    void log_line(const std::string& content);

    std::atomic<void (*)()> leak_report_{nullptr};
    std::mutex mutex_;
    bool log_failed_ = false;  // and that was reported
    std::map<std::pair<std::string, std::string>, unsigned long> counts_;
    std::set<std::string> warned_about_;
};

// Sum up at exit also if nothing was found: leaks are known only then.
void watch_exit();

}  // namespace musa_sim
