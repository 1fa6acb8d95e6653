// Stacks of host code, as at an allocation: kept as addresses, and symbolised only for a report.
#pragma once

#include <string>

namespace musa_sim {

class CallStack {
public:
    CallStack() = default;
    // The stack of the caller. text() leaves the simulator's own frames out.
    static CallStack here();

    // "main (program+0x11d3) <- ...", innermost first; at most a handful of functions. Those of
    // PyTorch's own libraries are left out if there are others: they put dozens of frames between a
    // tensor and the code that created it.
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
