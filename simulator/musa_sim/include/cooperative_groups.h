/* Cooperative groups: thread_block, grid_group, thread_block_tile, coalesced_group, and how to divide them.
 *
 * Our own, written from the documented interface. Clusters and multi-device grids are
 * not there. A thread of a group that has exited is not waited for.
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include <musa_runtime.h>

#if defined(__MUSACC__)

#include <musa_sim/lane_functions.h>
#include <musa_sim/runtime_functions.h>

#define MUSA_SIM_CG __device__ __forceinline__

namespace cooperative_groups {

/* The base of all groups: a block, a grid, or some lanes of 32. */
class thread_group {
public:
    MUSA_SIM_CG void sync() const {
        switch (kind_) {
            case GroupKind::block: __syncthreads(); break;
            case GroupKind::grid: __musa_sim_sync_grid(); break;
            case GroupKind::lanes: musa_sim_detail::group_sync(mask_); break;
        }
    }
    MUSA_SIM_CG unsigned long long size() const {
        const unsigned long long block = musa_sim_detail::block_size();
        switch (kind_) {
            case GroupKind::block: return block;
            case GroupKind::grid: return block * gridDim.x * gridDim.y * gridDim.z;
            case GroupKind::lanes: break;
        }
        return static_cast<unsigned long long>(__popc(static_cast<int>(mask_)));
    }
    MUSA_SIM_CG unsigned long long num_threads() const { return size(); }
    MUSA_SIM_CG unsigned long long thread_rank() const {
        const unsigned long long rank = musa_sim_detail::thread_rank();
        switch (kind_) {
            case GroupKind::block: return rank;
            case GroupKind::grid: return block_number() * musa_sim_detail::block_size() + rank;
            case GroupKind::lanes: break;
        }
        return musa_sim_detail::rank_in(mask_);
    }
    MUSA_SIM_CG bool is_valid() const { return kind_ != GroupKind::grid || __musa_sim_is_cooperative() != 0; }

protected:
    enum class GroupKind { block, grid, lanes };
    MUSA_SIM_CG explicit thread_group(GroupKind kind, unsigned mask = 0) : kind_(kind), mask_(mask) {}
    MUSA_SIM_CG static unsigned long long block_number() {
        return blockIdx.x + static_cast<unsigned long long>(gridDim.x) * (blockIdx.y + gridDim.y * blockIdx.z);
    }

    GroupKind kind_;
    unsigned mask_;  // of the caller's 32 lanes

    friend MUSA_SIM_CG thread_group tiled_partition(const thread_group &parent, unsigned size);
};

class thread_block : public thread_group {
public:
    MUSA_SIM_CG static void sync() { __syncthreads(); }
    MUSA_SIM_CG static unsigned size() { return musa_sim_detail::block_size(); }
    MUSA_SIM_CG static unsigned num_threads() { return size(); }
    MUSA_SIM_CG static unsigned thread_rank() { return musa_sim_detail::thread_rank(); }
    MUSA_SIM_CG static dim3 group_index() { return blockIdx; }
    MUSA_SIM_CG static dim3 thread_index() { return threadIdx; }
    MUSA_SIM_CG static dim3 group_dim() { return blockDim; }
    MUSA_SIM_CG static dim3 dim_threads() { return blockDim; }

    /* A barrier in two halves: threads that have waited see everything that a thread wrote before it arrived. */
    struct arrival_token {};
    MUSA_SIM_CG static arrival_token barrier_arrive() { return {}; }
    MUSA_SIM_CG static void barrier_wait(arrival_token &&) { sync(); }

private:
    MUSA_SIM_CG thread_block() : thread_group(GroupKind::block) {}
    friend MUSA_SIM_CG thread_block this_thread_block();
};

MUSA_SIM_CG thread_block this_thread_block() { return thread_block(); }
/* CUDA needs this memory for tiles of more than 32 threads. Here each function of theirs has its own. */
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
    char unused;
};
template <unsigned MaxBlockSize>
MUSA_SIM_CG thread_block this_thread_block(block_tile_memory<MaxBlockSize> &) {
    return this_thread_block();
}

