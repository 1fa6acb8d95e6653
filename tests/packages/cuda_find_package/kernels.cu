__global__ void fill(int *out, int value) { out[threadIdx.x] = value; }

void fill_on_device(int *out, int n, int value) { fill<<<1, n>>>(out, value); }
