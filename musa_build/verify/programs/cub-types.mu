// Sums of 4 x 100 in signed char: 400 as int, -112 if the input's type is that of the sum.
// expect sum_to_int=400
// expect sum_to_float=400
#include <cub/cub.cuh>

#include "probe.h"
template <class Out>
long long sum(const signed char* in) {
    Out* out = managed<Out>(1);
    size_t bytes = 0;
    CHECK(cub::DeviceReduce::Sum(static_cast<void*>(nullptr), bytes, in, out, 4));
    void* scratch = nullptr;
    CHECK(musaMalloc(&scratch, bytes + 1));
    CHECK(cub::DeviceReduce::Sum(scratch, bytes, in, out, 4));
    CHECK(ended());
    return static_cast<long long>(*out);
}
int main() {
    signed char* in = managed<signed char>(4);
    for (int i = 0; i < 4; ++i) in[i] = 100;
    fact("sum_to_int", sum<int>(in));
    fact("sum_to_float", sum<float>(in));
    fact("size_of_block_reduce_storage", sizeof(cub::BlockReduce<float, 128>::TempStorage));
}
