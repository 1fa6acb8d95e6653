/* discard_iterator: forgets what is written to it. */
#ifndef MUSA_THRUST_DISCARD_ITERATOR_H
#define MUSA_THRUST_DISCARD_ITERATOR_H

#include <thrust/detail/iterator_facade.h>

namespace thrust {

namespace detail {
struct discarded {
    template <class T>
    __host__ __device__ const discarded &operator=(const T &) const {
        return *this;
    }
};
}  // namespace detail

// `System` is Thrust's second name for a device or the host, which are one here.
template <class System = void>
class discard_iterator
    : public detail::iterator_facade<discard_iterator<System>, detail::discarded, detail::discarded> {
public:
    __host__ __device__ explicit discard_iterator(std::ptrdiff_t at = 0) : at_(at) {}
    __host__ __device__ detail::discarded deref_at(std::ptrdiff_t) const { return {}; }
    __host__ __device__ void advance(std::ptrdiff_t n) { at_ += n; }
    __host__ __device__ std::ptrdiff_t distance_to(const discard_iterator &other) const { return other.at_ - at_; }

private:
    std::ptrdiff_t at_;
};

inline __host__ __device__ discard_iterator<> make_discard_iterator(std::ptrdiff_t at = 0) {
    return discard_iterator<>(at);
}

namespace detail {
template <class System>
struct is_placeless<discard_iterator<System>> : std::true_type {};
}  // namespace detail

}  // namespace thrust

#endif
