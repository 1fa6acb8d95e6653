// libcu++'s integer functions, annotated pointers, algorithms and expected, in kernels and on the host.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda/annotated_ptr>
#include <cuda/cmath>
#include <cuda/std/expected>
#include <cuda/stream_ref>
#include <limits>
#include <random>
#include <vector>
#if __has_include(<cuda/std/algorithm>)
#include <cuda/std/algorithm>
#else
#include <cuda/std/__algorithm_>  // CCCL 3.0 has no public header
#endif

constexpr int cases = 1500;

template <class A, class B>
struct Quotients {
    A a;
    B b;
    std::common_type_t<A, B> divided, up, down;
    int log2, log10;
};
template <class A, class B>
__host__ __device__ void compute(Quotients<A, B> &c) {
    c.divided = cuda::ceil_div(c.a, c.b);
    c.up = cuda::round_up(c.a, c.b);
    c.down = cuda::round_down(c.a, c.b);
    c.log2 = cuda::ilog2(c.b);
    c.log10 = cuda::ilog10(c.b);
}
template <class A, class B>
__global__ void compute_all(Quotients<A, B> *all, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) compute(all[i]);
}

// The reference counts in 128 bits.
template <class A, class B>
bool is_right(const Quotients<A, B> &c) {
    using wide = unsigned __int128;
    const wide a = c.a, b = c.b;
    wide times = a / b;
    if (times * b < a) ++times;
    int log2 = -1, log10 = -1;
    for (wide left = b; left; left /= 2) ++log2;
    for (wide left = b; left; left /= 10) ++log10;
    return c.divided == static_cast<decltype(c.divided)>(times) && c.up == static_cast<decltype(c.up)>(times * b) &&
           c.down == static_cast<decltype(c.down)>(a / b * b) && c.log2 == log2 && c.log10 == log10;
}
template <class A, class B>
bool divides(std::mt19937_64 &random) {
    using Quotient = Quotients<A, B>;
    Quotient *all = nullptr;
    cudaMallocManaged(&all, cases * sizeof *all);
    // The next multiple must be in both types.
    const auto limit = std::min<std::uint64_t>(std::numeric_limits<A>::max(), std::numeric_limits<B>::max()) / 2;
    for (int i = 0; i < cases; ++i) {
        const auto shift = random() % 64;
        all[i] = {static_cast<A>((random() >> shift) % limit), static_cast<B>((random() >> random() % 64) % limit + 1)};
    }
    std::vector<Quotient> of_host(all, all + cases);
    compute_all<<<(cases + 127) / 128, 128>>>(all, cases);
    cudaDeviceSynchronize();
    bool right = true;
    for (int i = 0; i < cases; ++i) {
        compute(of_host[i]);
        right = right && is_right(all[i]) && is_right(of_host[i]);
    }
    cudaFree(all);
    return right;
}
static_assert(cuda::ceil_div(7, 2u) == 4 && cuda::round_up(9, 8) == 16 && cuda::ilog2(1024) == 10, "constants");

