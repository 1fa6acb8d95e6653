#include "helper_math.h"
#include <exception>
#include <functional>
#include <stdio.h>
#include <string>
#include <type_traits>
#include <vector>

#if __GNUC__ < 6
#error "too old a compiler"
#endif

#ifdef __CUDA_ARCH__
__device__ __forceinline__ static float scaled(float value) {
#if __CUDA_ARCH__ < 200
#error "too old an architecture"
#endif
    return value * warpSize;
}
#endif

struct Options { int concept; bool requires; };
struct Twice : std::unary_function<float, float> {
    __host__ __device__ float operator()(float value) const { return 2 * value; }
};
typedef std::result_of<Twice(float)>::type Number;
struct Key {
    int value;
    bool operator==(const Key& other) { return value == other.value; }
};
const char* const name = u8"Grad \u00b0";

__global__ void blend(const float2* a, const float2* b, const float* t, float2* out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = lerp(a[i], b[i], Twice()(scaled(t[i])));
}

int main() {
    const int count = 1000;
    Options options = {count, true};
    std::vector<float> input(5 * count), output(2 * count);
    if (fread(input.data(), 4, input.size(), stdin) != input.size()) return 1;
    Number* device;
    cudaMalloc(&device, 7 * count * sizeof(Number));
    cudaMemcpy(device, input.data(), 5 * count * sizeof(float), cudaMemcpyHostToDevice);
    float2 *a = (float2*)device, *b = a + count, *out = (float2*)(device + 5 * count);
    blend<<<8, 128>>>(a, b, device + 4 * count, out, options.concept);
    cudaMemcpy(output.data(), out, 2 * count * sizeof(float), cudaMemcpyDeviceToHost);
    Key one{1}, other{1};
    std::string text(name);
    if (!options.requires || !(one == other) || text.size() != 7 || std::uncaught_exception()) return 2;
    return fwrite(output.data(), 4, output.size(), stdout) != output.size();
}
