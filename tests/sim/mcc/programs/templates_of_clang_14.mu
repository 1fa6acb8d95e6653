#include <cstdio>
template <class T> struct Never { template <class U> void f(U u) { this->nothing(u); } };
template <class T> struct Sum {
    T held;
    __host__ __device__ constexpr T twice() const { return held + held; }
};
static_assert(Sum<int>{21}.twice() == 42, "a template that a constant needs");
template <class T> __global__ void kernel(T *to, T from) { to[threadIdx.x] = Sum<T>{from}.twice() + T(threadIdx.x); }
int main() {
    int *to, got[4];
    musaMalloc(&to, sizeof got);
    kernel<<<1, 4>>>(to, 5);
    musaMemcpy(got, to, sizeof got, musaMemcpyDeviceToHost);
    std::printf("%d %d %d %d\n", got[0], got[1], got[2], got[3]);
}
