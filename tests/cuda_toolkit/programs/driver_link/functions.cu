// The function and the variable that kernel.cu uses, and a kernel of its own.
__device__ float factor = 3;
__device__ float scaled(float x) { return x * factor; }

extern "C" __global__ void set_factor(float value) { factor = value; }
