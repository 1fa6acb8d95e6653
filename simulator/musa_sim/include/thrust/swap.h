/* swap, for host and device */
#ifndef MUSA_THRUST_SWAP_H
#define MUSA_THRUST_SWAP_H

#include <musa_runtime.h>

namespace thrust {

template <class T>
__host__ __device__ void swap(T &a, T &b) {
    T before = a;
    a = b;
    b = before;
}

}  // namespace thrust

#endif
