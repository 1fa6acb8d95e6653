// Words that reports of kernels share.
#pragma once

#include <cstdint>
#include <map>
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

// "31 threads wait at __syncwarp, 1 have exited": how many threads of a block are in which state.
inline std::string states_text(const std::map<std::string, int>& states, std::uint64_t unstarted,
                               std::uint64_t exited) {
    std::string text;
    for (const auto& [state, count] : states)
        text += std::to_string(count) + " threads " + state + ", ";
    if (unstarted) text += std::to_string(unstarted) + " have not started, ";
    return text + std::to_string(exited) + " have exited";
}

}  // namespace musa_sim
