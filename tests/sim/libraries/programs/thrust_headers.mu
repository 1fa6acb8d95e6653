// Headers of Thrust that hold one or two names: each is included alone by other projects.
#include <thrust/addressof.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/detail/raw_reference_cast.h>
#include <thrust/device_delete.h>
#include <thrust/device_malloc_allocator.h>
#include <thrust/device_new.h>
#include <thrust/device_new_allocator.h>
#include <thrust/device_vector.h>
#include <thrust/random/linear_congruential_engine.h>
#include <thrust/random/normal_distribution.h>
#include <thrust/random/uniform_int_distribution.h>
#include <thrust/random/uniform_real_distribution.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <thrust/zip_function.h>

#include <cstdio>

struct Pair {
    int first = 3;
    float second = 0.5f;
};
struct Plus {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

__global__ void add(Pair* pairs, int n) {
    for (int i = 0; i < n; ++i) thrust::addressof(pairs[i])->first += i;
}

int main() {
    thrust::device_ptr<Pair> pairs = thrust::device_new<Pair>(5);
    add<<<1, 1>>>(thrust::raw_pointer_cast(pairs), 5);
    int sum = 0;
    for (int i = 0; i < 5; ++i) sum += static_cast<Pair>(pairs[i]).first;
    thrust::device_delete(pairs, 5);
    std::printf("pairs %d\n", sum);

    thrust::device_malloc_allocator<int> allocator;
    thrust::device_ptr<int> numbers = allocator.allocate(100);
    thrust::device_new(thrust::device_ptr<void>(numbers.get()), 7, 100);
    std::printf("numbers %d\n", thrust::reduce(numbers, numbers + 100));
    int* first = &thrust::raw_reference_cast(numbers[0]);
    std::printf("reference %d\n", first == numbers.get());
    allocator.deallocate(numbers, 100);

    thrust::device_vector<int, thrust::device_new_allocator<int>> a(10, 2), b(10, 3), c(10);
    auto begin = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
    thrust::transform(begin, begin + 10, c.begin(), thrust::make_zip_function(Plus()));
    std::printf("zipped %d\n", thrust::reduce(c.begin(), c.end()));

    thrust::minstd_rand engine(42);
    thrust::uniform_int_distribution<int> dice(1, 6);
    thrust::uniform_real_distribution<float> unit(0.0f, 1.0f);
    thrust::normal_distribution<float> normal(0.0f, 1.0f);
    const int side = dice(engine);
    const float real = unit(engine), bell = normal(engine);
    std::printf("random %d\n", side >= 1 && side <= 6 && real >= 0 && real < 1 && bell == bell);
}
