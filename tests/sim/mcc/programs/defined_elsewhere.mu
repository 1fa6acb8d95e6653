#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>
__device__ int ext(int);
__device__ int not_called(int x) { return ext(x); }
extern __device__ __attribute__((weak)) int perhaps;
struct Shape {
    virtual __device__ int area() const = 0;
    virtual __device__ ~Shape() {}
};
struct Square : Shape {
    __device__ int area() const override { return 9; }
};
__managed__ int total = 5;
__global__ void k(float* out, int zero) {
    Square square;
    const Shape* shape = &square;
    __int128 wide = (__int128)shape->area() << 70;
    total += (int)((wide / (zero + 3)) >> 70);
    out[0] = tgammaf(5 + zero);
    if (zero) printf("%d\n", perhaps);
}
int main() {
    float* out;
    musaMallocManaged(&out, sizeof(float));
    k<<<1, 1>>>(out, 0);
    if (musaDeviceSynchronize() != musaSuccess) return 1;
    std::printf("%d %g\n", total, *out);
}
