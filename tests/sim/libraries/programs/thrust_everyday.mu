// thrust_everyday: what programs do with Thrust every day. Prints the names of the uses that went wrong.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/detail/type_traits.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/mismatch.h>
#include <thrust/pair.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>
#include <thrust/uninitialized_fill.h>
#include <thrust/unique.h>

#include <cmath>
#include <cstdio>
#include <iterator>
#include <list>
#include <numeric>
#include <sstream>
#include <vector>

struct Point {
    float x, y;
};
struct Norm {
    __host__ __device__ float operator()(const Point& p) const { return p.x * p.x + p.y * p.y; }
};
struct IsEven {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct AsIs {
    __host__ __device__ int operator()(int x) const { return x; }
};
struct Square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};
struct AddTo {
    int* total;
    __device__ void operator()(int x) const { atomicAdd(total, x); }
};
struct Axpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct SumOfPair {
    __host__ __device__ int operator()(const thrust::tuple<int, int>& t) const {
        return thrust::get<0>(t) + thrust::get<1>(t);
    }
};
struct ByLastDigit {
    __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
struct SameTens {
    __host__ __device__ bool operator()(int a, int b) const { return a / 10 == b / 10; }
};

template <class Vector>
bool holds(const Vector& vector, const std::vector<typename Vector::value_type>& wanted) {
    const thrust::host_vector<typename Vector::value_type> host(vector.begin(), vector.end());
    return std::vector<typename Vector::value_type>(host.begin(), host.end()) == wanted;
}

using Ints = thrust::device_vector<int>;
Ints ints(std::vector<int> values) { return Ints(values.begin(), values.end()); }

//= insert one, several, a range
bool insert() {
    Ints d = ints({1, 2, 5});
    d.insert(d.begin() + 2, 3);
    d.insert(d.end() - 1, 2, 4);
    const std::vector<int> more = {8, 9};
    d.insert(d.end(), more.begin(), more.end());
    const Ints other = ints({-1, 0});
    d.insert(d.begin(), other.begin(), other.end());
    return holds(d, {-1, 0, 1, 2, 3, 4, 4, 5, 8, 9});
}
//= erase one and a range
bool erase() {
    Ints d = ints({0, 1, 2, 3, 4, 5});
    const auto next = d.erase(d.begin() + 1);
    d.erase(d.begin() + 2, d.end() - 1);
    return holds(d, {0, 2, 5}) && next - d.begin() == 1;
}
//= a vector of bool
bool bools() {
    thrust::device_vector<bool> d(5, false);
    d[1] = true;
    thrust::fill(d.begin() + 3, d.end(), true);
    const thrust::host_vector<bool> h = d;
    const thrust::device_vector<bool> back(h.begin(), h.end());
    return thrust::count(d.begin(), d.end(), true) == 3 && h[1] && !h[2] && thrust::count(back.begin(), back.end(), true) == 3;
}
//= vectors of other value types
bool other_types() {
    const thrust::device_vector<float> f(3, 1.5f);
    thrust::device_vector<double> d(f.begin(), f.end()), copied = f;
    d = f;
    const thrust::host_vector<float> h = f;
    thrust::device_vector<int> i(h.begin(), h.end());
    i = h;
    const thrust::host_vector<double> wide = f;
    thrust::host_vector<long> l(3);
    l = h;
    return holds(d, {1.5, 1.5, 1.5}) && holds(copied, {1.5, 1.5, 1.5}) && holds(i, {1, 1, 1}) && wide[2] == 1.5 && l[0] == 1;
}
//= from std::vector, std::list, arrays, iterators of Thrust
bool ranges() {
    const std::list<int> list = {3, 1, 2};
    const int array[] = {7, 8};
    const std::vector<short> shorts = {1, 2};
    const Ints a(list.begin(), list.end()), b(array, array + 2), c = std::vector<int>{5};
    const Ints d(thrust::make_counting_iterator(4), thrust::make_counting_iterator(7));
    const Ints e(thrust::make_constant_iterator(9), thrust::make_constant_iterator(9) + 2), f(shorts.begin(), shorts.end());
    Ints g;
    g.assign(list.begin(), list.end());
    g = shorts;
    const thrust::host_vector<int> h(a.begin(), a.end());
    Ints i = h;
    i.assign(2, 6);
    return holds(a, {3, 1, 2}) && holds(b, {7, 8}) && holds(c, {5}) && holds(d, {4, 5, 6}) && holds(e, {9, 9}) &&
           holds(f, {1, 2}) && holds(g, {1, 2}) && holds(i, {6, 6});
}
//= sizes and capacities
bool sizes() {
    Ints d;
    d.reserve(100);
    const bool reserved = d.capacity() >= 100 && d.size() == 0 && d.empty();
    d.push_back(1);
    d.push_back(2);
    d.resize(4, 7);
    d.pop_back();
    const bool grown = holds(d, {1, 2, 7}) && d.back() == 7 && d.front() == 1;
    d.shrink_to_fit();
    const bool kept = holds(d, {1, 2, 7}) && d.max_size() > 1000;
    d.clear();
    Ints freed(10);
    Ints().swap(freed);
    return reserved && grown && kept && d.empty() && freed.capacity() == 0;
}
//= elements and iterators of const vectors
bool elements() {
    const Ints d = ints({4, 5, 6});
    Ints changed = d;
    changed[0] += 10;
    ++changed[1];
    changed[2] = changed[0];
    const int sum = d[0] + d.front() + d.back();
    const int last = *(d.cend() - 1), first = *d.rbegin();
    int total = 0;
    for (auto it = d.begin(); it != d.end(); ++it) total += *it;
    for (const int x : changed) total += x;
    return sum == 14 && last == 6 && first == 6 && total == 15 + 14 + 6 + 14 && *(d.crend() - 1) == 4;
}
//= comparison of vectors
bool comparison() {
    const Ints a = ints({1, 2}), b = a;
    const thrust::host_vector<int> h = a;
    const std::vector<int> s = {1, 2};
    return a == b && !(a != b) && a == h && h == a && a != ints({1, 3}) && a == s;
}
//= copies between host and device
bool copies() {
    const Ints d = ints({1, 2, 3, 4});
    thrust::host_vector<int> h(2);
    thrust::copy_n(d.begin(), 2, h.begin());
    int array[4];
    thrust::copy(d.begin(), d.end(), array);
    std::vector<int> v;
    thrust::copy(d.begin(), d.end(), std::back_inserter(v));
    Ints back(2);
    thrust::copy_n(h.begin(), 2, back.begin());
    thrust::device_vector<float> f(4);
    thrust::copy(d.begin(), d.end(), f.begin());
    thrust::copy(array, array + 2, back.begin());
    std::vector<int> std_copy(4);
    thrust::copy(d.rbegin(), d.rend(), std_copy.begin());
    return h[1] == 2 && array[3] == 4 && v.size() == 4 && holds(back, {1, 2}) && holds(f, {1, 2, 3, 4}) && std_copy[0] == 4;
}
//= copy_if with and without a stencil
bool copy_if() {
    const Ints d = ints({1, 2, 3, 4}), stencil = ints({0, 1, 1, 0});
    Ints a(4), b(4);
    a.erase(thrust::copy_if(d.begin(), d.end(), a.begin(), IsEven()), a.end());
    b.resize(thrust::copy_if(d.begin(), d.end(), stencil.begin(), b.begin(), AsIs()) - b.begin());
    return holds(a, {2, 4}) && holds(b, {2, 3});
}
//= raw pointers
bool pointers() {
    Ints d(4, 1);
    int* raw = thrust::raw_pointer_cast(d.data());
    int* same = thrust::raw_pointer_cast(&d[0]);
    thrust::device_ptr<int> wrapped(raw), cast = thrust::device_pointer_cast(raw);
    thrust::fill(wrapped, wrapped + 2, 5);
    *cast = 6;
    thrust::fill(thrust::device, raw + 3, raw + 4, 7);
    thrust::device_ptr<int> made = thrust::device_malloc<int>(2);
    made[1] = 3;
    const int read = made[1];
    thrust::device_free(made);
    return raw == same && raw == d.data().get() && holds(d, {6, 5, 1, 7}) && read == 3;
}
//= execution policies
bool policies() {
    std::vector<int> v = {3, 1, 2};
    thrust::sort(thrust::host, v.begin(), v.end());
    thrust::sort(thrust::seq, v.begin(), v.end(), thrust::greater<int>());
    Ints d = ints({3, 1, 2});
    thrust::sort(thrust::device, d.begin(), d.end());
    return v[0] == 3 && holds(d, {1, 2, 3}) && thrust::reduce(thrust::host, v.begin(), v.end()) == 6;
}
//= sequence, fill, generate, tabulate
bool makes() {
    Ints a(4), b(4), c(3), d(3);
    thrust::sequence(a.begin(), a.end());
    thrust::sequence(b.begin(), b.end(), 10, 5);
    thrust::fill_n(c.begin(), 2, 4);
    thrust::host_vector<int> h(3);
    int next = 0;
    thrust::generate(h.begin(), h.end(), [&next] { return ++next; });
    thrust::tabulate(d.begin(), d.end(), Square());
    return holds(a, {0, 1, 2, 3}) && holds(b, {10, 15, 20, 25}) && holds(c, {4, 4, 0}) && h[2] == 3 && holds(d, {0, 1, 4});
}
//= transform, of one and of two ranges
bool transforms() {
    const Ints a = ints({1, 2, 3}), b = ints({4, 5, 6});
    Ints c(3), d(3);
    thrust::transform(a.begin(), a.end(), c.begin(), thrust::negate<int>());
    thrust::transform(a.begin(), a.end(), b.begin(), d.begin(), thrust::multiplies<int>());
    thrust::device_vector<float> x(2, 2.0f), y(2, 1.0f);
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Axpy{3.0f});
    using namespace thrust::placeholders;
    thrust::transform(x.begin(), x.end(), y.begin(), x.begin(), 2.0f * _1 + _2);
    return holds(c, {-1, -2, -3}) && holds(d, {4, 10, 18}) && holds(y, {7, 7}) && holds(x, {11, 11});
}
//= transform_if, replace_if
bool conditional() {
    Ints a = ints({1, 2, 3, 4}), b(4, 0), c(4);
    thrust::transform_if(a.begin(), a.end(), b.begin(), Square(), IsEven());
    thrust::replace_copy_if(a.begin(), a.end(), c.begin(), IsEven(), 0);
    thrust::replace_if(a.begin(), a.end(), IsEven(), -1);
    thrust::replace(a.begin(), a.end(), 3, 30);
    return holds(b, {0, 4, 0, 16}) && holds(c, {1, 0, 3, 0}) && holds(a, {1, -1, 30, -1});
}
//= for_each and for_each_n
bool for_each() {
    const Ints a = ints({1, 2, 3, 4});
    Ints total(1, 0);
    const AddTo add{thrust::raw_pointer_cast(total.data())};
    thrust::for_each(a.begin(), a.end(), add);
    const auto end = thrust::for_each_n(a.begin(), 2, add);
    return total[0] == 13 && end - a.begin() == 2;
}
//= reductions
bool reductions() {
    const Ints a = ints({3, 1, 2});
    thrust::device_vector<Point> points(2, Point{3, 4});
    return thrust::reduce(a.begin(), a.end()) == 6 && thrust::reduce(a.begin(), a.end(), 10) == 16 &&
           thrust::reduce(a.begin(), a.end(), 0, thrust::maximum<int>()) == 3 &&
           thrust::transform_reduce(points.begin(), points.end(), Norm(), 0.0f, thrust::plus<float>()) == 50 &&
           thrust::inner_product(a.begin(), a.end(), a.begin(), 0) == 14 &&
           thrust::inner_product(a.begin(), a.end(), a.begin(), 1, thrust::multiplies<int>(), thrust::plus<int>()) == 48;
}
//= extrema
bool extrema() {
    const Ints a = ints({3, 1, 4, 1});
    const auto both = thrust::minmax_element(a.begin(), a.end());
    return thrust::max_element(a.begin(), a.end()) - a.begin() == 2 &&
           thrust::min_element(a.begin(), a.end()) - a.begin() == 1 && *both.first == 1 && *both.second == 4 &&
           thrust::max_element(a.begin(), a.end(), ByLastDigit()) - a.begin() == 2;
}
//= counts and logic
bool counts() {
    const Ints a = ints({1, 2, 2, 4});
    return thrust::count(a.begin(), a.end(), 2) == 2 && thrust::count_if(a.begin(), a.end(), IsEven()) == 3 &&
           thrust::any_of(a.begin(), a.end(), IsEven()) && !thrust::all_of(a.begin(), a.end(), IsEven()) &&
           !thrust::none_of(a.begin(), a.end(), IsEven());
}
//= find, equal, mismatch
bool searches() {
    const Ints a = ints({1, 3, 4}), b = ints({1, 3, 5});
    const auto differ = thrust::mismatch(a.begin(), a.end(), b.begin());
    return thrust::find(a.begin(), a.end(), 3) - a.begin() == 1 &&
           thrust::find_if(a.begin(), a.end(), IsEven()) - a.begin() == 2 &&
           thrust::find_if_not(a.begin(), a.end(), IsEven()) == a.begin() &&
           !thrust::equal(a.begin(), a.end(), b.begin()) && *differ.first == 4 && *differ.second == 5;
}
//= scans
bool scans() {
    const Ints a = ints({1, 2, 3, 4});
    Ints b(4), c(4), d(4), e(4), f(4);
    thrust::inclusive_scan(a.begin(), a.end(), b.begin());
    thrust::exclusive_scan(a.begin(), a.end(), c.begin(), 10);
    thrust::inclusive_scan(a.begin(), a.end(), d.begin(), thrust::maximum<int>());
    thrust::transform_inclusive_scan(a.begin(), a.end(), e.begin(), Square(), thrust::plus<int>());
    thrust::exclusive_scan(a.begin(), a.end(), f.begin(), 1, thrust::multiplies<int>());
    Ints in_place = a;
    thrust::exclusive_scan(in_place.begin(), in_place.end(), in_place.begin());
    return holds(b, {1, 3, 6, 10}) && holds(c, {10, 11, 13, 16}) && holds(d, {1, 2, 3, 4}) && holds(e, {1, 5, 14, 30}) &&
           holds(f, {1, 1, 2, 6}) && holds(in_place, {0, 1, 3, 6});
}
//= scans by key
bool scans_by_key() {
    const Ints keys = ints({0, 0, 1, 1}), values = ints({1, 2, 3, 4});
    Ints a(4), b(4), c(4);
    thrust::inclusive_scan_by_key(keys.begin(), keys.end(), values.begin(), a.begin());
    thrust::exclusive_scan_by_key(keys.begin(), keys.end(), values.begin(), b.begin());
    thrust::exclusive_scan_by_key(keys.begin(), keys.end(), values.begin(), c.begin(), 5, thrust::equal_to<int>(), thrust::plus<int>());
    return holds(a, {1, 3, 3, 7}) && holds(b, {0, 1, 0, 3}) && holds(c, {5, 6, 5, 8});
}
//= reduce by key
bool reduce_by_key() {
    const Ints keys = ints({1, 1, 3, 3, 3, 2}), values = ints({1, 2, 3, 4, 5, 6});
    Ints k(6), v(6);
    const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), k.begin(), v.begin());
    k.erase(ends.first, k.end());
    v.erase(ends.second, v.end());
    Ints counts(3);
    thrust::reduce_by_key(keys.begin(), keys.end(), thrust::make_constant_iterator(1), thrust::make_discard_iterator(), counts.begin());
    Ints most(3);
    thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), thrust::make_discard_iterator(), most.begin(),
                          thrust::equal_to<int>(), thrust::maximum<int>());
    return holds(k, {1, 3, 2}) && holds(v, {3, 12, 6}) && holds(counts, {2, 3, 1}) && holds(most, {2, 5, 6});
}
//= sorts
bool sorts() {
    Ints a = ints({31, 12, 23}), b = a, c = a;
    thrust::sort(a.begin(), a.end());
    thrust::sort(b.begin(), b.end(), thrust::greater<int>());
    thrust::stable_sort(c.begin(), c.end(), ByLastDigit());
    return holds(a, {12, 23, 31}) && holds(b, {31, 23, 12}) && holds(c, {31, 12, 23}) &&
           thrust::is_sorted(a.begin(), a.end()) && !thrust::is_sorted(b.begin(), b.end()) &&
           thrust::is_sorted_until(b.begin(), b.end()) - b.begin() == 1;
}
//= sorts by key
bool sorts_by_key() {
    Ints keys = ints({3, 1, 2}), values = ints({30, 10, 20}), index(3), firsts = ints({2, 1, 2}), seconds = ints({1, 5, 0});
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin(), thrust::greater<int>());
    const auto zipped = thrust::make_zip_iterator(thrust::make_tuple(firsts.begin(), seconds.begin()));
    thrust::sort(zipped, zipped + 3);
    thrust::sequence(index.begin(), index.end());
    thrust::sort_by_key(seconds.begin(), seconds.end(), thrust::make_zip_iterator(thrust::make_tuple(firsts.begin(), index.begin())));
    return holds(keys, {3, 2, 1}) && holds(values, {30, 20, 10}) && holds(firsts, {2, 2, 1}) && holds(index, {1, 2, 0});
}
//= unique
bool unique() {
    Ints a = ints({1, 1, 2, 2, 1}), b = ints({11, 12, 23}), keys = ints({1, 1, 2}), values = ints({5, 6, 7}), out(5);
    a.erase(thrust::unique(a.begin(), a.end()), a.end());
    b.erase(thrust::unique(b.begin(), b.end(), SameTens()), b.end());
    const auto ends = thrust::unique_by_key(keys.begin(), keys.end(), values.begin());
    const auto end = thrust::unique_copy(b.begin(), b.end(), out.begin());
    return holds(a, {1, 2, 1}) && holds(b, {11, 23}) && ends.first - keys.begin() == 2 && values[1] == 7 && end - out.begin() == 2;
}
//= gather and scatter
bool gathers() {
    const Ints map = ints({2, 0, 1}), values = ints({10, 20, 30}), stencil = ints({1, 0, 1});
    Ints a(3), b(3), c(3, 0), d(3, 0);
    thrust::gather(map.begin(), map.end(), values.begin(), a.begin());
    thrust::scatter(values.begin(), values.end(), map.begin(), b.begin());
    thrust::gather_if(map.begin(), map.end(), stencil.begin(), values.begin(), c.begin());
    thrust::scatter_if(values.begin(), values.end(), map.begin(), stencil.begin(), d.begin());
    return holds(a, {30, 10, 20}) && holds(b, {20, 30, 10}) && holds(c, {30, 0, 20}) && holds(d, {0, 30, 10});
}
//= partition
bool partitions() {
    Ints a = ints({1, 2, 3, 4}), b = a, yes(4), no(4);
    const auto middle = thrust::stable_partition(a.begin(), a.end(), IsEven());
    thrust::partition(b.begin(), b.end(), IsEven());
    const auto ends = thrust::partition_copy(a.begin(), a.end(), yes.begin(), no.begin(), IsEven());
    return holds(a, {2, 4, 1, 3}) && middle - a.begin() == 2 && thrust::is_partitioned(b.begin(), b.end(), IsEven()) &&
           ends.first - yes.begin() == 2 && no[1] == 3 && thrust::partition_point(a.begin(), a.end(), IsEven()) == middle;
}
//= remove
bool removes() {
    Ints a = ints({1, 2, 3, 2}), b = a, c(4), d(4);
    a.erase(thrust::remove(a.begin(), a.end(), 2), a.end());
    b.erase(thrust::remove_if(b.begin(), b.end(), IsEven()), b.end());
    const Ints all = ints({1, 2, 3, 2});
    c.resize(thrust::remove_copy(all.begin(), all.end(), c.begin(), 2) - c.begin());
    d.resize(thrust::remove_copy_if(all.begin(), all.end(), d.begin(), IsEven()) - d.begin());
    const Ints stencil = ints({0, 1, 0, 0});
    Ints e = all;
    e.erase(thrust::remove_if(e.begin(), e.end(), stencil.begin(), AsIs()), e.end());
    return holds(a, {1, 3}) && holds(b, {1, 3}) && holds(c, {1, 3}) && holds(d, {1, 3}) && holds(e, {1, 3, 2});
}
//= set operations
bool sets() {
    const Ints a = ints({1, 2, 4}), b = ints({2, 3, 4});
    Ints both(6), joined(6), only(6), either(6), merged(6);
    both.resize(thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), both.begin()) - both.begin());
    joined.resize(thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), joined.begin()) - joined.begin());
    only.resize(thrust::set_difference(a.begin(), a.end(), b.begin(), b.end(), only.begin()) - only.begin());
    either.resize(thrust::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), either.begin()) - either.begin());
    thrust::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
    return holds(both, {2, 4}) && holds(joined, {1, 2, 3, 4}) && holds(only, {1}) && holds(either, {1, 3}) &&
           holds(merged, {1, 2, 2, 3, 4, 4});
}
//= binary search
bool bounds() {
    const Ints a = ints({1, 3, 3, 5}), keys = ints({0, 3, 6});
    Ints low(3), high(3);
    thrust::device_vector<bool> found(3);
    thrust::lower_bound(a.begin(), a.end(), keys.begin(), keys.end(), low.begin());
    thrust::upper_bound(a.begin(), a.end(), keys.begin(), keys.end(), high.begin());
    thrust::binary_search(a.begin(), a.end(), keys.begin(), keys.end(), found.begin());
    const auto range = thrust::equal_range(a.begin(), a.end(), 3);
    return holds(low, {0, 1, 4}) && holds(high, {0, 3, 4}) && found[1] && !found[0] && range.second - range.first == 2 &&
           thrust::lower_bound(a.begin(), a.end(), 4) - a.begin() == 3 && thrust::binary_search(a.begin(), a.end(), 5);
}
//= iterators: counting, constant, transform
bool iterators() {
    const Ints a = ints({1, 2, 3});
    const auto squares = thrust::make_transform_iterator(a.begin(), Square());
    const thrust::counting_iterator<int> first(0);
    thrust::device_vector<int> b(3);
    thrust::copy(squares, squares + 3, b.begin());
    const thrust::constant_iterator<int> ten(10);
    thrust::transform(a.begin(), a.end(), ten, b.begin(), thrust::plus<int>());
    return thrust::reduce(squares, squares + 3) == 14 && thrust::reduce(first, first + 5) == 10 && holds(b, {11, 12, 13}) &&
           squares[1] == 4 && *(first + 2) == 2;
}
//= iterators: zip
bool zips() {
    Ints a = ints({1, 2, 3}), b = ints({4, 5, 6}), sums(3);
    const auto first = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
    const auto last = thrust::make_zip_iterator(thrust::make_tuple(a.end(), b.end()));
    thrust::transform(first, last, sums.begin(), SumOfPair());
    const thrust::tuple<int, int> second = first[1];
    const auto made = thrust::make_zip_iterator(a.begin(), b.begin(), sums.begin());
    Ints copied(3), other(3);
    thrust::copy(first, last, thrust::make_zip_iterator(thrust::make_tuple(copied.begin(), other.begin())));
    return holds(sums, {5, 7, 9}) && thrust::get<1>(second) == 5 && thrust::get<2>(*made) == 5 && holds(other, {4, 5, 6}) &&
           last - first == 3;
}
//= iterators: permutation, reverse, output
bool more_iterators() {
    Ints values = ints({10, 20, 30}), map = ints({2, 0}), out(2), reversed(3), squares(3);
    const auto chosen = thrust::make_permutation_iterator(values.begin(), map.begin());
    thrust::copy(chosen, chosen + 2, out.begin());
    thrust::fill(chosen, chosen + 1, 31);
    thrust::copy(thrust::make_reverse_iterator(values.end()), thrust::make_reverse_iterator(values.begin()), reversed.begin());
    const Ints a = ints({1, 2, 3});
    thrust::copy(a.begin(), a.end(), thrust::make_transform_output_iterator(squares.begin(), Square()));
    return holds(out, {30, 10}) && holds(values, {10, 20, 31}) && holds(reversed, {31, 20, 10}) && holds(squares, {1, 4, 9});
}
//= reverse, swap, adjacent difference
bool rearranges() {
    Ints a = ints({1, 2, 4}), b = ints({7, 8, 9}), c(3), d(3);
    thrust::reverse(a.begin(), a.end());
    thrust::reverse_copy(a.begin(), a.end(), c.begin());
    thrust::adjacent_difference(c.begin(), c.end(), d.begin());
    thrust::swap_ranges(a.begin(), a.end(), b.begin());
    a.swap(b);
    return holds(c, {1, 2, 4}) && holds(d, {1, 1, 2}) && holds(a, {4, 2, 1}) && holds(b, {7, 8, 9});
}
//= structures in vectors
bool structures() {
    thrust::device_vector<Point> points(3);
    points[1] = Point{3, 4};
    const Point read = points[1];
    thrust::device_vector<float> norms(3);
    thrust::transform(points.begin() + 1, points.begin() + 2, norms.begin(), Norm());
    thrust::device_vector<thrust::pair<int, float>> pairs(2, thrust::make_pair(1, 2.0f));
    const thrust::pair<int, float> pair = pairs[1];
    thrust::device_vector<int*> pointers(2);
    return read.y == 4 && norms[0] == 25 && pair.second == 2.0f && pointers[0] == nullptr;
}
//= tuples and functions
bool functions() {
    const thrust::tuple<int, float, char> t(1, 2.5f, 'c');
    int a = 0;
    float b = 0;
    thrust::tie(a, b) = thrust::make_tuple(4, 5.5f);
    const bool compared = thrust::make_tuple(1, 2) < thrust::make_tuple(1, 3);
    int x = 1, y = 2;
    thrust::swap(x, y);
    return thrust::get<2>(t) == 'c' && a == 4 && b == 5.5f && compared && x == 2 && thrust::minimum<int>()(3, 4) == 3 &&
           thrust::plus<>()(1, 2) == 3 && thrust::logical_not<bool>()(false) && thrust::modulus<int>()(7, 4) == 3 &&
           thrust::max(3, 4) == 4 && thrust::tuple_size<thrust::tuple<int, int>>::value == 2;
}
//= scans with a transform, counts of a histogram
bool histogram() {
    Ints data = ints({2, 0, 2, 1, 2}), counts(3), bins(3);
    thrust::sort(data.begin(), data.end());
    const thrust::counting_iterator<int> first(0);
    thrust::upper_bound(data.begin(), data.end(), first, first + 3, counts.begin());
    thrust::adjacent_difference(counts.begin(), counts.end(), counts.begin());
    Ints sums(3);
    thrust::transform_exclusive_scan(counts.begin(), counts.end(), sums.begin(), Square(), 0, thrust::plus<int>());
    return holds(counts, {1, 1, 3}) && holds(sums, {0, 1, 2});
}
//= lambdas
bool lambdas() {
    Ints a = ints({1, 2, 3}), b(3);
    const int factor = 3;
    thrust::transform(a.begin(), a.end(), b.begin(), [=] __device__(int x) { return x * factor; });
    const int count = thrust::count_if(a.begin(), a.end(), [] __device__(int x) { return x > 1; });
    int* raw = thrust::raw_pointer_cast(a.data());
    thrust::for_each(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(3), [raw] __device__(int i) { raw[i] += i; });
    return holds(b, {3, 6, 9}) && count == 2 && holds(a, {1, 3, 5});
}
//= memory that is not initialised
bool uninitialised() {
    thrust::device_ptr<int> p = thrust::device_malloc<int>(3);
    thrust::uninitialized_fill(p, p + 3, 8);
    const int sum = thrust::reduce(p, p + 3);
    thrust::device_free(p);
    return sum == 24;
}
//= memory without a type, and pointers that are exchanged
bool untyped() {
    thrust::device_ptr<void> memory = thrust::device_malloc(4 * sizeof(int));
    thrust::device_ptr<int> first(static_cast<int *>(memory.get())), second = first + 2;
    thrust::sequence(first, first + 4);
    swap(first, second);
    const bool exchanged = first[0] == 2 && second[0] == 0;
    using std::swap;
    swap(first, second);
    const bool again = first[0] == 0 && thrust::detail::is_same<decltype(first), thrust::device_ptr<int>>::value;
    thrust::device_free(memory);
    return exchanged && again;
}
//= end of the uses

