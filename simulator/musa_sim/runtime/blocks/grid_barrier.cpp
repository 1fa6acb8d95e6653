#include "blocks/grid_barrier.h"

#include <utility>

namespace musa_sim {

void GridBarrier::complete() {
    arrived_ = std::exchange(waiting_, 0);
    ++round_;
    changed_.notify_all();
}

std::uint64_t GridBarrier::wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const std::uint64_t round = round_;
    if (++waiting_ == live_) complete();
    changed_.wait(lock, [&] { return round_ != round || failed_; });
    return arrived_;
}

void GridBarrier::leave(bool failed) {
    std::lock_guard<std::mutex> lock(mutex_);
    failed_ = failed_ || failed;
    --live_;
    if (waiting_ > 0 && waiting_ == live_) complete();
    if (failed_) changed_.notify_all();
}

}  // namespace musa_sim
