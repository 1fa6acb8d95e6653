// Translate the options of mtrtcCompileProgram, which are NVRTC's, to mcc's.
#pragma once

#include <string>
#include <vector>

namespace mtrtc {

struct Options {
    std::vector<std::string> arguments;     // for mcc
    bool device_by_default = false;         // functions without an attribute are device functions
    std::string refusal;  // why an option is not supported; empty if all are
};

Options translated(const std::vector<std::string>& options);

}  // namespace mtrtc
