// Logical warps of 9 lanes that all give __syncwarp the mask of the first, as muAlg's WarpScan of 9 threads does.
// refuted by hang
// expect error=musaSuccess
// expect sums_are_right=1
#include "probe.h"
constexpr int width = 9, count = 3;
__global__ void scan(const int* in, int* out) {
    __shared__ int values[count][2 * width];
    const int lane = threadIdx.x % width;
    int* const own = values[threadIdx.x / width] + width;
    own[lane - width] = 0;
    int sum = in[threadIdx.x];
    for (int distance = 1; distance < width; distance *= 2) {
        own[lane] = sum;
        __syncwarp((1u << width) - 1);
        sum += own[lane - distance];
        __syncwarp((1u << width) - 1);
    }
    out[threadIdx.x] = sum;
}
int main() {
    int *in = managed<int>(count * width), *out = managed<int>(count * width);
    for (int i = 0; i < count * width; ++i) in[i] = 1 << i % 20;
    scan<<<1, count * width>>>(in, out);
    fact("error", ended());
    bool right = true;
    for (int i = 0, sum = 0; i < count * width; ++i) {
        sum = i % width == 0 ? in[i] : sum + in[i];
        right = right && out[i] == sum;
    }
    fact("sums_are_right", static_cast<long long>(right));
}
