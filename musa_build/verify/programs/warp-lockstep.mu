// A reduction and a scan from before __syncwarp: lanes read through volatile what other lanes of their warp wrote.
// expect error=musaSuccess
// expect reduced=1
// expect scanned=1
#include "probe.h"
__device__ void add_last(volatile int* sums, int t) {
    sums[t] += sums[t + 32];
    sums[t] += sums[t + 16];
    sums[t] += sums[t + 8];
    sums[t] += sums[t + 4];
    sums[t] += sums[t + 2];
    sums[t] += sums[t + 1];
}
__global__ void reduce(int* out) {
    __shared__ int sums[64];
    const int t = static_cast<int>(threadIdx.x);
    sums[t] = t * t % 13;
    __syncthreads();
    if (t < 32) add_last(sums, t);
    if (t == 0) *out = sums[0];
}
__global__ void scan(int* out) {
    __shared__ volatile int values[32];
    const int t = static_cast<int>(threadIdx.x);
    values[t] = t * t % 13;
    for (int distance = 1; distance < 32; distance *= 2) {
        if (t >= distance) values[t] = values[t] + values[t - distance];
    }
    out[t] = values[t];
}
int main() {
    int* out = managed<int>(33);
    reduce<<<1, 64>>>(out);
    scan<<<1, 32>>>(out + 1);
    fact("error", ended());
    int sum = 0;
    bool right = true;
    for (int t = 0; t < 64; ++t) {
        sum += t * t % 13;
        if (t < 32) right = right && out[1 + t] == sum;
    }
    fact("reduced", static_cast<long long>(*out == sum));
    fact("scanned", static_cast<long long>(right));
}
