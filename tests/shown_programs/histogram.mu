__global__ void histogram(const int* values, int* counts) {
    __shared__ int bins[64];
    int other = (threadIdx.x + 32) % 64;
    bins[threadIdx.x] = values[threadIdx.x];
    // a barrier is missing
    counts[other] = bins[other];
}
int main() {
    int *values, *counts;
    musaMalloc(&values, 256);
    musaMalloc(&counts, 256);
    musaMemset(values, 0, 256);
    histogram<<<2, 64>>>(values, counts);
    return musaDeviceSynchronize();
}
