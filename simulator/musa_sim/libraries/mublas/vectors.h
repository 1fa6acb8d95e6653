// Vectors with increments. A negative increment begins at the vector's end, as in the reference BLAS.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "context.h"
#include "element_arithmetic.h"

namespace mublas {

template <class T>
class Vector {
public:
    Vector(T* data, int n, int increment)
        : first_(data + (increment < 0 ? static_cast<std::ptrdiff_t>(1 - n) * increment : 0)), increment_(increment) {}
    T& operator[](int i) const { return first_[static_cast<std::ptrdiff_t>(i) * increment_]; }

private:
    T* first_;
    std::ptrdiff_t increment_;
};

inline mublasStatus check_vectors(mublasHandle_t handle, int n, std::initializer_list<const void*> pointers) {
    const mublasStatus status = check_handle(handle);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    for (const void* pointer : pointers) {
        if (!pointer && n > 0) return MUBLAS_STATUS_INVALID_POINTER;
    }
    return MUBLAS_STATUS_SUCCESS;
}

// Copy a vector's elements to contiguous memory.
template <class T>
std::vector<T> gathered(const T* x, int n, int increment) {
    std::vector<T> values(static_cast<std::size_t>(n));
    const Vector<const T> from(x, n, increment);
    for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = from[i];
    return values;
}

template <class T>
void scatter(const std::vector<T>& values, T* y, int increment) {
    const int n = static_cast<int>(values.size());
    const Vector<T> to(y, n, increment);
    for (int i = 0; i < n; ++i) to[i] = values[static_cast<std::size_t>(i)];
}

}  // namespace mublas
