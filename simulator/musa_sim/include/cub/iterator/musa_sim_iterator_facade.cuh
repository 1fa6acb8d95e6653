/* Makes a random access iterator of a class that reads at an offset and moves. Not part of cub's interface. */
#ifndef MUSA_CUB_ITERATOR_FACADE_CUH
#define MUSA_CUB_ITERATOR_FACADE_CUH

#include <cub/config.cuh>
#include <musa_sim/type_traits.h>

#include <cstddef>
#include <iterator>

CUB_NAMESPACE_BEGIN
namespace detail {

/* Derived has value_at(Offset), advance(Offset) and distance_to(const Derived &). */
template <class Derived, class Value, class Offset>
class iterator_facade {
public:
    using self_type = Derived;
    using difference_type = Offset;
    using value_type = Value;
    using pointer = Value *;
    using reference = Value;
    using iterator_category = std::random_access_iterator_tag;

    __host__ __device__ Value operator*() const { return self().value_at(Offset(0)); }
    template <class Distance>
    __host__ __device__ Value operator[](Distance n) const {
        return self().value_at(static_cast<Offset>(n));
    }

    __host__ __device__ Derived &operator++() { return *this += 1; }
    __host__ __device__ Derived &operator--() { return *this -= 1; }
    __host__ __device__ Derived operator++(int) {
        Derived before = self();
        *this += 1;
        return before;
    }
    __host__ __device__ Derived operator--(int) {
        Derived before = self();
        *this -= 1;
        return before;
    }
    template <class Distance>
    __host__ __device__ Derived &operator+=(Distance n) {
        self().advance(static_cast<Offset>(n));
        return self();
    }
    template <class Distance>
    __host__ __device__ Derived &operator-=(Distance n) {
        self().advance(-static_cast<Offset>(n));
        return self();
    }
    template <class Distance>
    __host__ __device__ Derived operator+(Distance n) const {
        Derived result = self();
        return result += n;
    }
    template <class Distance, class = musa_sim_detail::enable_if_t<std::is_integral<Distance>::value>>
    __host__ __device__ Derived operator-(Distance n) const {
        Derived result = self();
        return result -= n;
    }
    __host__ __device__ Offset operator-(const Derived &other) const { return other.distance_to(self()); }

    __host__ __device__ bool operator==(const Derived &other) const { return self().distance_to(other) == 0; }
    __host__ __device__ bool operator!=(const Derived &other) const { return self().distance_to(other) != 0; }
    __host__ __device__ bool operator<(const Derived &other) const { return self().distance_to(other) > 0; }

private:
    __host__ __device__ Derived &self() { return static_cast<Derived &>(*this); }
    __host__ __device__ const Derived &self() const { return static_cast<const Derived &>(*this); }
};

}  // namespace detail
CUB_NAMESPACE_END

#endif
