// Neighbours swap values, in segments of all lanes and of 32.
// refuted by compile-error
// expect of_all_lanes=1
// expect of_32_lanes=1
#include "probe.h"
__device__ int segments(int width) { return (~(width - 1) & 0x7f) << 7 | (width - 1); }
__global__ void swap(int* out) {
    const int lane = static_cast<int>(threadIdx.x);
    out[lane] = __musa_shfl_xor_sync_i32(lane, 1, segments(128));
    out[128 + lane] = __musa_shfl_xor_sync_i32(lane, 1, segments(32));
}
int main() {
    int* out = managed<int>(256);
    swap<<<1, 128>>>(out);
    CHECK(ended());
    bool right[2] = {true, true};
    for (int i = 0; i < 256; ++i) right[i / 128] = right[i / 128] && out[i] == (i % 128 ^ 1);
    fact("of_all_lanes", static_cast<long long>(right[0]));
    fact("of_32_lanes", static_cast<long long>(right[1]));
}