// Each thread works on values of its own.
constexpr int own = 12;
struct Results {
    int sorted[own], least[4], merged[own], kept, found, ones, even, lower, upper, unique, rotated[own], sum;
    bool is_sorted, any, all, included, heap;
};
__host__ __device__ void work(const int *values, Results &r) {
    namespace s = cuda::std;
    int copy[own];
    s::copy(values, values + own, r.sorted);
    s::make_heap(r.sorted, r.sorted + own);
    r.heap = s::is_heap(r.sorted, r.sorted + own);
    s::sort_heap(r.sorted, r.sorted + own);
    r.is_sorted = s::is_sorted(r.sorted, r.sorted + own);
    s::copy_n(values, own, copy);
    s::partial_sort(copy, copy + 4, copy + own, [](int a, int b) { return a > b; });
    s::copy(copy, copy + 4, r.least);
    s::merge(r.sorted, r.sorted + 5, r.sorted + 5, r.sorted + own, r.merged);
    r.included = s::includes(r.sorted, r.sorted + own, r.sorted + 3, r.sorted + 7);
    s::fill(copy, copy + own, -7);
    r.kept = static_cast<int>(s::copy_if(values, values + own, copy, [](int v) { return v % 3 == 0; }) - copy);
    r.found = static_cast<int>(s::find(values, values + own, 5) - values);
    r.ones = static_cast<int>(s::count(values, values + own, 1));
    r.any = s::any_of(values, values + own, [](int v) { return v > 18; });
    r.all = s::all_of(values, values + own, [](int v) { return v > 0; });
    s::copy(values, values + own, copy);
    r.even = static_cast<int>(s::partition(copy, copy + own, [](int v) { return v % 2 == 0; }) - copy);
    r.lower = static_cast<int>(s::lower_bound(r.sorted, r.sorted + own, 9) - r.sorted);
    r.upper = static_cast<int>(s::upper_bound(r.sorted, r.sorted + own, 9) - r.sorted);
    s::copy(r.sorted, r.sorted + own, copy);
    r.unique = static_cast<int>(s::unique(copy, copy + own) - copy);
    s::copy(values, values + own, r.rotated);
    s::rotate(r.rotated, r.rotated + 5, r.rotated + own);
    s::reverse(r.rotated, r.rotated + 3);
    r.sum = s::max(values[0], values[1]) - s::min(values[2], values[3]);
    s::for_each(values, values + own, [&r](int v) { r.sum += v; });
}
__global__ void work_all(const int *values, Results *results) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    work(values + i * own, results[i]);
}
Results wanted(const int *values) {
    Results r{};
    std::vector<int> v(values, values + own), sorted = v, other = v;
    std::sort(sorted.begin(), sorted.end());
    std::copy(sorted.begin(), sorted.end(), r.sorted);
    std::copy(sorted.begin(), sorted.end(), r.merged);
    std::copy(sorted.rbegin(), sorted.rbegin() + 4, r.least);
    r.heap = r.is_sorted = r.included = true;
    r.kept = std::count_if(v.begin(), v.end(), [](int x) { return x % 3 == 0; });
    r.found = std::find(v.begin(), v.end(), 5) - v.begin();
    r.ones = std::count(v.begin(), v.end(), 1);
    r.any = sorted.back() > 18;
    r.all = sorted.front() > 0;
    r.even = std::count_if(v.begin(), v.end(), [](int x) { return x % 2 == 0; });
    r.lower = std::count_if(v.begin(), v.end(), [](int x) { return x < 9; });
    r.upper = std::count_if(v.begin(), v.end(), [](int x) { return x <= 9; });
    r.unique = std::unique(other.begin(), other.end()) - other.begin();
    other = sorted;
    r.unique = std::unique(other.begin(), other.end()) - other.begin();
    for (int i = 0; i < own; ++i) r.rotated[i] = values[(i + 5) % own];
    std::swap(r.rotated[0], r.rotated[2]);
    r.sum = std::max(values[0], values[1]) - std::min(values[2], values[3]);
    for (int x : v) r.sum += x;
    return r;
}
bool is_same(const Results &a, const Results &b) {
    return std::equal(a.sorted, a.sorted + own, b.sorted) && std::equal(a.least, a.least + 4, b.least) &&
           std::equal(a.merged, a.merged + own, b.merged) && std::equal(a.rotated, a.rotated + own, b.rotated) &&
           a.kept == b.kept && a.found == b.found && a.ones == b.ones && a.even == b.even && a.lower == b.lower &&
           a.upper == b.upper && a.unique == b.unique && a.sum == b.sum && a.is_sorted == b.is_sorted &&
           a.any == b.any && a.all == b.all && a.included == b.included && a.heap == b.heap;
}

