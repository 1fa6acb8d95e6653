/* device_vector: a vector in device memory. Its elements are copied byte by byte. */
#ifndef MUSA_THRUST_DEVICE_VECTOR_H
#define MUSA_THRUST_DEVICE_VECTOR_H

#include <musa_sim/type_traits.h>
#include <thrust/detail/elementwise.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/reverse_iterator.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace thrust {

/* Between host and device, which no single kernel should touch: the device's side is a range of memory. */
template <class In, class Out,
          musa_sim_detail::enable_if_t<detail::is_device<In>::value && detail::is_of_host<Out>, int> = 0>
Out copy(In first, In last, Out out);
template <class In, class Out,
          musa_sim_detail::enable_if_t<detail::is_of_host<In> && detail::is_device<Out>::value, int> = 0>
Out copy(In first, In last, Out out);

template <class T, class Allocator>
class device_vector {
    static_assert(std::is_trivially_destructible<T>::value,
                  "a device_vector copies its elements byte by byte and destroys none: they cannot own anything");

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using allocator_type = Allocator;
    using pointer = device_ptr<T>;
    using const_pointer = device_ptr<const T>;
    using reference = device_reference<T>;
    using const_reference = device_reference<const T>;
    using iterator = device_ptr<T>;
    using const_iterator = device_ptr<const T>;
    using reverse_iterator = thrust::reverse_iterator<iterator>;
    using const_reverse_iterator = thrust::reverse_iterator<const_iterator>;

    device_vector() = default;
    explicit device_vector(size_type count) : device_vector(count, T()) {}
    device_vector(size_type count, const T &value) { resize(count, value); }
    device_vector(std::initializer_list<T> values) : device_vector(values.begin(), values.end()) {}
    device_vector(const device_vector &other) { *this = other; }
    device_vector(device_vector &&other) noexcept { swap(other); }
    template <class U, class Other>
    device_vector(const device_vector<U, Other> &other) : device_vector(other.begin(), other.end()) {}
    template <class U, class Other>
    device_vector(const std::vector<U, Other> &other) : device_vector(other.begin(), other.end()) {}
    template <class Iterator, musa_sim_detail::enable_if_t<detail::is_iterator<Iterator>::value, int> = 0>
    device_vector(Iterator first, Iterator last) {
        if constexpr (detail::is_of_host<Iterator>) {
            const detail::HostCopy<T> values(first, last);
            copy_from(values.begin(), values.size(), musaMemcpyHostToDevice);
        } else if constexpr (std::is_same<Iterator, iterator>::value || std::is_same<Iterator, const_iterator>::value) {
            copy_from(first.get(), static_cast<size_type>(last - first), musaMemcpyDeviceToDevice);
        } else {
            reserve(static_cast<size_type>(last - first));
            size_ = static_cast<size_type>(thrust::copy(first, last, begin()) - begin());
        }
    }
    ~device_vector() { musaFree(data_); }

    device_vector &operator=(const device_vector &other) {
        if (this != &other) copy_from(other.data_, other.size_, musaMemcpyDeviceToDevice);
        return *this;
    }
    device_vector &operator=(device_vector &&other) noexcept {
        swap(other);
        return *this;
    }
    template <class U, class Other>
    device_vector &operator=(const device_vector<U, Other> &other) {
        return *this = device_vector(other);
    }
    template <class U, class Other>
    device_vector &operator=(const std::vector<U, Other> &other) {
        return *this = device_vector(other);
    }
    device_vector &operator=(std::initializer_list<T> values) { return *this = device_vector(values); }

    template <class Iterator, musa_sim_detail::enable_if_t<detail::is_iterator<Iterator>::value, int> = 0>
    void assign(Iterator first, Iterator last) {
        *this = device_vector(first, last);
    }
    void assign(size_type count, const T &value) { *this = device_vector(count, value); }

