// __managed__ variables: one object for the host and for all devices, in the memory of the program
// that defines it. Images of that program refer to it as an undefined symbol.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace musa_sim {

using ManagedVariables = std::map<std::string, void*>;  // device name -> address

// A copy of the ELF image in which references to these symbols have become addresses. The loader
// cannot do it: the program's own symbols are none of its business.
// Throws std::runtime_error if an image refers to one in another way than by 64-bit addresses.
std::vector<char> bind_managed(const void* elf, std::size_t size,
                               const ManagedVariables& managed);

}  // namespace musa_sim
