#include <cstdio>
__device__ int arch();
__global__ void k(int* out) { *out = arch(); }
int main() {
    int *p, h;
    musaMalloc(&p, 4);
    k<<<1, 1>>>(p);
    musaMemcpy(&h, p, 4, musaMemcpyDeviceToHost);
    std::printf("%d\n", h);
}