/* sync() needs musaLaunchCooperativeKernel; without it the kernel fails with musaErrorLaunchFailure. */
class grid_group : public thread_group {
public:
    MUSA_SIM_CG void sync() const { __musa_sim_sync_grid(); }
    MUSA_SIM_CG static unsigned long long num_blocks() {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    MUSA_SIM_CG static unsigned long long block_rank() { return block_number(); }
    MUSA_SIM_CG static dim3 block_index() { return blockIdx; }
    MUSA_SIM_CG static dim3 group_dim() { return gridDim; }
    MUSA_SIM_CG static dim3 dim_blocks() { return gridDim; }

private:
    MUSA_SIM_CG grid_group() : thread_group(GroupKind::grid) {}
    friend MUSA_SIM_CG grid_group this_grid();
};

MUSA_SIM_CG grid_group this_grid() { return grid_group(); }

/* Threads among 32 lanes, numbered by lane: the base of coalesced groups and tiles. */
class coalesced_group : public thread_group {
public:
    MUSA_SIM_CG unsigned size() const { return static_cast<unsigned>(__popc(static_cast<int>(mask_))); }
    MUSA_SIM_CG unsigned num_threads() const { return size(); }
    MUSA_SIM_CG unsigned thread_rank() const { return musa_sim_detail::rank_in(mask_); }
    /* The number of this group among the groups of its partition, and the number of these groups. */
    MUSA_SIM_CG unsigned meta_group_rank() const { return meta_rank_; }
    MUSA_SIM_CG unsigned meta_group_size() const { return meta_size_; }

    MUSA_SIM_CG void sync() const { musa_sim_detail::group_sync(mask_); }

    /* The value of the thread with that rank; ranks count modulo the size. */
    template <class T>
    MUSA_SIM_CG T shfl(T value, unsigned rank) const {
        return musa_sim_detail::lanes_shuffle(mask_, value, musa_sim_detail::lane_at(mask_, rank % size()));
    }
    /* The value of a thread further on; beyond the group's end, the caller's own value. */
    template <class T>
    MUSA_SIM_CG T shfl_down(T value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return shfl(value, delta < size() - rank ? rank + delta : rank);
    }
    template <class T>
    MUSA_SIM_CG T shfl_up(T value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return shfl(value, delta <= rank ? rank - delta : rank);
    }

    MUSA_SIM_CG int any(int predicate) const { return musa_sim_detail::lanes_ballot(mask_, predicate != 0) != 0; }
    MUSA_SIM_CG int all(int predicate) const { return musa_sim_detail::lanes_ballot(mask_, predicate == 0) == 0; }
    /* Masks have a bit per rank of the group. */
    MUSA_SIM_CG unsigned ballot(int predicate) const {
        return musa_sim_detail::packed(musa_sim_detail::lanes_ballot(mask_, predicate != 0), mask_);
    }
    template <class T>
    MUSA_SIM_CG unsigned match_any(T value) const {
        return musa_sim_detail::packed(musa_sim_detail::lanes_match_any(mask_, value), mask_);
    }
    template <class T>
    MUSA_SIM_CG unsigned match_all(T value, int &predicate) const {
        const unsigned lanes = musa_sim_detail::lanes_match_all(mask_, value);
        predicate = lanes != 0;
        return musa_sim_detail::packed(lanes, mask_);
    }

protected:
    MUSA_SIM_CG coalesced_group(unsigned mask, unsigned meta_rank, unsigned meta_size)
        : thread_group(GroupKind::lanes, mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

    unsigned meta_rank_;
    unsigned meta_size_;

    friend MUSA_SIM_CG coalesced_group coalesced_threads();
    friend MUSA_SIM_CG coalesced_group tiled_partition(const coalesced_group &parent, unsigned size);
    friend MUSA_SIM_CG coalesced_group binary_partition(const coalesced_group &parent, bool predicate);
    template <class Label>
    friend MUSA_SIM_CG coalesced_group labeled_partition(const coalesced_group &parent, Label label);
};

/* The threads of the caller's 32 lanes that execute the call together. */
MUSA_SIM_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask(), 0, 1); }

/* Size threads in a row, a power of two up to 512. Parent is thread_block, or the tile that was divided. */
template <unsigned Size, class Parent = thread_block, bool is_of_warps = (Size > 32)>
class thread_block_tile : public coalesced_group {
    static_assert(Size >= 1 && (Size & (Size - 1)) == 0, "a tile has a power of two of threads");

public:
    MUSA_SIM_CG static constexpr unsigned size() { return Size; }
    MUSA_SIM_CG static constexpr unsigned num_threads() { return Size; }
    MUSA_SIM_CG static unsigned thread_rank() { return musa_sim_detail::lane() % Size; }

