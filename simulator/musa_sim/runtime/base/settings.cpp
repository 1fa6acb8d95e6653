#include "base/settings.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <thread>

#include "base/active_checks.h"
#include "base/architectures.h"
#include "base/lifetime.h"
#include "base/switch.h"

namespace musa_sim {
namespace {

constexpr int max_devices = 64;
// A block of 1024 threads needs 1024 stacks with a guard page each, on every worker; beyond this
// many workers the kernel's default limit on memory mappings (65530) would be in reach.
constexpr int default_max_workers = 16;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> items;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        std::size_t end = std::min(text.find(',', begin), text.size());
        std::string item = text.substr(begin, end - begin);
        item.erase(0, item.find_first_not_of(' '));
        item.erase(item.find_last_not_of(' ') + 1);
        items.push_back(item);
        begin = end + 1;
    }
    return items;
}

std::optional<long long> whole_number(const std::string& text) {
    errno = 0;
    char* end = nullptr;
    long long value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || errno != 0) return std::nullopt;
    return value;
}

// "4096", "512M", "4G"
std::optional<std::size_t> byte_count(std::string text) {
    int shift = 0;
    if (!text.empty()) {
        switch (text.back()) {
            case 'K': shift = 10; break;
            case 'M': shift = 20; break;
            case 'G': shift = 30; break;
        }
        if (shift != 0) text.pop_back();
    }
    std::optional<long long> value = whole_number(text);
    if (!value || *value <= 0 || *value > (1LL << 50) >> shift) return std::nullopt;
    return static_cast<std::size_t>(*value) << shift;
}

// Reads one variable after another; remembers the first problem only.
class Reader {
public:
    Settings read() {
        read_devices();
        select_visible_devices();
        settings_.warp_width = static_cast<int>(number("MUSA_SIM_WARP", 32, 32, 128));
        if (settings_.warp_width != 32 && settings_.warp_width != 128) {
            complain("MUSA_SIM_WARP", environment("MUSA_SIM_WARP"), "32 or 128");
        }
        int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
        int workers = std::min(processors, default_max_workers);
        settings_.worker_count = static_cast<int>(number("MUSA_SIM_THREADS", workers, 1, 1024));
        settings_.stack_size = bytes("MUSA_SIM_STACK", settings_.stack_size);
        if (settings_.stack_size < 32 * 1024) {
            complain("MUSA_SIM_STACK", environment("MUSA_SIM_STACK"), "at least 32K");
        }
        settings_.memory_size = bytes("MUSA_SIM_MEMORY", 0);
        settings_.fibers_only = flag("MUSA_SIM_FIBERS", false);
        settings_.asynchronous = flag("MUSA_SIM_ASYNC", true);
        validate_checks();
        settings_.check_exit_status =
            static_cast<int>(number("MUSA_SIM_CHECK_EXITCODE", settings_.check_exit_status, 0, 255));
        settings_.seed = static_cast<std::uint64_t>(number("MUSA_SIM_SEED", 0, 0, 1LL << 62));
        settings_.launch_blocking = flag("MUSA_LAUNCH_BLOCKING", false);
        settings_.watchdog_seconds =
            static_cast<int>(number("MUSA_SIM_WATCHDOG", settings_.watchdog_seconds, 0, 1000000));
        return settings_;
    }

private:
    void complain(const char* variable, const std::string& found, const std::string& wanted) {
        if (!settings_.problem.empty()) return;
        settings_.problem = std::string(variable) + " is '" + found + "'; wanted: " + wanted;
    }

    long long number(const char* variable, long long fallback, long long least, long long most) {
        std::string text = environment(variable);
        if (text.empty()) return fallback;
        std::optional<long long> value = whole_number(text);
        if (value && *value >= least && *value <= most) return *value;
        complain(variable, text,
                 "a number from " + std::to_string(least) + " to " + std::to_string(most));
        return fallback;
    }

    bool flag(const char* variable, bool fallback) {
        const std::string text = environment(variable);
        if (text.empty()) return fallback;
        std::optional<bool> value = parse_switch(text);
        if (value) return *value;
        complain(variable, text, switch_words);
        return fallback;
    }

    std::size_t bytes(const char* variable, std::size_t fallback) {
        std::string text = environment(variable);
        if (text.empty()) return fallback;
        std::optional<std::size_t> value = byte_count(text);
        if (value) return *value;
        complain(variable, text, "a number of bytes such as 65536, 512K, 64M or 4G");
        return fallback;
    }

    // active_checks.cpp reads the variable, before a device is needed.
    void validate_checks() {
        unsigned checks = 0;
        std::string offender;
        if (!parse_checks(environment("MUSA_SIM_CHECK"), &checks, &offender))
            complain("MUSA_SIM_CHECK", offender, check_names() + ", all or none");
    }

    void read_devices() {
        std::string arch = environment("MUSA_SIM_ARCH");
        if (arch.empty()) arch = "mp_22";
        require_known("MUSA_SIM_ARCH", arch);
        std::string devices = environment("MUSA_SIM_DEVICES");
        if (devices.empty()) devices = "1";
        std::optional<long long> count = whole_number(devices);
        if (!count) {
            settings_.device_archs = split(devices);
            for (const std::string& name : settings_.device_archs)
                require_known("MUSA_SIM_DEVICES", name);
        } else if (*count < 0 || *count > max_devices) {
            complain("MUSA_SIM_DEVICES", devices,
                     "at most " + std::to_string(max_devices) + " devices");
        } else {
            settings_.device_archs.assign(static_cast<std::size_t>(*count), arch);
        }
    }

    void require_known(const char* variable, const std::string& name) {
        if (find_architecture(name)) return;
        complain(variable, name, "a count or architectures out of " + architecture_names());
    }

    // As with CUDA_VISIBLE_DEVICES, the list ends at the first entry that is no device.
    void select_visible_devices() {
        std::vector<int>& numbers = settings_.device_numbers;
        numbers.resize(settings_.device_archs.size());
        std::iota(numbers.begin(), numbers.end(), 0);
        const char* visible = std::getenv("MUSA_VISIBLE_DEVICES");
        if (!visible) return;
        std::vector<std::string> selected;
        numbers.clear();
        for (const std::string& item : split(visible)) {
            std::optional<long long> index = whole_number(item);
            if (!index || *index < 0 ||
                *index >= static_cast<long long>(settings_.device_archs.size()))
                break;
            selected.push_back(settings_.device_archs[static_cast<std::size_t>(*index)]);
            numbers.push_back(static_cast<int>(*index));
        }
        settings_.device_archs = selected;
    }

    Settings settings_;
};

}  // namespace

const Settings& settings() {
    static const Settings& value = leaked<Settings>(Reader().read());
    return value;
}

}  // namespace musa_sim
