// Enabling and disabling access to the memory of other devices.
#include "base/devices.h"
#include "memory/peer_access.h"

using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::DeviceTable;
using musa_sim::PeerAccess;

musaError_t musaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
    return device_call([&] {
        if (!DeviceTable::instance().contains(peerDevice) || peerDevice == current_device()) {
            return musaErrorInvalidDevice;
        }
        if (flags != 0) return musaErrorInvalidValue;
        return PeerAccess::instance().enable(current_device(), peerDevice)
                   ? musaSuccess
                   : musaErrorPeerAccessAlreadyEnabled;
    });
}

musaError_t musaDeviceDisablePeerAccess(int peerDevice) {
    return device_call([&] {
        if (!DeviceTable::instance().contains(peerDevice)) return musaErrorInvalidDevice;
        return PeerAccess::instance().disable(current_device(), peerDevice)
                   ? musaSuccess
                   : musaErrorPeerAccessNotEnabled;
    });
}
