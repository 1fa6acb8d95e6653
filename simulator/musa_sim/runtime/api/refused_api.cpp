// Functions of the API that are not simulated: they link and fail, and say so once.
#include <atomic>
#include <cstdio>

#include "base/devices.h"

namespace {

musaError_t refuse(std::atomic_flag& said, const char* function) {
    return musa_sim::device_call([&] {
        if (!said.test_and_set())
            std::fprintf(stderr, "[musa-sim] %s is not simulated: it returns musaErrorNotSupported\n", function);
        return musaErrorNotSupported;
    });
}

}  // namespace

#define MUSA_SIM_REFUSED(name, parameters)               \
    musaError_t name parameters {                        \
        static std::atomic_flag said = ATOMIC_FLAG_INIT; \
        return refuse(said, #name);                      \
    }
#include <musa_sim/runtime_refused.h>
#undef MUSA_SIM_REFUSED
