#include "base/symbol_table.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <vector>

namespace musa_sim {
namespace {

template <class Item>
std::vector<Item> read_items(std::ifstream& file, std::uint64_t offset, std::uint64_t bytes) {
    std::vector<Item> items(bytes / sizeof(Item));
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(reinterpret_cast<char*>(items.data()),
              static_cast<std::streamsize>(items.size() * sizeof(Item)));
    return file ? items : std::vector<Item>();
}

// Addresses in the symbol table count from the first loaded segment's address: 0 unless the program
// is linked to a fixed address.
std::uint64_t first_address(std::ifstream& file, const Elf64_Ehdr& header) {
    const auto segments =
        read_items<Elf64_Phdr>(file, header.e_phoff, sizeof(Elf64_Phdr) * header.e_phnum);
    for (const Elf64_Phdr& segment : segments) {
        if (segment.p_type == PT_LOAD) return segment.p_vaddr & ~std::uint64_t{0xfff};
    }
    return 0;
}

}  // namespace

std::string symbol_in_file(const char* path, std::uintptr_t offset) {
    std::ifstream file(path, std::ios::binary);
    const auto headers = read_items<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr));
    if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0) return "";
    const Elf64_Ehdr& header = headers[0];
    const std::uint64_t address = offset + first_address(file, header);
    const auto sections =
        read_items<Elf64_Shdr>(file, header.e_shoff, sizeof(Elf64_Shdr) * header.e_shnum);
    for (const Elf64_Shdr& section : sections) {
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
        const Elf64_Shdr& strings = sections[section.sh_link];
        for (const auto& symbol : read_items<Elf64_Sym>(file, section.sh_offset, section.sh_size)) {
            const bool contains = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
                                  address - symbol.st_value < symbol.st_size;
            if (!contains || symbol.st_name >= strings.sh_size) continue;
            const auto text = read_items<char>(file, strings.sh_offset + symbol.st_name,
                                               strings.sh_size - symbol.st_name);
            return text.empty() ? "" : std::string(text.data());
        }
    }
    return "";
}

}  // namespace musa_sim
