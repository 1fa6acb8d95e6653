// cub with the names that the one of CUDA 13 has no longer, and that of CUDA 11.8, MUSA's, has.
#pragma once
#include_next <cub/cub.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <type_traits>

namespace cub {
using Sum = ::cuda::std::plus<>;
using Equality = ::cuda::std::equal_to<>;
struct Max {
    template <class T, class U>
    __host__ __device__ std::common_type_t<T, U> operator()(const T& a, const U& b) const {
        return a < b ? b : a;
    }
};
struct Min {
    template <class T, class U>
    __host__ __device__ std::common_type_t<T, U> operator()(const T& a, const U& b) const {
        return b < a ? b : a;
    }
};
template <class T>
using CountingInputIterator = thrust::counting_iterator<T>;
template <class T, class Operation, class Iterator>
using TransformInputIterator = thrust::transform_iterator<Operation, Iterator, T>;
}  // namespace cub
