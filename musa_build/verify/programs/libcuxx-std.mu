// headers musa/std/atomic, musa/std/tuple, musa/std/complex, cooperative_groups/memcpy_async.h, musa_pipeline_primitives.h
// refuted by compile-error
// expect sum=35
#include <cooperative_groups/memcpy_async.h>
#include <musa/std/atomic>
#include <musa/std/complex>
#include <musa/std/tuple>
#include <musa_pipeline_primitives.h>

#include "probe.h"
__global__ void add(int* out) {
    const musa::std::tuple<int, int> pair(1, 2);
    musa::std::atomic<int> count(0);
    count.fetch_add(musa::std::get<0>(pair) + musa::std::get<1>(pair));
    if (threadIdx.x == 0) *out = count.load() + 32;
}
int main() {
    int* out = managed<int>(1);
    add<<<1, 32>>>(out);
    CHECK(ended());
    fact("sum", *out);
}