    size_type size() const { return size_; }
    size_type max_size() const { return std::numeric_limits<difference_type>::max() / sizeof(T); }
    size_type capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    allocator_type get_allocator() const { return allocator_type(); }
    pointer data() { return pointer(data_); }
    const_pointer data() const { return const_pointer(data_); }
    iterator begin() { return iterator(data_); }
    iterator end() { return iterator(data_ + size_); }
    const_iterator begin() const { return const_iterator(data_); }
    const_iterator end() const { return const_iterator(data_ + size_); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    reverse_iterator rbegin() { return reverse_iterator(end()); }
    reverse_iterator rend() { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }
    const_reverse_iterator crbegin() const { return rbegin(); }
    const_reverse_iterator crend() const { return rend(); }
    reference operator[](size_type n) { return reference(data_ + n); }
    const_reference operator[](size_type n) const { return const_reference(data_ + n); }
    reference front() { return (*this)[0]; }
    reference back() { return (*this)[size_ - 1]; }
    const_reference front() const { return (*this)[0]; }
    const_reference back() const { return (*this)[size_ - 1]; }

    void reserve(size_type count) {
        if (count <= capacity_) return;
        T *larger = nullptr;
        detail::check(musaMalloc(&larger, count * sizeof(T)), "memory for a device_vector");
        if (size_ > 0) {
            detail::check(musaMemcpy(larger, data_, size_ * sizeof(T), musaMemcpyDeviceToDevice),
                          "growing a device_vector");
        }
        detail::check(musaFree(data_), "growing a device_vector");
        data_ = larger;
        capacity_ = count;
    }
    void resize(size_type count) { resize(count, T()); }
    void resize(size_type count, const T &value) {
        reserve(count);
        if (count > size_) {
            const detail::HostCopy<T> added(count - size_, value);
            detail::check(musaMemcpy(data_ + size_, added.begin(), added.bytes(), musaMemcpyHostToDevice),
                          "filling a device_vector");
        }
        size_ = count;
    }
    void push_back(const T &value) {
        if (size_ == capacity_) reserve(capacity_ ? 2 * capacity_ : 16);
        resize(size_ + 1, value);
    }
    void pop_back() { --size_; }
    void clear() { size_ = 0; }
    void shrink_to_fit() { device_vector(*this).swap(*this); }
    void swap(device_vector &other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    iterator insert(iterator position, const T &value) { return insert_all(position, device_vector(1, value)); }
    void insert(iterator position, size_type count, const T &value) {
        insert_all(position, device_vector(count, value));
    }
    template <class Iterator, musa_sim_detail::enable_if_t<detail::is_iterator<Iterator>::value, int> = 0>
    void insert(iterator position, Iterator first, Iterator last) {
        insert_all(position, device_vector(first, last));
    }
    iterator erase(iterator position) { return erase(position, position + 1); }
    iterator erase(iterator first, iterator last) {
        const device_vector rest(last, end());
        size_ = static_cast<size_type>(first - begin());
        append(rest);
        return first;
    }

private:
    iterator insert_all(iterator position, const device_vector &added) {
        const difference_type at = position - begin();
        const device_vector rest(position, end());
        reserve(size_ + added.size_);
        size_ = static_cast<size_type>(at);
        append(added);
        append(rest);
        return begin() + at;
    }
    /* There must be room. */
    void append(const device_vector &other) {
        if (other.empty()) return;
        detail::check(musaMemcpy(data_ + size_, other.data_, other.size_ * sizeof(T), musaMemcpyDeviceToDevice),
                      "moving elements of a device_vector");
        size_ += other.size_;
    }
    void copy_from(const T *from, size_type count, musaMemcpyKind kind) {
        size_ = 0;
        reserve(count);
        if (count > 0) {
            detail::check(musaMemcpy(data_, from, count * sizeof(T), kind), "copying to a device_vector");
        }
        size_ = count;
    }

    T *data_ = nullptr;
    size_type size_ = 0;
    size_type capacity_ = 0;
};

namespace detail {

/* Values of a vector where the host can compare them. */
template <class T, class Allocator>
HostCopy<T> on_host(const device_vector<T, Allocator> &vector) {
    return {vector.begin(), vector.end()};
}
template <class T, class Allocator>
const std::vector<T, Allocator> &on_host(const std::vector<T, Allocator> &vector) {
    return vector;
}
template <class A, class B>
bool are_equal(const A &a, const B &b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace detail

#define MUSA_THRUST_COMPARISON(LeftVector, RightVector)                                                    \
    template <class T, class AllocatorOfT, class U, class AllocatorOfU>                                    \
    bool operator==(const LeftVector<T, AllocatorOfT> &a, const RightVector<U, AllocatorOfU> &b) {         \
        return detail::are_equal(detail::on_host(a), detail::on_host(b));                                  \
    }                                                                                                      \
    template <class T, class AllocatorOfT, class U, class AllocatorOfU>                                    \
    bool operator!=(const LeftVector<T, AllocatorOfT> &a, const RightVector<U, AllocatorOfU> &b) {         \
        return !(a == b);                                                                                  \
    }
MUSA_THRUST_COMPARISON(device_vector, device_vector)
MUSA_THRUST_COMPARISON(device_vector, std::vector)
MUSA_THRUST_COMPARISON(std::vector, device_vector)
#undef MUSA_THRUST_COMPARISON

template <class T, class Allocator>
void swap(device_vector<T, Allocator> &a, device_vector<T, Allocator> &b) noexcept {
    a.swap(b);
}

template <class In, class Out,
          musa_sim_detail::enable_if_t<detail::is_device<In>::value && detail::is_of_host<Out>, int>>
Out copy(In first, In last, Out out) {
    using T = detail::value_t<In>;
    if constexpr (std::is_same<In, device_ptr<T>>::value || std::is_same<In, device_ptr<const T>>::value) {
        const detail::HostCopy<T> values(first, last);
        return std::copy(values.begin(), values.end(), out);
    } else {
        const device_vector<T> values(first, last);
        return thrust::copy(values.begin(), values.end(), out);
    }
}
template <class In, class Out,
          musa_sim_detail::enable_if_t<detail::is_of_host<In> && detail::is_device<Out>::value, int>>
Out copy(In first, In last, Out out) {
    const device_vector<detail::value_t<In>> values(first, last);
    return thrust::copy(values.begin(), values.end(), out);
}
template <class In, class Size, class Out,
          musa_sim_detail::enable_if_t<(detail::is_device<In>::value && detail::is_of_host<Out>) ||
                               (detail::is_of_host<In> && detail::is_device<Out>::value),
                           int> = 0>
Out copy_n(In first, Size n, Out out) {
    return thrust::copy(first, std::next(first, n), out);
}

}  // namespace thrust

#endif
