// headers cub/cub.cuh
// refuted by compile-error
// expect sorted=1
#define CUB_WRAPPED_NAMESPACE probed
#include <cub/cub.cuh>

#include "probe.h"
struct Less {
    template <class T>
    __host__ __device__ bool operator()(const T& a, const T& b) const {
        return a < b;
    }
};
template <class T>
using Later = probed::cub::FutureValue<T>;
__global__ void sort(int* keys) {
    using Sort = probed::cub::WarpMergeSort<int, 2, 32>;
    __shared__ typename Sort::TempStorage storage;
    int mine[2] = {keys[2 * threadIdx.x], keys[2 * threadIdx.x + 1]};
    Sort(storage).Sort(mine, Less());
    keys[2 * threadIdx.x] = mine[0];
    keys[2 * threadIdx.x + 1] = mine[1];
}
int main() {
    int* keys = managed<int>(64);
    for (int i = 0; i < 64; ++i) keys[i] = (i * 37) % 64;
    sort<<<1, 32>>>(keys);
    CHECK(ended());
    bool sorted = sizeof(Later<int>) > 0;
    for (int i = 1; i < 64; ++i) sorted = sorted && keys[i - 1] <= keys[i];
    fact("sorted", static_cast<long long>(sorted));
}
