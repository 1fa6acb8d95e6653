#include <musa_runtime.h>
#include <cstdio>
template <class T> struct Triple { T a; double b[3]; char c; };
template <class T> __global__ void sum(Triple<T> p, int* out, Triple<char> q) {
  extern __shared__ int dynamic[];
  __shared__ Triple<T> fixed;
  if (threadIdx.x == 0) { fixed.a = p.a; dynamic[0] = q.c; }
  __syncthreads();
  out[threadIdx.x] = fixed.a + int(p.b[2]) + dynamic[0];
}
int main() {
  int* out = nullptr;
  musaMallocManaged(&out, 32 * sizeof(int));
  sum<<<1, 32, 64>>>(Triple<short>{3, {1, 2, 4}, 5}, out, Triple<char>{1, {}, 30});
  std::printf("%d %d\n", int(musaDeviceSynchronize()), out[7]);
}
