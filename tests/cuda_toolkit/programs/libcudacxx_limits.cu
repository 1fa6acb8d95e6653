// libcu++'s waits with a time limit in kernels, and cuda::std's barriers, latches and semaphores.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cuda/barrier>
#include <cuda/semaphore>
#include <cuda/std/barrier>
#include <cuda/std/chrono>
#include <cuda/std/latch>
#include <cuda/std/semaphore>
#include <random>
#include <utility>

constexpr int threads = 128, rounds = 5;
using cuda::std::chrono::microseconds;
using cuda::std::chrono::seconds;

// Each thread adds what another wrote, and waits for it in three ways.
__global__ void limited(const int *values, int *sums, int *early) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier bar, never;
    __shared__ int shared[2][threads];
    const int i = threadIdx.x;
    if (i == 0) {
        init(&bar, blockDim.x);
        init(&never, blockDim.x + 1);
    }
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        int *const part = shared[round & 1];
        part[i] = values[round * threads + i];
        if (round % 3 == 0) {
            bar.arrive_and_wait();
        } else if (round % 3 == 1) {
            auto token = bar.arrive();
            while (!bar.try_wait_for(std::move(token), seconds(30))) {
            }
        } else {
            static_cast<void>(bar.arrive());
            while (!bar.try_wait_parity_for(round & 1, seconds(30))) {
            }
        }
        sum += part[(i + 41) % threads];
    }
    sums[i] = sum;
    early[i] = never.try_wait_for(never.arrive(), microseconds(3)) ? 1 : 0;
}

// The threads of both blocks change `sum`, one at a time; some give up on a semaphore that no thread releases.
__global__ void guarded(cuda::std::binary_semaphore *mutex, cuda::counting_semaphore<cuda::thread_scope_device, 4> *none,
                        cuda::std::barrier<> *both, cuda::std::latch *latch, const int *values, int *sum, int *late) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 == 0) {
        while (!mutex->try_acquire_for(microseconds(50))) {
        }
        *sum += values[i];
        mutex->release();
    }
    both->arrive_and_wait();
    late[i] = i % 16 == 0 && none->try_acquire_for(microseconds(2)) ? 1 : 0;
    latch->count_down();
    latch->wait();
}

template <class T>
T *managed(std::size_t count) {
    T *memory = nullptr;
    cudaMallocManaged(&memory, count * sizeof(T));
    return memory;
}
void show(const char *name, bool right) { std::printf("%s: %s\n", name, right ? "right" : "wrong"); }

int main(int argc, char **argv) {
    std::mt19937 random(argc > 1 ? std::atoi(argv[1]) : 1);
    int *values = managed<int>(rounds * threads), *sums = managed<int>(threads), *late = managed<int>(2 * threads);
    for (int i = 0; i < rounds * threads; ++i) values[i] = static_cast<int>(random() % 2001) - 1000;
    limited<<<1, threads>>>(values, sums, late);
    cudaDeviceSynchronize();
    bool right = true;
    for (int i = 0; i < threads; ++i) {
        int sum = 0;
        for (int round = 0; round < rounds; ++round) sum += values[round * threads + (i + 41) % threads];
        right = right && sums[i] == sum && late[i] == 0;
    }
    show("barriers", right);

    auto *mutex = new (managed<cuda::std::binary_semaphore>(1)) cuda::std::binary_semaphore(1);
    using none = cuda::counting_semaphore<cuda::thread_scope_device, 4>;
    auto *empty = new (managed<none>(1)) none(0);
    auto *both = new (managed<cuda::std::barrier<>>(1)) cuda::std::barrier<>(2 * threads);
    auto *latch = new (managed<cuda::std::latch>(1)) cuda::std::latch(2 * threads);
    int *sum = managed<int>(1), wanted = 0;
    *sum = 0;
    guarded<<<2, threads>>>(mutex, empty, both, latch, values, sum, late);
    cudaDeviceSynchronize();
    for (int i = 0; i < 2 * threads; i += 32) wanted += values[i];
    right = *sum == wanted && latch->try_wait();
    for (int i = 0; i < 2 * threads; ++i) right = right && late[i] == 0;
    show("semaphores", right);
}
