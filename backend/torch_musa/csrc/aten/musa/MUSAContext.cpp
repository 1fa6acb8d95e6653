#include "torch_musa/csrc/aten/musa/MUSAContextLight.h"

#include <vector>

namespace at::musa {

musaDeviceProp* getCurrentDeviceProperties() {
  return getDeviceProperties(c10::musa::current_device());
}

musaDeviceProp* getDeviceProperties(c10::DeviceIndex device) {
  static std::vector<musaDeviceProp> all = [] {
    std::vector<musaDeviceProp> properties(c10::musa::device_count());
    for (size_t i = 0; i < properties.size(); ++i) {
      C10_MUSA_CHECK(musaGetDeviceProperties(&properties[i], static_cast<int>(i)));
    }
    return properties;
  }();
  TORCH_CHECK(
      device >= 0 && static_cast<size_t>(device) < all.size(),
      "Invalid MUSA device index ", static_cast<int>(device), ": there are ", all.size(), " device(s)");
  return &all[device];
}

int warp_size() {
  return getCurrentDeviceProperties()->warpSize;
}

bool canDeviceAccessPeer(c10::DeviceIndex device, c10::DeviceIndex peer) {
  int possible = 0;
  C10_MUSA_CHECK(musaDeviceCanAccessPeer(&possible, device, peer));
  return possible != 0;
}

int getMUSAArch(c10::DeviceIndex device) {
  const musaDeviceProp* properties =
      device < 0 ? getCurrentDeviceProperties() : getDeviceProperties(device);
  return properties->major * 100 + properties->minor * 10;
}

} // namespace at::musa
