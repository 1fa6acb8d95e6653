// The asynchronous copies that the threads of the running block have started and not waited for.
//
// As with CUDA's cp.async, a thread ends a group of copies and later waits for all its groups but the latest ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace musa_sim {

// Where a copy goes to, in the block's shared memory.
struct CopiedBytes {
    std::size_t offset;
    std::size_t size;
};

class AsyncCopies {
public:
    void begin_block(std::uint32_t threads) {
        threads_.clear();
        threads_.resize(threads);
    }
    void start(std::uint32_t rank, const CopiedBytes& bytes) { threads_[rank].open.push_back(bytes); }
    void commit(std::uint32_t rank) {
        OfThread& thread = threads_[rank];
        thread.committed.push_back(std::exchange(thread.open, {}));
    }
    // Forget the thread's groups, all but the last `left`; return their copies.
    std::vector<CopiedBytes> wait(std::uint32_t rank, std::size_t left) {
        std::vector<CopiedBytes> finished;
        std::deque<Group>& groups = threads_[rank].committed;
        while (groups.size() > left) {
            finished.insert(finished.end(), groups.front().begin(), groups.front().end());
            groups.pop_front();
        }
        return finished;
    }

private:
    using Group = std::vector<CopiedBytes>;
    struct OfThread {
        Group open;
        std::deque<Group> committed;
    };
    std::vector<OfThread> threads_;
};

}  // namespace musa_sim
