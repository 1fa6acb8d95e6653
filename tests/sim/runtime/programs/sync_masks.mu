// Scans in logical warps of some lanes, through shared memory, where __syncwarp has the mask of the first such warp.
#include <musa_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

// The lanes of a logical warp come to its barriers at different times if `uneven`.
__global__ void scan(const int* in, int* out, int width, unsigned mask, bool uneven) {
    extern __shared__ int values[];
    const int lane = threadIdx.x % width;
    int* const own = values + threadIdx.x / width * 2 * width + width;
    own[lane - width] = 0;
    int sum = in[threadIdx.x];
    for (int distance = 1; distance < width; distance *= 2) {
        if (uneven)
            for (int i = 0; i < lane % 5; ++i) __syncwarp(1u << threadIdx.x % 32);
        own[lane] = sum;
        __syncwarp(mask);
        sum += own[lane - distance];
        __syncwarp(mask);
    }
    out[threadIdx.x] = sum;
}

// The mask is known when the kernel is compiled, and lacks half of the lanes.
__global__ void halves(int* out) {
    __shared__ int values[32];
    values[threadIdx.x] = out[threadIdx.x];
    __syncwarp(0x0000ffffu);
    out[threadIdx.x] = values[threadIdx.x ^ 1];
}

__global__ void vote(int* out) { out[threadIdx.x] = __any_sync(0x0000ffffu, 1); }

int main(int, char** arguments) {
    const std::string name = arguments[1];
    const int threads = std::atoi(arguments[2]), width = std::atoi(arguments[3]);
    int *in = nullptr, *out = nullptr;
    if (musaMallocManaged(&in, threads * sizeof(int)) || musaMallocManaged(&out, threads * sizeof(int))) return 1;
    for (int i = 0; i < threads; ++i) in[i] = out[i] = i * i + 1;
    if (name == "scan") {
        const unsigned mask = 0xffffffffu >> (32 - width);
        scan<<<1, threads, (threads / width + 1) * 2 * width * sizeof(int)>>>(in, out, width, mask, arguments[4][0] == '1');
    }
    if (name == "halves") halves<<<1, threads>>>(out);
    if (name == "vote") vote<<<1, threads>>>(out);
    std::printf("%s=%s:", name.c_str(), musaGetErrorName(musaDeviceSynchronize()));
    for (int i = 0; i < threads; ++i) std::printf("%d,", out[i]);
    std::printf("\n");
}
