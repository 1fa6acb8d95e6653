/* device_vector: a vector in device memory, of a type that can be copied byte by byte. */
#ifndef MUSA_THRUST_DEVICE_VECTOR_H
#define MUSA_THRUST_DEVICE_VECTOR_H

#include <thrust/detail/elementwise.h>
#include <thrust/host_vector.h>

#include <initializer_list>

namespace thrust {

template <class T, class Allocator>
class device_vector {
    static_assert(std::is_trivially_copyable<T>::value || std::is_trivially_destructible<T>::value,
                  "a device_vector copies its elements byte by byte");

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using pointer = device_ptr<T>;
    using const_pointer = device_ptr<const T>;
    using reference = device_reference<T>;
    using const_reference = device_reference<const T>;
    using iterator = device_ptr<T>;
    using const_iterator = device_ptr<const T>;

    device_vector() = default;
    explicit device_vector(size_type count) : device_vector(count, T()) {}
    device_vector(size_type count, const T &value) { resize(count, value); }
    device_vector(std::initializer_list<T> values) : device_vector(std::vector<T>(values)) {}
    device_vector(const std::vector<T> &other) { copy_from(other.data(), other.size(), musaMemcpyHostToDevice); }
    device_vector(const device_vector &other) { *this = other; }
    device_vector(device_vector &&other) noexcept { swap(other); }
    device_vector(device_ptr<T> first, device_ptr<T> last) { copy_range(first.get(), last - first); }
    device_vector(device_ptr<const T> first, device_ptr<const T> last) { copy_range(first.get(), last - first); }
    /* A range of the host's. */
    template <class Iterator, class = std::enable_if_t<!std::is_integral<Iterator>::value &&
                                                       !detail::is_device<Iterator>::value>>
    device_vector(Iterator first, Iterator last) : device_vector(std::vector<T>(first, last)) {}
    ~device_vector() { musaFree(data_); }

    device_vector &operator=(const device_vector &other) {
        if (this != &other) copy_from(other.data_, other.size_, musaMemcpyDeviceToDevice);
        return *this;
    }
    device_vector &operator=(device_vector &&other) noexcept {
        swap(other);
        return *this;
    }
    device_vector &operator=(const std::vector<T> &other) {
        copy_from(other.data(), other.size(), musaMemcpyHostToDevice);
        return *this;
    }

    template <class Iterator>
    void assign(Iterator first, Iterator last) {
        *this = device_vector(first, last);
    }
    void assign(size_type count, const T &value) { *this = device_vector(count, value); }

    size_type size() const { return size_; }
    size_type capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    pointer data() { return pointer(data_); }
    const_pointer data() const { return const_pointer(data_); }
    iterator begin() { return iterator(data_); }
    iterator end() { return iterator(data_ + size_); }
    const_iterator begin() const { return const_iterator(data_); }
    const_iterator end() const { return const_iterator(data_ + size_); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    reference operator[](size_type n) { return reference(data_ + n); }
    const_reference operator[](size_type n) const { return const_reference(data_ + n); }
    reference front() { return (*this)[0]; }
    reference back() { return (*this)[size_ - 1]; }

    void reserve(size_type count) {
        if (count <= capacity_) return;
        T *larger = nullptr;
        detail::check(musaMalloc(reinterpret_cast<void **>(&larger), count * sizeof(T)), "memory for a device_vector");
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
            const std::vector<T> added(count - size_, value);
            detail::check(musaMemcpy(data_ + size_, added.data(), added.size() * sizeof(T), musaMemcpyHostToDevice),
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
    void shrink_to_fit() {}
    void swap(device_vector &other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    iterator erase(iterator first, iterator last) {
        const iterator end_before = end();
        const iterator new_end = thrust::copy(last, end_before, first);
        size_ = static_cast<size_type>(new_end - begin());
        return first;
    }

private:
    void copy_range(const T *from, difference_type count) {
        copy_from(from, static_cast<size_type>(count), musaMemcpyDeviceToDevice);
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

template <class T>
bool operator==(const device_vector<T> &a, const device_vector<T> &b) {
    return host_vector<T>(a) == host_vector<T>(b);
}
template <class T>
bool operator!=(const device_vector<T> &a, const device_vector<T> &b) {
    return !(a == b);
}

/* Between host and device, which no single kernel should touch: the device's side is a range of memory. */
template <class T, class Out, std::enable_if_t<!detail::is_device<Out>::value, int> = 0>
Out copy(device_ptr<T> first, device_ptr<T> last, Out out) {
    std::vector<std::remove_cv_t<T>> values(static_cast<std::size_t>(last - first));
    detail::check(musaMemcpy(values.data(), first.get(), values.size() * sizeof(T), musaMemcpyDeviceToHost),
                  "copying from the device");
    for (const auto &value : values) *out++ = value;
    return out;
}
template <class In, class T, std::enable_if_t<!detail::is_device<In>::value && !detail::is_policy<In>, int> = 0>
device_ptr<T> copy(In first, In last, device_ptr<T> out) {
    const std::vector<T> values(first, last);
    detail::check(musaMemcpy(out.get(), values.data(), values.size() * sizeof(T), musaMemcpyHostToDevice),
                  "copying to the device");
    return out + static_cast<std::ptrdiff_t>(values.size());
}

}  // namespace thrust

#endif
