#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// PyTorch's own assertions in kernels (TORCH_USE_CUDA_DSA), switched off as they are at run time in every release of
// PyTorch: a kernel gets no memory for its messages and writes none. assert() in a kernel does not need any of this.
constexpr int C10_MUSA_DSA_ASSERTION_COUNT = 10;
constexpr int C10_MUSA_DSA_MAX_STR_LEN = 512;

namespace c10::musa {

struct DeviceAssertionData {
  char assertion_msg[C10_MUSA_DSA_MAX_STR_LEN]{};
  char filename[C10_MUSA_DSA_MAX_STR_LEN]{};
  char function_name[C10_MUSA_DSA_MAX_STR_LEN]{};
  int line_number{};
  uint32_t caller{};
  int32_t block_id[3]{};
  int32_t thread_id[3]{};
};

struct DeviceAssertionsData {
  int32_t assertion_count{};
  DeviceAssertionData assertions[C10_MUSA_DSA_ASSERTION_COUNT]{};
};

struct MUSAKernelLaunchInfo {
  const char* launch_filename;
  const char* launch_function;
  uint32_t launch_linenum;
  std::string launch_stacktrace;
  const char* kernel_name;
  int device;
  int32_t stream;
  uint64_t generation_number;
};

class MUSAKernelLaunchRegistry {
 public:
  static MUSAKernelLaunchRegistry& get_singleton_ref() {
    static MUSAKernelLaunchRegistry registry;
    return registry;
  }

  uint32_t insert(
      const char* /*file*/, const char* /*function*/, uint32_t /*line*/, const char* /*kernel*/, int32_t /*stream*/) {
    return 0;
  }
  std::pair<std::vector<DeviceAssertionsData>, std::vector<MUSAKernelLaunchInfo>> snapshot() const {
    return {};
  }
  DeviceAssertionsData* get_uvm_assertions_ptr_for_current_device() {
    return nullptr;
  }
  bool has_failed() const {
    return false;
  }

  const bool do_all_devices_support_managed_memory = true;
  bool gather_launch_stacktrace = false;
  bool enabled_at_runtime = false;
  const bool enabled_at_compile_time = false;
};

inline std::string c10_retrieve_device_side_assertion_info() {
  return "assertions of PyTorch's own kind are not recorded";
}

} // namespace c10::musa

#define TORCH_DSA_KERNEL_ARGS                                              \
  [[maybe_unused]] c10::musa::DeviceAssertionsData *const assertions_data, \
      [[maybe_unused]] uint32_t assertion_caller_id
#define TORCH_DSA_KERNEL_ARGS_PASS assertions_data, assertion_caller_id

/// Launches such a kernel. The check is MUSAException.h's, which includes this header.
#define TORCH_DSA_KERNEL_LAUNCH(kernel, blocks, threads, shared_mem, stream, ...)                          \
  do {                                                                                                     \
    auto& launch_registry = c10::musa::MUSAKernelLaunchRegistry::get_singleton_ref();                      \
    kernel<<<blocks, threads, shared_mem, stream>>>(                                                       \
        __VA_ARGS__, launch_registry.get_uvm_assertions_ptr_for_current_device(),                          \
        launch_registry.insert(__FILE__, __FUNCTION__, __LINE__, #kernel, stream.id()));                   \
    C10_MUSA_KERNEL_LAUNCH_CHECK();                                                                        \
  } while (0)
