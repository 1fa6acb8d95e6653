// The parts of libcu++ beside cuda::std: atomics with a scope, barriers, pipelines, latches and semaphores.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <random>
#include <utility>
#include <vector>

namespace cg = cooperative_groups;
constexpr int threads = 128, blocks = 4, n = 4096;

__global__ void histogram(const int *values, int *counts) {
    __shared__ int own[16];
    if (threadIdx.x < 16) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        cuda::atomic_ref<int, cuda::thread_scope_block> count(own[values[i] & 15]);
        count.fetch_add(1, cuda::memory_order_relaxed);
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        cuda::atomic_ref<int, cuda::thread_scope_device>(counts[threadIdx.x])
            .fetch_add(own[threadIdx.x], cuda::std::memory_order_relaxed);
    }
}

__device__ cuda::atomic<int, cuda::thread_scope_device> largest;
__global__ void extremes(const int *values, int *least) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = i; j < n; j += gridDim.x * blockDim.x) {
        largest.fetch_max(values[j], cuda::memory_order_relaxed);
        cuda::atomic_ref<int> least_of_all(*least);
        int seen = least_of_all.load();
        while (values[j] < seen && !least_of_all.compare_exchange_weak(seen, values[j])) {
        }
    }
}

// Block 0 sends each value to block 1.
__global__ void messages(const int *values, int *received, int *box, cuda::atomic<int, cuda::thread_scope_device> *full) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < 100; ++i) {
        if (blockIdx.x == 0) {
            full->wait(1, cuda::memory_order_acquire);
            *box = values[i];
            full->store(1, cuda::memory_order_release);
            full->notify_one();
        } else {
            while (full->load(cuda::memory_order_acquire) == 0) {
            }
            cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
            received[i] = *box;
            full->store(0, cuda::memory_order_release);
        }
    }
}

// Each thread adds what the others wrote in the round before.
__global__ void rounds(const int *values, int *results) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier bar;
    __shared__ int shared[2][threads];
    const int i = threadIdx.x;
    if (i == 0) init(&bar, blockDim.x);
    shared[0][i] = values[blockIdx.x * threads + i];
    __syncthreads();
    for (int round = 0; round < 5; ++round) {
        const int *from = shared[round & 1];
        shared[~round & 1][i] = from[i] + from[(i + 37) % threads];
        if (round & 1) {
            barrier::arrival_token token = bar.arrive();
#if !defined(WITHOUT_WAIT)
            bar.wait(std::move(token));
#endif
        } else {
            bar.arrive_and_wait();
        }
    }
    results[blockIdx.x * threads + i] = shared[1][i];
}

__global__ void copies(const char *from, char *to, int bytes) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier bar;
    alignas(16) __shared__ char buffer[2048], own[threads * 4];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, buffer, from, bytes, bar);
    cuda::memcpy_async(own + 4 * threadIdx.x, from + 4 * threadIdx.x, cuda::aligned_size_t<4>(4), bar);
    bar.arrive_and_wait();
    for (int i = threadIdx.x; i < bytes; i += blockDim.x) to[i] = buffer[bytes - 1 - i];
    for (int i = threadIdx.x; i < threads * 4; i += blockDim.x) to[bytes + i] = own[threads * 4 - 1 - i];
}

template <int stages>
__global__ void staged_sums(const int *values, int *sums) {
    constexpr auto scope = cuda::thread_scope_block;
    __shared__ cuda::pipeline_shared_state<scope, stages> state;
    __shared__ int buffer[stages][threads];
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    constexpr int chunks = n / threads;
    int sum = 0;
    for (int chunk = 0, fetched = 0; chunk < chunks; ++chunk) {
        for (; fetched < chunks && fetched < chunk + stages; ++fetched) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, buffer[fetched % stages], values + fetched * threads,
                               cuda::aligned_size_t<4>(sizeof(int) * threads), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += buffer[chunk % stages][(threadIdx.x + chunk) % threads];
        pipeline.consumer_release();
    }
    sums[threadIdx.x] = sum;
}

// The first 32 threads copy, the others compute.
__global__ void sums_by_roles(const int *values, int *sums) {
    constexpr auto scope = cuda::thread_scope_block;
    constexpr int stages = 2, width = 96, chunks = 20;
    __shared__ cuda::pipeline_shared_state<scope, stages> state;
    __shared__ int buffer[stages][width];
    auto block = cg::this_thread_block();
    const bool copies = threadIdx.x < 32;
    auto pipeline =
        cuda::make_pipeline(block, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        int *stage = buffer[chunk % stages];
        if (copies) {
            pipeline.producer_acquire();
            for (int i = threadIdx.x; i < width; i += 32) {
                cuda::memcpy_async(stage + i, values + chunk * width + i, sizeof(int), pipeline);
            }
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            sum += stage[(threadIdx.x + 7 * chunk) % width];
            pipeline.consumer_release();
        }
    }
    if (!copies) sums[threadIdx.x - 32] = sum;
}

