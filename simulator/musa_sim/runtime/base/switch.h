// Switches among the environment variables: the same words mean yes and no for each of them
// (docs/variables.md), in Python too (musa_build/system/switch.py).
#pragma once

#include <strings.h>

#include <optional>
#include <string>

namespace musa_sim {

constexpr const char* switch_words = "1, yes, true or on; or 0, no, false or off";

// Nothing if the text is neither yes nor no.
inline std::optional<bool> parse_switch(const std::string& text) {
    for (const char* yes : {"1", "yes", "true", "on", "y"})
        if (strcasecmp(text.c_str(), yes) == 0) return true;
    for (const char* no : {"", "0", "no", "false", "off", "n"})
        if (strcasecmp(text.c_str(), no) == 0) return false;
    return std::nullopt;
}

}  // namespace musa_sim
