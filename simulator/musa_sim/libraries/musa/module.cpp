// Modules: fat binaries that are registered at run time, as clang's constructors register those of programs, with
// addresses of our own objects instead of the host's launch stubs and shadow variables.
#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "driver.h"
#include "base/device_abi.h"
#include "base/lifetime.h"

struct MUfunc_st {
    std::string name;
};

struct MUmod_st {
    std::vector<char> blob;
    musa_sim::FatBinaryWrapper wrapper;
    void** handle = nullptr;
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<MUfunc_st>> functions;
    std::map<std::string, std::unique_ptr<char>> variables;
};

namespace {

using musa_sim::FatBinaryEntry;
using musa_sim::FatBinaryHeader;

std::mutex live_mutex;

std::unordered_set<MUmodule>& live_modules() {
    static auto& modules = musa_sim::leaked<std::unordered_set<MUmodule>>();
    return modules;
}

MUresult check_module(MUmodule module) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    std::lock_guard<std::mutex> lock(live_mutex);
    return live_modules().count(module) ? MUSA_SUCCESS : MUSA_ERROR_INVALID_HANDLE;
}

const FatBinaryEntry* entries(const FatBinaryHeader* header) {
    return reinterpret_cast<const FatBinaryEntry*>(header + 1);
}

// Return the length of a fat binary, which the caller does not pass; 0 if it is none.
std::size_t length_of(const void* image) {
    const auto* header = static_cast<const FatBinaryHeader*>(image);
    if (!musa_sim::is_known(*header)) return 0;
    constexpr std::uint32_t most_entries = 64;
    constexpr std::size_t most_bytes = std::size_t{1} << 40;
    bool is_whole = header->count > 0 && header->count <= most_entries;
    const std::size_t first = sizeof *header + header->count * sizeof(FatBinaryEntry);
    std::size_t end = first;
    for (std::uint32_t i = 0; i < header->count && is_whole; ++i) {
        const FatBinaryEntry& entry = entries(header)[i];
        is_whole = std::strncmp(entry.arch, "mp_", 3) == 0 && entry.offset >= first && entry.offset < most_bytes &&
                   entry.size < most_bytes;
        end = std::max<std::size_t>(end, entry.offset + entry.size);
    }
    if (is_whole) return end;
    std::fprintf(stderr,
                 "[musa-sim] a device image is damaged. Images are binary, those of `nvcc -ptx` too: a program that takes "
                 "one for text cuts it at its first zero byte\n");
    return 0;
}

// Return the size of a variable by the first image's symbol table; 0 without such a symbol.
std::size_t size_of_symbol(const std::vector<char>& blob, const char* name) {
    const auto* header = reinterpret_cast<const FatBinaryHeader*>(blob.data());
    const char* elf = blob.data() + entries(header)[0].offset;
    const auto* file = reinterpret_cast<const Elf64_Ehdr*>(elf);
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(elf + file->e_shoff);
    for (int i = 0; i < file->e_shnum; ++i) {
        if (sections[i].sh_type != SHT_DYNSYM) continue;
        const auto* symbols = reinterpret_cast<const Elf64_Sym*>(elf + sections[i].sh_offset);
        const char* names = elf + sections[sections[i].sh_link].sh_offset;
        for (std::size_t s = 0; s < sections[i].sh_size / sizeof *symbols; ++s) {
            if (std::strcmp(names + symbols[s].st_name, name) == 0) return symbols[s].st_size;
        }
    }
    return 0;
}

MUresult load(MUmodule* module, const char* image, std::size_t length) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    auto loaded = std::make_unique<MUmod_st>();
    loaded->blob.assign(image, image + length);
    loaded->wrapper = {musa_sim::fat_binary_wrapper_magic, 1, loaded->blob.data(), nullptr};
    loaded->handle = __musaRegisterFatBinary(&loaded->wrapper);
    __musaRegisterFatBinaryEnd(loaded->handle);
    *module = loaded.release();
    std::lock_guard<std::mutex> lock(live_mutex);
    live_modules().insert(*module);
    return MUSA_SUCCESS;
}

