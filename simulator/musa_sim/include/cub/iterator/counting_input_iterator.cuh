/* CountingInputIterator: n, n + 1, n + 2 ... */
#ifndef MUSA_CUB_COUNTING_INPUT_ITERATOR_CUH
#define MUSA_CUB_COUNTING_INPUT_ITERATOR_CUH

#include <cub/iterator/musa_sim_iterator_facade.cuh>

CUB_NAMESPACE_BEGIN

template <class Value, class Offset = std::ptrdiff_t>
class CountingInputIterator
    : public detail::iterator_facade<CountingInputIterator<Value, Offset>, Value, Offset> {
public:
    __host__ __device__ explicit CountingInputIterator(const Value &value) : value_(value) {}
    __host__ __device__ Value value_at(Offset n) const { return static_cast<Value>(value_ + static_cast<Value>(n)); }
    __host__ __device__ void advance(Offset n) { value_ = value_at(n); }
    __host__ __device__ Offset distance_to(const CountingInputIterator &other) const {
        return static_cast<Offset>(other.value_ - value_);
    }

private:
    Value value_;
};

CUB_NAMESPACE_END

#endif
