// thrust CASE count: algorithms of Thrust on ints from stdin, results to stdout.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include "program.h"

struct Square {  // device code only
    __device__ long long operator()(int x) const { return static_cast<long long>(x) * x; }
};
struct ByLastDigit {
    __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
struct IsOdd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct AddPair {
    __device__ int operator()(thrust::tuple<int, int> pair) const {
        return thrust::get<0>(pair) + 3 * thrust::get<1>(pair);
    }
};

template <class T>
void show(const thrust::device_vector<T>& values) {
    const thrust::host_vector<T> host = values;
    std::fwrite(host.data(), sizeof(T), host.size(), stdout);
}
void show(long long value) { std::fwrite(&value, sizeof value, 1, stdout); }

// Tuples as in pytorch3d's kernels, and sorting within a thread.
__device__ thrust::tuple<float, bool, int> nearest(const int* x, int n, int to) {
    thrust::tuple<float, bool, int> best = thrust::make_tuple(1e30f, false, -1);
    for (int i = 0; i < n; ++i) {
        const float distance = fabsf(static_cast<float>(x[i] - to));
        if (distance < thrust::get<0>(best)) best = thrust::make_tuple(distance, true, i);
    }
    return best;
}
__global__ void tuples(const int* x, int n, int* out) {
    const int t = threadIdx.x;
    float distance;
    int index;
    bool found;
    thrust::tie(distance, found, index) = nearest(x, n, t * 10);
    auto [again, _, nearest_index] = nearest(x, n, t * 10);
    int sorted[4] = {x[t], x[t + 1], x[t + 2], x[t + 3]};
    thrust::sort(thrust::seq, sorted, sorted + 4, thrust::greater<int>());
    const int sum = thrust::reduce(thrust::seq, sorted, sorted + 4);
    const thrust::pair<int, float> pair = thrust::make_pair(7, 2.5f);
    const bool less = thrust::make_tuple(1, x[t]) < thrust::make_tuple(1, x[t + 1]);
    int* row = out + t * 8;
    row[0] = found ? index : -2;
    row[1] = static_cast<int>(distance);
    row[2] = nearest_index * 1000 + static_cast<int>(again);
    row[3] = sorted[0];
    row[4] = sorted[3];
    row[5] = sum;
    row[6] = pair.first + static_cast<int>(pair.second * 2);
    row[7] = less;
}

void vectors(const thrust::device_vector<int>& x) {
    const int n = static_cast<int>(x.size());
    show(thrust::reduce(x.begin(), x.end(), 0LL));
    show(thrust::reduce(x.begin(), x.end(), -1, thrust::maximum<int>()));
    show(thrust::transform_reduce(x.begin(), x.end(), Square(), 0LL, thrust::plus<long long>()));
    show(thrust::inner_product(x.begin(), x.end(), thrust::counting_iterator<int>(0), 0LL));
    show(thrust::count(x.begin(), x.end(), 7));
    show(thrust::count_if(x.begin(), x.end(), IsOdd()));
    show(thrust::min_element(x.begin(), x.end()) - x.begin());
    show(thrust::max_element(x.begin(), x.end()) - x.begin());
    show(thrust::find(x.begin(), x.end(), 7) - x.begin());
    show(thrust::all_of(x.begin(), x.end(), IsOdd()) * 2 + thrust::any_of(x.begin(), x.end(), IsOdd()));

    thrust::device_vector<long long> squares(n);
    thrust::transform(x.begin(), x.end(), squares.begin(), Square());
    show(squares);
    thrust::device_vector<int> y(n);
    thrust::sequence(y.begin(), y.end(), 5, 2);
    auto zipped = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
    thrust::transform(zipped, zipped + n, y.begin(), AddPair());
    show(y);
    thrust::exclusive_scan(x.begin(), x.end(), y.begin(), 100);
    show(y);
    thrust::inclusive_scan(x.begin(), x.end(), y.begin(), thrust::maximum<int>());
    show(y);
    thrust::adjacent_difference(x.begin(), x.end(), y.begin());
    show(y);
    thrust::for_each(y.begin(), y.end(), [] __device__(int& value) { value *= 2; });
    y[0] = static_cast<int>(y[0]) + 1;
    show(y);
    thrust::copy(thrust::make_reverse_iterator(x.end()), thrust::make_reverse_iterator(x.begin()), y.begin());
    show(y);
}

void sorts(const thrust::device_vector<int>& x) {
    const int n = static_cast<int>(x.size());
    musaStream_t stream;
    CHECK(musaStreamCreate(&stream));
    thrust::device_vector<int> keys = x, positions(n);
    thrust::sequence(positions.begin(), positions.end());
    thrust::sort(keys.begin(), keys.end());
    show(keys);
    show(thrust::is_sorted(keys.begin(), keys.end()) * 2 + thrust::is_sorted(x.begin(), x.end()));
    thrust::device_vector<int> bounds(n);
    thrust::lower_bound(keys.begin(), keys.end(), x.begin(), x.end(), bounds.begin());
    show(bounds);
    show(thrust::upper_bound(keys.begin(), keys.end(), 300) - keys.begin());
    keys = x;
    thrust::stable_sort_by_key(thrust::musa::par.on(stream), keys.begin(), keys.end(), positions.begin(), ByLastDigit());
    show(positions);
    keys = x;  // raw pointers say nothing about where they point, the policy does
    thrust::sort(thrust::device, thrust::raw_pointer_cast(keys.data()), thrust::raw_pointer_cast(keys.data()) + n,
                 thrust::greater<int>());
    show(keys);
    thrust::device_vector<int> gathered(n);
    auto permuted = thrust::make_permutation_iterator(x.begin(), positions.begin());
    thrust::copy(permuted, permuted + n, gathered.begin());
    show(gathered);
    thrust::scatter(x.begin(), x.end(), positions.begin(), gathered.begin());
    show(gathered);
}

// For each: how many are left, then all n, of which so many count.
void selections(const thrust::device_vector<int>& x) {
    const int n = static_cast<int>(x.size());
    thrust::device_vector<int> sorted = x, y(n), z(n);
    thrust::sort(sorted.begin(), sorted.end());
    show(thrust::copy_if(x.begin(), x.end(), y.begin(), IsOdd()) - y.begin());
    show(y);
    y = x;
    show(thrust::remove_if(y.begin(), y.end(), IsOdd()) - y.begin());
    show(y);
    y = x;
    show(thrust::stable_partition(y.begin(), y.end(), IsOdd()) - y.begin());
    show(y);
    y = sorted;
    show(thrust::unique(y.begin(), y.end()) - y.begin());
    show(y);
    auto ends = thrust::reduce_by_key(sorted.begin(), sorted.end(), thrust::make_constant_iterator(1), y.begin(), z.begin());
    show(ends.first - y.begin());
    show(y);
    show(z);
    thrust::fill(z.begin(), z.end(), 0);  // the same counts, with discarded keys
    thrust::discard_iterator<> nowhere;
    auto counts = thrust::reduce_by_key(sorted.begin(), sorted.end(), thrust::make_constant_iterator(1), nowhere, z.begin());
    show(counts.first - thrust::make_discard_iterator());
    show(z);
}

void hosts(const std::vector<int>& x) {
    thrust::host_vector<int> values = x;
    thrust::sort(values.begin(), values.end());
    show(thrust::reduce(thrust::host, values.begin(), values.end(), 0LL));
    thrust::device_vector<int> device(values.size());
    thrust::copy(values.begin(), values.end(), device.begin());
    device.push_back(-5);
    device.erase(device.begin(), device.begin() + 1);
    std::vector<int> back(device.size());
    thrust::copy(device.begin(), device.end(), back.begin());
    std::fwrite(back.data(), sizeof(int), back.size(), stdout);
    try {
        thrust::device_vector<char> impossible(size_t{1} << 50);
    } catch (const std::exception& error) {
        show(std::string(error.what()).find("out of memory") != std::string::npos);
    }
}

int main(int, char** argv) {
    const std::string which = argv[1];
    const int n = std::atoi(argv[2]);
    auto& x = input<int>(n);
    const thrust::device_ptr<int> begin = thrust::device_pointer_cast(static_cast<int*>(x));
    const thrust::device_vector<int> values(begin, begin + n);
    if (which == "vectors") vectors(values);
    if (which == "sorts") sorts(values);
    if (which == "selections") selections(values);
    if (which == "hosts") hosts(x.host());
    if (which == "tuples") {
        DeviceArray<int> out(32 * 8);
        tuples<<<1, 32>>>(x, n, out);
        check_kernel();
        out.write();
    }
}
