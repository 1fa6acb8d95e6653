// NVIDIA's own cub, thrust and libcudacxx on random data of TYPE, against the C++ library: one line per algorithm and size.
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/std/tuple>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <vector>

template <class T>
T *device(const std::vector<T> &values) {
    T *memory = nullptr;
    cudaMalloc(&memory, std::max<size_t>(1, values.size()) * sizeof(T));
    cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return memory;
}

template <class T>
std::vector<T> host(const T *memory, size_t n) {
    std::vector<T> values(n);
    cudaMemcpy(values.data(), memory, n * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
}

template <class Call>
void run(Call call) {
    size_t bytes = 0;
    call(nullptr, bytes);
    void *memory = nullptr;
    cudaMalloc(&memory, bytes);
    call(memory, bytes);
    cudaDeviceSynchronize();
    cudaFree(memory);
}

template <class T>
void say(const char *name, size_t n, const std::vector<T> &got, const std::vector<T> &wanted) {
    std::printf("%s %zu %s %d\n", name, n, got == wanted ? "right" : "wrong", int(cudaGetLastError()));
}

__global__ void count(const TYPE *values, int n, int *small) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] < TYPE(50)) cuda::atomic_ref<int, cuda::thread_scope_device>(*small).fetch_add(1, cuda::std::memory_order_acq_rel);
}

int main() {
    std::mt19937 random(7);
    for (size_t n : {size_t(1), size_t(37), size_t(1000), size_t(30000)}) {
        std::vector<TYPE> x(n);
        for (TYPE &each : x) each = TYPE(random() % 100);
        std::vector<int> order(n);
        std::iota(order.begin(), order.end(), 0);
        TYPE *in = device(x), *out = device(x);
        int *values = device(order), *values_out = device(order), *number = device(std::vector<int>(1));

        run([&](void *memory, size_t &bytes) { cub::DeviceRadixSort::SortPairs(memory, bytes, in, out, values, values_out, n); });
        std::vector<int> by = order;
        std::stable_sort(by.begin(), by.end(), [&](int a, int b) { return x[a] < x[b]; });
        say("sort of pairs", n, host(values_out, n), by);

        run([&](void *memory, size_t &bytes) { cub::DeviceScan::ExclusiveSum(memory, bytes, in, out, n); });
        std::vector<TYPE> sums(n);
        std::exclusive_scan(x.begin(), x.end(), sums.begin(), TYPE(0));
        say("scan", n, host(out, n), sums);

        run([&](void *memory, size_t &bytes) { cub::DeviceReduce::Max(memory, bytes, in, out, n); });
        say("maximum", n, host(out, 1), {*std::max_element(x.begin(), x.end())});

        const auto is_large = [] __host__ __device__(TYPE each) { return each > TYPE(60); };
        run([&](void *memory, size_t &bytes) { cub::DeviceSelect::If(memory, bytes, in, out, number, n, is_large); });
        std::vector<TYPE> large;
        std::copy_if(x.begin(), x.end(), std::back_inserter(large), is_large);
        say("selection", n, host(out, host(number, 1)[0]), large);

        cudaMemset(number, 0, sizeof(int));
        count<<<(n + 127) / 128, 128>>>(in, n, number);
        say("atomic_ref", n, host(number, 1), {int(std::count_if(x.begin(), x.end(), [](TYPE each) { return each < TYPE(50); }))});

        thrust::device_vector<TYPE> keys(x.begin(), x.end());
        thrust::device_vector<int> ones(n, 1), counts(n);
        thrust::sort(keys.begin(), keys.end());
        thrust::device_vector<TYPE> different(n);
        const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), ones.begin(), different.begin(), counts.begin());
        std::map<TYPE, int> table;
        for (TYPE each : x) ++table[each];
        std::vector<int> wanted;
        for (const auto &each : table) wanted.push_back(each.second);
        std::vector<int> got(ends.second - counts.begin());
        thrust::copy(counts.begin(), ends.second, got.begin());
        say("reduce_by_key", n, got, wanted);

        thrust::transform(keys.begin(), keys.end(), keys.begin(), [] __device__(TYPE each) { return TYPE(each * 2 + 1); });
        std::vector<TYPE> doubled = x, back(n);
        std::sort(doubled.begin(), doubled.end());
        for (TYPE &each : doubled) each = TYPE(each * 2 + 1);
        thrust::copy(keys.begin(), keys.end(), back.begin());
        say("transform", n, back, doubled);
    }
}
