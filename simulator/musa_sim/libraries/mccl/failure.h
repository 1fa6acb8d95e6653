// A failure, as an exception inside the library: no exception leaves it.
#pragma once

#include <mccl.h>

#include <string>

#include "../exported.h"

namespace mccl {

struct Failure {
    mcclResult_t result;
    std::string text;
};

// The text that mcclGetLastError returns.
void remember(const Failure& failure);
std::string last_text();
// A copy that stays where it is until the thread asks for another.
const char* kept(const std::string& text);
// The same as remember(), and one line on stderr: for what no caller waits for.
void report(const Failure& failure);

// body() as a function of the API.
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

