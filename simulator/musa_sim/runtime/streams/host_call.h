// Call code of the user, or of the SDK's libraries, from a stream.
#pragma once

#include <cxxabi.h>

#include <cstdio>
#include <exception>

#include "base/devices.h"

namespace musa_sim {

[[noreturn]] inline void end_after_exception(const char* what) {
    std::fprintf(stderr, "[musa-sim] a host function of a stream threw an exception: %s\n", what);
    std::terminate();
}

// The function must not call the API: calls return musaErrorNotPermitted. It runs on a thread
// of the stream or on one that waits for it, so there is no caller to catch an exception: the
// program ends.
template <class Function>
void call_host(Function&& function) {
    struct Inside {
        Inside() { in_host_function() = true; }
        ~Inside() { in_host_function() = false; }
    } inside;
    try {
        function();
    } catch (const abi::__forced_unwind&) {
        throw;  // no exception: the thread is ended, as Python does it
    } catch (const std::exception& exception) {
        end_after_exception(exception.what());
    } catch (...) {
        end_after_exception("not a std::exception");
    }
}

}  // namespace musa_sim
