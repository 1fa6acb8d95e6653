#ifndef __MUSA_ARCH__
#define __MUSA_ARCH__ 0
#endif
__device__ int arch() { return __MUSA_ARCH__; }
