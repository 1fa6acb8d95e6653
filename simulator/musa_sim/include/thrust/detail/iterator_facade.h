/* Makes a random access iterator of a class that has deref_at(n), advance(n) and distance_to(other). */
#ifndef MUSA_THRUST_DETAIL_ITERATOR_FACADE_H
#define MUSA_THRUST_DETAIL_ITERATOR_FACADE_H

#include <thrust/device_ptr.h>

namespace thrust {
namespace detail {

template <class Derived, class Value, class Reference>
class iterator_facade {
public:
    using value_type = Value;
    using reference = Reference;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;

    __host__ __device__ Reference operator*() const { return self().deref_at(0); }
    __host__ __device__ Reference operator[](difference_type n) const { return self().deref_at(n); }

    __host__ __device__ Derived &operator+=(difference_type n) {
        self().advance(n);
        return self();
    }
    __host__ __device__ Derived &operator-=(difference_type n) { return *this += -n; }
    __host__ __device__ Derived &operator++() { return *this += 1; }
    __host__ __device__ Derived &operator--() { return *this += -1; }
    __host__ __device__ Derived operator++(int) {
        Derived before = self();
        *this += 1;
        return before;
    }
    __host__ __device__ Derived operator--(int) {
        Derived before = self();
        *this += -1;
        return before;
    }
    __host__ __device__ friend Derived operator+(Derived it, difference_type n) { return it += n; }
    __host__ __device__ friend Derived operator+(difference_type n, Derived it) { return it += n; }
    __host__ __device__ friend Derived operator-(Derived it, difference_type n) { return it += -n; }
    __host__ __device__ friend difference_type operator-(const Derived &a, const Derived &b) {
        return b.distance_to(a);
    }
    __host__ __device__ friend bool operator==(const Derived &a, const Derived &b) { return a.distance_to(b) == 0; }
    __host__ __device__ friend bool operator!=(const Derived &a, const Derived &b) { return a.distance_to(b) != 0; }
    __host__ __device__ friend bool operator<(const Derived &a, const Derived &b) { return a.distance_to(b) > 0; }
    __host__ __device__ friend bool operator>(const Derived &a, const Derived &b) { return a.distance_to(b) < 0; }
    __host__ __device__ friend bool operator<=(const Derived &a, const Derived &b) { return a.distance_to(b) >= 0; }
    __host__ __device__ friend bool operator>=(const Derived &a, const Derived &b) { return a.distance_to(b) <= 0; }

private:
    __host__ __device__ Derived &self() { return static_cast<Derived &>(*this); }
    __host__ __device__ const Derived &self() const { return static_cast<const Derived &>(*this); }
};

}  // namespace detail
}  // namespace thrust

#endif
