/* distance and advance, for random access iterators */
#ifndef MUSA_THRUST_DISTANCE_H
#define MUSA_THRUST_DISTANCE_H

#include <thrust/device_ptr.h>

namespace thrust {

template <class Iterator>
__host__ __device__ detail::difference_t<Iterator> distance(Iterator first, Iterator last) {
    return last - first;
}
template <class Iterator, class Distance>
__host__ __device__ void advance(Iterator &at, Distance n) {
    at += n;
}

}  // namespace thrust

#endif
