// Memory that device code may touch besides allocations of the API: the variables of device images,
// and the heap of kernels.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace musa_sim {

class DeviceRanges {
public:
    static DeviceRanges& instance();

    // A variable of an image; `name` is mangled.
    void add_variable(const void* address, std::size_t size, const std::string& name);
    void remove_variable(const void* address);
    // malloc() and free() of kernels. release() is false for memory that was never allocated, or freed
    // before.
    void* allocate(std::size_t size);
    bool release(void* memory);

    // The range that contains the address; false if none does.
    bool find(const void* address, const char** begin, const char** end);
    // The nearest range, in words; "" if none is near.
    std::string describe(const void* address);

    std::mutex& mutex() { return mutex_; }

private:
    struct Range {
        std::size_t size;
        std::string name;  // empty: the heap of kernels
    };

    std::mutex mutex_;
    std::map<std::uintptr_t, Range> ranges_;
};

}  // namespace musa_sim
