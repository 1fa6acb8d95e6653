// Stand-ins for memory that a device cannot reach (peer_access.h): as many pages, without access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace musa_sim {

class StandIns {
public:
    static StandIns& instance();

    // The first page of the stand-in for an allocation; made at the first request. 0 if the system has no more
    // addresses.
    std::uintptr_t first_page(std::uintptr_t memory, std::size_t size, int owner, unsigned pool);

    struct Found {
        std::uintptr_t address;  // of the memory itself
        int owner;
        unsigned pool;
    };
    // The memory behind an address that lies in a stand-in. Safe in a signal handler that interrupted code
    // of a kernel.
    std::optional<Found> find(const void* address);

    // The memory that begins here is freed.
    void remove(std::uintptr_t memory);
    std::mutex& mutex() { return mutex_; }

private:
    struct StandIn {
        std::uintptr_t memory;
        std::size_t page_bytes;
        int owner;
        unsigned pool;
    };

    std::mutex mutex_;
    std::map<std::uintptr_t, StandIn> stand_ins_;     // by first page
    std::map<std::uintptr_t, std::uintptr_t> pages_;  // the first page by memory
};

}  // namespace musa_sim
