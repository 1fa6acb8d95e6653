/* Reductions of the items that one thread holds. */
#ifndef MUSA_CUB_THREAD_REDUCE_CUH
#define MUSA_CUB_THREAD_REDUCE_CUH

#include <cub/thread/thread_operators.cuh>
#include <musa_sim/type_traits.h>

#include <type_traits>

CUB_NAMESPACE_BEGIN
namespace internal {

template <int Length, class T, class Operation, class Prefix>
__host__ __device__ Prefix ThreadReduce(T (&items)[Length], Operation operation, Prefix prefix) {
    for (int i = 0; i < Length; ++i) prefix = operation(prefix, items[i]);
    return prefix;
}

template <int Length, class T, class Operation>
__host__ __device__ musa_sim_detail::remove_const_t<T> ThreadReduce(T (&items)[Length], Operation operation) {
    musa_sim_detail::remove_const_t<T> result = items[0];
    for (int i = 1; i < Length; ++i) result = operation(result, items[i]);
    return result;
}

}  // namespace internal
CUB_NAMESPACE_END

#endif
