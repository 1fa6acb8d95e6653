// sorts_and_sets CASE N: cub's merge sorts, histograms, discontinuities, warp loads; Thrust's sets and placeholders.
#define CUB_WRAPPED_NAMESPACE at_example  // as PyTorch does
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cub/cub.cuh>
#include <musa/std/atomic>
#include <musa/std/tuple>
#include <thrust/complex.h>  // its functions share names with those that other headers of Thrust call
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/mismatch.h>
#include <thrust/random.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/set_operations.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
#include <thrust/partition.h>
#include <thrust/gather.h>
#include <thrust/scatter.h>

#include "program.h"

namespace cub = at_example::cub;

constexpr int threads = 96, items = 3, count = threads * items;

struct ByLastDigit {  // device code only; equal keys must keep their order
    __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
struct IsFirstOfTen {  // takes the index too
    __device__ bool operator()(int, int, int index) const { return index % 10 == 0; }
};

__global__ void merge_sort(const int* x, int* out, int valid) {
    using Block = cub::BlockMergeSort<int, threads, items, int>;
    using Warp = cub::WarpMergeSort<int, items, 8>;
    __shared__ typename Block::TempStorage block;
    __shared__ typename Warp::TempStorage warp[threads / 8];
    const int t = threadIdx.x;
    int keys[items], positions[items];
    const auto load = [&] {
        cub::LoadDirectBlocked(t, x, keys);
        for (int i = 0; i < items; ++i) positions[i] = t * items + i;
    };
    load();
    Block(block).Sort(keys, positions, ByLastDigit());
    cub::StoreDirectBlocked(t, out, positions);
    load();
    __syncthreads();
    Block(block).StableSort(keys, positions, ByLastDigit(), valid, 1009);
    cub::StoreDirectBlocked(t, out + count, keys);
    load();
    Warp(warp[t / 8]).Sort(keys, ByLastDigit());
    cub::StoreDirectBlocked(t, out + 2 * count, keys);
    load();
    cub::StableOddEvenSort(keys, positions, ByLastDigit());
    cub::StoreDirectBlocked(t, out + 3 * count, positions);
}

__global__ void discontinuity(const int* x, int* out) {
    using Block = cub::BlockDiscontinuity<int, threads>;
    using Difference = cub::BlockAdjacentDifference<int, threads>;
    __shared__ union {
        typename Block::TempStorage block;
        typename Difference::TempStorage difference;
    } storage;
    const int t = threadIdx.x;
    int given[items], heads[items], tails[items];
    const auto store = [&](int row, int (&flags)[items]) {
        cub::StoreDirectBlocked(t, out + row * count, flags);
        __syncthreads();
    };
    cub::LoadDirectBlocked(t, x, given);
    Block(storage.block).FlagHeads(heads, given, cub::Inequality());
    store(0, heads);
    Block(storage.block).FlagHeads(heads, given, cub::Inequality(), x[0]);
    store(1, heads);
    Block(storage.block).FlagTails(tails, given, cub::Inequality());
    store(2, tails);
    Block(storage.block).FlagHeadsAndTails(heads, x[0] + 1, tails, x[count - 1], given, cub::Inequality());
    store(3, heads);
    store(4, tails);
    Block(storage.block).FlagHeads(heads, given, IsFirstOfTen());
    store(5, heads);
    Difference(storage.difference).SubtractLeft(given, heads, cub::Difference());
    store(6, heads);
    Difference(storage.difference).SubtractRight(given, heads, cub::Difference(), 7);
    store(7, heads);
    Difference(storage.difference).SubtractLeftPartialTile(given, heads, cub::Difference(), 100);
    store(8, heads);
}

__global__ void histogram(const int* x, int* out) {
    using Block = cub::BlockHistogram<unsigned char, threads, items, 40>;
    __shared__ typename Block::TempStorage storage;
    __shared__ unsigned bins[40];
    unsigned char given[items];
    for (int i = 0; i < items; ++i) given[i] = static_cast<unsigned char>(x[threadIdx.x * items + i] % 40);
    Block(storage).Histogram(given, bins);
    __syncthreads();
    Block(storage).Composite(given, bins);
    __syncthreads();
    if (threadIdx.x < 40) out[threadIdx.x] = static_cast<int>(bins[threadIdx.x]);
}

__global__ void warp_transfers(const int* x, int* out) {
    constexpr int width = 16;
    using Load = cub::WarpLoad<int, items, cub::WARP_LOAD_TRANSPOSE, width>;
    using Striped = cub::WarpLoad<int, items, cub::WARP_LOAD_STRIPED, width>;
    using Store = cub::WarpStore<int, items, cub::WARP_STORE_STRIPED, width>;
    using Exchange = cub::WarpExchange<int, items, width>;
    __shared__ typename Load::TempStorage load[threads / width];
    __shared__ typename Striped::TempStorage striped[threads / width];
    __shared__ typename Store::TempStorage stores[threads / width];
    __shared__ typename Exchange::TempStorage exchange[threads / width];
    const int w = threadIdx.x / width, first = w * width * items;
    int given[items];
    Load(load[w]).Load(x + first, given);
    cub::StoreDirectBlocked(threadIdx.x, out, given);
    Store(stores[w]).Store(out + count + first, given);
    Striped(striped[w]).Load(x + first, given, 20, -1);
    cub::StoreDirectBlocked(threadIdx.x, out + 2 * count, given);
    Load(load[w]).Load(x + first, given);
    Exchange(exchange[w]).BlockedToStriped(given, given);
    cub::StoreDirectBlocked(threadIdx.x, out + 3 * count, given);
    Exchange(exchange[w]).StripedToBlocked(given, given);
    cub::StoreDirectBlocked(threadIdx.x, out + 4 * count, given);
}

// Copies by a whole block, one thread's call, and sums that all threads add to.
__global__ void groups_and_atomics(const int* x, int* out) {
    namespace cg = cooperative_groups;
    __shared__ int copy[count];
    __shared__ musa::std::atomic<int> sum;
    __shared__ float real;
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, copy, x, sizeof(int) * 50);
    cg::memcpy_async(block, copy + 50, count, x + 50, count - 50);
    cg::invoke_one(block, [&] {
        sum = 0;
        real = 0;
    });
    cg::wait(block);
    for (int i = 0; i < items; ++i) out[threadIdx.x * items + i] = copy[count - 1 - (threadIdx.x * items + i)];
    const auto tile = cg::tiled_partition<8>(block);
    out[count + threadIdx.x] = cg::invoke_one_broadcast(tile, [&] { return static_cast<int>(tile.meta_group_rank()) + 7; });
    const int mine = copy[threadIdx.x];
    sum.fetch_add(mine, musa::std::memory_order_relaxed);
    musa::std::atomic_ref<float>(real).fetch_add(0.5f);
    musa::std::atomic_ref<int> most(out[2 * count]), bits(out[2 * count + 1]);
    most.fetch_max(mine);
    bits |= mine;
    auto token = block.barrier_arrive();
    block.barrier_wait(std::move(token));
    int expected = sum, odd = 0;
    if (threadIdx.x == 0) odd = sum.compare_exchange_strong(expected, -1) + 2 * sum.compare_exchange_strong(expected, 5);
    musa::std::tuple<int, int> both(0, 0);
    both = musa::std::make_tuple(expected, odd);
    if (threadIdx.x == 0) {
        musa::std::tie(out[2 * count + 2], out[2 * count + 3]) = both;
        out[2 * count + 4] = static_cast<int>(real * 2);
    }
}

