#include <cstdio>

__global__ void twice(int* x) {
    int y;
    asm("add.s32 %0, %1, %1;" : "=r"(y) : "r"(*x));
    *x = y;
}

int main(int count, char** words) {
    int* x;
    if (cudaMallocManaged(&x, sizeof(int)) != cudaSuccess) return 1;
    *x = 21;
    twice<<<1, 1>>>(x);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    for (int i = 1; i < count; ++i) printf("%s ", words[i]);
    printf("%d\n", *x);
    return 0;
}