    template <class T>
    MUSA_SIM_CG T shfl(T value, unsigned rank) const {
        return musa_sim_detail::lanes_shuffle(mask_, value, first_lane() + rank % Size);
    }
    template <class T>
    MUSA_SIM_CG T shfl_down(T value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return shfl(value, delta < Size - rank ? rank + delta : rank);
    }
    template <class T>
    MUSA_SIM_CG T shfl_up(T value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return shfl(value, delta <= rank ? rank - delta : rank);
    }
    template <class T>
    MUSA_SIM_CG T shfl_xor(T value, unsigned lanes) const {
        return shfl(value, thread_rank() ^ lanes);
    }

    /* For a parent that is a tile or a block of at least Size threads. */
    MUSA_SIM_CG thread_block_tile(unsigned parent_rank, unsigned parent_size)
        : coalesced_group(lanes() & musa_sim_detail::existing_lanes(), parent_rank / Size,
                          (parent_size + Size - 1) / Size) {}

private:
    MUSA_SIM_CG static unsigned first_lane() { return musa_sim_detail::lane() & ~(Size - 1); }
    MUSA_SIM_CG static unsigned lanes() {
        return (Size == 32 ? 0xffffffffu : (1u << (Size & 31)) - 1) << first_lane();
    }
};

/* A tile of several warps, of those that the block has. They meet at a barrier with the tile's number. */
template <unsigned Size, class Parent>
class thread_block_tile<Size, Parent, true> {
    static_assert(Size <= 512 && (Size & (Size - 1)) == 0, "a tile has a power of two of threads, 512 at most");

public:
    MUSA_SIM_CG static constexpr unsigned size() { return Size; }
    MUSA_SIM_CG static constexpr unsigned num_threads() { return Size; }
    MUSA_SIM_CG static unsigned thread_rank() { return musa_sim_detail::thread_rank() % Size; }
    MUSA_SIM_CG unsigned meta_group_rank() const { return parent_rank_ / Size; }
    MUSA_SIM_CG unsigned meta_group_size() const { return (parent_size_ + Size - 1) / Size; }
    MUSA_SIM_CG static void sync() { __musa_sim_sync_named(number(), existing(), 1); }

    template <class T>
    MUSA_SIM_CG T shfl(T value, unsigned rank) const {
        __shared__ T values[1024];
        values[musa_sim_detail::thread_rank()] = value;
        sync();
        const T result = values[number() * Size + rank % Size];
        sync();
        return result;
    }
    MUSA_SIM_CG int any(int predicate) const {
        return combined(warp().any(predicate), [](int a, int b) { return a || b; });
    }
    MUSA_SIM_CG int all(int predicate) const {
        return combined(warp().all(predicate), [](int a, int b) { return a && b; });
    }

    /* One value for each 32 threads, which all of them have, combined in the order of ranks. */
    template <class T, class Operation>
    MUSA_SIM_CG T combined(T of_warp, Operation operation) const {
        __shared__ T values[32];
        const unsigned warp = musa_sim_detail::thread_rank() / 32;
        if (musa_sim_detail::lane() == 0) values[warp] = of_warp;
        sync();
        const unsigned first = number() * (Size / 32);
        T result = values[first];
        for (unsigned i = 1; i < (existing() + 31) / 32; ++i) result = operation(result, values[first + i]);
        sync();
        return result;
    }

    /* For a parent that is a tile or a block. */
    MUSA_SIM_CG thread_block_tile(unsigned parent_rank, unsigned parent_size)
        : parent_rank_(parent_rank), parent_size_(parent_size) {}

private:
    MUSA_SIM_CG static thread_block_tile<32> warp() {
        return {musa_sim_detail::thread_rank(), musa_sim_detail::block_size()};
    }
    MUSA_SIM_CG static unsigned number() { return musa_sim_detail::thread_rank() / Size; }
    MUSA_SIM_CG static unsigned existing() {
        const unsigned behind = musa_sim_detail::block_size() - number() * Size;
        return behind < Size ? behind : Size;
    }

    unsigned parent_rank_;
    unsigned parent_size_;
};