template <class Algorithm>
void run(Algorithm algorithm) {
    size_t bytes = 0;
    CHECK(algorithm(nullptr, bytes));
    DeviceArray<char> storage(bytes);
    CHECK(algorithm(static_cast<void*>(storage), bytes));
    CHECK(musaDeviceSynchronize());
}
#define RUN(Function, ...) run([&](void* temp, size_t& bytes) { return Function(temp, bytes, __VA_ARGS__); })

void device_wide(int n) {
    auto& x = input<int>(n);
    auto& samples = input<float>(n);
    DeviceArray<int> keys(n), values(n), bins(64), initial(1), offsets(3);
    cub::CountingInputIterator<int> positions(0);
    RUN(cub::DeviceMergeSort::SortPairsCopy, (int*)x, positions, (int*)keys, (int*)values, n, ByLastDigit());
    values.write();
    RUN(cub::DeviceMergeSort::StableSortKeys, (int*)x, n, ByLastDigit());
    x.write();
    RUN(cub::DeviceHistogram::HistogramEven, (int*)keys, (int*)bins, 11, 0, 1000, n);
    bins.write();
    RUN(cub::DeviceHistogram::HistogramEven, (float*)samples, (int*)bins, 17, -2.0f, 2.0f, n);
    bins.write();
    const float levels[] = {-10.0f, -1.0f, -0.25f, 0.0f, 3.0f};
    DeviceArray<float> bounds(5);
    CHECK(musaMemcpy(bounds, levels, sizeof levels, musaMemcpyHostToDevice));
    RUN(cub::DeviceHistogram::HistogramRange, (float*)samples, (int*)bins, 5, (float*)bounds, n);
    bins.write();
    // Three of four channels, in rows of which two pixels are left out.
    int* histograms[3] = {bins + 0, bins + 16, bins + 32};
    const int level_counts[3] = {9, 5, 3}, lower[3] = {0, 0, 500}, upper[3] = {1000, 800, 1000};
    const auto multi = [&](void* temp, size_t& bytes) {
        return cub::DeviceHistogram::MultiHistogramEven<4, 3>(temp, bytes, (int*)keys, histograms, level_counts, lower,
                                                              upper, 8, n / 40, size_t(40 * sizeof(int)));
    };
    run(multi);
    bins.write();
    CHECK(musaMemcpy(initial, &n, sizeof n, musaMemcpyHostToDevice));
    RUN(cub::DeviceScan::ExclusiveScan, (int*)keys, (int*)values, cub::Sum(), cub::FutureValue<int>(initial), n);
    values.write();
    RUN(cub::DeviceAdjacentDifference::SubtractLeftCopy, (int*)keys, (int*)values, n);
    values.write();
    const int begins[] = {0, n / 3, n};
    CHECK(musaMemcpy(offsets, begins, sizeof begins, musaMemcpyHostToDevice));
    RUN(cub::DeviceSegmentedSort::StableSortKeysDescending, (int*)keys, (int*)values, n, 2, (int*)offsets,
        offsets + 1);
    values.write();
    RUN(cub::DeviceScan::InclusiveSum, (int*)values, n);
    values.write();
    RUN(cub::DeviceReduce::TransformReduce, (int*)keys, (int*)initial, n, cub::Max(),
        [] __device__(int v) { return v ^ 21; }, 0);
    initial.write();
    RUN(cub::DeviceSelect::FlaggedIf, (int*)keys, (float*)samples, (int*)values, (int*)initial, n,
        [] __device__(float v) { return v > 1; });
    initial.write();
    values.write();
    int* const target = values;
    CHECK(cub::DeviceFor::Bulk(n, [target] __device__(int i) { target[i] = 3 * i; }));
    CHECK(musaDeviceSynchronize());
    values.write();
    thrust::shuffle(thrust::device, target, target + n, thrust::default_random_engine(9));
    values.write();
}

