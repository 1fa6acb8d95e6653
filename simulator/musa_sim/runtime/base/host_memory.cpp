#include "base/host_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

namespace musa_sim {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::size_t difference(std::size_t a, std::size_t b) { return a > b ? a - b : 0; }

// The number after a word at the start of a line: the value of "MemAvailable:" or "inactive_file".
std::optional<std::size_t> value_of(const std::string& file, const std::string& name) {
    std::ifstream lines(file);
    std::string word;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::size_t value = 0;
        if (words >> word && word == name && words >> value) return value;
    }
    return std::nullopt;
}

// Nothing if the file is missing, or says "max".
std::optional<std::size_t> number_in(const std::string& file) {
    std::size_t value = 0;
    return std::ifstream(file) >> value ? std::optional(value) : std::nullopt;
}

std::size_t left_of_machine(const std::string& root) {
    if (const auto kilobytes = value_of(root + "/proc/meminfo", "MemAvailable:"))
        return *kilobytes * 1024;
    return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// The files of the two versions of control groups.
struct GroupFiles {
    const char* type;   // of the mounted file system
    const char* limit;
    const char* usage;
    const char* reclaimable;  // in memory.stat: the page cache, which gives way
};
constexpr GroupFiles version_1 = {"cgroup", "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                  "total_inactive_file"};
constexpr GroupFiles version_2 = {"cgroup2", "/memory.max", "/memory.current", "inactive_file"};

std::size_t left_of_group(const std::string& folder, const GroupFiles& files) {
    const auto limit = number_in(folder + files.limit);
    if (!limit) return unlimited;
    const std::size_t usage = number_in(folder + files.usage).value_or(0);
    const std::size_t cache = value_of(folder + "/memory.stat", files.reclaimable).value_or(0);
    return difference(*limit, difference(usage, cache));
}

bool contains_word(const std::string& list, const std::string& word) {
    return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

// The process's group, as a path in the hierarchy: of "4:memory:/a/b" or "0::/a/b".
std::optional<std::string> group_path(const std::string& root, const GroupFiles& files) {
    std::ifstream lines(root + "/proc/self/cgroup");
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool wanted = &files == &version_2 ? controllers.empty()
                                                 : contains_word(controllers, "memory");
        if (wanted) return line.substr(second + 1);
    }
    return std::nullopt;
}

struct Mount {
    std::string group;   // that the mount shows
    std::string folder;  // where
};

// "31 23 0:28 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup rw"
std::optional<Mount> group_mount(const std::string& root, const GroupFiles& files) {
    std::ifstream lines(root + "/proc/self/mountinfo");
    for (std::string line; std::getline(lines, line);) {
        const std::size_t dash = line.find(" - ");
        if (dash == std::string::npos) continue;
        std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
        std::string skipped, type, source, options;
        Mount mount;
        before >> skipped >> skipped >> skipped >> mount.group >> mount.folder;
        after >> type >> source >> options;
        if (type != files.type) continue;
        if (&files == &version_2 || contains_word(options, "memory")) return mount;
    }
    return std::nullopt;
}

// Of the group and of all around it. A container may see its own group as the mount's root, or not
// at all: then only what is visible counts.
std::size_t left_of_groups(const std::string& root, const GroupFiles& files) {
    const auto mount = group_mount(root, files);
    auto path = group_path(root, files);
    if (!mount || !path) return unlimited;
    if (mount->group != "/" && path->compare(0, mount->group.size(), mount->group) == 0)
        path = path->substr(mount->group.size());
    std::size_t left = unlimited;
    for (std::string inner = *path;; inner.resize(inner.rfind('/'))) {
        left = std::min(left, left_of_group(root + mount->folder + (inner == "/" ? "" : inner), files));
        if (inner.rfind('/') == std::string::npos) return left;
    }
}

std::size_t left_of_limit(decltype(RLIMIT_AS) resource, std::size_t used_pages) {
    struct rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
    return difference(limit.rlim_cur, used_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

// Pages: all, resident, shared, text, (unused), data and stack.
std::size_t left_of_limits(const std::string& root) {
    std::ifstream statm(root + "/proc/self/statm");
    std::vector<std::size_t> pages(6, 0);
    for (std::size_t& count : pages) statm >> count;
    return std::min(left_of_limit(RLIMIT_AS, pages[0]), left_of_limit(RLIMIT_DATA, pages[5]));
}

}  // namespace

std::size_t available_memory(const std::string& root) {
    return std::min({left_of_machine(root), left_of_groups(root, version_1),
                     left_of_groups(root, version_2), left_of_limits(root)});
}

std::size_t default_device_memory(std::size_t available, std::size_t devices, std::size_t most) {
    constexpr std::size_t unit = std::size_t{1} << 20;
    const std::size_t share = available / 2 / std::max<std::size_t>(devices, 1);
    return std::max(std::min(share, most) / unit * unit, unit);
}

}  // namespace musa_sim
