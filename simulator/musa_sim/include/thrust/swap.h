/* swap, for host and device. Two parameters, as Thrust has: std::swap is the better match where both are found. */
#ifndef MUSA_THRUST_SWAP_H
#define MUSA_THRUST_SWAP_H

#include <musa_runtime.h>

namespace thrust {

template <class A, class B>
__host__ __device__ void swap(A &a, B &b) {
    A before = a;
    a = b;
    b = before;
}

}  // namespace thrust

#endif
