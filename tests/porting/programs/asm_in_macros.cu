#include <cuda_runtime.h>
#include <cstdio>

#define LOAD_ONE(cache, type, letter, Type)                                     \
    __device__ Type load_##cache##_##type(const Type* p) {                      \
        Type value;                                                             \
        asm volatile("ld.global." #cache "." #type " %0, [%1];" : letter(value) : "l"(p)); \
        return value;                                                           \
    }
#define LOADS(cache) LOAD_ONE(cache, u32, "=r", unsigned) LOAD_ONE(cache, u64, "=l", unsigned long long)
LOADS(ca)
LOADS(cg)
#define ADD(type) asm("add." #type " %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b))
#define OP(name, ...) asm(#name ".u32 %0, " __VA_ARGS__)
__device__ unsigned add(unsigned a, unsigned b) { unsigned c; ADD(u32); return c; }
__device__ unsigned multiply(unsigned a, unsigned b) {
    unsigned c;
    OP(mul.lo, "%1, %2;" : "=r"(c) : "r"(a), "r"(b));
    return c;
}

__global__ void kernel(const unsigned* x, const unsigned long long* y, unsigned* u, unsigned long long* v) {
    const int i = threadIdx.x;
    u[i] = add(load_ca_u32(x + i), multiply(load_cg_u32(x + i), 3));
    v[i] = load_ca_u64(y + i) + load_cg_u64(y + 63 - i);
}
template <class T>
T* managed(size_t n) {
    T* pointer = nullptr;
    cudaMallocManaged(&pointer, n * sizeof(T));
    return pointer;
}
int main() {
    auto *x = managed<unsigned>(64), *u = managed<unsigned>(64);
    auto *y = managed<unsigned long long>(64), *v = managed<unsigned long long>(64);
    if (fread(x, 4, 64, stdin) != 64 || fread(y, 8, 64, stdin) != 64) return 1;
    kernel<<<1, 64>>>(x, y, u, v);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    fwrite(u, 4, 64, stdout);
    fwrite(v, 8, 64, stdout);
}
