/* device_ptr: a pointer to device memory. Host code that dereferences it copies one value. */
#ifndef MUSA_THRUST_DEVICE_PTR_H
#define MUSA_THRUST_DEVICE_PTR_H

#include <musa_runtime.h>
#include <musa_sim/type_traits.h>
#include <thrust/swap.h>
#include <thrust/system_error.h>
#include <thrust/version.h>

#include <cstddef>
#include <iterator>
#include <ostream>
#include <type_traits>

namespace thrust {

template <class T>
class device_ptr;

/* The object that a device_ptr points to. */
template <class T>
class device_reference {
public:
    using value_type = musa_sim_detail::remove_cv_t<T>;
    using pointer = device_ptr<T>;

    __host__ __device__ explicit device_reference(T *at) : at_(at) {}
    template <class U>
    __host__ __device__ device_reference(const device_reference<U> &other) : at_(other.raw()) {}

    __host__ __device__ operator value_type() const {
#if defined(__MUSA_ARCH__)
        return *at_;
#else
        value_type value;
        detail::check(musaMemcpy(&value, at_, sizeof value, musaMemcpyDeviceToHost), "reading device memory");
        return value;
#endif
    }
    __host__ __device__ const device_reference &operator=(const value_type &value) const {
#if defined(__MUSA_ARCH__)
        *at_ = value;
#else
        detail::check(musaMemcpy(at_, &value, sizeof value, musaMemcpyHostToDevice), "writing device memory");
#endif
        return *this;
    }
    __host__ __device__ const device_reference &operator=(const device_reference &other) const {
        return *this = static_cast<value_type>(other);
    }
#define MUSA_THRUST_ASSIGNMENT(operation)                                                                    \
    template <class U>                                                                                       \
    __host__ __device__ const device_reference &operator operation##=(const U &value) const {                \
        return *this = static_cast<value_type>(static_cast<value_type>(*this) operation value);             \
    }
    MUSA_THRUST_ASSIGNMENT(+)
    MUSA_THRUST_ASSIGNMENT(-)
    MUSA_THRUST_ASSIGNMENT(*)
    MUSA_THRUST_ASSIGNMENT(/)
    MUSA_THRUST_ASSIGNMENT(%)
    MUSA_THRUST_ASSIGNMENT(<<)
    MUSA_THRUST_ASSIGNMENT(>>)
    MUSA_THRUST_ASSIGNMENT(&)
    MUSA_THRUST_ASSIGNMENT(|)
    MUSA_THRUST_ASSIGNMENT(^)
#undef MUSA_THRUST_ASSIGNMENT
    __host__ __device__ const device_reference &operator++() const { return *this += 1; }
    __host__ __device__ const device_reference &operator--() const { return *this -= 1; }
    __host__ __device__ value_type operator++(int) const {
        value_type before = *this;
        *this += 1;
        return before;
    }
    __host__ __device__ value_type operator--(int) const {
        value_type before = *this;
        *this -= 1;
        return before;
    }
    __host__ __device__ device_ptr<T> operator&() const { return device_ptr<T>(at_); }
    __host__ __device__ T *raw() const { return at_; }

private:
    T *at_;
};

/* Print the value: the streams' own templates, as that of a complex number, do not see through a reference. */
template <class Stream, class Traits, class T>
std::basic_ostream<Stream, Traits> &operator<<(std::basic_ostream<Stream, Traits> &out,
                                               const device_reference<T> &reference) {
    return out << static_cast<typename device_reference<T>::value_type>(reference);
}

template <class T>
class device_ptr {
public:
    using value_type = musa_sim_detail::remove_cv_t<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = device_ptr;
    using reference = device_reference<T>;
    using iterator_category = std::random_access_iterator_tag;

    __host__ __device__ device_ptr() : at_(nullptr) {}
    __host__ __device__ device_ptr(std::nullptr_t) : at_(nullptr) {}
    __host__ __device__ explicit device_ptr(T *at) : at_(at) {}
    template <class U, class = musa_sim_detail::enable_if_t<std::is_convertible<U *, T *>::value>>
    __host__ __device__ device_ptr(const device_ptr<U> &other) : at_(other.get()) {}

