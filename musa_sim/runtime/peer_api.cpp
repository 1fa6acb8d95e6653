// Peer access: the simulated devices share the host's memory, so what is kept here is only who
// enabled what, which decides the errors that programs expect (704 and 705).
#include <mutex>
#include <set>
#include <utility>

#include "devices.h"
#include "lifetime.h"

using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::DeviceTable;

namespace {

struct PeerAccess {
    std::mutex mutex;
    std::set<std::pair<int, int>> enabled;  // (device, peer)
};

PeerAccess& peer_access() {
    static PeerAccess& access = musa_sim::leaked<PeerAccess>();
    return access;
}

}  // namespace

musaError_t musaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
    return device_call([&] {
        if (!DeviceTable::instance().contains(peerDevice) || peerDevice == current_device()) {
            return musaErrorInvalidDevice;
        }
        if (flags != 0) return musaErrorInvalidValue;
        std::lock_guard<std::mutex> lock(peer_access().mutex);
        bool added = peer_access().enabled.insert({current_device(), peerDevice}).second;
        return added ? musaSuccess : musaErrorPeerAccessAlreadyEnabled;
    });
}

musaError_t musaDeviceDisablePeerAccess(int peerDevice) {
    return device_call([&] {
        if (!DeviceTable::instance().contains(peerDevice)) return musaErrorInvalidDevice;
        std::lock_guard<std::mutex> lock(peer_access().mutex);
        bool removed = peer_access().enabled.erase({current_device(), peerDevice}) != 0;
        return removed ? musaSuccess : musaErrorPeerAccessNotEnabled;
    });
}
