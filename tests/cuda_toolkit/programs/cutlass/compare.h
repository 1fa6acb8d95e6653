// Arrays of random numbers on host and device, and a comparison with what they should be.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T>
double number(T x) {
    return static_cast<double>(static_cast<float>(x));
}
inline double number(double x) { return x; }
inline double number(int x) { return x; }

template <class T>
struct Numbers {
    std::vector<T> host;
    T* device = nullptr;

    explicit Numbers(int size, bool is_integer = false) : host(size) {
        for (T& each : host) each = is_integer ? T(std::rand() % 17 - 8) : T(float(std::rand() % 2001 - 1000) / 1000);
        cudaMalloc(&device, size * sizeof(T));
        cudaMemcpy(device, host.data(), size * sizeof(T), cudaMemcpyHostToDevice);
    }
};

// Returns 0 if each element is within `bound` of `expected(its position)`.
template <class T, class Expected>
int compare(Numbers<T>& of, double bound, Expected expected) {
    const cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(of.host.data(), of.device, of.host.size() * sizeof(T), cudaMemcpyDeviceToHost);
    double worst = 0, largest = 0;
    for (int at = 0; at < static_cast<int>(of.host.size()); ++at) {
        const double wanted = expected(at), difference = std::fabs(wanted - number(of.host[at]));
        worst = difference <= worst ? worst : difference;  // a NaN is the worst
        largest = std::fabs(wanted) > largest ? std::fabs(wanted) : largest;
    }
    const bool is_right = error == cudaSuccess && worst <= bound && largest > 1;
    std::printf("%s, differs by at most %g%s\n", cudaGetErrorName(error), worst, is_right ? "" : ": wrong");
    return !is_right;
}