    __host__ __device__ T *get() const { return at_; }
    __host__ __device__ explicit operator bool() const { return at_ != nullptr; }
    __host__ __device__ reference operator*() const { return reference(at_); }
    __host__ __device__ reference operator[](difference_type n) const { return reference(at_ + n); }

    __host__ __device__ device_ptr &operator++() { return *this += 1; }
    __host__ __device__ device_ptr &operator--() { return *this -= 1; }
    __host__ __device__ device_ptr operator++(int) {
        device_ptr before = *this;
        ++at_;
        return before;
    }
    __host__ __device__ device_ptr operator--(int) {
        device_ptr before = *this;
        --at_;
        return before;
    }
    __host__ __device__ device_ptr &operator+=(difference_type n) {
        at_ += n;
        return *this;
    }
    __host__ __device__ device_ptr &operator-=(difference_type n) { return *this += -n; }
    __host__ __device__ friend device_ptr operator+(device_ptr p, difference_type n) { return p += n; }
    __host__ __device__ friend device_ptr operator+(difference_type n, device_ptr p) { return p += n; }
    __host__ __device__ friend device_ptr operator-(device_ptr p, difference_type n) { return p -= n; }
    __host__ __device__ friend difference_type operator-(device_ptr a, device_ptr b) { return a.at_ - b.at_; }
    __host__ __device__ friend bool operator==(device_ptr a, device_ptr b) { return a.at_ == b.at_; }
    __host__ __device__ friend bool operator!=(device_ptr a, device_ptr b) { return a.at_ != b.at_; }
    __host__ __device__ friend bool operator<(device_ptr a, device_ptr b) { return a.at_ < b.at_; }
    __host__ __device__ friend bool operator>(device_ptr a, device_ptr b) { return a.at_ > b.at_; }
    __host__ __device__ friend bool operator<=(device_ptr a, device_ptr b) { return a.at_ <= b.at_; }
    __host__ __device__ friend bool operator>=(device_ptr a, device_ptr b) { return a.at_ >= b.at_; }

private:
    T *at_;
};

template <class T>
__host__ __device__ device_ptr<T> device_pointer_cast(T *at) {
    return device_ptr<T>(at);
}
template <class T>
__host__ __device__ device_ptr<T> device_pointer_cast(device_ptr<T> at) {
    return at;
}
template <class T>
__host__ __device__ T *raw_pointer_cast(device_ptr<T> at) {
    return at.get();
}
template <class T>
__host__ __device__ T *raw_pointer_cast(T *at) {
    return at;
}
template <class T>
__host__ __device__ T &raw_reference_cast(device_reference<T> reference) {
    return *reference.raw();
}
template <class T>
__host__ __device__ T &raw_reference_cast(T &reference) {
    return reference;
}

namespace detail {

/* The type that kernels read and write through an iterator: the memory itself, not a device_reference. */
template <class T>
__host__ __device__ T &deref(device_ptr<T> at) {
    return *at.get();
}
template <class Iterator>
__host__ __device__ auto deref(Iterator at) -> decltype(*at) {
    return *at;
}
template <class Iterator>
using deref_t = decltype(detail::deref(std::declval<Iterator>()));

template <class Iterator>
using value_t = typename std::iterator_traits<Iterator>::value_type;
template <class Iterator>
using difference_t = typename std::iterator_traits<Iterator>::difference_type;

/* Whether an algorithm without an execution policy runs on the device for this iterator. */
template <class Iterator>
struct is_device : std::false_type {};
template <class T>
struct is_device<device_ptr<T>> : std::true_type {};

/* Whether an iterator has its values from no memory, as a counting_iterator has. */
template <class Iterator>
struct is_placeless : std::false_type {};

template <class T, class = void>
struct is_iterator : std::false_type {};
template <class T>
struct is_iterator<T, musa_sim_detail::void_t<typename std::iterator_traits<T>::iterator_category>> : std::true_type {};

template <class T>
inline constexpr bool is_of_host = is_iterator<T>::value && !is_device<T>::value && !is_placeless<T>::value;

}  // namespace detail

}  // namespace thrust

#endif
