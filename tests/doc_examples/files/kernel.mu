#include <musa_runtime.h>

#include <cstdio>

__global__ void hello() { printf("hello from thread %d\n", int(threadIdx.x)); }

int main() {
  hello<<<1, 2>>>();
  return musaDeviceSynchronize() != musaSuccess;
}
