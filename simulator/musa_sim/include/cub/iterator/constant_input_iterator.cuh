/* ConstantInputIterator: repeats one value. */
#ifndef MUSA_CUB_CONSTANT_INPUT_ITERATOR_CUH
#define MUSA_CUB_CONSTANT_INPUT_ITERATOR_CUH

#include <cub/iterator/musa_sim_iterator_facade.cuh>

CUB_NAMESPACE_BEGIN

template <class Value, class Offset = std::ptrdiff_t>
class ConstantInputIterator
    : public detail::iterator_facade<ConstantInputIterator<Value, Offset>, Value, Offset> {
public:
    __host__ __device__ explicit ConstantInputIterator(Value value, Offset at = 0) : value_(value), at_(at) {}
    __host__ __device__ Value value_at(Offset) const { return value_; }
    __host__ __device__ void advance(Offset n) { at_ += n; }
    __host__ __device__ Offset distance_to(const ConstantInputIterator &other) const { return other.at_ - at_; }

private:
    Value value_;
    Offset at_;
};

CUB_NAMESPACE_END

#endif
