// Kernels with barriers, and with grid-stride loops: run as loops over threads and, for comparison, with a fiber per thread.
#include <stdio.h>
#include <stdlib.h>

#define CHECKED(call)                                                          \
    do {                                                                       \
        musaError_t error = (call);                                            \
        if (error != musaSuccess) {                                            \
            printf("%s: %s\n", #call, musaGetErrorString(error));              \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

__global__ void tree(const int* in, int* out, int n) {
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) tile[threadIdx.x] += tile[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

// Some threads leave before a barrier, the others go on.
__global__ void early_exit(const int* in, int* out, int n) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] % 3 == 0) return;
    atomicAdd(&count, in[i]);
    __syncthreads();
    out[i] = count;
}

// Two branches with a barrier each: the barriers count arrivals, wherever they stand.
__global__ void two_barriers(const int* in, int* out, int n) {
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;
    if (value & 1) {
        tile[threadIdx.x] = value;
        __syncthreads();
    } else {
        tile[threadIdx.x] = -value;
        __syncthreads();
    }
    if (i < n) out[i] = tile[blockDim.x - 1 - threadIdx.x];
}

// Barriers in nested loops whose number depends on the block; a local array lives across them; three dimensions.
__global__ void nested(const int* in, int* out, int n) {
    extern __shared__ int tile[];
    int rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int size = blockDim.x * blockDim.y * blockDim.z;
    int i = blockIdx.x * size + rank;
    int history[4] = {0, 0, 0, 0};
    int value = i < n ? in[i] : 1;
    for (int outer = 0; outer < 2 + blockIdx.x % 3; ++outer) {
        for (int inner = 1; inner < size; inner *= 2) {
            tile[rank] = value;
            __syncthreads();
            value += tile[(rank + inner) % size];
            history[(outer + inner) % 4] += value;
            __syncthreads();
        }
    }
    if (i < n) out[i] = value ^ history[0] ^ history[1] ^ history[2] ^ history[3] ^ (int)threadIdx.z;
}

// A grid-stride loop with more than one turn, one with at most one, and one over blocks with a barrier inside.
__global__ void stride(const int* in, int* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 3 * in[i] + 1;
}

__global__ void stride_64(const int* in, int* out, long n) {
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) {
        int best = in[i];
        for (int k = 0; k < 5; ++k) best = max(best, in[(i + k * 7) % n]);
        out[i] = best;
    }
}

__global__ void over_blocks(const int* in, int* out, int n) {
    __shared__ int first;
    for (int block = blockIdx.x; block * blockDim.x < n; block += gridDim.x) {
        int i = block * blockDim.x + threadIdx.x;
        if (threadIdx.x == 0) first = in[i];
        __syncthreads();
        if (i < n) out[i] = in[i] - first;
        __syncthreads();
    }
}

__global__ void sum_then_tree(const int* in, int* out, int n) {
    __shared__ int tile[256];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    tile[threadIdx.x] = sum;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) tile[threadIdx.x] += tile[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

struct View {
    const int* data;
    long size;
    int scale[8];
    __noinline__ __device__ int at(int i) const { return i < size ? data[i] * scale[i % 8] : 0; }
};

// A structure passed by value is used after a barrier, by the other threads too.
__global__ void by_value(View in, int* out, int n) {
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < in.size ? in.data[i] : 0;
    __syncthreads();
    if (i < n) out[i] = tile[(threadIdx.x + in.scale[2]) % blockDim.x] * in.scale[threadIdx.x % 8] + (int)in.size;
}

// As above, but each thread changes its own copy.
__global__ void by_value_changed(View in, int* out, int n) {
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    in.scale[threadIdx.x % 8] += threadIdx.x;
    tile[threadIdx.x] = in.scale[1];
    __syncthreads();
    in.scale[3] += tile[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (i < n) out[i] = in.scale[3] + in.scale[threadIdx.x % 8];
}

// It is read by a function that stays one, whose code another object may have too.
__global__ void by_value_called(View in, int* out, int n) {
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in.at(i);
    __syncthreads();
    if (i < n) out[i] = tile[blockDim.x - 1 - threadIdx.x] + in.at(n - 1 - i);
}

// Work of one thread, before a barrier and after: LLVM joins the ends of the early return and of the loop, and reads the
// thread's rank from the frame under another name.
__global__ void one_thread(const int* in, int* out, int n) {
    if (n <= 0) return;
    if (threadIdx.x == 0) out[0] = in[0];
    __syncthreads();
    for (int j = 1; j < n; ++j)
        if (threadIdx.x == 0) out[j] = in[j] + j;
}

int main() {
    const int sizes[] = {1, 255, 1000, 4099};
    for (int n : sizes) {
        int *in, *out;
        CHECKED(musaMallocManaged((void**)&in, (n + 256) * sizeof(int)));
        CHECKED(musaMallocManaged((void**)&out, (n + 256) * sizeof(int)));
        srand(n);
        for (int i = 0; i < n + 256; ++i) in[i] = rand() % 1000;
        auto show = [&](const char* name) {
            CHECKED(musaGetLastError());
            CHECKED(musaDeviceSynchronize());
            unsigned long long hash = 1469598103934665603ull;
            for (int i = 0; i < n + 256; ++i) hash = (hash ^ (unsigned)out[i]) * 1099511628211ull;
            printf("%s %d %llx\n", name, n, hash);
            for (int i = 0; i < n + 256; ++i) out[i] = -7;
        };
        for (int i = 0; i < n + 256; ++i) out[i] = -7;
        const int blocks = (n + 255) / 256;
        tree<<<blocks, 256>>>(in, out, n), show("tree");
        early_exit<<<blocks, 256>>>(in, out, n), show("early_exit");
        two_barriers<<<blocks, 256>>>(in, out, n), show("two_barriers");
        nested<<<(n + 119) / 120, dim3(5, 4, 6), 120 * sizeof(int)>>>(in, out, n), show("nested");
        stride<<<2, 96>>>(in, out, n), show("stride");
        stride<<<blocks, 256>>>(in, out, n), show("stride, one turn");
        stride<<<1, 1>>>(in, out, n), show("stride, one thread");
        stride_64<<<3, dim3(8, 1, 1)>>>(in, out, n), show("stride_64");
        over_blocks<<<2, 128>>>(in, out, n), show("over_blocks");
        sum_then_tree<<<3, 256>>>(in, out, n), show("sum_then_tree");
        const View view{in, n, {1, 2, 3, 4, 5, 6, 7, 8}};
        by_value<<<blocks, 256>>>(view, out, n), show("by_value");
        by_value_changed<<<blocks, 256>>>(view, out, n), show("by_value_changed");
        by_value_called<<<blocks, 256>>>(view, out, n), show("by_value_called");
        one_thread<<<1, 32>>>(in, out, n), show("one_thread");
        CHECKED(musaFree(in));
        CHECKED(musaFree(out));
    }
}
