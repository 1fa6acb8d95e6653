// The kernel: its functions and its variable are another source's.
extern __device__ float factor;
__device__ float scaled(float x);
template <class T> __device__ T half_of(T x) { return x / 2; }

extern "C" __global__ void apply(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = scaled(half_of(in[i])) + factor;
}
