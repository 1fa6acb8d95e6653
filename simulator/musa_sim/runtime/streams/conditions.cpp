#include "streams/conditions.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "base/background_thread.h"
#include "base/lifetime.h"

namespace musa_sim {
namespace {

// Between two looks: a wait of some microseconds is seen at once, a long one takes little of a core.
constexpr std::chrono::microseconds first_interval{20}, longest_interval{1000};

}  // namespace

Conditions& Conditions::instance() {
    static auto& conditions = leaked<Conditions>();
    return conditions;
}

musaError_t Conditions::when(std::function<bool()> holds, Ticket* reached) {
    const Ticket gate = StreamQueues::create_gate();
    if (!add(gate, std::move(holds))) return musaErrorMemoryAllocation;
    *reached = gate;
    return musaSuccess;
}

void Conditions::wait_in(const Target& target, std::function<bool()> holds) {
    const Ticket gate = StreamQueues::create_gate();
    StreamQueues& queues = StreamQueues::instance();
    queues.submit(target.queue, as_work([gate, holds = std::move(holds), device = target.device] {
                      const auto ended = [holds, device] { return device_error(device) != musaSuccess || holds(); };
                      // without a thread the stream waits for nothing, rather than for ever
                      if (ended() || !Conditions::instance().add(gate, ended)) StreamQueues::instance().open_gate(gate);
                  }),
                  Start::now);
    queues.submit(target.queue, nullptr, Start::now, {gate});
}

bool Conditions::add(const Ticket& gate, std::function<bool()> holds) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!looking_) looking_ = start_background_thread([this] { look(); });
    if (looking_) waiting_.push_back({gate, std::move(holds)});
    return looking_;
}

void Conditions::look() {
    auto interval = first_interval;
    for (bool continues = true; continues;) {
        std::vector<Waiting> looked_at;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            looked_at.swap(waiting_);
        }
        const auto reached = std::stable_partition(looked_at.begin(), looked_at.end(),
                                                   [](const Waiting& each) { return !each.holds(); });
        std::for_each(reached, looked_at.end(),
                      [](const Waiting& each) { StreamQueues::instance().open_gate(each.gate); });
        interval = reached == looked_at.end() ? std::min(2 * interval, longest_interval) : first_interval;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            std::move(looked_at.begin(), reached, std::back_inserter(waiting_));
            continues = looking_ = !waiting_.empty();
        }
        if (continues) std::this_thread::sleep_for(interval);
    }
}

void Conditions::after_fork_in_child() {
    waiting_.clear();
    looking_ = false;
}

}  // namespace musa_sim
