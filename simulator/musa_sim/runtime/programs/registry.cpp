#include "programs/registry.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/lifetime.h"
#include "memory/device_ranges.h"
#include "memory/memory_table.h"

namespace musa_sim {
namespace {

const char* demangled(const char* name) {
    int status = 0;
    const char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    return text ? text : strdup(name);
}

// The library that the address is in will never be unloaded, as a program is not.
void keep_loaded(const void* address) {
    Dl_info library{};
    if (dladdr(address, &library) != 0 && library.dli_fname)
        dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

// Whether all arguments of these sizes (device_abi.h) can be copied as bytes.
bool can_copy(const long long* sizes) {
    return sizes && std::all_of(sizes + 1, sizes + 1 + sizes[0], [](long long n) { return n >= 0; });
}

template <class Map>
void erase_of(Map& map, const FatBinary* binary) {
    for (auto entry = map.begin(); entry != map.end();) {
        entry = entry->second.binary == binary ? map.erase(entry) : std::next(entry);
    }
}

}  // namespace

Registry& Registry::instance() {
    static Registry& registry = leaked<Registry>();
    return registry;
}

FatBinary* Registry::add_binary(const FatBinaryWrapper& wrapper) {
    std::lock_guard<std::mutex> lock(mutex_);
    binaries_.push_back(std::make_unique<FatBinary>(wrapper));
    return binaries_.back().get();
}

void Registry::add_kernel(FatBinary* binary, const void* host_stub, const char* device_name) {
    std::lock_guard<std::mutex> lock(mutex_);
    kernels_[host_stub] = Kernel{binary, device_name, demangled(device_name), {}};
}

void Registry::add_variable(FatBinary* binary, const void* host_variable, const char* device_name,
                            std::size_t size) {
    std::lock_guard<std::mutex> lock(mutex_);
    variables_[host_variable] = Variable{binary, device_name, size, false};
}

void Registry::add_managed(FatBinary* binary, void* host_variable, const char* device_name,
                           std::size_t size) {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        variables_[host_variable] = Variable{binary, device_name, size, true};
        binary->add_managed(device_name, host_variable);
    }
    MemoryTable::instance().add(host_variable, {size, MemoryKind::managed_variable, 0});
    DeviceRanges::instance().add_variable(host_variable, size, device_name);
}

void Registry::remove_binary(FatBinary* binary) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [address, variable] : variables_) {
        if (variable.binary != binary || !variable.managed) continue;
        MemoryTable::instance().remove(address, MemoryKind::managed_variable);
        DeviceRanges::instance().remove_variable(address);
    }
    erase_of(kernels_, binary);
    erase_of(variables_, binary);
    for (auto owner = binaries_.begin(); owner != binaries_.end(); ++owner) {
        if (owner->get() != binary) continue;
        binaries_.erase(owner);
        return;
    }
}

musaError_t Registry::find_kernel(const void* host_stub, int device, Kernel** kernel,
                                  KernelCode** code) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = kernels_.find(host_stub);
    if (found == kernels_.end()) return musaErrorInvalidDeviceFunction;
    *kernel = &found->second;
    auto known = (*kernel)->code.find(device);
    if (known == (*kernel)->code.end()) {
        const Image* image = nullptr;
        musaError_t error = (*kernel)->binary->image_for(device, &image);
        if (error != musaSuccess) return error;
        const std::string& name = (*kernel)->device_name;
        KernelCode loaded;
        loaded.entry = reinterpret_cast<KernelEntry>(image->find(entry_prefix + name));
        loaded.loop = reinterpret_cast<KernelEntry>(image->find(loop_prefix + name));
        if (const void* size = image->find(static_shared_prefix + name)) {
            loaded.static_shared = *static_cast<const unsigned long long*>(size);
        }
        if (const void* bound = image->find(launch_bounds_prefix + name)) {
            loaded.max_threads = std::min(*static_cast<const int*>(bound), max_threads_per_block);
        }
        loaded.argument_sizes =
            static_cast<const long long*>(image->find(argument_sizes_prefix + name));
        loaded.can_copy_arguments = can_copy(loaded.argument_sizes);
        loaded.shared_variables =
            reinterpret_cast<SharedVariables>(image->find(shared_variables_prefix + name));
        if (!loaded.entry) return musaErrorInvalidDeviceFunction;
        known = (*kernel)->code.emplace(device, loaded).first;
    }
    *code = &known->second;
    return musaSuccess;
}

musaError_t Registry::find_variable(const void* host_variable, int device, void** address,
                                    std::size_t* size) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = variables_.find(host_variable);
    if (found == variables_.end()) return musaErrorInvalidSymbol;
    if (found->second.managed) {
        *address = const_cast<void*>(host_variable);
        *size = found->second.size;
        return musaSuccess;
    }
    const Image* image = nullptr;
    musaError_t error = found->second.binary->image_for(device, &image);
    if (error != musaSuccess) return error;
    *address = image->find(found->second.device_name);
    *size = found->second.size;
    return *address ? musaSuccess : musaErrorInvalidSymbol;
}

}  // namespace musa_sim

using musa_sim::FatBinary;
using musa_sim::Registry;

// The handle that clang's constructors pass around is the FatBinary itself.

void** __musaRegisterFatBinary(void* wrapper) {
    return reinterpret_cast<void**>(
        Registry::instance().add_binary(*static_cast<const musa_sim::FatBinaryWrapper*>(wrapper)));
}

void __musaRegisterFatBinaryEnd(void**) {}

void __musaUnregisterFatBinary(void** handle) {
    Registry::instance().remove_binary(reinterpret_cast<FatBinary*>(handle));
}

int __musaRegisterFunction(void** handle, const void* host_stub, char*, const char* device_name,
                           int, void*, void*, void*, void*, int*) {
    Registry::instance().add_kernel(reinterpret_cast<FatBinary*>(handle), host_stub, device_name);
    return 0;
}

void __musaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int,
                       std::size_t size, int, int) {
    Registry::instance().add_variable(reinterpret_cast<FatBinary*>(handle), host_variable,
                                      device_name, size);
}

void __musa_sim_register_managed(void** handle, char* host_variable, char*, const char* device_name,
                                 int, std::size_t size, int, int) {
    musa_sim::keep_loaded(host_variable);  // kernels in flight may use it
    Registry::instance().add_managed(reinterpret_cast<FatBinary*>(handle), host_variable,
                                     device_name, size);
}
