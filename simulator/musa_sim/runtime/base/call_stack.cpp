#include "base/call_stack.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/demangle.h"
#include "base/symbol_table.h"

namespace musa_sim {
namespace {

constexpr int most_shown = 6;

const void* own_library() {
    static const void* base = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<const void*>(&own_library), &info);
        return static_cast<const void*>(info.dli_fbase);
    }();
    return base;
}

bool is_framework(const char* file) {
    constexpr const char* prefixes[] = {"libtorch", "libc10", "libmusa_python", "libc.so",
                                        "python"};
    for (const char* prefix : prefixes) {
        if (std::strncmp(file, prefix, std::strlen(prefix)) == 0) return true;
    }
    return false;
}

// A name with its parameters, unless those fill the screen.
std::string shortened(const std::string& name) {
    constexpr std::size_t most = 100;
    const std::size_t opening = name.find('(', 1);
    if (name.size() <= most) return name;
    return name.substr(0, std::min(opening, most)) + "(...)";
}

const char* file_name(const char* path) {
    const char* slash = std::strrchr(path, '/');
    return slash ? slash + 1 : path;
}

}  // namespace

CallStack CallStack::here() {
    CallStack stack;
    stack.count_ = backtrace(stack.frames_, most_frames);
    return stack;
}

std::string CallStack::text() const {
    const std::string own = text(false);
    if (!own.empty()) return own;
    const std::string any = text(true);
    return any.empty() ? "unknown code" : any;
}

std::string CallStack::text(bool with_framework) const {
    std::string text;
    int shown = 0;
    for (int i = 0; i < count_ && shown < most_shown; ++i) {
        Dl_info info{};
        if (!dladdr(frames_[i], &info) || !info.dli_fname || info.dli_fbase == own_library())
            continue;
        // Device images are loaded through their descriptors (images.cpp).
        if (std::strncmp(info.dli_fname, "/proc/self/fd/", 14) == 0) return "a kernel";
        if (!with_framework && is_framework(file_name(info.dli_fname))) continue;
        // A return address may be the first of the next function.
        const std::string name = function_at(static_cast<const char*>(frames_[i]) - 1);
        if (name.empty()) continue;
        text += (shown++ ? " <- " : "") + name;
        if (name.compare(0, 6, "main (") == 0) break;
    }
    return text;
}

bool CallStack::operator<(const CallStack& other) const {
    return std::lexicographical_compare(frames_, frames_ + count_, other.frames_,
                                        other.frames_ + other.count_);
}

std::string function_at(const void* address) {
    Dl_info info{};
    if (!dladdr(address, &info) || !info.dli_fname) return "";
    const auto offset = static_cast<std::uintptr_t>(static_cast<const char*>(address) -
                                                    static_cast<const char*>(info.dli_fbase));
    std::string name = info.dli_sname ? info.dli_sname : "";
    if (name.empty()) name = symbol_in_file(info.dli_fname, offset);
    char module_offset[512];
    std::snprintf(module_offset, sizeof module_offset, "%s+0x%zx", file_name(info.dli_fname), offset);
    return name.empty() ? module_offset : shortened(demangled(name)) + " (" + module_offset + ")";
}

}  // namespace musa_sim