// Load code that needs no other: it is linked alone.
MUresult load_relocatable(MUmodule* module, const std::string& name, std::vector<char> code) {
    MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    std::vector<char> image;
    std::string why;
    status = driver::link({{name, std::move(code)}}, image, why);
    if (status == MUSA_SUCCESS && image.empty()) return MUSA_ERROR_INVALID_IMAGE;
    if (status == MUSA_SUCCESS) return load(module, image.data(), image.size());
    std::fprintf(stderr, "[musa-sim] %s\n", why.c_str());
    return status;
}

musaFuncAttribute settable(MUfunction_attribute attribute) { return static_cast<musaFuncAttribute>(attribute); }

}  // namespace

std::size_t driver::image_length(const void* image, std::size_t bytes) {
    if (bytes < sizeof(FatBinaryHeader)) return 0;
    const auto* header = static_cast<const FatBinaryHeader*>(image);
    if (bytes < sizeof *header + header->count * sizeof(FatBinaryEntry)) return 0;
    const std::size_t length = length_of(image);
    return length <= bytes ? length : 0;
}

MUSA_EXPORT MUresult muModuleLoadData(MUmodule* module, const void* image) {
    if (!module || !image) return MUSA_ERROR_INVALID_VALUE;
    const char* const bytes = static_cast<const char*>(image);
    const std::size_t relocatable = driver::relocatable_length(image);
    if (relocatable > 0) return load_relocatable(module, "the module", {bytes, bytes + relocatable});
    const std::size_t length = length_of(image);
    return length > 0 ? load(module, bytes, length) : MUSA_ERROR_INVALID_IMAGE;
}

MUSA_EXPORT MUresult muModuleLoadFatBinary(MUmodule* module, const void* image) {
    return muModuleLoadData(module, image);
}

// The options are a compiler's; images need none.
MUSA_EXPORT MUresult muModuleLoadDataEx(MUmodule* module, const void* image, unsigned int option_count,
                                        MUjit_option* options, void** values) {
    if (option_count > 0 && (!options || !values)) return MUSA_ERROR_INVALID_VALUE;
    return muModuleLoadData(module, image);
}

MUSA_EXPORT MUresult muModuleLoad(MUmodule* module, const char* path) {
    if (!module || !path) return MUSA_ERROR_INVALID_VALUE;
    std::ifstream file(path, std::ios::binary);
    if (!file) return MUSA_ERROR_FILE_NOT_FOUND;
    std::vector<char> image{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (driver::is_relocatable(image)) return load_relocatable(module, path, std::move(image));
    const std::size_t length = driver::image_length(image.data(), image.size());
    return length > 0 ? load(module, image.data(), length) : MUSA_ERROR_INVALID_IMAGE;
}

MUSA_EXPORT MUresult muModuleUnload(MUmodule module) {
    const MUresult status = check_module(module);
    if (status != MUSA_SUCCESS) return status;
    const MUresult finished = muCtxSynchronize();
    std::lock_guard<std::mutex> lock(live_mutex);
    live_modules().erase(module);
    __musaUnregisterFatBinary(module->handle);
    delete module;
    return finished;
}

MUSA_EXPORT MUresult muModuleGetFunction(MUfunction* function, MUmodule module, const char* name) {
    if (!function || !name) return MUSA_ERROR_INVALID_VALUE;
    const MUresult status = check_module(module);
    if (status != MUSA_SUCCESS) return status;
    std::lock_guard<std::mutex> lock(module->mutex);
    std::unique_ptr<MUfunc_st>& known = module->functions[name];
    if (!known) {
        known = std::make_unique<MUfunc_st>(MUfunc_st{name});
        __musaRegisterFunction(module->handle, known.get(), known->name.data(), known->name.c_str(), -1, nullptr,
                               nullptr, nullptr, nullptr, nullptr);
    }
    musaFuncAttributes attributes;
    const MUresult found = driver::call([&] { return musaFuncGetAttributes(&attributes, known.get()); });
    if (found == MUSA_SUCCESS) *function = known.get();
    return found;
}

MUSA_EXPORT MUresult muModuleGetGlobal(MUdeviceptr* memory, size_t* bytes, MUmodule module, const char* name) {
    if (!name) return MUSA_ERROR_INVALID_VALUE;
    const MUresult status = check_module(module);
    if (status != MUSA_SUCCESS) return status;
    const std::size_t size = size_of_symbol(module->blob, name);
    if (size == 0) return MUSA_ERROR_NOT_FOUND;
    std::lock_guard<std::mutex> lock(module->mutex);
    std::unique_ptr<char>& shadow = module->variables[name];
    if (!shadow) {
        shadow = std::make_unique<char>();
        std::string device_name = name;
        __musaRegisterVar(module->handle, shadow.get(), device_name.data(), name, 0, size, 0, 0);
    }
    void* address = nullptr;
    const MUresult found = driver::call([&] { return musaGetSymbolAddress(&address, shadow.get()); });
    if (found != MUSA_SUCCESS) return found;
    if (memory) *memory = reinterpret_cast<std::uintptr_t>(address);
    if (bytes) *bytes = size;
    return MUSA_SUCCESS;
}
MUSA_FIRST_NAME(muModuleGetGlobal)

namespace {

// Call launch(arguments) with the program's array, or with an array that points into the buffer of `extra`.
template <class Launch>
MUresult launch_with(MUfunction function, void** parameters, void** extra, Launch launch) {
    if (!extra) return driver::call([&] { return launch(parameters); });
    if (parameters) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([&] {
        return static_cast<musaError_t>(__musa_sim_unpack_arguments(
            function, extra,
            [](void** arguments, void* given) -> int { return (*static_cast<Launch*>(given))(arguments); }, &launch));
    });
}

}  // namespace

MUSA_EXPORT MUresult muLaunchKernel(MUfunction function, unsigned int grid_x, unsigned int grid_y,
                                    unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                    unsigned int block_z, unsigned int shared_bytes, MUstream stream,
                                    void** parameters, void** extra) {
    const driver::RecordedCall recorded(__func__);
    return launch_with(function, parameters, extra, [=](void** arguments) {
        return musaLaunchKernel(function, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), arguments,
                                shared_bytes, stream);
    });
}

