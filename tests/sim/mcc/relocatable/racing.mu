__device__ void put(int* at, int value);
__global__ void race(int* p) { __shared__ int s[2]; put(s, threadIdx.x); __syncthreads(); p[0] = s[0]; }
__global__ void outside(int* p) { put(p + 4, 1); }
int main(int count, char**) {
    int* p;
    musaMalloc(&p, 16);
    if (count == 1) race<<<1, 32>>>(p); else outside<<<1, 1>>>(p);
    return musaDeviceSynchronize() != musaSuccess;
}
