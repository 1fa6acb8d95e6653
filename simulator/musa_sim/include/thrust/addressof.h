/* addressof, on host and device. */
#ifndef MUSA_THRUST_ADDRESSOF_H
#define MUSA_THRUST_ADDRESSOF_H

#include <host_defines.h>

namespace thrust {

template <class T>
__host__ __device__ constexpr T *addressof(T &object) noexcept {
    return __builtin_addressof(object);
}
template <class T>
const T *addressof(const T &&) = delete;

}  // namespace thrust

#endif