MUSA_EXPORT MUresult muLaunchCooperativeKernel(MUfunction function, unsigned int grid_x, unsigned int grid_y,
                                               unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                               unsigned int block_z, unsigned int shared_bytes, MUstream stream,
                                               void** parameters) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([=] {
        return musaLaunchCooperativeKernel(function, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                                           parameters, shared_bytes, stream);
    });
}

static_assert(sizeof(MUlaunchAttribute) == sizeof(musaLaunchAttribute));

MUSA_EXPORT MUresult muLaunchKernelEx(const MUlaunchConfig* config, MUfunction function, void** parameters,
                                      void** extra) {
    const driver::RecordedCall recorded(__func__);
    if (!config) return MUSA_ERROR_INVALID_VALUE;
    musaLaunchConfig_t same{};
    same.gridDim = dim3(config->gridDimX, config->gridDimY, config->gridDimZ);
    same.blockDim = dim3(config->blockDimX, config->blockDimY, config->blockDimZ);
    same.dynamicSmemBytes = config->sharedMemBytes;
    same.stream = config->hStream;
    same.attrs = reinterpret_cast<musaLaunchAttribute*>(config->attrs);
    same.numAttrs = config->numAttrs;
    return launch_with(function, parameters, extra,
                       [&](void** arguments) { return musaLaunchKernelExC(&same, function, arguments); });
}

MUSA_EXPORT MUresult muFuncSetAttribute(MUfunction function, MUfunction_attribute attribute, int value) {
    return driver::call([=] { return musaFuncSetAttribute(function, settable(attribute), value); });
}

MUSA_EXPORT MUresult muFuncGetAttribute(int* value, MUfunction_attribute attribute, MUfunction function) {
    if (!value) return MUSA_ERROR_INVALID_VALUE;
    musaFuncAttributes attributes;
    const MUresult status = driver::call([&] { return musaFuncGetAttributes(&attributes, function); });
    if (status != MUSA_SUCCESS) return status;
    switch (attribute) {
        case MU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = attributes.maxThreadsPerBlock; break;
        case MU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(attributes.sharedSizeBytes); break;
        case MU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = static_cast<int>(attributes.constSizeBytes); break;
        case MU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(attributes.localSizeBytes); break;
        case MU_FUNC_ATTRIBUTE_NUM_REGS: *value = attributes.numRegs; break;
        case MU_FUNC_ATTRIBUTE_PTX_VERSION: *value = attributes.ptxVersion; break;
        case MU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = attributes.cacheModeCA; break;
        case MU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = attributes.binaryVersion; break;
        case MU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = attributes.maxDynamicSharedSizeBytes; break;
        case MU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = attributes.preferredShmemCarveout; break;
        default: return MUSA_ERROR_INVALID_VALUE;
    }
    return MUSA_SUCCESS;
}

