// What the checks found: told once for each kind and place, counted, and summed up when the process
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

    // Counts one more of a kind ("race") at a place; true the first time.
    bool add(const std::string& kind, const std::string& place);
    // Says on stderr, once in the process, what is no finding of a check. Each text comes once.
    void warn(const std::string& text) { warn(text, text); }
    // The same, once for each `about`.
    void warn(const std::string& about, const std::string& text);
    // Writes one report: a headline and lines of detail, whole.
    void tell(const std::string& headline, const std::string& details);

    // Calls this before the sum at exit if the check for leaks is on (guarded_memory.h).
    void set_leak_report(void (*report)()) { leak_report_ = report; }

    // A child of fork() has found nothing yet.
    void forget();
    std::mutex& mutex() { return mutex_; }

    // Sums up; ends the process with check_exit_status() instead of 0 if anything was found.
    static void at_exit(int status, void*);

private:
    // Appends a line of JSON with these members to the file that MUSA_SIM_CHECK_LOG names.
    void log_line(const std::string& content);

    std::atomic<void (*)()> leak_report_{nullptr};
    std::mutex mutex_;
    bool log_failed_ = false;  // and this was told
    std::map<std::pair<std::string, std::string>, unsigned long> counts_;
    std::set<std::string> warned_about_;
};

// Tells of leaks when the process ends, also if nothing else was found.
void watch_exit();

}  // namespace musa_sim
