#include <stdio.h>
#define PLAIN __attribute__((optnone)) /* the kernels alone are what is tested, and take long enough to compile */
#define WAIT_0 __syncthreads()
#define WAIT_1 __syncwarp()
#define WAIT_2 a = __shfl_sync(0xffffffffu, a, tid & 31)
struct Pair { int x; float y; };
static __host__ __device__ unsigned long long mixed(unsigned long long hash, unsigned long long value) {
    return (hash ^ value) * 1099511628211ull;
}