template <class T>
void show(const thrust::device_vector<T>& values, std::ptrdiff_t n) {
    const long long size = n;
    std::fwrite(&size, sizeof size, 1, stdout);
    const std::vector<T> host(values.begin(), values.begin() + n);
    std::fwrite(host.data(), sizeof(T), host.size(), stdout);
}

__global__ void tuples_and_numbers(double* out) {
    int a = 0, b = 0;
    thrust::tie(a, b) = thrust::make_pair(3, 4);
    out[0] = a * 10 + b;
    thrust::tuple<float, int> both;
    both = thrust::pair<double, short>(1.5, 7);
    const auto [x, y] = both;
    const auto [first, second] = thrust::make_pair(2, 0.5);
    out[1] = x * y + first * second;
    thrust::minstd_rand engine;
    thrust::minstd_rand jumped;
    for (int i = 0; i < 9999; ++i) engine();
    jumped.discard(9999);
    out[2] = engine();
    out[3] = jumped();
    thrust::uniform_real_distribution<float> uniform(2, 4);
    thrust::normal_distribution<double> normal(1, 3);
    thrust::uniform_int_distribution<int> dice(1, 6);
    for (int i = 0; i < 4000; ++i) {
        out[4 + i] = uniform(engine);
        out[4004 + i] = normal(engine);
        out[8004 + i] = dice(engine);
    }
    using namespace thrust::placeholders;
    const auto polynomial = _1 * _1 + 2 * _2 - 1;
    out[12004] = polynomial(3.0, 0.25) + (_1 < 4 && !(_2 == 1))(3, 2) + (-_1 % 5 ^ 3)(7);
    (_1 += 4)(out[12004]);
}

