// Who called the API: the stack of host code at an allocation, kept as addresses and named only
// when a report needs it.
#pragma once

#include <string>

namespace musa_sim {

class CallStack {
public:
    CallStack() = default;
    // The stack of the caller, the simulator's own frames left out when it is told.
    static CallStack here();

    // "main (program+0x11d3) <- ...", innermost first; at most a handful of functions. Those of
    // PyTorch's own libraries are left out if there are others: between a tensor and whoever asked
    // for it lie dozens of them.
    std::string text() const;
    bool empty() const { return count_ == 0; }

    bool operator<(const CallStack& other) const;

private:
    std::string text(bool with_framework) const;

    static constexpr int most_frames = 64;
    void* frames_[most_frames] = {};
    int count_ = 0;
};

// The name of the function that contains the address, and its library; "" if there is none.
std::string function_at(const void* address);

}  // namespace musa_sim
