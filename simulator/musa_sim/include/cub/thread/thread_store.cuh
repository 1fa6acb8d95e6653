/* ThreadStore: the cache modifiers have no effect. */
#ifndef MUSA_CUB_THREAD_STORE_CUH
#define MUSA_CUB_THREAD_STORE_CUH

#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

template <CacheStoreModifier Modifier, class Iterator, class T>
__host__ __device__ void ThreadStore(Iterator at, T value) {
    *at = value;
}

CUB_NAMESPACE_END

#endif
