// Points of streams that wait for a value in memory, which the program or another process writes. One thread looks at
// all of them, so that no thread of the queues waits.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "streams/streams.h"

namespace musa_sim {

class Conditions {
public:
    static Conditions& instance();

    // A point that is reached once holds() has returned true; it is called again and again, on a thread of the
    // simulator. musaErrorMemoryAllocation if there can be no thread.
    musaError_t when(std::function<bool()> holds, Ticket* reached);
    // Later work of the target waits until holds() is true after its earlier work; a failed device does not wait.
    void wait_in(const Target& target, std::function<bool()> holds);

    std::mutex& mutex() { return mutex_; }
    // The thread does not exist there, and nothing waits.
    void after_fork_in_child();

private:
    struct Waiting {
        Ticket gate;
        std::function<bool()> holds;
    };

    bool add(const Ticket& gate, std::function<bool()> holds);
    void look();

    std::mutex mutex_;  // guards everything
    std::vector<Waiting> waiting_;
    bool looking_ = false;
};

}  // namespace musa_sim
