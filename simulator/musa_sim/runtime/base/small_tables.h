// One lock for small tables that are rarely looked at, so that fork() has one lock to take for all of them.
#pragma once

#include <mutex>

#include "base/lifetime.h"

namespace musa_sim {

// Nothing that waits for a stream or calls the program is done while it is held.
inline std::mutex& small_tables() {
    static auto& mutex = leaked<std::mutex>();
    return mutex;
}

}  // namespace musa_sim
