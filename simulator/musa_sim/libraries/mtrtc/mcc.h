// Run the SDK's mcc.
#pragma once

#include <string>
#include <vector>

namespace mtrtc {

// Return bin/mcc of the SDK that contains this library, "" if there is none.
std::string mcc_of_this_sdk();

// Run a program with both outputs in the file `log`; return whether it succeeded.
bool succeeds(const std::vector<std::string>& command, const std::string& log);

std::string content_of(const std::string& file);

}  // namespace mtrtc
