// Fat binaries: which image a device needs, and loading it.
//
// Each device gets its own copy of an image, so that each has its own __device__ and __constant__
// variables. Images are loaded when a kernel or a variable is first used on the device.
#pragma once

#include <map>
#include <string>

#include "base/api.h"
#include "base/device_abi.h"
#include "programs/managed_variables.h"

namespace musa_sim {

class Image {
public:
    // `managed`: the host program's __managed__ variables, by the names of the image's undefined
    // symbols. Throws std::runtime_error with the loader's message.
    Image(const void* elf, std::size_t size, const ManagedVariables& managed);

    // nullptr if the image has no such symbol.
    void* find(const std::string& symbol) const;

private:
    void* handle_;  // never closed: the kernels of an image may have left pointers to it anywhere
};

// Whether the address is in the code of an image. Safe in a signal handler.
bool is_device_code(const void* address);

class FatBinary {
public:
    explicit FatBinary(const FatBinaryWrapper& wrapper);

    // Before the first image is loaded.
    void add_managed(const std::string& device_name, void* host_variable) {
        managed_[device_name] = host_variable;
    }

    // The device's image in *image. musaErrorNoKernelImageForDevice, after a line on stderr, if
    // there is none for the device's architecture, which must match exactly (whether real devices
    // accept others is not known), or if this machine's CPU cannot run it.
    // musaErrorInvalidKernelImage if the fat binary or the image is damaged.
    musaError_t image_for(int device, const Image** image);

private:
    struct Loaded {
        musaError_t status;
        const Image* image;
    };
    Loaded load(int device) const;

    const FatBinaryHeader* header_;  // nullptr if not valid
    ManagedVariables managed_;
    std::map<int, Loaded> loaded_;
};

}  // namespace musa_sim
