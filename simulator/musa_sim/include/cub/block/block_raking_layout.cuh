/* BlockRakingLayout: where raking algorithms put one value per thread, and which segment a raking thread combines. */
#ifndef MUSA_CUB_BLOCK_RAKING_LAYOUT_CUH
#define MUSA_CUB_BLOCK_RAKING_LAYOUT_CUH

#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

template <class T, int BlockThreads, int = 0>
struct BlockRakingLayout {
    enum {
        SHARED_ELEMENTS = BlockThreads,
        MAX_RAKING_THREADS = BlockThreads < 32 ? BlockThreads : 32,
        SEGMENT_LENGTH = (SHARED_ELEMENTS + MAX_RAKING_THREADS - 1) / MAX_RAKING_THREADS,
        RAKING_THREADS = (SHARED_ELEMENTS + SEGMENT_LENGTH - 1) / SEGMENT_LENGTH,
        SEGMENT_PADDING = 0,  // there are no banks that could conflict
        GRID_ELEMENTS = RAKING_THREADS * SEGMENT_LENGTH,
        UNGUARDED = SHARED_ELEMENTS % RAKING_THREADS == 0,
    };

    struct Elements {
        T buffer[GRID_ELEMENTS];
    };
    struct TempStorage : Uninitialized<Elements> {};

    static __device__ __forceinline__ T *PlacementPtr(TempStorage &storage, unsigned linear_tid) {
        return storage.Alias().buffer + linear_tid;
    }
    static __device__ __forceinline__ T *RakingPtr(TempStorage &storage, unsigned linear_tid) {
        return storage.Alias().buffer + linear_tid * SEGMENT_LENGTH;
    }
};

CUB_NAMESPACE_END

#endif
