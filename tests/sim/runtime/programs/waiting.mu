// waiting CASE BLOCKS: blocks that wait for other blocks, and kernels that wait for ever.
#include "program.h"

// A lock around a sum that is not atomic.
__global__ void locked_sum(int* lock, const float* in, double* sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *sum += in[blockIdx.x];
    __threadfence();
    atomicExch(lock, 0);
}

// Blocks that come earlier in the grid wait for those that come later.
__global__ void suffix_sum(const int* in, volatile int* out, volatile int* done) {
    const int b = blockIdx.x;
    int later = 0;
    if (b + 1 < gridDim.x) {
        while (done[b + 1] == 0) {
        }
        __threadfence();
        later = out[b + 1];
    }
    out[b] = later + in[b];
    __threadfence();
    done[b] = 1;
}

__device__ void wait_for_grid(int* arrived, int round) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < round * static_cast<int>(gridDim.x)) {
        }
        __threadfence();
    }
    __syncthreads();
}

// Each round, every element becomes the sum of its neighbours' neighbours of the round before.
__global__ void smooth(unsigned* a, unsigned* b, int rounds, int* arrived) {
    const unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 1; round <= rounds; ++round) {
        b[i] = a[(i + n - 1) % n] + a[i] + a[(i + 77) % n];
        wait_for_grid(arrived, round);
        unsigned* swap = a;
        a = b;
        b = swap;
    }
}

// The first blocks wait for all the others, which are short.
__global__ void many_short(const int* in, int* out, int first, int* done) {
    const int b = blockIdx.x, others = gridDim.x - first;
    if (b < first) {
        while (atomicAdd(done, 0) < others) {
        }
    } else {
        atomicAdd(done, 1);
    }
    out[b] = in[b] + 1;
}

__global__ void for_ever(const volatile int* flag) {
    while (*flag == 0) {
    }
}
__global__ void for_ever_beside_barrier(const volatile int* flag) {
    if (threadIdx.x == 5) {
        while (*flag == 0) {
        }
    }
    __syncthreads();
}
__global__ void for_ever_politely(const volatile int* flag) {
    while (*flag == 0) __nanosleep(100);
}
// It waits for no other thread, so that nothing lets those run.
__global__ void for_ever_busily(const volatile int* flag) {
    for (;;) *const_cast<volatile int*>(flag) = 0;
}
// Blocks that wait for one that has failed.
__global__ void for_the_failed(volatile int* flag) {
    if (blockIdx.x == 1) *static_cast<volatile int*>(nullptr) = 1;
    while (*flag == 0) {
    }
}
__global__ void fine(int* out) { *out = 42; }

int main(int, char** argv) {
    const std::string name = argv[1];
    const int blocks = std::atoi(argv[2]);
    if (name == "locked_sum") {
        DeviceArray<float>& in = input<float>(blocks);
        DeviceArray<int> lock(1);
        DeviceArray<double> sum(1);
        locked_sum<<<blocks, 1>>>(lock, in, sum);
        check_kernel();
        sum.write();
    } else if (name == "suffix_sum") {
        DeviceArray<int>& in = input<int>(blocks);
        DeviceArray<int> out(blocks), done(blocks);
        suffix_sum<<<blocks, 1>>>(in, out, done);
        check_kernel();
        out.write();
    } else if (name == "smooth") {
        DeviceArray<unsigned>& a = input<unsigned>(blocks * 64);
        DeviceArray<unsigned> b(blocks * 64);
        DeviceArray<int> arrived(1);
        smooth<<<blocks, 64>>>(a, b, 4, arrived);
        check_kernel();
        a.write();
    } else if (name == "many_short") {
        DeviceArray<int>& in = input<int>(blocks);
        for (int launch = 0; launch < 4; ++launch) {
            DeviceArray<int> out(blocks), done(1);
            many_short<<<blocks, 1>>>(in, out, 48, done);
            check_kernel();
            if (launch == 3) out.write();
        }
    } else {
        DeviceArray<int> flag(1);
        if (name == "for_ever") for_ever<<<blocks, 32>>>(flag);
        if (name == "for_ever_beside_barrier") for_ever_beside_barrier<<<blocks, 64>>>(flag);
        if (name == "for_ever_politely") for_ever_politely<<<blocks, 32>>>(flag);
        if (name == "for_ever_busily") for_ever_busily<<<blocks, 32>>>(flag);
        if (name == "for_the_failed") for_the_failed<<<blocks, 1>>>(flag);
        std::printf("synchronise=%s\n", musaGetErrorName(musaDeviceSynchronize()));
        CHECK(musaDeviceReset());
        fine<<<1, 1>>>(flag);
        std::printf("after reset=%d\n", flag.host()[0]);
    }
}
