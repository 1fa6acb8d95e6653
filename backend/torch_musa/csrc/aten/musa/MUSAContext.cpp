#include "torch_musa/csrc/aten/musa/MUSAContextLight.h"

#include <cstdlib>
#include <string_view>
#include <vector>

namespace at::musa {

namespace {

/// The simulator compiles device code for 32 lanes on every architecture; MUSA_SIM_WARP widens it.
int device_code_warp_size() {
  const char* chosen = std::getenv("MUSA_SIM_WARP");
  return chosen != nullptr && std::string_view(chosen) == "128" ? 128 : 32;
}

} // namespace

musaDeviceProp* getCurrentDeviceProperties() {
  return getDeviceProperties(c10::musa::current_device());
}

musaDeviceProp* getDeviceProperties(c10::DeviceIndex device) {
  static std::vector<musaDeviceProp> all = [] {
    std::vector<musaDeviceProp> properties(c10::musa::device_count());
    for (size_t i = 0; i < properties.size(); ++i) {
      C10_MUSA_CHECK(musaGetDeviceProperties(&properties[i], static_cast<int>(i)));
      properties[i].warpSize = device_code_warp_size();
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
