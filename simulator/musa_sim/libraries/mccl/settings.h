// Settings of the environment.
#pragma once

#include <chrono>

namespace mccl {

// How long a rank waits for others, and which setting says so: text for the message.
struct Timeout {
    std::chrono::milliseconds length;
    const char* setting;
};

// MUSA_SIM_MCCL_TIMEOUT: how long a rank waits for others. Throws Failure if it is no number of seconds.
Timeout usual_timeout();
// The timeout that a caller gives.
Timeout timeout_of_caller(long long milliseconds);
// MUSA_SIM_MCCL_SHARE_DEVICES=1: several ranks may be on one device.
bool may_share_devices();

}  // namespace mccl
