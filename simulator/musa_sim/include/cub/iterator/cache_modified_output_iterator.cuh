/* CacheModifiedOutputIterator: a pointer; the cache modifier has no effect. */
#ifndef MUSA_CUB_CACHE_MODIFIED_OUTPUT_ITERATOR_CUH
#define MUSA_CUB_CACHE_MODIFIED_OUTPUT_ITERATOR_CUH

#include <cub/thread/thread_store.cuh>
#include <cub/util_type.cuh>

#include <cstddef>

CUB_NAMESPACE_BEGIN

template <CacheStoreModifier Modifier, class Value, class Offset = std::ptrdiff_t>
class CacheModifiedOutputIterator {
public:
    using value_type = void;
    using reference = void;
    using pointer = void;
    using difference_type = Offset;
    using iterator_category = std::random_access_iterator_tag;

    __host__ __device__ explicit CacheModifiedOutputIterator(Value *at) : at_(at) {}
    __host__ __device__ Value &operator*() const { return *at_; }
    __host__ __device__ Value &operator[](Offset n) const { return at_[n]; }
    __host__ __device__ CacheModifiedOutputIterator &operator+=(Offset n) {
        at_ += n;
        return *this;
    }
    __host__ __device__ CacheModifiedOutputIterator &operator++() { return *this += 1; }
    __host__ __device__ CacheModifiedOutputIterator operator+(Offset n) const {
        return CacheModifiedOutputIterator(at_ + n);
    }
    __host__ __device__ Offset operator-(const CacheModifiedOutputIterator &other) const {
        return static_cast<Offset>(at_ - other.at_);
    }
    __host__ __device__ bool operator==(const CacheModifiedOutputIterator &other) const { return at_ == other.at_; }
    __host__ __device__ bool operator!=(const CacheModifiedOutputIterator &other) const { return at_ != other.at_; }

private:
    Value *at_;
};

CUB_NAMESPACE_END

#endif
