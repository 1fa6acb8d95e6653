#include "memory/device_ranges.h"

#include "base/demangle.h"
#include "base/lifetime.h"
#include "memory/guarded_memory.h"
#include "memory/memory_table.h"

namespace musa_sim {

DeviceRanges& DeviceRanges::instance() {
    static DeviceRanges& ranges = leaked<DeviceRanges>();
    return ranges;
}

void DeviceRanges::add_variable(const void* address, std::size_t size, const std::string& name) {
    std::lock_guard<std::mutex> lock(mutex_);
    ranges_[reinterpret_cast<std::uintptr_t>(address)] = {size, name};
}

void DeviceRanges::remove_variable(const void* address) {
    std::lock_guard<std::mutex> lock(mutex_);
    ranges_.erase(reinterpret_cast<std::uintptr_t>(address));
}

void* DeviceRanges::allocate(std::size_t size) {
    void* memory =
        GuardedMemory::instance().allocate(size ? size : 1, "memory of the kernels' heap");
    if (!memory) return nullptr;
    std::lock_guard<std::mutex> lock(mutex_);
    ranges_[reinterpret_cast<std::uintptr_t>(memory)] = {size, ""};
    return memory;
}

bool DeviceRanges::release(void* memory) {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = ranges_.find(reinterpret_cast<std::uintptr_t>(memory));
        if (found == ranges_.end() || !found->second.name.empty()) return false;
        ranges_.erase(found);
    }
    MemoryTable::instance().invalidate_lookups();
    return GuardedMemory::instance().release(memory);
}

bool DeviceRanges::find(const void* pointer, const char** begin, const char** end) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return false;
    const auto& [first, range] = *std::prev(after);
    if (address >= first + range.size) return false;
    *begin = reinterpret_cast<const char*>(first);
    *end = *begin + range.size;
    return true;
}

std::string DeviceRanges::describe(const void* pointer) {
    constexpr std::uintptr_t near = 4096;
    std::lock_guard<std::mutex> lock(mutex_);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return "";
    const auto& [first, range] = *std::prev(after);
    const std::uintptr_t end = first + range.size;
    if (range.name.empty() || address > end + near) return "";
    const std::string where = address < end ? "at byte " + std::to_string(address - first)
                              : address == end
                                  ? "just after the end"
                                  : std::to_string(address - end) + " bytes after the end";
    return "    the address is " + where + " of the device variable " + demangled(range.name) +
           " (" + std::to_string(range.size) + " bytes)\n";
}

}  // namespace musa_sim
