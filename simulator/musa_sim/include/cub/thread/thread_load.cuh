/* ThreadLoad: the cache modifiers have no effect. */
#ifndef MUSA_CUB_THREAD_LOAD_CUH
#define MUSA_CUB_THREAD_LOAD_CUH

#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };

template <CacheLoadModifier Modifier, class Iterator>
__host__ __device__ detail::value_t<Iterator> ThreadLoad(Iterator at) {
    return *at;
}

CUB_NAMESPACE_END

#endif