__global__ void own_pipeline(const int *values, int *results) {
    __shared__ int buffer[threads];
    auto pipeline = cuda::make_pipeline();
    pipeline.producer_acquire();
    cuda::memcpy_async(&buffer[threadIdx.x], &values[threadIdx.x], sizeof(int), pipeline);
    pipeline.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(pipeline);
    results[threadIdx.x] = buffer[threadIdx.x] * 3;
    pipeline.consumer_release();
}

__device__ cuda::binary_semaphore<cuda::thread_scope_device> mutex(1);
__device__ cuda::latch<cuda::thread_scope_device> all_have_added(blocks *threads);
__global__ void guarded(int *total, const int *values, int *sums) {
    atomicAdd(&sums[blockIdx.x], values[blockIdx.x * blockDim.x + threadIdx.x]);
    all_have_added.arrive_and_wait();
    if (threadIdx.x == 0) {
        const int sum = atomicAdd(&sums[(blockIdx.x + 1) % blocks], 0);
        mutex.acquire();
        *total = *total + sum;
        __threadfence();
        mutex.release();
    }
}

template <class T>
T *device(const std::vector<T> &values) {
    T *p = nullptr;
    cudaMalloc(&p, values.size() * sizeof(T));
    cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
template <class T>
std::vector<T> host(const T *p, size_t count) {
    std::vector<T> values(count);
    cudaMemcpy(values.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
}

void show(const char *name, bool right) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s: %s\n", name, error ? cudaGetErrorString(error) : right ? "right" : "wrong");
}

int main(int argc, char **argv) {
    std::mt19937 random(argc > 1 ? std::atoi(argv[1]) : 1);
    std::vector<int> values(n);
    for (int &value : values) value = static_cast<int>(random() % 20001) - 10000;
    int *const in = device(values), *const out = device(std::vector<int>(n));

    histogram<<<blocks, threads>>>(in, out);
    std::vector<int> wanted(16);
    for (int value : values) ++wanted[value & 15];
    show("histogram", host(out, 16) == wanted);

    int least = values[0], most = 0;
    for (int value : values) {
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    int *const lowest = device(std::vector<int>{1 << 20});
    extremes<<<blocks, threads>>>(in, lowest);
    int found = 0;
    cudaMemcpyFromSymbol(&found, largest, sizeof found);
    show("extremes", host(lowest, 1)[0] == least && found == most);

    auto *full = reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device> *>(device(std::vector<int>(1)));
    messages<<<2, 32>>>(in, out, lowest, full);
    show("messages", host(out, 100) == std::vector<int>(values.begin(), values.begin() + 100));

    rounds<<<blocks, threads>>>(in, out);
    std::vector<int> state(values.begin(), values.begin() + blocks * threads);
    for (int round = 0; round < 5; ++round) {
        const std::vector<int> before = state;
        for (int i = 0; i < blocks * threads; ++i) {
            state[i] = before[i] + before[i / threads * threads + (i % threads + 37) % threads];
        }
    }
    show("rounds", host(out, blocks * threads) == state);

    bool right = true;
    const char *bytes = reinterpret_cast<const char *>(values.data());
    for (int length : {2048, 1020, 514, 13}) {
        copies<<<1, threads>>>(reinterpret_cast<const char *>(in), reinterpret_cast<char *>(out), length);
        std::vector<char> reversed(bytes, bytes + length), other(bytes, bytes + 4 * threads);
        reversed = {reversed.rbegin(), reversed.rend()};
        reversed.insert(reversed.end(), other.rbegin(), other.rend());
        right = right && host(reinterpret_cast<const char *>(out), reversed.size()) == reversed;
    }
    show("copies", right);

    std::vector<int> sums(threads);
    for (int i = 0; i < threads; ++i) {
        for (int chunk = 0; chunk < n / threads; ++chunk) sums[i] += values[chunk * threads + (i + chunk) % threads];
    }
    staged_sums<1><<<1, threads>>>(in, out);
    right = host(out, threads) == sums;
    staged_sums<3><<<1, threads>>>(in, out);
    show("stages", right && host(out, threads) == sums);

    sums.assign(96, 0);
    for (int i = 0; i < 96; ++i) {
        for (int chunk = 0; chunk < 20; ++chunk) sums[i] += values[chunk * 96 + (i + 32 + 7 * chunk) % 96];
    }
    sums_by_roles<<<1, threads>>>(in, out);
    show("roles", host(out, 96) == sums);

    own_pipeline<<<1, threads>>>(in, out);
    sums.assign(values.begin(), values.begin() + threads);
    for (int &sum : sums) sum *= 3;
    show("own pipeline", host(out, threads) == sums);

    int *const total = device(std::vector<int>{5});
    guarded<<<blocks, threads>>>(total, in, device(std::vector<int>(blocks)));
    int all = 5;
    for (int i = 0; i < blocks * threads; ++i) all += values[i];
    show("semaphore and latch", host(total, 1)[0] == all);
}
