/* ArgIndexInputIterator: pairs of an index and the value there. */
#ifndef MUSA_CUB_ARG_INDEX_INPUT_ITERATOR_CUH
#define MUSA_CUB_ARG_INDEX_INPUT_ITERATOR_CUH

#include <cub/iterator/musa_sim_iterator_facade.cuh>
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

template <class Input, class Offset = std::ptrdiff_t, class OutputValue = detail::value_t<Input>>
class ArgIndexInputIterator
    : public detail::iterator_facade<ArgIndexInputIterator<Input, Offset, OutputValue>,
                                     KeyValuePair<Offset, OutputValue>, Offset> {
public:
    __host__ __device__ explicit ArgIndexInputIterator(Input input, Offset at = 0) : input_(input), at_(at) {}
    __host__ __device__ KeyValuePair<Offset, OutputValue> value_at(Offset n) const {
        return {at_ + n, static_cast<OutputValue>(input_[at_ + n])};
    }
    __host__ __device__ void advance(Offset n) { at_ += n; }
    __host__ __device__ Offset distance_to(const ArgIndexInputIterator &other) const { return other.at_ - at_; }
    __host__ __device__ void normalize() {
        input_ += at_;
        at_ = 0;
    }

private:
    Input input_;
    Offset at_;
};

CUB_NAMESPACE_END

#endif
