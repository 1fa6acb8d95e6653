struct Tile { double value; char tag; };
template <int N> __device__ float helper(const float* in) {
    __shared__ float cache[N];
    cache[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    return cache[N - 1 - threadIdx.x];
}
template <int N> __global__ void reverse(const float* in, float* out) {
    __shared__ Tile tiles[10];
    tiles[threadIdx.x % 10].value = 0;
    out[threadIdx.x] = helper<N>(in) + tiles[0].value;
}
template __global__ void reverse<6000>(const float*, float*);
template __global__ void reverse<10000>(const float*, float*);
int main() {
    musaFuncAttributes attributes;
    if (musaFuncGetAttributes(&attributes, reverse<6000>) != musaSuccess) return 1;
    printf("%zu\n", attributes.sharedSizeBytes);
}
