#pragma once

// Each library has these two in a file of its own; what they are is private to the library.
extern __device__ int offset;
__device__ int add(int a, int b);  // waits at a barrier
