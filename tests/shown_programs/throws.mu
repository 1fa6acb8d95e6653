#include <array>
__global__ void k(int* p) {
    std::array<int, 39> values{};
    p[threadIdx.x] = values.at(threadIdx.x);
}
int main() {
    int* p;
    musaMalloc(&p, 4 * 40);
    k<<<1, 40>>>(p);
    return musaDeviceSynchronize();
}
