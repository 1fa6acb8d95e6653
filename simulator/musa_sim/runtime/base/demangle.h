// C++ names as people write them.
#pragma once

#include <string>

namespace musa_sim {

std::string demangled(const std::string& name);

}  // namespace musa_sim
