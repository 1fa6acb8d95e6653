// Libraries of kernels, loaded at run time: the driver's modules under the runtime's names.
#include <elf.h>
#include <musa.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/device_abi.h"
#include "base/devices.h"
#include "base/lifetime.h"
#include "driver_functions.h"

struct MUlib_st {
    MUmodule module = nullptr;
    std::vector<std::string> kernels;
};

namespace {

using musa_sim::device_call;
using musa_sim::FatBinaryEntry;
using musa_sim::FatBinaryHeader;

std::mutex live_mutex;

std::unordered_set<musaLibrary_t>& live_libraries() {
    static auto& libraries = musa_sim::leaked<std::unordered_set<musaLibrary_t>>();
    return libraries;
}

bool is_live(musaLibrary_t library) {
    std::lock_guard<std::mutex> lock(live_mutex);
    return live_libraries().count(library) != 0;
}

// Call a function of the driver. The numbers of its errors are the runtime's.
template <class Function, class... Arguments>
musaError_t call_driver(const char* name, Arguments... arguments) {
    const auto function = reinterpret_cast<Function>(musa_sim::driver_function(name));
    if (!function) return musaErrorSharedObjectInitFailed;
    return static_cast<musaError_t>(function(arguments...));
}
#define DRIVER(name, ...) call_driver<decltype(&::name)>(#name, __VA_ARGS__)

// Return the names of the kernels in the first image: its dynamic symbols that begin as their entries do.
std::vector<std::string> kernels_of(const char* image) {
    const auto* entry = reinterpret_cast<const FatBinaryEntry*>(image + sizeof(FatBinaryHeader));
    const char* elf = image + entry->offset;
    const auto* file = reinterpret_cast<const Elf64_Ehdr*>(elf);
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(elf + file->e_shoff);
    const std::size_t prefix = std::strlen(musa_sim::entry_prefix);
    std::vector<std::string> found;
    for (int i = 0; i < file->e_shnum; ++i) {
        if (sections[i].sh_type != SHT_DYNSYM) continue;
        const auto* symbols = reinterpret_cast<const Elf64_Sym*>(elf + sections[i].sh_offset);
        const char* names = elf + sections[sections[i].sh_link].sh_offset;
        for (std::size_t s = 0; s < sections[i].sh_size / sizeof *symbols; ++s) {
            const char* name = names + symbols[s].st_name;
            if (std::strncmp(name, musa_sim::entry_prefix, prefix) == 0) found.emplace_back(name + prefix);
        }
    }
    return found;
}

bool are_options(const void* options, const void* values, unsigned count) { return count == 0 || (options && values); }

musaError_t check_options(const musaJitOption* jit, void* const* jit_values, unsigned jit_count,
                          const musaLibraryOption* options, void* const* values, unsigned count) {
    if (!are_options(jit, jit_values, jit_count) || !are_options(options, values, count)) return musaErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == musaLibraryHostUniversalFunctionAndDataTable)
            return musa_sim::not_simulated(
                "functions for host and device (musaLibraryHostUniversalFunctionAndDataTable)");
        if (options[i] != musaLibraryBinaryIsPreserved) return musaErrorInvalidValue;
    }
    return musaSuccess;
}

// load(&module) loads the image, and refuses what is none; image() is read afterwards.
template <class Load, class Image>
musaError_t load_library(musaLibrary_t* library, Load load, Image image) {
    MUmodule module = nullptr;
    musaError_t error = DRIVER(muInit, 0U);
    if (error == musaSuccess) error = load(&module);
    if (error != musaSuccess) return error;
    *library = new MUlib_st{module, kernels_of(image())};
    std::lock_guard<std::mutex> lock(live_mutex);
    live_libraries().insert(*library);
    return musaSuccess;
}

musaError_t find_kernel(musaLibrary_t library, const char* name, musaKernel_t* kernel) {
    MUfunction function = nullptr;
    const musaError_t error = DRIVER(muModuleGetFunction, &function, library->module, name);
    if (error == musaErrorInvalidDeviceFunction) return musaErrorSymbolNotFound;
    if (error == musaSuccess) *kernel = reinterpret_cast<musaKernel_t>(function);
    return error;
}

}  // namespace

