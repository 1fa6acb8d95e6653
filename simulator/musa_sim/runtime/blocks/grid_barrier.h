// The barrier between the blocks of one cooperative launch.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace musa_sim {

class GridBarrier {
public:
    explicit GridBarrier(std::uint64_t blocks) : live_(blocks) {}

    // Return when every block that has not ended has called it, or when a block has failed. The
    // result is the number of blocks that have called it.
    std::uint64_t wait();
    // A block has ended: the others need not wait for it.
    void leave(bool failed);

private:
    void complete();  // with the mutex held

    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t live_;
    std::uint64_t waiting_ = 0;
    std::uint64_t arrived_ = 0;  // to the last completed round
    std::uint64_t round_ = 0;
    bool failed_ = false;
};

}  // namespace musa_sim
