#include "program.h"
__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
int main() {
    auto& x = input<float>(3);
    twice<<<1, 3>>>(x);
    check_kernel();
    x.write();
}
