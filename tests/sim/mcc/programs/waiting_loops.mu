__global__ void waits_for_volatile(volatile int* p) { while (p[0] == 0) {} }
__global__ void waits_for_atomic(int* p) { while (atomicAdd(p, 0) == 0) {} }
__global__ void waits_for_lock(int* p) { while (atomicCAS(p, 0, 1) != 0) {} p[1]++; atomicExch(p, 0); }
__global__ void waits_by_fence(int* p) { while (p[0] == 0) __threadfence(); }
__global__ void waits_for_several(volatile int* p) { while (p[0] == 0 || p[1] < 3) {} }
__global__ void waits_as_a_warp(volatile int* p) {
    int seen = 0;
    while (!seen) {
        if (threadIdx.x % 32 == 0) seen = p[0];
        seen = __shfl_sync(0xffffffffu, seen, 0);
    }
}

__global__ void takes_work_as_a_warp(int* p) {
    while (true) {
        int i = 0;
        if (threadIdx.x % 32 == 0) i = atomicAdd(p, 32);
        i = __shfl_sync(0xffffffffu, i, 0);
        if (i >= 1000) break;
        p[1 + i + threadIdx.x % 32] = i;
    }
}
__global__ void adds_floats(float* p, const float* in, int n) {
    for (int i = threadIdx.x; i < n; i++) atomicAdd(p, in[i]);
}
__global__ void takes_work(int* p) { int i; while ((i = atomicAdd(p, 1)) < 100) p[1] += i; }
__global__ void swaps_until_it_fits(int* p, int value) {
    int old = *p, assumed;
    do { assumed = old; old = atomicCAS(p, assumed, max(assumed, value)); } while (assumed != old);
}
__global__ void probes(unsigned* table, unsigned key) {
    unsigned slot = key % 64;
    while (true) {
        const unsigned before = atomicCAS(&table[slot], 0u, key);
        if (before == 0 || before == key) break;
        slot = (slot + 1) % 64;
    }
}
__global__ void reads_volatile(volatile float* p, float* out, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += p[0] * p[i];
    out[threadIdx.x] = sum;
}
__global__ void is_plain(float* p, int n) { for (int i = threadIdx.x; i < n; i += 32) p[i] *= 2; }
