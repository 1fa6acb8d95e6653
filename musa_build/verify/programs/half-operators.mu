// refuted by compile-error
// expect compared=1
#include <musa_fp16.h>

#include "probe.h"
struct Number {
    float value;
    __host__ __device__ operator __half() const { return __float2half(value); }
    __host__ __device__ operator float() const { return value; }
};
__global__ void compare(int* out) {
    const Number small{1.0f}, large{2.0f};
    out[0] = small < large && !(small == large);
}
int main() {
    int* out = managed<int>(1);
    compare<<<1, 1>>>(out);
    CHECK(ended());
    fact("compared", static_cast<long long>(out[0]));
}
