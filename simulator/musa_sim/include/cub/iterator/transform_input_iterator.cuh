/* TransformInputIterator: the results of a function for the values of another iterator. */
#ifndef MUSA_CUB_TRANSFORM_INPUT_ITERATOR_CUH
#define MUSA_CUB_TRANSFORM_INPUT_ITERATOR_CUH

#include <cub/iterator/musa_sim_iterator_facade.cuh>

CUB_NAMESPACE_BEGIN

template <class Value, class Function, class Input, class Offset = std::ptrdiff_t>
class TransformInputIterator
    : public detail::iterator_facade<TransformInputIterator<Value, Function, Input, Offset>, Value, Offset> {
public:
    __host__ __device__ TransformInputIterator(Input input, Function function) : input_(input), function_(function) {}
    /* The function may exist for kernels only. */
    __host__ __device__ Value value_at(Offset n) const {
        Function function = function_;
        return function(input_[n]);
    }
    __host__ __device__ void advance(Offset n) { input_ += n; }
    __host__ __device__ Offset distance_to(const TransformInputIterator &other) const {
        return static_cast<Offset>(other.input_ - input_);
    }

private:
    Input input_;
    Function function_;
};

CUB_NAMESPACE_END

#endif