MUSA_EXPORT MUresult muOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, MUfunction function, int block_size,
                                                                 size_t shared_bytes) {
    return driver::call(
        [=] { return musaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes); });
}

// A program's own kernels belong to no module that it loaded.
MUSA_EXPORT MUresult muFuncGetModule(MUmodule* module, MUfunction function) {
    if (!module) return MUSA_ERROR_INVALID_VALUE;
    std::lock_guard<std::mutex> lock(live_mutex);
    for (const MUmodule loaded : live_modules()) {
        std::lock_guard<std::mutex> functions_lock(loaded->mutex);
        for (const auto& [name, mine] : loaded->functions) {
            if (mine.get() != function) continue;
            *module = loaded;
            return MUSA_SUCCESS;
        }
    }
    return MUSA_ERROR_INVALID_HANDLE;
}

MUSA_EXPORT MUresult muFuncGetName(const char** name, MUfunction function) {
    return driver::call([=] { return musaFuncGetName(name, function); });
}

MUSA_EXPORT MUresult muFuncGetParamInfo(MUfunction function, size_t index, size_t* offset, size_t* size) {
    return driver::call([=] { return musaFuncGetParamInfo(function, index, offset, size); });
}

MUSA_EXPORT MUresult muFuncSetCacheConfig(MUfunction function, MUfunc_cache config) {
    return driver::call([=] { return musaFuncSetCacheConfig(function, static_cast<musaFuncCache>(config)); });
}

MUSA_EXPORT MUresult muFuncSetSharedMemConfig(MUfunction function, MUsharedconfig config) {
    return driver::call([=] { return musaFuncSetSharedMemConfig(function, static_cast<musaSharedMemConfig>(config)); });
}

MUSA_EXPORT MUresult muOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, MUfunction function,
                                                                          int block_size, size_t shared_bytes,
                                                                          unsigned int flags) {
    return driver::call([=] {
        return musaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared_bytes, flags);
    });
}

// Return the largest of the blocks that fill a multiprocessor best, as the runtime's template does.
MUSA_EXPORT MUresult muOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size, MUfunction function,
                                                               MUoccupancyB2DSize shared_of, size_t shared_bytes,
                                                               int block_size_limit, unsigned int flags) {
    if (!grid_size || !block_size) return MUSA_ERROR_INVALID_VALUE;
    int device = 0;
    musaDeviceProp properties;
    MUresult status = driver::call([&] {
        const musaError_t error = musaGetDevice(&device);
        return error != musaSuccess ? error : musaGetDeviceProperties(&properties, device);
    });
    if (status != MUSA_SUCCESS) return status;
    int largest = properties.maxThreadsPerBlock, most = 0;
    if (block_size_limit > 0 && block_size_limit < largest) largest = block_size_limit;
    const int warp = properties.warpSize;
    for (int size = largest; size > 0; size -= size % warp ? size % warp : warp) {
        int blocks = 0;
        status = muOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, function, size, shared_of ? shared_of(size) : shared_bytes, flags);
        if (status != MUSA_SUCCESS) return status;
        if (blocks * size <= most) continue;
        most = blocks * size;
        *block_size = size;
        *grid_size = blocks * properties.multiProcessorCount;
    }
    return most > 0 ? MUSA_SUCCESS : MUSA_ERROR_INVALID_VALUE;
}

MUSA_EXPORT MUresult muOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, MUfunction function,
                                                      MUoccupancyB2DSize shared_of, size_t shared_bytes,
                                                      int block_size_limit) {
    return muOccupancyMaxPotentialBlockSizeWithFlags(grid_size, block_size, function, shared_of, shared_bytes,
                                                     block_size_limit, MU_OCCUPANCY_DEFAULT);
}

MUSA_EXPORT MUresult muOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, MUfunction function, int blocks,
                                                             int block_size) {
    return driver::call([=] { return musaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, block_size); });
}
