// Function names that the dynamic linker does not know, from a program's own symbol table.
#pragma once

#include <cstdint>
#include <string>

namespace musa_sim {

// The function at an offset from the load address of an ELF file; "" if its symbol table was
// stripped.
std::string symbol_in_file(const char* path, std::uintptr_t offset);

}  // namespace musa_sim
