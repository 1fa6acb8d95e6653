#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

// The settings of PyTorch's caching allocator. The allocator of this device does not cache, so they have one value each.
namespace c10::musa::MUSACachingAllocator {

class MUSAAllocatorConfig {
 public:
  static MUSAAllocatorConfig& instance() {
    static MUSAAllocatorConfig config;
    return config;
  }

  static size_t max_split_size() {
    return std::numeric_limits<size_t>::max();
  }
  static size_t max_non_split_rounding_size() {
    return 0;
  }
  static double garbage_collection_threshold() {
    return 0;
  }
  static bool expandable_segments() {
    return false;
  }
  static bool release_lock_on_musamalloc() {
    return true; // there is no lock to hold
  }
  static bool pinned_use_musa_host_register() {
    return false;
  }
  static size_t pinned_num_register_threads() {
    return 1;
  }
  static bool pinned_use_background_threads() {
    return false;
  }
  static size_t roundup_power2_divisions(size_t /*size*/) {
    return 0;
  }
  static std::vector<size_t> roundup_power2_divisions() {
    return {};
  }
  /// No settings are read.
  static std::string last_allocator_settings() {
    return "";
  }

 private:
  MUSAAllocatorConfig() = default;
};

} // namespace c10::musa::MUSACachingAllocator
