/* CacheModifiedInputIterator: a pointer; the cache modifier has no effect. */
#ifndef MUSA_CUB_CACHE_MODIFIED_INPUT_ITERATOR_CUH
#define MUSA_CUB_CACHE_MODIFIED_INPUT_ITERATOR_CUH

#include <cub/iterator/musa_sim_iterator_facade.cuh>
#include <cub/thread/thread_load.cuh>

CUB_NAMESPACE_BEGIN

template <CacheLoadModifier Modifier, class Value, class Offset = std::ptrdiff_t>
class CacheModifiedInputIterator
    : public detail::iterator_facade<CacheModifiedInputIterator<Modifier, Value, Offset>, Value, Offset> {
public:
    __host__ __device__ explicit CacheModifiedInputIterator(const Value *at) : at_(at) {}
    __host__ __device__ Value value_at(Offset n) const { return at_[n]; }
    __host__ __device__ void advance(Offset n) { at_ += n; }
    __host__ __device__ Offset distance_to(const CacheModifiedInputIterator &other) const {
        return static_cast<Offset>(other.at_ - at_);
    }

private:
    const Value *at_;
};

CUB_NAMESPACE_END

#endif
