// Functions of a library that link and fail: a program that only offers them runs, one that needs them hears which.
#pragma once

#include <atomic>
#include <cstdio>

#include "enqueue.h"

namespace musa_sim {

// Says it the first time that the function is called in this process.
inline void say_refused(std::atomic_flag& said, const char* function, const char* status) {
    if (said.test_and_set()) return;
    std::fprintf(stderr, "[musa-sim] %s is not simulated: it returns %s\n", function, status);
}

}  // namespace musa_sim

#define MUSA_SIM_REFUSE(type, status, name, parameters)  \
    MUSA_EXPORT type name parameters {                   \
        static std::atomic_flag said = ATOMIC_FLAG_INIT; \
        musa_sim::say_refused(said, #name, #status);     \
        return status;                                   \
    }
