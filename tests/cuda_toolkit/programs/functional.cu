// <cuda/functional> in algorithms of Thrust.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include <cstdio>
#include <cstdlib>
#include <cuda/functional>
#include <random>
#include <vector>

int main(int argc, char **argv) {
    std::mt19937 random(argc > 1 ? std::atoi(argv[1]) : 1);
    std::vector<int> values(5000);
    for (int &value : values) value = static_cast<int>(random() % 2001) - 1000;
    thrust::device_vector<int> in(values.begin(), values.end());
    thrust::device_vector<float> halves(in.size());
    thrust::transform(in.begin(), in.end(), halves.begin(),
                      cuda::proclaim_return_type<float>([] __device__(int value) { return value * 0.5f; }));
    bool right = true;
    for (size_t i = 0; i < values.size(); ++i) right = right && halves[i] == static_cast<float>(values[i]) * 0.5f;
    int most = values[0], least = values[0];
    for (int value : values) {
        most = value > most ? value : most;
        least = value < least ? value : least;
    }
    right = right && thrust::reduce(in.begin(), in.end(), values[0], cuda::maximum<int>()) == most &&
            thrust::reduce(in.begin(), in.end(), values[0], cuda::minimum<>()) == least;
    std::puts(right ? "right" : "wrong");
}
