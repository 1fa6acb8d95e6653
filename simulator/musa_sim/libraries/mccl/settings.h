// The environment variables of libmccl.
#pragma once

#include <chrono>

namespace mccl {

// The time that a rank waits for others, and the setting that it comes from: text for messages.
struct Timeout {
    std::chrono::milliseconds length;
    const char* setting;
};

// Read MUSA_SIM_MCCL_TIMEOUT: how long a rank waits for others. Throw Failure unless it is a number of seconds.
Timeout usual_timeout();
// The timeout that a caller gives.
Timeout timeout_of_caller(long long milliseconds);
// Read MUSA_SIM_MCCL_SHARE_DEVICES: with 1, several ranks may use one device.
bool may_share_devices();

}  // namespace mccl
