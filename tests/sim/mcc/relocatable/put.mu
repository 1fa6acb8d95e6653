__device__ void put(int* at, int value) {
    *at = value;
}
