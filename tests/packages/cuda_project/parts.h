#pragma once

// Each library has these two in a file of its own, in a namespace of its own.
namespace PARTS {
extern __device__ int offset;
__device__ int add(int a, int b);  // waits at a barrier
}
