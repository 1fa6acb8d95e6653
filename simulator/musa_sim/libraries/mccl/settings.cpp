#include "settings.h"

#include <cmath>
#include <cstdlib>
#include <string>

#include "failure.h"
#include "base/switch.h"

namespace mccl {

Timeout usual_timeout() {
    constexpr double usual = 600;   // seconds, as torch.distributed's for NCCL
    constexpr double longest = 1e7;  // some months
    const char* set = std::getenv("MUSA_SIM_MCCL_TIMEOUT");
    char* end = nullptr;
    const double seconds = set && *set ? std::strtod(set, &end) : usual;
    if ((end && *end) || !(seconds > 0 && seconds <= longest)) {
        throw Failure{mcclInvalidUsage,
                      std::string("MUSA_SIM_MCCL_TIMEOUT is '") + set + "', not a positive number of seconds"};
    }
    return {std::chrono::milliseconds(static_cast<long long>(std::ceil(seconds * 1000))), "MUSA_SIM_MCCL_TIMEOUT"};
}

Timeout timeout_of_caller(long long milliseconds) {
    return {std::chrono::milliseconds(milliseconds), "the timeout of the process group"};
}

bool may_share_devices() {
    const char* set = std::getenv("MUSA_SIM_MCCL_SHARE_DEVICES");
    const std::optional<bool> value = musa_sim::parse_switch(set ? set : "");
    if (value) return *value;
    throw Failure{mcclInvalidUsage, std::string("MUSA_SIM_MCCL_SHARE_DEVICES is '") + set +
                                        "'; wanted: " + musa_sim::switch_words};
}

}  // namespace mccl
