#include "programs/images.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/active_checks.h"
#include "base/devices.h"
#include "memory/device_ranges.h"
#include "programs/cpu_features.h"

namespace musa_sim {
namespace {

class MemoryFile {
public:
    MemoryFile(const void* data, std::size_t size)
        : descriptor_(memfd_create("musa-device-image", MFD_CLOEXEC)) {
        if (descriptor_ < 0)
            throw std::runtime_error(std::string("memfd_create: ") + std::strerror(errno));
        const char* next = static_cast<const char*>(data);
        while (size > 0) {
            ssize_t written = write(descriptor_, next, size);
            if (written <= 0) {
                std::string reason = std::strerror(errno);
                close(descriptor_);
                throw std::runtime_error("cannot copy a device image into memory: " + reason);
            }
            next += written;
            size -= static_cast<std::size_t>(written);
        }
    }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

// dlopen remembers libraries by the text of their path, and descriptor numbers are used again after
// close(): the same spelling twice would return the previous image. So the running number of the
// image is spelled in the path, "./" for a one and "/" for a zero, which changes the text and not
// the file.
std::string unique_path(int descriptor, unsigned number) {
    std::string path = image_path_prefix;
    for (; number != 0; number >>= 1) path += number & 1 ? "./" : "/";
    return path + std::to_string(descriptor);
}

std::string arch_name(const FatBinaryEntry& entry) {
    return std::string(entry.arch, strnlen(entry.arch, sizeof entry.arch));
}

// The executable parts of all images. Only ever added to, at the front, so that it can be read
// without a lock.
struct CodeRange {
    std::uintptr_t begin;
    std::uintptr_t end;
    const CodeRange* next;
};
std::atomic<const CodeRange*> code_ranges{nullptr};

void add_code_ranges(void* handle, const void* elf) {
    const link_map* loaded = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &loaded) != 0) throw std::runtime_error(dlerror());
    const auto* header = static_cast<const Elf64_Ehdr*>(elf);
    const auto* segments =
        reinterpret_cast<const Elf64_Phdr*>(static_cast<const char*>(elf) + header->e_phoff);
    for (int i = 0; i < header->e_phnum; ++i) {
        if (segments[i].p_type != PT_LOAD || !(segments[i].p_flags & PF_X)) continue;
        const std::uintptr_t begin = loaded->l_addr + segments[i].p_vaddr;
        code_ranges = new CodeRange{begin, begin + segments[i].p_memsz, code_ranges};
    }
}

const FatBinaryEntry* entries(const FatBinaryHeader* header) {
    return reinterpret_cast<const FatBinaryEntry*>(header + 1);
}

}  // namespace

Image::Image(const void* elf, std::size_t size, const ManagedVariables& managed) {
    static unsigned next_number = 0;  // guarded by the registry's lock, as all of this file
    const std::vector<char> bound = bind_managed(elf, size, managed);
    MemoryFile file(bound.data(), bound.size());
    handle_ = dlopen(unique_path(file.descriptor(), ++next_number).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) throw std::runtime_error(dlerror());
    add_code_ranges(handle_, elf);
    for (auto* variable = static_cast<const GlobalVariable*>(find(global_variables));
         variable && variable->address; ++variable) {
        DeviceRanges::instance().add_variable(variable->address, variable->size, variable->name);
    }
}

bool is_device_code(const void* address) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    for (const CodeRange* range = code_ranges; range; range = range->next) {
        if (wanted >= range->begin && wanted < range->end) return true;
    }
    return false;
}

void* Image::find(const std::string& symbol) const { return dlsym(handle_, symbol.c_str()); }

FatBinary::FatBinary(const FatBinaryWrapper& wrapper) : header_(nullptr) {
    if (wrapper.magic != fat_binary_wrapper_magic || !wrapper.data) return;
    const auto* header = static_cast<const FatBinaryHeader*>(wrapper.data);
    if (is_known(*header)) header_ = header;
    if (header_) request_checks(header_->checks);
}

musaError_t FatBinary::image_for(int device, const Image** image) {
    auto found = loaded_.find(device);
    if (found == loaded_.end()) found = loaded_.emplace(device, load(device)).first;
    *image = found->second.image;
    return found->second.status;
}

FatBinary::Loaded FatBinary::load(int device) const {
    if (!header_) {
        std::fprintf(
            stderr,
            "[musa-sim] a program brought device code that mcc of this simulator did not write, or "
            "mcc of a later one; compile it again\n");
        return {musaErrorInvalidKernelImage, nullptr};
    }
    const std::string refused = why_not_runnable(header_->cpu);
    if (!refused.empty()) {
        std::fprintf(stderr, "[musa-sim] %s\n", refused.c_str());
        return {musaErrorNoKernelImageForDevice, nullptr};
    }
    const std::string wanted = DeviceTable::instance()[device].architecture->name;
    std::string present;
    for (std::uint32_t i = 0; i < header_->count; ++i) {
        const FatBinaryEntry& entry = entries(header_)[i];
        if (arch_name(entry) != wanted) {
            present += (present.empty() ? "" : ", ") + arch_name(entry);
            continue;
        }
        try {
            return {musaSuccess,
                    new Image(reinterpret_cast<const char*>(header_) + entry.offset, entry.size,
                              managed_)};
        } catch (const std::runtime_error& error) {
            std::fprintf(stderr, "[musa-sim] cannot load a device image: %s\n", error.what());
            return {musaErrorInvalidKernelImage, nullptr};
        }
    }
    std::fprintf(stderr,
                 "[musa-sim] no device code for device %d (%s): the program was compiled for %s; "
                 "compile it with --offload-arch=%s\n",
                 device, wanted.c_str(), present.empty() ? "no architecture" : present.c_str(),
                 wanted.c_str());
    return {musaErrorNoKernelImageForDevice, nullptr};
}

}  // namespace musa_sim
