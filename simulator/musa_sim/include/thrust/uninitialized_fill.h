/* uninitialized_fill, uninitialized_fill_n */
#ifndef MUSA_THRUST_UNINITIALIZED_FILL_H
#define MUSA_THRUST_UNINITIALIZED_FILL_H

#include <thrust/detail/rearrangements.h>

namespace thrust {

template <class Iterator, class Size, class T>
Iterator uninitialized_fill_n(Iterator first, Size count, const T &value) {
    thrust::uninitialized_fill(first, first + count, value);
    return first + count;
}
template <class Policy, class Iterator, class Size, class T>
Iterator uninitialized_fill_n(const Policy &policy, Iterator first, Size count, const T &value) {
    thrust::uninitialized_fill(policy, first, first + count, value);
    return first + count;
}

}  // namespace thrust

#endif
