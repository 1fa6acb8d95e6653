#include "programs/managed_variables.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace musa_sim {
namespace {

// An ELF file of our own linker, as far as its dynamic section goes.
class DynamicTables {
public:
    explicit DynamicTables(std::vector<char>& file) : file_(file) {
        const auto* header = at_offset<Elf64_Ehdr>(0);
        segments_ = at_offset<Elf64_Phdr>(header->e_phoff);
        segment_count_ = header->e_phnum;
        for (int i = 0; i < segment_count_; ++i) {
            if (segments_[i].p_type == PT_DYNAMIC) read(at_offset<Elf64_Dyn>(segments_[i].p_offset));
        }
    }

    Elf64_Rela* relocations() { return relocations_; }
    std::size_t relocation_count() const { return relocation_count_; }
    const char* name(const Elf64_Rela& relocation) const {
        return strings_ + symbols_[ELF64_R_SYM(relocation.r_info)].st_name;
    }
    // Return the bytes of the file at an address of the loaded image; nullptr if only zeros are loaded there.
    char* at_address(std::uint64_t address) {
        for (int i = 0; i < segment_count_; ++i) {
            const Elf64_Phdr& segment = segments_[i];
            if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
            const std::uint64_t offset = address - segment.p_vaddr;
            if (offset < segment.p_filesz) return file_.data() + segment.p_offset + offset;
        }
        return nullptr;
    }

private:
    template <class T>
    T* at_offset(std::uint64_t offset) {
        return reinterpret_cast<T*>(file_.data() + offset);
    }
    void read(const Elf64_Dyn* entry) {
        for (; entry->d_tag != DT_NULL; ++entry) {
            char* at = at_address(entry->d_un.d_ptr);
            if (entry->d_tag == DT_RELA) relocations_ = reinterpret_cast<Elf64_Rela*>(at);
            if (entry->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const Elf64_Sym*>(at);
            if (entry->d_tag == DT_STRTAB) strings_ = at;
            if (entry->d_tag == DT_RELASZ) relocation_count_ = entry->d_un.d_val / sizeof(Elf64_Rela);
        }
    }

    std::vector<char>& file_;
    const Elf64_Phdr* segments_ = nullptr;
    int segment_count_ = 0;
    Elf64_Rela* relocations_ = nullptr;
    std::size_t relocation_count_ = 0;
    const Elf64_Sym* symbols_ = nullptr;
    const char* strings_ = nullptr;
};

}  // namespace

std::vector<char> bind_managed(const void* elf, std::size_t size,
                               const ManagedVariables& managed) {
    const char* bytes = static_cast<const char*>(elf);
    std::vector<char> file(bytes, bytes + size);
    if (managed.empty()) return file;
    DynamicTables tables(file);
    for (std::size_t i = 0; i < tables.relocation_count(); ++i) {
        Elf64_Rela& relocation = tables.relocations()[i];
        const auto variable = managed.find(tables.name(relocation));
        if (variable == managed.end()) continue;
        const auto type = ELF64_R_TYPE(relocation.r_info);
        char* slot = tables.at_address(relocation.r_offset);
        if ((type != R_X86_64_GLOB_DAT && type != R_X86_64_64) || !slot)
            throw std::runtime_error("a managed variable is used in an unknown way");
        // The file says the address, and the loader is left with nothing to do.
        const std::uint64_t address =
            reinterpret_cast<std::uint64_t>(variable->second) +
            static_cast<std::uint64_t>(type == R_X86_64_64 ? relocation.r_addend : 0);
        std::memcpy(slot, &address, sizeof address);
        relocation.r_info = ELF64_R_INFO(0, R_X86_64_NONE);
    }
    return file;
}

}  // namespace musa_sim
