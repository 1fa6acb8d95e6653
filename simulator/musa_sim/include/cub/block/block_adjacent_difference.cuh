/* BlockAdjacentDifference: what an operation gives for each item and the one before (Left) or after it (Right).
 *
 * The block's outermost item stays as it is, unless the item beyond is given.
 */
#ifndef MUSA_CUB_BLOCK_ADJACENT_DIFFERENCE_CUH
#define MUSA_CUB_BLOCK_ADJACENT_DIFFERENCE_CUH

#include <cub/util_ptx.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

template <class T, int BlockDimX, int BlockDimY = 1, int BlockDimZ = 1, int = 0>
class BlockAdjacentDifference {
    static constexpr int block_threads = BlockDimX * BlockDimY * BlockDimZ;
    struct Storage {
        T first[block_threads];
        T last[block_threads];
    };

public:
    struct TempStorage : Uninitialized<Storage> {};

    __device__ __forceinline__ BlockAdjacentDifference() : storage_(private_storage()) {}
    __device__ __forceinline__ explicit BlockAdjacentDifference(TempStorage &storage) : storage_(storage.Alias()) {}

    template <int Items, class Out, class Operation>
    __device__ __forceinline__ void SubtractLeft(T (&in)[Items], Out (&out)[Items], Operation operation) {
        subtract_left(in, out, operation, block_threads * Items, nullptr);
    }
    template <int Items, class Out, class Operation>
    __device__ __forceinline__ void SubtractLeft(T (&in)[Items], Out (&out)[Items], Operation operation,
                                                 T before_block) {
        subtract_left(in, out, operation, block_threads * Items, &before_block);
    }
    template <int Items, class Out, class Operation>
    __device__ __forceinline__ void SubtractLeftPartialTile(T (&in)[Items], Out (&out)[Items], Operation operation,
                                                            int valid_items) {
        subtract_left(in, out, operation, valid_items, nullptr);
    }
    template <int Items, class Out, class Operation>
    __device__ __forceinline__ void SubtractLeftPartialTile(T (&in)[Items], Out (&out)[Items], Operation operation,
                                                            int valid_items, T before_block) {
        subtract_left(in, out, operation, valid_items, &before_block);
    }
    template <int Items, class Out, class Operation>
    __device__ __forceinline__ void SubtractRight(T (&in)[Items], Out (&out)[Items], Operation operation) {
        subtract_right(in, out, operation, block_threads * Items, nullptr);
    }
    template <int Items, class Out, class Operation>
    __device__ __forceinline__ void SubtractRight(T (&in)[Items], Out (&out)[Items], Operation operation,
                                                  T after_block) {
        subtract_right(in, out, operation, block_threads * Items, &after_block);
    }
    template <int Items, class Out, class Operation>
    __device__ __forceinline__ void SubtractRightPartialTile(T (&in)[Items], Out (&out)[Items], Operation operation,
                                                             int valid_items) {
        subtract_right(in, out, operation, valid_items, nullptr);
    }

private:
    __device__ __forceinline__ static int rank() { return RowMajorTid(BlockDimX, BlockDimY, BlockDimZ); }
    __device__ __forceinline__ static Storage &private_storage() {
        __shared__ TempStorage storage;
        return storage.Alias();
    }
    template <int Items>
    __device__ __forceinline__ void share(T (&items)[Items]) {
        storage_.first[rank()] = items[0];
        storage_.last[rank()] = items[Items - 1];
        __syncthreads();
    }

    /* Input and output may be the same: left goes backwards, right forwards. */
    template <int Items, class Out, class Operation>
    __device__ __forceinline__ void subtract_left(T (&in)[Items], Out (&out)[Items], Operation operation, int valid,
                                                  T *before_block) {
        share(in);
        T *before = rank() > 0 ? &storage_.last[rank() - 1] : before_block;
        for (int i = Items - 1; i >= 0; --i) {
            T *left = i > 0 ? &in[i - 1] : before;
            out[i] = left && rank() * Items + i < valid ? operation(in[i], *left) : static_cast<Out>(in[i]);
        }
    }
    template <int Items, class Out, class Operation>
    __device__ __forceinline__ void subtract_right(T (&in)[Items], Out (&out)[Items], Operation operation, int valid,
                                                   T *after_block) {
        share(in);
        T *after = rank() < block_threads - 1 ? &storage_.first[rank() + 1] : after_block;
        const bool beyond = after_block != nullptr;
        for (int i = 0; i < Items; ++i) {
            T *right = i < Items - 1 ? &in[i + 1] : after;
            const int index = rank() * Items + i;
            out[i] = right && (index < valid - 1 || beyond) ? operation(in[i], *right) : static_cast<Out>(in[i]);
        }
    }

    Storage &storage_;
};

CUB_NAMESPACE_END

#endif

#endif
