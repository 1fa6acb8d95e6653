// pointer_results TYPE N: functions of <cmath> that write their second result through a pointer, as code that runs on the
// host as well calls them. Writes frexp, its exponent, modf, its whole part, remquo by 3, its quotient: a row each.
#include <cmath>

#include "program.h"

template <class T, class F>
__global__ void each(const T* x, T* out, int n, F f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(x[i], out + i, n);
}

template <class T>
void compute(int n) {
    auto& x = input<T>(n);
    DeviceArray<T> out(6 * static_cast<std::size_t>(n));
    const auto f = [] __host__ __device__(T value, T * to, int stride) {
        int exponent = 0, quotient = 0;
        T whole = 0;
        to[0] = std::frexp(value, &exponent);
        to[stride] = exponent;
        to[2 * stride] = std::modf(value, &whole);
        to[3 * stride] = whole;
        to[4 * stride] = std::remquo(value, T(3), &quotient);
        to[5 * stride] = quotient % 8;
    };
    each<<<blocks_for(n, 64), 64>>>(static_cast<const T*>(x), static_cast<T*>(out), n, f);
    check_kernel();
    out.write();
}

int main(int, char** arguments) {
    const std::string type = arguments[1];
    const int n = std::atoi(arguments[2]);
    type == "float32" ? compute<float>(n) : compute<double>(n);
}
