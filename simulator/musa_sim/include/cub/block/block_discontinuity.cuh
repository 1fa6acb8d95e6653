/* BlockDiscontinuity: flags items that differ from the one before (heads) or after them (tails).
 *
 * The block's first item is a head and its last one a tail, unless the item beyond is given.
 */
#ifndef MUSA_CUB_BLOCK_DISCONTINUITY_CUH
#define MUSA_CUB_BLOCK_DISCONTINUITY_CUH

#include <cub/thread/thread_operators.cuh>
#include <cub/util_ptx.cuh>
#include <musa_sim/type_traits.h>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

template <class T, int BlockDimX, int BlockDimY = 1, int BlockDimZ = 1, int = 0>
class BlockDiscontinuity {
    static constexpr int block_threads = BlockDimX * BlockDimY * BlockDimZ;
    struct Storage {
        T first[block_threads];
        T last[block_threads];
    };

public:
    struct TempStorage : Uninitialized<Storage> {};

    __device__ __forceinline__ BlockDiscontinuity() : storage_(private_storage()) {}
    __device__ __forceinline__ explicit BlockDiscontinuity(TempStorage &storage) : storage_(storage.Alias()) {}

    template <int Items, class Flag, class Operation>
    __device__ __forceinline__ void FlagHeads(Flag (&heads)[Items], T (&items)[Items], Operation operation) {
        share(items);
        flag_heads(heads, items, operation, nullptr);
    }
    template <int Items, class Flag, class Operation>
    __device__ __forceinline__ void FlagHeads(Flag (&heads)[Items], T (&items)[Items], Operation operation,
                                              T before_block) {
        share(items);
        flag_heads(heads, items, operation, &before_block);
    }
    template <int Items, class Flag, class Operation>
    __device__ __forceinline__ void FlagTails(Flag (&tails)[Items], T (&items)[Items], Operation operation) {
        share(items);
        flag_tails(tails, items, operation, nullptr);
    }
    template <int Items, class Flag, class Operation>
    __device__ __forceinline__ void FlagTails(Flag (&tails)[Items], T (&items)[Items], Operation operation,
                                              T after_block) {
        share(items);
        flag_tails(tails, items, operation, &after_block);
    }
    template <int Items, class Flag, class Operation>
    __device__ __forceinline__ void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T (&items)[Items],
                                                      Operation operation) {
        share(items);
        flag_heads(heads, items, operation, nullptr);
        flag_tails(tails, items, operation, nullptr);
    }
    template <int Items, class Flag, class Operation>
    __device__ __forceinline__ void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T after_block,
                                                      T (&items)[Items], Operation operation) {
        share(items);
        flag_heads(heads, items, operation, nullptr);
        flag_tails(tails, items, operation, &after_block);
    }
    template <int Items, class Flag, class Operation>
    __device__ __forceinline__ void FlagHeadsAndTails(Flag (&heads)[Items], T before_block, Flag (&tails)[Items],
                                                      T (&items)[Items], Operation operation) {
        share(items);
        flag_heads(heads, items, operation, &before_block);
        flag_tails(tails, items, operation, nullptr);
    }
    template <int Items, class Flag, class Operation>
    __device__ __forceinline__ void FlagHeadsAndTails(Flag (&heads)[Items], T before_block, Flag (&tails)[Items],
                                                      T after_block, T (&items)[Items], Operation operation) {
        share(items);
        flag_heads(heads, items, operation, &before_block);
        flag_tails(tails, items, operation, &after_block);
    }

private:
    __device__ __forceinline__ static int rank() { return RowMajorTid(BlockDimX, BlockDimY, BlockDimZ); }
    __device__ __forceinline__ static Storage &private_storage() {
        __shared__ TempStorage storage;
        return storage.Alias();
    }

    /* The operation may also take the index of the second item in the block. */
    template <class Operation>
    __device__ __forceinline__ static bool differ(Operation &operation, const T &a, const T &b, int index) {
        if constexpr (musa_sim_detail::is_callable<Operation &, const T &, const T &, int>::value) {
            return operation(a, b, index);
        } else {
            return operation(a, b);
        }
    }

    template <int Items>
    __device__ __forceinline__ void share(T (&items)[Items]) {
        storage_.first[rank()] = items[0];
        storage_.last[rank()] = items[Items - 1];
        __syncthreads();
    }
    template <int Items, class Flag, class Operation>
    __device__ __forceinline__ void flag_heads(Flag (&heads)[Items], T (&items)[Items], Operation operation,
                                               const T *before_block) {
        const T *before = rank() > 0 ? &storage_.last[rank() - 1] : before_block;
        for (int i = Items - 1; i > 0; --i) {
            heads[i] = differ(operation, items[i - 1], items[i], rank() * Items + i);
        }
        heads[0] = before == nullptr || differ(operation, *before, items[0], rank() * Items);
    }
    template <int Items, class Flag, class Operation>
    __device__ __forceinline__ void flag_tails(Flag (&tails)[Items], T (&items)[Items], Operation operation,
                                               const T *after_block) {
        const T *after = rank() < block_threads - 1 ? &storage_.first[rank() + 1] : after_block;
        for (int i = 0; i < Items - 1; ++i) {
            tails[i] = differ(operation, items[i], items[i + 1], rank() * Items + i + 1);
        }
        tails[Items - 1] =
            after == nullptr || differ(operation, items[Items - 1], *after, rank() * Items + Items);
    }

    Storage &storage_;
};

CUB_NAMESPACE_END

#endif

#endif
