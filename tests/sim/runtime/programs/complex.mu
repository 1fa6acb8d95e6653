// complex TYPE N: operations of thrust::complex on pairs (z, w).
#include <thrust/complex.h>

#include "program.h"

template <class T>
__global__ void operations(const thrust::complex<T>* in, thrust::complex<T>* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const thrust::complex<T> z = in[i], w = in[n + i];
    thrust::complex<T> mixed = T(2) * z;
    mixed += T(1);
    mixed -= T(0.5) / z;
    const thrust::complex<T> results[] = {z * w,
                                          z / w,
                                          thrust::pow(z, w),
                                          thrust::exp(z),
                                          thrust::log(z),
                                          thrust::log10(z),
                                          thrust::sqrt(z),
                                          thrust::sin(z),
                                          thrust::cos(z),
                                          thrust::tan(z),
                                          thrust::asin(z),
                                          thrust::acos(z),
                                          thrust::atan(z),
                                          thrust::sinh(z),
                                          thrust::cosh(z),
                                          thrust::tanh(z),
                                          thrust::asinh(z),
                                          thrust::acosh(z),
                                          thrust::atanh(z),
                                          thrust::polar(thrust::abs(z), thrust::arg(z)),
                                          thrust::conj(z) / thrust::norm(z),
                                          mixed};
    constexpr int count = sizeof results / sizeof results[0];
    for (int k = 0; k < count; ++k) out[k * n + i] = results[k];
}
constexpr int result_count = 22;

template <class T>
void run(int n) {
    auto& in = input<thrust::complex<T>>(2 * n);
    DeviceArray<thrust::complex<T>> out(result_count * n);
    operations<T><<<blocks_for(n, 64), 64>>>(in, out, n);
    check_kernel();
    out.write();
}

int main(int, char** argv) {
    const int n = std::atoi(argv[2]);
    if (std::string(argv[1]) == "complex64") run<float>(n);
    if (std::string(argv[1]) == "complex128") run<double>(n);
}
