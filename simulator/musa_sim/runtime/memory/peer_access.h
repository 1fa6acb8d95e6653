// Access of devices to the memory of other devices.
//
// All simulated devices share the host's memory, so a kernel that was given a pointer to another
// device's memory could use it. It is given an address of the same offset in a stand-in
// (stand_ins.h) instead. A kernel may carry the pointer; if it dereferences it, it faults
// there, and explain() finds the memory behind the address.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "memory/memory_table.h"

namespace musa_sim {

// Mapped memory (virtual_memory.h) is reached as muMemSetAccess says. PeerAccess treats it as a pool; such
// pools are numbered from here, one per set of devices with access.
inline constexpr unsigned first_number_of_mapped_memory = 1u << 31;

class PeerAccess {
public:
    static PeerAccess& instance();

    // False if it is enabled already.
    bool enable(int device, int peer);
    // False if it is not enabled.
    bool disable(int device, int peer);
    // musaDeviceReset: the device can reach no other one.
    void disable_all(int device);

    // Memory of pools is reached as the pool says (musaMemPoolSetAccess), whatever is enabled.
    void set_pool_access(unsigned pool, int device, bool may);

    // Whether the memory is another device's that the device cannot reach.
    bool is_out_of_reach(int device, const Allocation& allocation);
    // Replace each pointer to such memory in the bytes of an argument.
    void hide_foreign_memory(int device, void* argument, std::size_t size);
    // Explain a fault at an address in a stand-in.
    std::optional<std::string> explain(int device, const void* address);

    std::mutex& mutex() { return mutex_; }

private:
    std::mutex mutex_;
    std::set<std::pair<int, int>> enabled_;     // (device, peer)
    std::set<std::pair<unsigned, int>> pools_;  // (pool, device that may)
};

// "device 1 has not called musaDeviceEnablePeerAccess(0, 0)"
std::string missing_peer_access(int device, int owner, unsigned pool);

}  // namespace musa_sim