musaError_t musaLibraryLoadData(musaLibrary_t* library, const void* code, musaJitOption* jitOptions,
                                void** jitOptionsValues, unsigned int numJitOptions, musaLibraryOption* libraryOptions,
                                void** libraryOptionValues, unsigned int numLibraryOptions) {
    return device_call([&] {
        if (!library || !code) return musaErrorInvalidValue;
        const musaError_t error = check_options(jitOptions, jitOptionsValues, numJitOptions, libraryOptions,
                                                libraryOptionValues, numLibraryOptions);
        if (error != musaSuccess) return error;
        return load_library(
            library, [&](MUmodule* module) { return DRIVER(muModuleLoadData, module, code); },
            [&] { return static_cast<const char*>(code); });
    });
}

musaError_t musaLibraryLoadFromFile(musaLibrary_t* library, const char* fileName, musaJitOption* jitOptions,
                                    void** jitOptionsValues, unsigned int numJitOptions,
                                    musaLibraryOption* libraryOptions, void** libraryOptionValues,
                                    unsigned int numLibraryOptions) {
    return device_call([&] {
        if (!library || !fileName) return musaErrorInvalidValue;
        const musaError_t error = check_options(jitOptions, jitOptionsValues, numJitOptions, libraryOptions,
                                                libraryOptionValues, numLibraryOptions);
        if (error != musaSuccess) return error;
        std::vector<char> image;
        return load_library(
            library, [&](MUmodule* module) { return DRIVER(muModuleLoad, module, fileName); },
            [&] {
                std::ifstream file(fileName, std::ios::binary);
                image.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
                return image.data();
            });
    });
}

musaError_t musaLibraryUnload(musaLibrary_t library) {
    return device_call([&] {
        {
            std::lock_guard<std::mutex> lock(live_mutex);
            if (live_libraries().erase(library) == 0) return musaErrorInvalidResourceHandle;
        }
        const musaError_t error = DRIVER(muModuleUnload, library->module);
        delete library;
        return error;
    });
}

musaError_t musaLibraryGetKernel(musaKernel_t* pKernel, musaLibrary_t library, const char* name) {
    return device_call([&] {
        if (!pKernel || !name) return musaErrorInvalidValue;
        return is_live(library) ? find_kernel(library, name, pKernel) : musaErrorInvalidResourceHandle;
    });
}

musaError_t musaLibraryGetKernelCount(unsigned int* count, musaLibrary_t lib) {
    return device_call([&] {
        if (!count) return musaErrorInvalidValue;
        if (!is_live(lib)) return musaErrorInvalidResourceHandle;
        *count = static_cast<unsigned>(lib->kernels.size());
        return musaSuccess;
    });
}

musaError_t musaLibraryEnumerateKernels(musaKernel_t* kernels, unsigned int numKernels, musaLibrary_t lib) {
    return device_call([&] {
        if (!kernels || numKernels == 0) return musaErrorInvalidValue;
        if (!is_live(lib)) return musaErrorInvalidResourceHandle;
        for (unsigned i = 0; i < numKernels && i < lib->kernels.size(); ++i) {
            const musaError_t error = find_kernel(lib, lib->kernels[i].c_str(), &kernels[i]);
            if (error != musaSuccess) return error;
        }
        return musaSuccess;
    });
}

musaError_t musaLibraryGetGlobal(void** dptr, size_t* bytes, musaLibrary_t library, const char* name) {
    return device_call([&] {
        if (!name || (!dptr && !bytes)) return musaErrorInvalidValue;
        if (!is_live(library)) return musaErrorInvalidResourceHandle;
        MUdeviceptr address = 0;
        const musaError_t error = DRIVER(muModuleGetGlobal_v2, &address, bytes, library->module, name);
        if (error == musaSuccess && dptr) *dptr = reinterpret_cast<void*>(address);
        return error;
    });
}

musaError_t musaKernelSetAttributeForDevice(musaKernel_t kernel, musaFuncAttribute attr, int value, int device) {
    return device_call([&] {
        const int before = musa_sim::current_device();
        const musaError_t error = musaSetDevice(device);
        if (error != musaSuccess) return error;
        const musaError_t set = musaFuncSetAttribute(kernel, attr, value);
        musa_sim::set_current_device(before);
        return set;
    });
}

musaError_t musaGetKernel(musaKernel_t* kernelPtr, const void* entryFuncAddr) {
    return device_call([&] {
        musaFunction_t function = nullptr;
        if (!kernelPtr) return musaErrorInvalidValue;
        const musaError_t error = musaGetFuncBySymbol(&function, entryFuncAddr);
        if (error == musaSuccess) *kernelPtr = reinterpret_cast<musaKernel_t>(function);
        return error;
    });
}
