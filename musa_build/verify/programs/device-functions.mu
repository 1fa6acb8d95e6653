// refuted by compile-error
// expect up=1065353217
// expect zero=1065353216
// expect words=0x02020202
// expect products=11
// expect sum=496
// expect inverse=0.476936
// expect vector=3.000000
// expect stored=7
// expect pair=7.000000 0.000000
#include <musa_fp16.h>

#include "probe.h"
__global__ void call(unsigned* bits, float* numbers, float4* vector, bool stops) {
    const unsigned sum = __reduce_add_sync(0xffffffffu, threadIdx.x);
    if (threadIdx.x != 0) return;
    if (stops) __brkpt();
    bits[0] = __float_as_uint(__fadd_ru(1.0f, 1e-10f));
    bits[1] = __float_as_uint(__fadd_rz(1.0f, 1e-10f));
    bits[2] = __vadd4(0x01ff7f00u, 0x01038302u);
    bits[3] = __dp2a_lo(0x00030002, 0x00000301, 0);
    bits[4] = sum;
    __stwt(bits + 5, 7u);
    numbers[0] = erfcinvf(0.5f);
    const __half2 pair = __hfma2_relu(__floats2half2_rn(2, -2), __float2half2_rn(3), __float2half2_rn(1));
    numbers[1] = __low2float(pair);
    numbers[2] = __high2float(pair);
    atomicAdd(vector, make_float4(1, 2, 3, 4));
}
int main() {
    unsigned* bits = managed<unsigned>(6);
    float* numbers = managed<float>(3);
    float4* vector = managed<float4>(1);
    call<<<1, 32>>>(bits, numbers, vector, false);
    CHECK(ended());
    fact("up", bits[0]);
    fact("zero", bits[1]);
    std::printf("words=0x%08x\n", bits[2]);
    fact("products", bits[3]);
    fact("sum", bits[4]);
    fact("stored", bits[5]);
    std::printf("inverse=%f\nvector=%f\n", numbers[0], vector->z);
    std::printf("pair=%f %f\n", numbers[1], numbers[2]);
}
