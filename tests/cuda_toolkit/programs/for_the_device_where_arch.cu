// Functions that are the device's only where __CUDA_ARCH__ is defined, as in Random123: nvcc reads kernels for the device
// alone. With WRONG, a real call of the wrong side.
#include <cstdio>

#ifdef __CUDA_ARCH__
#define DEVICE __device__
#else
#define DEVICE
#endif

struct Base {
    DEVICE int twice(int x) const { return 2 * x; }
};
template <typename T, int N>
struct Array : Base {
    T values[N];
    DEVICE Array() { for (T& value : values) value = T(1); }
    DEVICE explicit Array(T all) { for (T& value : values) value = all; }
    DEVICE T& operator[](int i) { return values[i]; }
    DEVICE const T& operator[](int i) const { return values[i]; }
    DEVICE Array operator+(const Array& other) const {
        Array sum;
        for (int i = 0; i < N; ++i) sum[i] = values[i] + other[i];
        return sum;
    }
    DEVICE explicit operator bool() const { return values[0] != T(0); }
    DEVICE T* begin() { return values; }
    DEVICE T* end() { return values + N; }
    DEVICE static Array zero() { return Array(T(0)); }
};
DEVICE inline int overloaded(int x) { return x + 1; }
DEVICE inline double overloaded(double x) { return x / 2; }
template <typename F>
DEVICE int applied(F function, int x) { return function(x); }
struct Function {
    DEVICE int operator()(int x) const { return x * 10; }
};

__global__ void kernel(int* result) {
    Array<int, 3> a, b(5);
    a[1] = a.twice(overloaded(3)) + applied(Function(), 4);
    int sum = 0;
    for (int value : a + b) sum += value;
    if (a && !Array<int, 3>::zero()) sum += static_cast<int>(overloaded(8.0));
    *result = sum;
}

#if WRONG == 1
int on_the_host(int x) { return x; }
__global__ void wrong(int* result) { *result = on_the_host(1); }
#elif WRONG == 2
__device__ int on_the_device(int x) { return x; }
int also_wrong() { return on_the_device(1); }
#endif

int main() {
    int *memory = nullptr, result = 0;
    cudaMalloc(&memory, sizeof *memory);
    kernel<<<1, 1>>>(memory);
    cudaMemcpy(&result, memory, sizeof result, cudaMemcpyDeviceToHost);
    Array<int, 3> host(2);
    std::printf("%d %d\n", result, host[0] + applied(Function(), 1) + overloaded(1));
}
