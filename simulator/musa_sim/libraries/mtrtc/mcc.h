// Runs the SDK's mcc.
#pragma once

#include <string>
#include <vector>

namespace mtrtc {

// bin/mcc of the SDK that this library lies in; "" if there is none.
std::string mcc_of_this_sdk();

// Runs a program, both of whose outputs go to the file `log`. Returns whether it succeeded.
bool succeeds(const std::vector<std::string>& command, const std::string& log);

std::string content_of(const std::string& file);

}  // namespace mtrtc
