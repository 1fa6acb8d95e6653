/* min_element, max_element, minmax_element; min and max of two values, of equal ones the first */
#ifndef MUSA_THRUST_EXTREMA_H
#define MUSA_THRUST_EXTREMA_H

#include <thrust/detail/reductions.h>

namespace thrust {

template <class T, class Compare>
__host__ __device__ T min(const T &a, const T &b, Compare compare) {
    return compare(b, a) ? b : a;
}
template <class T>
__host__ __device__ T min(const T &a, const T &b) {
    return b < a ? b : a;
}
template <class T, class Compare>
__host__ __device__ T max(const T &a, const T &b, Compare compare) {
    return compare(a, b) ? b : a;
}
template <class T>
__host__ __device__ T max(const T &a, const T &b) {
    return a < b ? b : a;
}

}  // namespace thrust

#endif
