/* BlockHistogram: counts what the threads of a block hold; items are numbers of bins.
 *
 * One thread counts, so that any type will do for a counter; see block_reduce.cuh. Both algorithms are this one. As in
 * cub, who reads the histogram or uses the storage again waits for the others first.
 */
#ifndef MUSA_CUB_BLOCK_HISTOGRAM_CUH
#define MUSA_CUB_BLOCK_HISTOGRAM_CUH

#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/util_ptx.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int BlockDimX, int ItemsPerThread, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT,
          int BlockDimY = 1, int BlockDimZ = 1, int = 0>
class BlockHistogram {
    static constexpr int block_threads = BlockDimX * BlockDimY * BlockDimZ;
    struct Storage {
        T items[block_threads * ItemsPerThread];
    };

public:
    struct TempStorage : Uninitialized<Storage> {};

    __device__ __forceinline__ BlockHistogram() : storage_(private_storage()) {}
    __device__ __forceinline__ explicit BlockHistogram(TempStorage &storage) : storage_(storage.Alias()) {}

    template <class Counter>
    __device__ __forceinline__ void InitHistogram(Counter *histogram) {
        for (int bin = rank(); bin < Bins; bin += block_threads) histogram[bin] = 0;
    }
    /* Composite adds to what the histogram holds; Histogram begins with zeros. */
    template <class Counter>
    __device__ __forceinline__ void Histogram(T (&items)[ItemsPerThread], Counter *histogram) {
        InitHistogram(histogram);
        Composite(items, histogram);
    }
    template <class Counter>
    __device__ __forceinline__ void Composite(T (&items)[ItemsPerThread], Counter *histogram) {
        for (int i = 0; i < ItemsPerThread; ++i) storage_.items[rank() * ItemsPerThread + i] = items[i];
        __syncthreads();
        if (rank() == 0) {
            for (const T &item : storage_.items) ++histogram[static_cast<unsigned>(item)];
        }
    }

private:
    __device__ __forceinline__ static int rank() { return RowMajorTid(BlockDimX, BlockDimY, BlockDimZ); }
    __device__ __forceinline__ static Storage &private_storage() {
        __shared__ TempStorage storage;
        return storage.Alias();
    }

    Storage &storage_;
};

CUB_NAMESPACE_END

#endif

#endif
