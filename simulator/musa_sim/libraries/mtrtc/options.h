// The options of mtrtcCompileProgram, which are NVRTC's, as mcc's.
#pragma once

#include <string>
#include <vector>

namespace mtrtc {

struct Options {
    std::vector<std::string> arguments;     // for mcc
    bool device_by_default = false;         // functions without an attribute are device functions
    std::string refusal;                    // why an option cannot be used; empty if all can
};

Options translated(const std::vector<std::string>& options);

}  // namespace mtrtc
