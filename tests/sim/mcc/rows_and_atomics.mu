// Kernels as loops over threads: grid-stride loops that can be run row by row and similar loops that cannot, operands that
// are results, atomics on shared memory. One line per launch.
#include <musa_runtime.h>

#include <stdint.h>
#include <stdio.h>

#define LOOP(type, i, n, step) for (type i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)

__global__ void plain(const int* in, int* out, int n) {
    LOOP(int, i, n, gridDim.x * blockDim.x) out[i] = 2 * in[i] + i;
}
__global__ void wide(const int* in, int* out, int n) {
    LOOP(int64_t, i, n, (int64_t)gridDim.x * blockDim.x) out[i] += in[i] * 3;
}
__global__ void unsigned_bound(const int* in, int* out, unsigned n) {
    const unsigned step = blockDim.x * gridDim.x;
    LOOP(unsigned, i, n, step) if (in[i] % 2) out[i] = in[i];
}
__global__ void sizes(const int* in, int* out, size_t n) {
    LOOP(size_t, i, n, blockDim.x * gridDim.x) {
        int sum = 0;
        for (int k = 0; k < in[i] % 5; ++k) sum += k * k;
        out[i] = sum;
    }
}
__global__ void constant_size(const int* in, int* out, int n) {
    for (int i = blockIdx.x * 96 + threadIdx.x; i < n; i += gridDim.x * 96) out[i] = in[n - 1 - i];
}
// Reads what its own last iteration wrote.
__global__ void carried_in_memory(const int* in, int* out, int n) {
    const int step = gridDim.x * blockDim.x;
    LOOP(int, i, n, step) out[i] = in[i] + (i >= step ? out[i - step] : 0);
}
// Not rows: each leaves something over the loop, or uses blockIdx.x for something else.
__global__ void carried(const int* in, int* out, int n) {
    int before = 0;
    LOOP(int, i, n, gridDim.x * blockDim.x) {
        out[i] = in[i] - before;
        before = in[i];
    }
}
__global__ void breaks(const int* in, int* out, int n) {
    LOOP(int, i, n, gridDim.x * blockDim.x) {
        if (in[i] % 17 == 0) break;
        out[i] = 1;
    }
}
__global__ void names_its_block(const int* in, int* out, int n) {
    LOOP(int, i, n, gridDim.x * blockDim.x) out[i] = in[i] + 1000 * blockIdx.x;
}
__global__ void other_step(const int* in, int* out, int n) {
    LOOP(int, i, n, gridDim.x * blockDim.x + 1) out[i] = in[i] + 1;
}
__global__ void other_bound(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        do {
            out[i] = in[i] + 7;
            i += gridDim.x * blockDim.x;
        } while (i < n);
    }
}
__global__ void writes_after(const int* in, int* out, int n) {
    int done = 0;
    LOOP(int, i, n, gridDim.x * blockDim.x) out[i] = in[i] ^ ++done;
    if (blockIdx.x * blockDim.x + threadIdx.x < n) out[blockIdx.x * blockDim.x + threadIdx.x] += done;
}

// An operand that is the result, plainly and through a class by value; variables and classes that each thread changes.
__global__ void in_place(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = out[i] * in[i] + i;
}
struct Pointers {
    const int* in;
    int* out[2];
};
__global__ void by_class(Pointers p, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p.out[1][i] = p.out[0][i] - p.in[i];
}
struct Table {
    const int* in;
    int* out;
    int kept[6];
};
__global__ void changes_its_class(Table t, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    t.kept[i % 6] = t.in[i];
    t.kept[t.in[i] % 6] += i;
    t.out[i] = t.kept[(i + 1) % 6] + t.kept[i % 6];
}
__global__ void own_array(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine[6] = {1, 2, 3, 4, 5, 6};
    mine[in[i] % 6] = i;
    out[i] = mine[i % 6] + mine[(i + in[i]) % 6];
}
__global__ void with_class(const int*, int*, int) {}
__global__ void with_table(const int*, int*, int) {}

