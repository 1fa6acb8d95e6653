/* The exception that algorithms and containers throw when a call of the runtime fails. */
#ifndef MUSA_THRUST_SYSTEM_ERROR_H
#define MUSA_THRUST_SYSTEM_ERROR_H

#include <musa_runtime.h>

#include <stdexcept>
#include <string>

namespace thrust {

class system_error : public std::runtime_error {
public:
    system_error(musaError_t code, const std::string &what)
        : std::runtime_error(what + ": " + musaGetErrorString(code)), code_(code) {}
    musaError_t code() const { return code_; }

private:
    musaError_t code_;
};

namespace system {
using thrust::system_error;
}

namespace detail {

inline __host__ void check(musaError_t error, const char *what) {
    if (error != musaSuccess) throw system_error(error, what);
}

}  // namespace detail

}  // namespace thrust

#endif
