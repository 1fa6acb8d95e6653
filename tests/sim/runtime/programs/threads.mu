// Host threads that launch at the same time, each on its own device and memory; the last error is a
// thread's own.
#include <thread>

#include "program.h"

__global__ void fill(int* out, int value) {
    __shared__ int shared;
    if (threadIdx.x == 0) shared = value;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = shared;
}

int main() {
    constexpr int threads = 4, rounds = 50, size = 64 * 128;
    int wrong[threads] = {};
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t) {
        running.emplace_back([t, &wrong] {
            CHECK(musaSetDevice(t % 2));
            DeviceArray<int> out(size);
            for (int round = 0; round < rounds; ++round) {
                const int value = t * 1000 + round;
                fill<<<64, 128>>>(out, value);
                for (int found : out.host()) wrong[t] += found != value;
            }
            if (t == 1) musaMalloc(static_cast<void**>(nullptr), 4);
            const bool expected = (musaGetLastError() == musaSuccess) == (t != 1);
            int device = -1;
            musaGetDevice(&device);
            wrong[t] += !expected + (device != t % 2);
        });
    }
    for (std::thread& thread : running) thread.join();
    for (int t = 0; t < threads; ++t) std::printf("wrong %d=%d\n", t, wrong[t]);
}
