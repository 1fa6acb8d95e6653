__device__ int calls = 0;
__device__ int called(int value) {
    __syncthreads();
    atomicAdd(&calls, 1);
    return 2 * value;
}
