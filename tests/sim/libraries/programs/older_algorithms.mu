// musa_build's part of libcu++ in a kernel and on the host, by the features of C++11 alone.
#include <cuda/cmath>
#include <cuda/std/algorithm>

#include <cstdio>

struct Reversed {
    __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};

__host__ __device__ void compute(int* out) {
    int v[5] = {5, 1, 4, 2, 3};
    out[0] = static_cast<int>(musa::std::max_element(v, v + 5) - v);
    out[1] = *musa::std::min_element(v, v + 5, Reversed());
    musa::std::make_heap(v, v + 5);
    musa::std::sort_heap(v, v + 5);
    out[2] = 10000 * v[0] + 1000 * v[1] + 100 * v[2] + 10 * v[3] + v[4];
    out[3] = static_cast<int>(musa::std::lower_bound(v, v + 5, 3) - v);
    out[4] = musa::std::min(3, 4) + 10 * musa::std::max(3, 4) + 100 * musa::std::min(3, 4, Reversed());
    out[5] = musa::std::max({1, 7, 3}) + 10 * musa::std::clamp(9, 1, 4);
    const int one = 1, two = 2;
    out[6] = musa::std::minmax(two, one).first + 10 * musa::std::minmax({3, 1, 2}).second;
    out[7] = static_cast<int>(musa::std::minmax_element(v, v + 5).second - v);
    out[8] = cuda::ilog10(12345) + 10 * cuda::ceil_div(7, 2);
}
__global__ void kernel(int* out) { compute(out); }

static_assert(cuda::ilog10(999) == 2 && cuda::ilog10(1000) == 3 && cuda::ceil_div(7, 2) == 4, "constant expressions");

int main() {
    int* out;
    int on_host[9];
    if (musaMallocManaged(&out, sizeof on_host) != musaSuccess) return 1;
    kernel<<<1, 1>>>(out);
    if (musaDeviceSynchronize() != musaSuccess) return 2;
    compute(on_host);
    for (int i = 0; i < 9; ++i) std::printf("%d %d\n", out[i], on_host[i]);
    return 0;
}
