// Pointers to a thread's own variables that live across barriers: the frame of a coroutine holds both the variables and
// the pointers. Exit status 1 when a result is not what the host computes.
#include <musa_runtime.h>

#include <cstdio>
#include <random>
#include <vector>

constexpr int kBlock = 96, kBlocks = 5, kOwn = 4;

struct Step {
    int first, second;
};

// Changes an array through a pointer and by its name in turns.
template <typename Synchronize>
__host__ __device__ unsigned walk(const Step* steps, int count, Synchronize synchronize) {
    unsigned own[kOwn] = {1, 2, 3, 4};
    unsigned single = 5;
    unsigned* chosen = own;
    for (int i = 0; i < count; ++i) {
        chosen = steps[i].first == kOwn ? &single : own + steps[i].first;
        own[steps[i].second % kOwn] += i + 1;
        synchronize();
        *chosen += 100 * own[steps[i].second % kOwn];
        own[(steps[i].second + 1) % kOwn] -= *chosen;
        synchronize();
        *chosen = *chosen * 3 + single;
        if (steps[i].second == 1) single = *chosen;
    }
    return own[0] + 3 * own[1] + 5 * own[2] + 7 * own[3] + 11 * single + *chosen;
}

__global__ void pointers(const Step* steps, int count, unsigned* out) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    out[at] = walk(steps + at * count, count, [] { __syncthreads(); });
}

// Slots of values alone, and atomics in shared memory between them.
__global__ void counters(const Step* steps, int count, int* out) {
    __shared__ int sums[kOwn + 1];
    if (threadIdx.x <= kOwn) sums[threadIdx.x] = 0;
    __syncthreads();
    int taken = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        atomicAdd(&sums[steps[i].first], i & 7);
        ++taken;
    }
    __syncthreads();
    atomicAdd(&out[kOwn + 1], taken);
    if (threadIdx.x <= kOwn) atomicAdd(&out[threadIdx.x], sums[threadIdx.x]);
}

int main() {
    std::mt19937 random(1);
    int wrong = 0;
    for (int count : {1, 3, 8}) {
        const int threads = kBlock * kBlocks, all = threads * count;
        std::vector<Step> steps(all);
        for (Step& step : steps) step = {int(random() % (kOwn + 1)), int(random() % kOwn)};
        std::vector<unsigned> out(threads);
        std::vector<int> sums(kOwn + 2), wanted(kOwn + 2);
        Step* device_steps;
        unsigned* device_out;
        int* device_sums;
        musaMalloc(reinterpret_cast<void**>(&device_steps), all * sizeof(Step));
        musaMalloc(reinterpret_cast<void**>(&device_out), threads * sizeof(int));
        musaMalloc(reinterpret_cast<void**>(&device_sums), (kOwn + 2) * sizeof(int));
        musaMemset(device_sums, 0, (kOwn + 2) * sizeof(int));
        musaMemcpy(device_steps, steps.data(), all * sizeof(Step), musaMemcpyHostToDevice);
        pointers<<<kBlocks, kBlock>>>(device_steps, count, device_out);
        counters<<<2, 32>>>(device_steps, all, device_sums);
        musaMemcpy(out.data(), device_out, threads * sizeof(int), musaMemcpyDeviceToHost);
        musaMemcpy(sums.data(), device_sums, (kOwn + 2) * sizeof(int), musaMemcpyDeviceToHost);
        for (int at = 0; at < threads; ++at) wrong += out[at] != walk(&steps[at * count], count, [] {});
        for (int i = 0; i < all; ++i) wanted[steps[i].first] += i & 7;
        wanted[kOwn + 1] = all;
        wrong += sums != wanted;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0 || musaGetLastError() != musaSuccess;
}
