// cub_device CASE count: device-wide algorithms on arrays from stdin, results to stdout.
#include <cub/cub.cuh>
#include <musa_fp16.h>

#include "program.h"

// Calls an algorithm twice, as its protocol demands: for the size of its storage, then for the work.
template <class Algorithm>
void run(Algorithm algorithm) {
    size_t bytes = 0;
    CHECK(algorithm(nullptr, bytes));
    DeviceArray<char> storage(bytes);
    size_t too_few = bytes - 1;
    if (algorithm(static_cast<void*>(storage), too_few) != musaErrorInvalidValue) std::exit(4);
    CHECK(algorithm(static_cast<void*>(storage), bytes));
    CHECK(musaDeviceSynchronize());
}
#define RUN(Function, ...) run([&](void* temp, size_t& bytes) { return Function(temp, bytes, __VA_ARGS__); })

struct Largest {  // neither a sum nor anything cub knows, and device code only
    __device__ int operator()(int a, int b) const { return (a & 0xffff) > (b & 0xffff) ? a : b; }
};
struct Square {
    __device__ double operator()(int x) const { return double(x) * x; }
};
struct IsOdd {
    __device__ bool operator()(int x) const { return x & 1; }
};

// A half of the program's own, declared to cub as PyTorch declares c10::BFloat16.
struct OwnHalf {
    unsigned short bits;
};
template <>
struct cub::FpLimits<OwnHalf> {
    static __host__ __device__ __forceinline__ OwnHalf Max() { return {0x7bff}; }
    static __host__ __device__ __forceinline__ OwnHalf Lowest() { return {0xfbff}; }
};
template <>
struct cub::NumericTraits<OwnHalf> : cub::BaseTraits<cub::FLOATING_POINT, true, false, unsigned short, OwnHalf> {};
static_assert(cub::Traits<bool>::CATEGORY == cub::UNSIGNED_INTEGER && cub::Traits<__half>::PRIMITIVE);
static_assert(cub::Traits<Largest>::CATEGORY == cub::NOT_A_NUMBER && cub::Traits<int>::MAX_KEY == 0x7fffffffu);

template <class T>
void reduce(int n) {
    auto& x = input<T>(n);
    DeviceArray<T> out(3);
    RUN(cub::DeviceReduce::Sum, (T*)x, out + 0, n);
    RUN(cub::DeviceReduce::Min, (T*)x, out + 1, n);
    RUN(cub::DeviceReduce::Max, (T*)x, out + 2, n);
    out.write();
    DeviceArray<cub::KeyValuePair<int, T>> pairs(2);
    RUN(cub::DeviceReduce::ArgMin, (T*)x, pairs + 0, n);
    RUN(cub::DeviceReduce::ArgMax, (T*)x, pairs + 1, n);
    for (auto pair : pairs.host()) std::fwrite(&pair.key, sizeof pair.key, 1, stdout);
}

void functions(int n) {
    auto& x = input<int>(n);
    musaStream_t stream;
    CHECK(musaStreamCreate(&stream));
    DeviceArray<int> largest(1);
    RUN(cub::DeviceReduce::Reduce, (int*)x, (int*)largest, n, Largest(), 5, stream);
    largest.write();
    DeviceArray<int> scanned(n);
    RUN(cub::DeviceScan::InclusiveScan, (int*)x, (int*)scanned, Largest(), n, stream);
    scanned.write();
    DeviceArray<double> squares(1);
    cub::TransformInputIterator<double, Square, const int*> squared(x, Square());
    RUN(cub::DeviceReduce::Sum, squared, (double*)squares, n);
    cub::CountingInputIterator<int> counting(7);
    DeviceArray<int> odd(n + 1);
    RUN(cub::DeviceSelect::If, counting, (int*)odd, odd + n, n, IsOdd());
    odd.write();
    RUN(cub::DeviceSelect::If, (int*)x, (int*)x, odd + n, n, IsOdd());  // in place
    x.write();
    squares.write();
}

void scan(int n) {
    auto& x = input<int>(n);
    auto& keys = input<unsigned char>(n);
    DeviceArray<int> out(n);
    DeviceArray<long long> wide(n);
    RUN(cub::DeviceScan::ExclusiveSum, (int*)x, (long long*)wide, n);
    wide.write();
    RUN(cub::DeviceScan::InclusiveSum, (int*)x, (int*)out, n);
    out.write();
    RUN(cub::DeviceScan::ExclusiveScan, (int*)x, (int*)out, cub::Max(), -7, n);
    out.write();
    RUN(cub::DeviceScan::ExclusiveSumByKey, (unsigned char*)keys, (int*)x, (int*)out, n);
    out.write();
    RUN(cub::DeviceScan::InclusiveSumByKey, (unsigned char*)keys, (int*)x, (int*)out, n);
    out.write();
    RUN(cub::DeviceScan::InclusiveSum, (int*)x, (int*)x, n);  // in place
    x.write();
}

// How many, then the items, filled up with zeros.
template <class... Arrays>
void show_runs(DeviceArray<int>& count, int n, Arrays&... arrays) {
    count.write();
    (arrays.write(), ...);
    for (musaError_t error : {musaMemset(arrays, 0, n * sizeof(int))...}) CHECK(error);
}