void sets(int n) {
    const auto read = [](int size) {
        auto& given = input<int>(size);
        return thrust::device_vector<int>(thrust::device_pointer_cast((int*)given),
                                          thrust::device_pointer_cast((int*)given) + size);
    };
    const thrust::device_vector<int> a = read(n), b = read(n);
    thrust::device_vector<int> va(n), vb(n), keys(2 * n), values(2 * n);
    thrust::sequence(va.begin(), va.end());
    thrust::sequence(vb.begin(), vb.end(), 1000);
    using End = thrust::device_vector<int>::iterator;
    const auto of = [&](End end) { show(keys, end - keys.begin()); };
    const auto pairs = [&](thrust::pair<End, End> ends) {
        show(keys, ends.first - keys.begin());
        show(values, ends.second - values.begin());
    };
    of(thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), keys.begin()));
    of(thrust::set_intersection(thrust::device, a.begin(), a.end(), b.begin(), b.end(), keys.begin()));
    of(thrust::set_difference(a.begin(), a.end(), b.begin(), b.end(), keys.begin(), thrust::less<int>()));
    of(thrust::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), keys.begin()));
    of(thrust::merge(a.begin(), a.end(), b.begin(), b.end(), keys.begin()));
    pairs(thrust::merge_by_key(a.begin(), a.end(), b.begin(), b.end(), va.begin(), vb.begin(), keys.begin(),
                               values.begin()));
    pairs(thrust::set_union_by_key(a.begin(), a.end(), b.begin(), b.end(), va.begin(), vb.begin(), keys.begin(),
                                   values.begin()));
    pairs(thrust::set_intersection_by_key(a.begin(), a.end(), b.begin(), b.end(), va.begin(), keys.begin(),
                                          values.begin()));
    pairs(thrust::set_difference_by_key(a.begin(), a.end(), b.begin(), b.end(), va.begin(), vb.begin(), keys.begin(),
                                        values.begin()));
    pairs(thrust::unique_by_key_copy(a.begin(), a.end(), va.begin(), keys.begin(), values.begin()));
    using namespace thrust::placeholders;
    of(thrust::transform(a.begin(), a.end(), b.begin(), keys.begin(), 3 * _1 - _2));
    of(thrust::copy_if(a.begin(), a.end(), keys.begin(), _1 % 2 == 0));
    of(thrust::replace_copy_if(a.begin(), a.end(), keys.begin(), _1 > 20, -1));
    of(thrust::reverse_copy(a.begin(), a.end(), keys.begin()));
    of(thrust::remove_copy(a.begin(), a.end(), keys.begin(), 7));
    pairs(thrust::partition_copy(a.begin(), a.end(), keys.begin(), values.begin(), _1 < 10));
    thrust::device_vector<int> more(3);
    more[0] = static_cast<int>(thrust::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
    more[1] = static_cast<int>(thrust::is_sorted_until(b.begin(), b.end()) - b.begin());
    more[2] = static_cast<int>(thrust::unique_count(a.begin(), a.end()));
    show(more, 3);
}

int main(int, char** argv) {
    const std::string which = argv[1];
    const int n = std::atoi(argv[2]);
    if (which == "device_wide") return device_wide(n), 0;
    if (which == "sets") return sets(n), 0;
    if (which == "tuples") {
        DeviceArray<double> out(12005);
        tuples_and_numbers<<<1, 1>>>(out);
        check_kernel();
        return out.write(), 0;
    }
    auto& x = input<int>(count);
    DeviceArray<int> out(10 * count);
    if (which == "merge_sort") merge_sort<<<1, threads>>>(x, out, n);
    if (which == "discontinuity") discontinuity<<<1, threads>>>(x, out);
    if (which == "groups_and_atomics") groups_and_atomics<<<1, threads>>>(x, out);
    if (which == "histogram") histogram<<<1, threads>>>(x, out);
    if (which == "warp_transfers") warp_transfers<<<1, threads>>>(x, out);
    check_kernel();
    out.write();
}
