__global__ void none() {}
int launch() { none<<<1, 1>>>(); return musaDeviceSynchronize(); }
