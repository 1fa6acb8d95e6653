#include <thrust/execution_policy.h>
#include <thrust/scan.h>
#include <cstdio>
int main() {
  int *x, y[3] = {1, 2, 3};
  cudaMalloc(&x, sizeof y);
  cudaMemcpy(x, y, sizeof y, cudaMemcpyHostToDevice);
  thrust::inclusive_scan(thrust::cuda::par.on(0), x, x + 3, x);
  cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", y[0], y[1], y[2]);
}