// A square root of whole numbers, or how much is missing.
__host__ __device__ cuda::std::expected<int, short> root(int value) {
    int whole = 0;
    while ((whole + 1) * (whole + 1) <= value) ++whole;
    if (whole * whole != value) return cuda::std::unexpected<short>(static_cast<short>(value - whole * whole));
    return whole;
}
__host__ __device__ cuda::std::expected<void, int> even(int value) {
    if (value % 2) return cuda::std::unexpected<int>(value);
    return {};
}
__host__ __device__ int roots(int value) {
    auto found = root(value);
    const auto doubled = found.transform([](int whole) { return 2 * whole; });
    const auto next = found.and_then([](int whole) { return root(whole); });
    const auto other = found.or_else([](short rest) { return root(rest); });
    const auto error = found.transform_error([](short rest) { return rest * 1000; });
    int sum = doubled ? *doubled : -doubled.error();
    sum += next.value_or(-3) + (other.has_value() ? other.value() : 100);
    sum += error ? 7 : error.error();
    if (!even(value)) sum += even(value).error();
    found = 4;
    return sum + found.value() + (found == root(16)) + (doubled != 0 ? 1 : 0);
}
__global__ void all_roots(int *sums) { sums[threadIdx.x] = roots(static_cast<int>(threadIdx.x)); }
int wanted_root(int value) {
    auto whole_of = [](int x) {
        int whole = 0;
        while (whole * whole < x) ++whole;
        return whole * whole == x ? whole : -1;
    };
    auto rest_of = [](int x) {
        int whole = 0;
        while ((whole + 1) * (whole + 1) <= x) ++whole;
        return x - whole * whole;
    };
    const int whole = whole_of(value), rest = rest_of(value);
    int sum = whole >= 0 ? 2 * whole : -rest;
    sum += whole >= 0 && whole_of(whole) >= 0 ? whole_of(whole) : -3;
    sum += whole >= 0 ? whole : (whole_of(rest) >= 0 ? whole_of(rest) : 100);
    sum += whole >= 0 ? 7 : 1000 * rest;
    if (value % 2) sum += value;
    return sum + 4 + 1 + (2 * whole != 0 ? 1 : 0);
}

__global__ void annotated(cuda::annotated_ptr<const int, cuda::access_property::streaming> from,
                          cuda::annotated_ptr<int, cuda::access_property> to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *same = cuda::associate_access_property(to.get(), cuda::access_property::global{});
    if (i < n && from) same[i] = from[n - 1 - i] + *from;
}

void show(const char *name, bool right) { std::printf("%s: %s\n", name, right ? "right" : "wrong"); }

int main(int argc, char **argv) {
    std::mt19937_64 random(argc > 1 ? std::atoi(argv[1]) : 1);
    show("int", divides<int, int>(random) && divides<unsigned, unsigned>(random));
    show("small", divides<short, short>(random) && divides<unsigned char, unsigned char>(random));
    show("long", divides<long long, long long>(random) && divides<unsigned long, unsigned long>(random));
    show("mixed", divides<int, unsigned>(random) && divides<long long, int>(random));

    constexpr int n = 256;
    int *values = nullptr, *sums = nullptr;
    Results *results = nullptr;
    cudaMallocManaged(&values, n * own * sizeof *values);
    cudaMallocManaged(&results, n * sizeof *results);
    cudaMallocManaged(&sums, n * sizeof *sums);
    for (int i = 0; i < n * own; ++i) values[i] = static_cast<int>(random() % 21);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    work_all<<<n / 64, 64, 0, stream>>>(values, results);
    const cuda::stream_ref of_work(stream);
    of_work.wait();
    show("stream", of_work.ready() && of_work == stream && of_work.get() == stream && of_work != cuda::stream_ref());
    bool right = true;
    for (int i = 0; i < n; ++i) {
        Results of_host;
        work(values + i * own, of_host);
        right = right && is_same(results[i], wanted(values + i * own)) && is_same(of_host, results[i]);
    }
    show("algorithms", right);

    all_roots<<<1, n>>>(sums);
    cudaDeviceSynchronize();
    right = true;
    for (int i = 0; i < n; ++i) right = right && sums[i] == wanted_root(i) && roots(i) == wanted_root(i);
    try {
        static_cast<void>(root(3).value());
        right = false;
    } catch (const cuda::std::bad_expected_access<short> &wrong) {
        right = right && wrong.error() == 2;
    }
    show("expected", right);

    cuda::annotated_ptr<int, cuda::access_property> to(sums, cuda::access_property::persisting{});
    annotated<<<2, 128>>>(cuda::annotated_ptr<const int, cuda::access_property::streaming>(values), to, n);
    cudaDeviceSynchronize();
    right = true;
    for (int i = 0; i < n; ++i) right = right && sums[i] == values[n - 1 - i] + values[0];
    show("annotated", right);
}
