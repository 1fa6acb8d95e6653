#include <cstdint>
#include <cstdio>
__device__ constexpr double third() { return 1.0 / ::log(20.085536923187668); }
__global__ void read_again(std::uint64_t *number, std::uint32_t *halves, float *real, int *bits, int *out) {
    const std::uint64_t before = *number;
    halves[1] += 5;  // part of *number
    const std::uint64_t after = *number;
    const float was = *real;
    *bits ^= 1 << 31;  // the sign of *real
    out[0] = static_cast<int>((after - before) >> 32);
    out[1] = *real == -was;
    out[2] = third() > 0.33;
}
int main() {
    std::uint64_t *number;
    float *real;
    int *out;
    cudaMallocManaged(&number, sizeof *number);
    cudaMallocManaged(&real, sizeof *real);
    cudaMallocManaged(&out, 3 * sizeof *out);
    *number = 7;
    *real = 2.5f;
    read_again<<<1, 1>>>(number, reinterpret_cast<std::uint32_t *>(number), real, reinterpret_cast<int *>(real), out);
    cudaDeviceSynchronize();
    std::printf("%d %d %d\n", out[0], out[1], out[2]);
}