// Atomics on static and on dynamic shared memory.
__global__ void atomics(const int* in, int* out, int n) {
    __shared__ int counts[16], extremes[4], swapped;
    __shared__ unsigned wrapped;
    __shared__ float total;
    extern __shared__ unsigned long long sums[];
    if (threadIdx.x < 16) counts[threadIdx.x] = 0;
    if (threadIdx.x < 4) extremes[threadIdx.x] = threadIdx.x % 2 ? INT32_MIN : INT32_MAX;
    if (threadIdx.x == 0) swapped = -1, total = 0, sums[0] = sums[1] = 0, wrapped = 3;
    __syncthreads();
    LOOP(int, i, n, gridDim.x * blockDim.x) {
        atomicAdd(&counts[in[i] & 15], 1);
        atomicSub(&counts[in[i] >> 4 & 15], 2);
        atomicMin(&extremes[0], in[i]);
        atomicMax(&extremes[1], in[i]);
        atomicMin((unsigned*)&extremes[2], (unsigned)in[i]);
        atomicMax((unsigned*)&extremes[3], (unsigned)in[i] - 100);
        atomicAdd(&total, 1.0f);
        atomicAdd(&sums[in[i] & 1], 1ull << 33);
        atomicXor(&sums[0], (unsigned long long)in[i]);
        atomicOr(&sums[1], (unsigned long long)in[i] << 3);
        atomicInc(&wrapped, 6);
        atomicCAS(&swapped, -1, 5);
        atomicCAS(&swapped, 4, 6);
    }
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
    if (threadIdx.x < 4) atomicXor(&out[16 + threadIdx.x], extremes[threadIdx.x]);
    if (threadIdx.x == 0) {
        out[20 + blockIdx.x * 8] = swapped + atomicExch(&swapped, 9);
        out[21 + blockIdx.x * 8] = total;
        out[22 + blockIdx.x * 8] = sums[0] >> 33 ^ sums[0];
        out[23 + blockIdx.x * 8] = sums[1] >> 33 ^ sums[1];
        out[24 + blockIdx.x * 8] = wrapped;
    }
}

template <class N>
void run(const char* name, void (*kernel)(const int*, int*, N), int blocks, int size, int n) {
    const int room = 40000;
    int *in, *out;
    musaMallocManaged((void**)&in, room * sizeof(int));
    musaMallocManaged((void**)&out, room * sizeof(int));
    for (int i = 0; i < room; ++i) in[i] = i * 7919 % 1009, out[i] = -1;
    Table table = {in, out, {1, 2, 3, 4, 5, 6}};
    if ((const void*)kernel == (const void*)with_class) {
        by_class<<<(n + size) / size, size>>>(Pointers{in, {out, out}}, n);
    } else if ((const void*)kernel == (const void*)with_table) {
        changes_its_class<<<(n + size) / size, size>>>(table, n);
    } else {
        kernel<<<blocks, size, 2 * sizeof(unsigned long long)>>>(in, out, n);
    }
    const musaError_t status = musaDeviceSynchronize();
    unsigned long long hash = 1469598103934665603ull;
    for (int i = 0; i < room; ++i) hash = (hash ^ (unsigned)out[i]) * 1099511628211ull;
    printf("%s %d %d %d: %d %llx\n", name, blocks, size, n, status, hash);
    musaFree(in);
    musaFree(out);
}

int main() {
    const int counts[] = {0, 1, 95, 96, 1000, 6 * 96, 20000, 31417};
    for (const int n : counts) {
#define RUN(kernel) run(#kernel, kernel, 6, 96, n);
        RUN(plain) RUN(wide) RUN(unsigned_bound) RUN(sizes) RUN(constant_size) RUN(carried_in_memory) RUN(carried)
        RUN(in_place) RUN(own_array) RUN(with_class) RUN(with_table)
        RUN(breaks) RUN(names_its_block) RUN(other_step) RUN(other_bound) RUN(writes_after) RUN(atomics)
    }
    run("plain", plain, 1, 7, 1000);
    run("wide", wide, 3, 1, 1000);
    run("sizes", sizes, 5, 1024, 30000);
}
