#include "failure.h"

#include <cstdio>
#include <exception>
#include <mutex>
#include <new>

#include "base/lifetime.h"

namespace mccl {
namespace {

struct LastError {
    std::mutex mutex;
    std::string text;
};

LastError& last_error() {
    static auto& error = musa_sim::leaked<LastError>();
    return error;
}

}  // namespace

void remember(const Failure& failure) {
    LastError& last = last_error();
    const std::lock_guard<std::mutex> lock(last.mutex);
    last.text = failure.text;
}

std::string last_text() {
    LastError& last = last_error();
    const std::lock_guard<std::mutex> lock(last.mutex);
    return last.text;
}

const char* kept(const std::string& text) {
    std::string& own = musa_sim::PerThread<std::string>::get();
    own = text;
    return own.c_str();
}

void report(const Failure& failure) {
    remember(failure);
    std::fprintf(stderr, "[musa-sim] mccl: %s\n", failure.text.c_str());
}

mcclResult_t failed_call() {
    try {
        throw;
    } catch (const Failure& failure) {
        remember(failure);
        return failure.result;
    } catch (const std::bad_alloc&) {
        remember({mcclSystemError, "there is no more memory"});
        return mcclSystemError;
    } catch (const std::exception& error) {
        remember({mcclInternalError, error.what()});
        return mcclInternalError;
    } catch (...) {
        return mcclInternalError;
    }
}

}  // namespace mccl

MUSA_EXPORT const char* mcclGetErrorString(mcclResult_t result) {
    switch (result) {
        case mcclSuccess: return "no error";
        case mcclUnhandledMusaError: return "a MUSA function failed";
        case mcclSystemError: return "a call of the system failed";
        case mcclInternalError: return "internal error";
        case mcclInvalidArgument: return "invalid argument";
        case mcclInvalidUsage: return "invalid usage";
        case mcclRemoteError: return "another rank ended or failed";
        case mcclInProgress: return "the operation is in progress";
        case mcclNumResults: break;
    }
    return "unknown result code";
}

MUSA_EXPORT mcclResult_t mcclGetVersion(int* version) {
    if (!version) return mcclInvalidArgument;
    *version = MCCL_VERSION_CODE;
    return mcclSuccess;
}
