// Blocks write the same number into all members of a value, other blocks read it meanwhile, and count values of two numbers.
// expect int2=0
// expect int4=0
// expect longlong2=0
#include "probe.h"
__device__ bool is_torn(int2 a) { return a.x != a.y; }
__device__ bool is_torn(int4 a) { return a.x != a.y || a.x != a.z || a.x != a.w; }
__device__ bool is_torn(longlong2 a) { return a.x != a.y; }
__device__ void fill(int2* a, int k) { *a = make_int2(k, k); }
__device__ void fill(int4* a, int k) { *a = make_int4(k, k, k, k); }
__device__ void fill(longlong2* a, int k) { *a = make_longlong2(k, k); }
template <class V>
__global__ void ask(V* values, int* torn) {
    for (int round = 0; round < 20000; round++) {
        V* at = values + threadIdx.x;
        if (blockIdx.x % 2 == 0) {
            fill(at, round);
        } else {
            const V seen = *at;
            if (is_torn(seen)) atomicAdd(torn, 1);
        }
        __threadfence();
    }
}
template <class V>
void report(const char* type) {
    V* values = managed<V>(32);
    int* torn = managed<int>(1);
    ask<<<16, 32>>>(values, torn);
    CHECK(ended());
    fact(type, torn[0]);
}
int main() {
    report<int2>("int2");
    report<int4>("int4");
    report<longlong2>("longlong2");
}