bool references() {
    thrust::device_vector<thrust::complex<float>> turned(1, thrust::complex<float>(1, -2));
    thrust::device_vector<int> x(3, 12);
    std::ostringstream text;
    const auto& constant = turned;
    text << constant[0] << ' ' << turned[0] << ' ' << x[1];
    x[0] |= 3;
    x[0] <<= 1;
    x[1] /= 5;
    x[1] ^= 7;
    x[2] %= 5;
    const int before = x[2]++, after = --x[2];
    return text.str() == "(1,-2) (1,-2) 12" && x[0] == 30 && x[1] == 5 && before == 2 && after == 2;
}

#define USE(name) \
    if (!name()) std::printf("%s\n", #name)

int main() {
    USE(insert);
    USE(erase);
    USE(bools);
    USE(other_types);
    USE(ranges);
    USE(sizes);
    USE(elements);
    USE(comparison);
    USE(copies);
    USE(copy_if);
    USE(pointers);
    USE(policies);
    USE(makes);
    USE(transforms);
    USE(conditional);
    USE(for_each);
    USE(reductions);
    USE(extrema);
    USE(counts);
    USE(searches);
    USE(scans);
    USE(scans_by_key);
    USE(reduce_by_key);
    USE(sorts);
    USE(sorts_by_key);
    USE(unique);
    USE(gathers);
    USE(partitions);
    USE(removes);
    USE(sets);
    USE(bounds);
    USE(iterators);
    USE(zips);
    USE(more_iterators);
    USE(rearranges);
    USE(structures);
    USE(functions);
    USE(histogram);
    USE(lambdas);
    USE(uninitialised);
    USE(untyped);
    USE(references);
}
