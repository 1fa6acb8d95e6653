#include "checks/async_copies.h"

#include <utility>

namespace musa_sim {

void AsyncCopies::begin_block(std::uint32_t threads) {
    threads_.clear();
    threads_.resize(threads);
}

void AsyncCopies::commit(std::uint32_t rank) {
    OfThread& thread = threads_[rank];
    thread.committed.push_back(std::exchange(thread.open, {}));
}

std::vector<CopiedBytes> AsyncCopies::wait(std::uint32_t rank, std::size_t left) {
    std::vector<CopiedBytes> finished;
    std::deque<Group>& groups = threads_[rank].committed;
    while (groups.size() > left) {
        finished.insert(finished.end(), groups.front().begin(), groups.front().end());
        groups.pop_front();
    }
    return finished;
}

}  // namespace musa_sim
