// Failures are exceptions inside the library; none leaves it.
#pragma once

#include <mccl.h>

#include <string>

#include "../exported.h"

namespace mccl {

struct Failure {
    mcclResult_t result;
    std::string text;
};

// Set the text that mcclGetLastError returns.
void remember(const Failure& failure);
std::string last_text();
// Copy a text to memory of the calling thread, which the next call on this thread overwrites.
const char* kept(const std::string& text);
// Call remember(), and write a line to stderr: for failures that no caller waits for.
void report(const Failure& failure);

// Run body() as a function of the API: return its result, or that of the exception that it throws.
mcclResult_t failed_call();  // the result of the exception being handled
template <class Body>
mcclResult_t api_call(Body&& body) noexcept {
    try {
        return body();
    } catch (...) {
        return failed_call();
    }
}

}  // namespace mccl

