// The driver's virtual memory: reserved addresses, and memory of a device that is mapped there.
//
// Such memory is a file in memory, so that it can be mapped at several addresses, and by other processes.
// To the rest of libmusart adjacent mappings that the same devices may access are one allocation, because
// programs let arrays grow from one into the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/api.h"
#include "base/device_abi.h"

namespace musa_sim {

// Of addresses, sizes and alignments: CUDA's, a guess for MUSA.
inline constexpr std::size_t virtual_granularity = std::size_t{2} << 20;

enum class MemoryAccess : int { none = 0, read = 1, read_and_write = 3 };

class MUSA_SIM_EXPORT VirtualMemory {
public:
    using Address = std::uintptr_t;
    using Handle = unsigned long long;  // of a device's memory

    static VirtualMemory& instance();

    // At `hint`, if that is free. An alignment of 0 is the granularity.
    musaError_t reserve(Address* address, std::size_t size, std::size_t alignment, Address hint);
    // A whole reservation, in which nothing is mapped.
    musaError_t free(Address address, std::size_t size);

    musaError_t create(Handle* handle, std::size_t size, int device);
    // The memory of a file that export_file() gave, of this process or another.
    musaError_t import_file(Handle* handle, int file);
    musaError_t export_file(Handle handle, int* file);
    // The memory goes when it is mapped nowhere as well.
    musaError_t release(Handle handle);
    // The handle of the memory mapped at the address, with one more reference.
    musaError_t retain(Handle* handle, Address address);
    musaError_t device_of(Handle handle, int* device);

    // No device has access before set_access().
    musaError_t map(Address address, std::size_t size, Handle handle);
    // These and set_access(): whole mappings, one or several that follow each other.
    musaError_t unmap(Address address, std::size_t size);
    musaError_t set_access(Address address, std::size_t size, int device, MemoryAccess access);
    musaError_t get_access(Address address, int device, MemoryAccess* access);

    // Describe the reservation at the address; "" if there is none.
    std::string describe(const void* address);
    std::mutex& mutex() { return mutex_; }

private:
    struct Memory;
    struct Mapping {
        std::size_t size;
        std::shared_ptr<Memory> memory;
        std::map<int, MemoryAccess> access;  // by device

        std::set<int> users() const;
        int protection() const;
    };
    using Mappings = std::map<Address, Mapping>;
    struct Reservation {
        std::size_t size;
        Mappings mappings;
        std::vector<Address> allocations;  // in the MemoryTable
    };

    // All of these with the mutex held.
    Reservation* reservation_at(Address address, std::size_t size);
    Mapping* mapping_at(Address address);
    // The mappings that make up the range; none if it is not made of whole ones.
    std::vector<Mappings::iterator> mappings_in(Reservation& reservation, Address address,
                                                std::size_t size);
    Handle add(std::shared_ptr<Memory> memory);
    std::shared_ptr<Memory> find(Handle handle);
    void publish(Reservation& reservation);
    unsigned access_number(const std::set<int>& users);

    std::mutex mutex_;
    std::map<Address, Reservation> reservations_;
    std::map<Handle, std::pair<std::shared_ptr<Memory>, int>> handles_;  // and how often to be released
    std::map<std::set<int>, unsigned> access_numbers_;
    Handle last_handle_ = 0;
};

}  // namespace musa_sim
