/* DiscardOutputIterator: discards all values that are written to it. */
#ifndef MUSA_CUB_DISCARD_OUTPUT_ITERATOR_CUH
#define MUSA_CUB_DISCARD_OUTPUT_ITERATOR_CUH

#include <cub/config.cuh>

#include <cstddef>
#include <iterator>

CUB_NAMESPACE_BEGIN

template <class Offset = std::ptrdiff_t>
class DiscardOutputIterator {
public:
    using difference_type = Offset;
    using value_type = void;
    using pointer = void;
    using reference = void;
    using iterator_category = std::output_iterator_tag;

    struct Nothing {
        template <class T>
        __host__ __device__ const Nothing &operator=(const T &) const {
            return *this;
        }
    };

    __host__ __device__ explicit DiscardOutputIterator(Offset at = 0) : at_(at) {}
    __host__ __device__ Nothing operator*() const { return {}; }
    template <class Distance>
    __host__ __device__ Nothing operator[](Distance) const {
        return {};
    }
    __host__ __device__ DiscardOutputIterator &operator++() { return *this += 1; }
    __host__ __device__ DiscardOutputIterator operator++(int) {
        DiscardOutputIterator before = *this;
        *this += 1;
        return before;
    }
    template <class Distance>
    __host__ __device__ DiscardOutputIterator &operator+=(Distance n) {
        at_ += static_cast<Offset>(n);
        return *this;
    }
    template <class Distance>
    __host__ __device__ DiscardOutputIterator operator+(Distance n) const {
        return DiscardOutputIterator(at_ + static_cast<Offset>(n));
    }
    __host__ __device__ Offset operator-(const DiscardOutputIterator &other) const { return at_ - other.at_; }

private:
    Offset at_;
};

CUB_NAMESPACE_END

#endif
