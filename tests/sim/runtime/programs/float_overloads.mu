// C++'s overloads for float at global scope: each has float's type, and the value of the function that ends in f.
#include <musa_runtime.h>

#include <cstdio>
#include <type_traits>

#define CHECK(name)                                                              \
    static_assert(std::is_same<decltype(::name(x)), float>::value, #name);       \
    wrong += ::name(x) != name##f(x) && !(::name(x) != ::name(x));

__global__ void compare(const float* in, int* out) {
    const float x = in[threadIdx.x];
    int wrong = 0;
    CHECK(cospi)
    CHECK(cyl_bessel_i0)
    CHECK(cyl_bessel_i1)
    CHECK(erfcinv)
    CHECK(erfcx)
    CHECK(erfinv)
    CHECK(exp10)
    CHECK(j0)
    CHECK(j1)
    CHECK(normcdf)
    CHECK(normcdfinv)
    CHECK(rcbrt)
    CHECK(rsqrt)
    CHECK(sinpi)
    CHECK(y0)
    CHECK(y1)
    static_assert(std::is_same<decltype(::jn(2, x)), float>::value, "jn");
    static_assert(std::is_same<decltype(::yn(2, x)), float>::value, "yn");
    wrong += ::jn(2, x) != jnf(2, x);
    wrong += ::yn(2, x) != ynf(2, x) && x > 0;
    float s, c;
    ::sincos(x, &s, &c);
    wrong += s != sinf(x) || c != cosf(x);
    ::sincospi(x, &s, &c);
    wrong += s != sinpif(x) || c != cospif(x);
    out[threadIdx.x] = wrong;
}

int main() {
    float* in;
    int* out;
    musaMallocManaged(&in, 64 * sizeof(float));
    musaMallocManaged(&out, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i) in[i] = (i - 20) * 0.07f;
    compare<<<1, 64>>>(in, out);
    musaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 64; ++i) wrong += out[i];
    std::printf("%d %s\n", wrong, musaGetErrorString(musaGetLastError()));
}