void runs(int n) {
    auto& x = input<int>(n);
    auto& flags = input<char>(n);
    DeviceArray<int> count(1);
    DeviceArray<int> a(n), b(n);
    RUN(cub::DeviceSelect::Flagged, (int*)x, (char*)flags, (int*)a, (int*)count, n);
    show_runs(count, n, a);
    RUN(cub::DeviceSelect::Unique, (int*)x, (int*)a, (int*)count, n);
    show_runs(count, n, a);
    RUN(cub::DevicePartition::Flagged, (int*)x, (char*)flags, (int*)a, (int*)count, n);
    show_runs(count, n, a);
    RUN(cub::DevicePartition::If, (int*)x, (int*)a, (int*)count, n, IsOdd());
    show_runs(count, n, a);
    RUN(cub::DeviceRunLengthEncode::Encode, (int*)x, (int*)a, (int*)b, (int*)count, n);
    show_runs(count, n, a, b);
    RUN(cub::DeviceRunLengthEncode::NonTrivialRuns, (int*)x, (int*)a, (int*)b, (int*)count, n);
    show_runs(count, n, a, b);
    cub::CountingInputIterator<int> values(0);
    RUN(cub::DeviceReduce::ReduceByKey, (int*)x, (int*)a, values, (int*)b, (int*)count, cub::Sum(), n);
    show_runs(count, n, a, b);
    RUN(cub::DeviceSelect::UniqueByKey, (int*)x, values, (int*)a, (int*)b, (int*)count, n);
    show_runs(count, n, a, b);
}

template <class Key>
void sort(int n) {
    auto& keys = input<Key>(n);
    DeviceArray<Key> sorted(n);
    DeviceArray<int> positions(n), sorted_positions(n);
    std::vector<int> numbers(n);
    for (int i = 0; i < n; ++i) numbers[i] = i;
    CHECK(musaMemcpy(positions, numbers.data(), n * sizeof(int), musaMemcpyHostToDevice));
    RUN(cub::DeviceRadixSort::SortKeys, (const Key*)keys, (Key*)sorted, n);
    sorted.write();
    RUN(cub::DeviceRadixSort::SortKeysDescending, (const Key*)keys, (Key*)sorted, n);
    sorted.write();
    RUN(cub::DeviceRadixSort::SortPairs, (const Key*)keys, (Key*)sorted, (const int*)positions, (int*)sorted_positions, n);
    sorted_positions.write();
    RUN(cub::DeviceRadixSort::SortPairsDescending, (const Key*)keys, (Key*)sorted, (const int*)positions,
        (int*)sorted_positions, n);
    sorted_positions.write();
}

void sort_some_bits(int n) {
    auto& keys = input<unsigned>(n);
    auto& offsets = input<int>(5);
    DeviceArray<unsigned> other(n), third(n);
    RUN(cub::DeviceRadixSort::SortKeys, (const unsigned*)keys, (unsigned*)other, n, 5, 15);
    other.write();
    RUN(cub::DeviceSegmentedRadixSort::SortKeysDescending, (const unsigned*)keys, (unsigned*)third, n, 4,
        (int*)offsets, offsets + 1);
    third.write();
    cub::DoubleBuffer<unsigned> buffer(keys, other);
    RUN(cub::DeviceRadixSort::SortKeys, buffer, n, 8, 32);  // three digits: ends in the other buffer
    if (buffer.Current() != other) std::exit(5);
    other.write();
}

void segments(int n) {
    auto& x = input<float>(n);
    auto& offsets = input<int>(5);
    DeviceArray<float> out(4);
    const int* begin = offsets;
    RUN(cub::DeviceSegmentedReduce::Sum, (float*)x, (float*)out, 4, begin, begin + 1);
    out.write();
    RUN(cub::DeviceSegmentedReduce::Max, (float*)x, (float*)out, 4, begin, begin + 1);
    out.write();
    DeviceArray<cub::KeyValuePair<int, float>> positions(4);
    RUN(cub::DeviceSegmentedReduce::ArgMin, (float*)x, (cub::KeyValuePair<int, float>*)positions, 4, begin, begin + 1);
    for (auto pair : positions.host()) std::fwrite(&pair.key, sizeof pair.key, 1, stdout);
}

int main(int, char** argv) {
    const std::string which = argv[1];
    const int n = std::atoi(argv[2]);
    if (which == "reduce_float32") reduce<float>(n);
    if (which == "reduce_float64") reduce<double>(n);
    if (which == "reduce_int32") reduce<int>(n);
    if (which == "reduce_uint8") reduce<unsigned char>(n);
    if (which == "reduce_float16") reduce<__half>(n);
    if (which == "functions") functions(n);
    if (which == "scan") scan(n);
    if (which == "runs") runs(n);
    if (which == "sort_int32") sort<int>(n);
    if (which == "sort_uint64") sort<unsigned long long>(n);
    if (which == "sort_int8") sort<signed char>(n);
    if (which == "sort_float32") sort<float>(n);
    if (which == "sort_float64") sort<double>(n);
    if (which == "sort_float16") sort<__half>(n);
    if (which == "sort_own_float16") sort<OwnHalf>(n);
    if (which == "sort_some_bits") sort_some_bits(n);
    if (which == "segments") segments(n);
}
