#include "base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>

namespace musa_sim {

std::string demangled(const std::string& name) {
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string result = text ? text : name;
    std::free(text);
    return result;
}

}  // namespace musa_sim
