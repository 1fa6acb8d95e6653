// libcu++'s barriers, latches and semaphores on the host, in managed memory, and barriers with a completion function.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <new>
#include <random>
#include <thread>
#include <utility>
#include <vector>

constexpr int threads = 96, rounds = 6, own = 3;

// After each round, the last thread adds what all threads of the round wrote.
struct Sum {
    const int *parts;
    int *total;
    int count;
    __host__ __device__ void operator()() noexcept {
        for (int i = 0; i < count; ++i) *total += parts[i];
    }
};

template <class Barrier>
__host__ __device__ void add(Barrier &barrier, const int *values, int *parts, int thread, int count) {
    for (int round = 0; round < rounds; ++round) {
        parts[thread] = values[round * count + thread];
        if (round % 2 == 0) {
            barrier.arrive_and_wait();
        } else {
            typename Barrier::arrival_token token = barrier.arrive();
            barrier.wait(std::move(token));
        }
    }
}

__global__ void sums_in_a_block(const int *values, int *total) {
    using barrier = cuda::barrier<cuda::thread_scope_block, Sum>;
    alignas(barrier) __shared__ char storage[sizeof(barrier)];
    __shared__ int parts[threads], sum;
    auto *object = reinterpret_cast<barrier *>(storage);
    if (threadIdx.x == 0) {
        sum = 0;
        init(object, blockDim.x, Sum{parts, &sum, threads});
    }
    __syncthreads();
    add(*object, values, parts, threadIdx.x, threads);
    if (threadIdx.x == 0) *total = sum;
}

__device__ cuda::barrier<cuda::thread_scope_device> of_grid(2 * threads);
__global__ void sums_in_a_grid(cuda::barrier<cuda::thread_scope_system, Sum> *barrier, const int *values, int *parts) {
    of_grid.arrive_and_wait();
    add(*barrier, values, parts, blockIdx.x * blockDim.x + threadIdx.x, 2 * threads);
}

__global__ void handle(int *out, const int *from) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int copied[threads];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    auto pipeline = cuda::make_pipeline();
    cuda::memcpy_async(&copied[threadIdx.x], &from[threadIdx.x], sizeof(int), pipeline);
    cuda::pipeline_producer_commit(pipeline, barrier);
    barrier.arrive_and_wait();
    out[threadIdx.x] = copied[threads - 1 - threadIdx.x];
    if (threadIdx.x == 0) {
        const void *native = cuda::device::barrier_native_handle(barrier);
        if (native != static_cast<const void *>(&barrier)) out[0] = -1;
    }
}

template <class T>
T *managed(size_t count) {
    T *memory = nullptr;
    cudaMallocManaged(&memory, count * sizeof(T));
    return memory;
}
void show(const char *name, bool right) { std::printf("%s: %s\n", name, right ? "right" : "wrong"); }

int main(int argc, char **argv) {
    std::mt19937 random(argc > 1 ? std::atoi(argv[1]) : 1);
    constexpr int n = 2 * threads * rounds;
    int *values = managed<int>(n), *parts = managed<int>(2 * threads), *total = managed<int>(1), all = 0, half = 0;
    for (int i = 0; i < n; ++i) {
        values[i] = static_cast<int>(random() % 2001) - 1000;
        all += values[i];
        if (i < n / 2) half += values[i];
    }
    sums_in_a_block<<<1, threads>>>(values, total);
    cudaDeviceSynchronize();
    show("block", *total == half);

    using barrier = cuda::barrier<cuda::thread_scope_system, Sum>;
    *total = 0;
    auto *shared = new (managed<barrier>(1)) barrier(2 * threads, Sum{parts, total, 2 * threads});
    sums_in_a_grid<<<2, threads>>>(shared, values, parts);
    cudaDeviceSynchronize();
    show("grid", *total == all);

    handle<<<1, threads>>>(parts, values);
    cudaDeviceSynchronize();
    bool right = true;
    for (int i = 0; i < threads; ++i) right = right && parts[i] == values[threads - 1 - i];
    show("handle", right);

    int sum = 0, own_parts[own], wanted = 0, guarded = 0;
    for (int i = 0; i < rounds * own; ++i) wanted += values[i];
    barrier of_host(own, Sum{own_parts, &sum, own});
    cuda::latch<cuda::thread_scope_system> latch(own);
    cuda::binary_semaphore<cuda::thread_scope_system> mutex(1);
    std::vector<std::thread> workers;
    for (int i = 0; i < own; ++i) {
        workers.emplace_back([&, i] {
            add(of_host, values, own_parts, i, own);
            for (int turn = 0; turn < 1000; ++turn) {
                mutex.acquire();
                ++guarded;
                mutex.release();
            }
            latch.count_down();
        });
    }
    latch.wait();
    show("host", sum == wanted && guarded == 1000 * own);
    for (std::thread &worker : workers) worker.join();
    of_host.arrive_and_drop();
    auto token = of_host.arrive(2);
    of_host.wait(std::move(token));
    of_host.wait(of_host.arrive(2));  // one thread less
    show("dropped", latch.try_wait() && cuda::barrier<cuda::thread_scope_block>::max() > 1024);
}
