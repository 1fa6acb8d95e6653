// Words that reports of kernels share.
#pragma once

#include <cstdint>
#include <string>

namespace musa_sim {

// "(0,1,2)"
inline std::string index_text(const std::uint32_t (&index)[4]) {
    return "(" + std::to_string(index[0]) + "," + std::to_string(index[1]) + "," +
           std::to_string(index[2]) + ")";
}

// "1 thread", "2 threads"
inline std::string counted(std::uint64_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace musa_sim
