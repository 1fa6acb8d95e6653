// The kernels and device variables of the loaded programs, by their host addresses.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/architectures.h"
#include "programs/images.h"

namespace musa_sim {

// A kernel on one device.
struct KernelCode {
    KernelEntry entry = nullptr;
    KernelEntry loop = nullptr;     // nullptr if there is none
    SharedVariables shared_variables = nullptr;  // checked builds only
    std::size_t static_shared = 0;  // bytes; 0 also if mcc did not know
    std::size_t max_dynamic_shared =
        0;  // musaFuncAttributeMaxDynamicSharedMemorySize; 0 if never set
    int max_threads = max_threads_per_block;  // fewer if __launch_bounds__ says so
    const long long* argument_sizes = nullptr;  // device_abi.h; nullptr if mcc does not know
    // False if mcc does not know, or if there is a parameter that cannot be copied as bytes.
    bool can_copy_arguments = false;
};

struct Kernel {
    FatBinary* binary;
    std::string device_name;    // mangled
    const char* readable_name;  // demangled; never freed, launches outlive the program
    std::map<int, KernelCode> code;  // by device, filled when first used
};

struct Variable {
    FatBinary* binary;
    std::string device_name;
    std::size_t size;
    bool managed;
};

class Registry {
public:
    static Registry& instance();

    FatBinary* add_binary(const FatBinaryWrapper& wrapper);
    void add_kernel(FatBinary* binary, const void* host_stub, const char* device_name);
    void add_variable(FatBinary* binary, const void* host_variable, const char* device_name,
                      std::size_t size);
    // A __managed__ variable: device code uses the host's object.
    void add_managed(FatBinary* binary, void* host_variable, const char* device_name,
                     std::size_t size);
    // The program that brought the binary is being unloaded; its host addresses may mean something
    // else soon.
    void remove_binary(FatBinary* binary);

    // The kernel on the device. The pointers stay valid while the program is loaded.
    // musaErrorInvalidDeviceFunction if the address is no kernel's, or an error of
    // FatBinary::image_for.
    musaError_t find_kernel(const void* host_stub, int device, Kernel** kernel, KernelCode** code);
    // musaErrorInvalidSymbol if the address is no variable's.
    musaError_t find_variable(const void* host_variable, int device, void** address,
                              std::size_t* size);

    std::mutex& mutex() { return mutex_; }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<FatBinary>> binaries_;
    std::unordered_map<const void*, Kernel> kernels_;
    std::unordered_map<const void*, Variable> variables_;
};

}  // namespace musa_sim