template <unsigned Size>
MUSA_SIM_CG thread_block_tile<Size, thread_block> tiled_partition(const thread_block &parent) {
    return {parent.thread_rank(), parent.size()};
}
template <unsigned Size, unsigned ParentSize, class Grandparent>
MUSA_SIM_CG thread_block_tile<Size, thread_block_tile<ParentSize, Grandparent>> tiled_partition(
    const thread_block_tile<ParentSize, Grandparent> &parent) {
    static_assert(Size <= ParentSize, "a tile cannot be larger than what it is a part of");
    return {parent.thread_rank(), ParentSize};
}

MUSA_SIM_CG bool is_size_of_tile(unsigned size) { return size != 0 && size <= 32 && (size & (size - 1)) == 0; }
/* Parts of `size` threads in a row, the last one perhaps smaller; `size` is a power of two up to 32. */
MUSA_SIM_CG coalesced_group tiled_partition(const coalesced_group &parent, unsigned size) {
    if (!is_size_of_tile(size)) __trap();
    const unsigned first = parent.thread_rank() / size * size;
    unsigned mask = 0;
    for (unsigned rank = first; rank < first + size && rank < parent.size(); ++rank) {
        mask |= 1u << musa_sim_detail::lane_at(parent.mask_, rank);
    }
    return coalesced_group(mask, first / size, (parent.size() + size - 1) / size);
}
/* For a block: `size` is a power of two up to 32. */
MUSA_SIM_CG thread_group tiled_partition(const thread_group &parent, unsigned size) {
    if (parent.kind_ == thread_group::GroupKind::grid || !is_size_of_tile(size)) __trap();
    const unsigned first = musa_sim_detail::lane() & ~(size - 1);
    const unsigned tile = (size == 32 ? 0xffffffffu : (1u << size) - 1) << first;
    const unsigned lanes = parent.kind_ == thread_group::GroupKind::lanes ? parent.mask_ : 0xffffffffu;
    return thread_group(thread_group::GroupKind::lanes, tile & lanes & musa_sim_detail::existing_lanes());
}

/* Split a group into the threads with a true predicate and the others; meta_group_rank() is the predicate. */
MUSA_SIM_CG coalesced_group binary_partition(const coalesced_group &parent, bool predicate) {
    const unsigned yes = musa_sim_detail::lanes_ballot(parent.mask_, predicate);
    return coalesced_group(predicate ? yes : parent.mask_ & ~yes, predicate, 2);
}

/* A group for each different label; they are numbered in the order of their first threads. */
template <class Label>
MUSA_SIM_CG coalesced_group labeled_partition(const coalesced_group &parent, Label label) {
    const unsigned same = musa_sim_detail::lanes_match_any(parent.mask_, label);
    const unsigned leader = same & (0u - same);
    const unsigned leaders =
        musa_sim_detail::lanes_ballot(parent.mask_, leader == 1u << musa_sim_detail::lane());
    return coalesced_group(same, static_cast<unsigned>(__popc(static_cast<int>(leaders & (leader - 1)))),
                           static_cast<unsigned>(__popc(static_cast<int>(leaders))));
}

/* A group of the calling thread alone. */
MUSA_SIM_CG thread_block_tile<1, thread_block> this_thread() { return tiled_partition<1>(this_thread_block()); }

template <class Group>
MUSA_SIM_CG void sync(const Group &group) {
    group.sync();
}
template <class Group>
MUSA_SIM_CG auto thread_rank(const Group &group) -> decltype(group.thread_rank()) {
    return group.thread_rank();
}
template <class Group>
MUSA_SIM_CG auto group_size(const Group &group) -> decltype(group.size()) {
    return group.size();
}

/* One thread of the group calls the function; with broadcast, all threads of a tile or coalesced group get the result. */
template <class Group, class Function, class... Arguments>
MUSA_SIM_CG void invoke_one(const Group &group, Function &&function, Arguments &&...arguments) {
    if (group.thread_rank() == 0) function(static_cast<Arguments &&>(arguments)...);
}
template <class Function, class... Arguments>
MUSA_SIM_CG auto invoke_one_broadcast(const coalesced_group &group, Function &&function, Arguments &&...arguments)
    -> decltype(function(static_cast<Arguments &&>(arguments)...)) {
    decltype(function(static_cast<Arguments &&>(arguments)...)) result;
    if (group.thread_rank() == 0) result = function(static_cast<Arguments &&>(arguments)...);
    return group.shfl(result, 0);
}

}  // namespace cooperative_groups

#undef MUSA_SIM_CG

#endif

#endif
