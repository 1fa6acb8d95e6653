#include "base/active_checks.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace musa_sim {
namespace {

constexpr const char* names[] = {"memory", "race", "init", "sync", "leaks", "host"};

// settings.cpp reports a misspelt variable; here it selects nothing.
struct Environment {
    bool given = false;
    unsigned checks = 0;

    Environment() {
        const char* text = std::getenv("MUSA_SIM_CHECK");
        if (!text || !*text) return;
        given = true;
        std::string offender;
        if (!parse_checks(text, &checks, &offender)) checks = 0;
    }
};

const Environment& environment() {
    static const Environment value;
    return value;
}

std::atomic<unsigned>& requested() {
    static std::atomic<unsigned> checks{0};
    return checks;
}

std::string names_of(unsigned checks) {
    std::string text;
    for (std::size_t i = 0; i < std::size(names); ++i) {
        if (checks >> i & 1) text += (text.empty() ? "" : ",") + std::string(names[i]);
    }
    return text;
}

}  // namespace

unsigned active_checks() {
    return environment().given ? environment().checks : requested().load(std::memory_order_relaxed);
}

void request_checks(unsigned checks) { requested() |= checks; }

void note_uninstrumented(const char* kernel) {
    const unsigned blind = active_checks() & (check_race | check_init);
    static std::atomic<bool> warned{false};
    if (blind == 0 || warned.exchange(true)) return;
    const std::string text = names_of(blind);
    std::fprintf(stderr,
                 "[musa-sim] MUSA_SIM_CHECK=%s cannot see kernels that were compiled without it, "
                 "such as %s; compile them with MUSA_SIM_CHECK=%s in the environment of mcc\n",
                 text.c_str(), kernel, text.c_str());
}

bool parse_checks(const std::string& text, unsigned* checks, std::string* offender) {
    *checks = 0;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::string name = text.substr(begin, end - begin);
        name.erase(0, name.find_first_not_of(' '));
        name.erase(name.find_last_not_of(' ') + 1);
        begin = end + 1;
        if (name.empty() || name == "none") continue;
        unsigned bits = name == "all" ? check_host - 1 : 0;
        for (std::size_t i = 0; i < std::size(names); ++i) {
            if (name == names[i]) bits = 1u << i;
        }
        if (bits == 0) {
            *offender = name;
            return false;
        }
        *checks |= bits;
    }
    return true;
}

std::string check_names() {
    std::string text;
    for (const char* name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

}  // namespace musa_sim
