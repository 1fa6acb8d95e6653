#include <cstdio>
#include <cstdlib>
#include <vector>
#include <musa_bf16.h>
#include <musa_fp16.h>
#include <musa_runtime.h>

using u64 = unsigned long long;
template <class T> __device__ __forceinline__ u64 bits(T value) { return static_cast<u64>(value); }
__device__ __forceinline__ u64 bits(double value) {
    return value != value ? 0x7ff8000000000000ull : static_cast<u64>(__double_as_longlong(value));
}
__device__ __forceinline__ u64 bits(float value) { return bits(static_cast<double>(value)); }
__device__ __forceinline__ u64 bits(__half value) { return bits(__half2float(value)); }
__device__ __forceinline__ u64 bits(__mt_bfloat16 value) { return bits(__bfloat162float(value)); }

template <class T> T* device(std::vector<T> values, size_t count) {
    T* memory;
    std::vector<T> host(count);
    for (size_t i = 0; i < count; ++i) host[i] = values[i % values.size()];
    if (musaMalloc(&memory, count * sizeof(T)) != musaSuccess) exit(3);
    musaMemcpy(memory, host.data(), count * sizeof(T), musaMemcpyHostToDevice);
    return memory;
}
void begin(unsigned kernel, unsigned launch) {
    const unsigned header[] = {kernel, launch, static_cast<unsigned>(musaDeviceSynchronize())};
    fwrite(header, sizeof header, 1, stdout);
}
template <class T> void finish(T* memory, size_t count) {
    std::vector<unsigned char> host(count * sizeof(T));
    musaMemcpy(host.data(), memory, host.size(), musaMemcpyDeviceToHost);
    fwrite(host.data(), host.size(), 1, stdout);
    fflush(stdout);
    musaFree(memory);
}
