// Attributes in C++'s syntax after __shared__, which nvcc takes and clang does not.
#include <cstdint>
#include <cstdio>

template <class T>
__global__ void offsets(int *out) {
    __shared__ [[maybe_unused]] char before;
    __shared__ alignas(128) unsigned char bytes[7];
    __shared__ [[maybe_unused]] char between;
    // clang-format off
    __shared__
        alignas(T) alignas(64)
        char object[sizeof(T)];
    // clang-format on
    bytes[0] = 5;
    object[0] = bytes[0];
    out[0] = static_cast<int>(reinterpret_cast<std::uintptr_t>(bytes) % 128);
    out[1] = static_cast<int>(reinterpret_cast<std::uintptr_t>(object) % 64);
    out[2] = object[0];
}

int main() {
    int *out = nullptr;
    cudaMallocManaged(&out, 3 * sizeof(int));
    offsets<int4><<<1, 1>>>(out);
    cudaDeviceSynchronize();
    std::printf("%d %d %d\n", out[0], out[1], out[2]);
}
