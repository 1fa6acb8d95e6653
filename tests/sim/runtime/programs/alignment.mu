// alignment: how many threads saw an object that lies elsewhere than its type's alignment says, by kinds of objects.
#include "program.h"

template <int N>
struct alignas(N) Row {
    float values[N / 2];
};

enum Kind { parameter, shared_variable, dynamic_shared, device_variable, constant_variable, local_variable, kinds };

__device__ unsigned misplaced[kinds];
__device__ Row<128> of_the_device;
__constant__ Row<64> constant;

template <int N>
__device__ void look(Kind kind, const Row<N>& row) {
    volatile size_t address = reinterpret_cast<size_t>(&row);  // unknown to LLVM
    if (address % N) atomicAdd(&misplaced[kind], 1);
}

template <int N>
__device__ float sum(const Row<N>& row) {
    float total = 0;
    for (float value : row.values) total += value;  // in vectors, which fault where they are not aligned
    return total;
}

template <int N>
__global__ void in_a_loop(char, Row<N> row, float* out) {
    look(parameter, row);
    out[threadIdx.x] = sum(row);
}

template <int N>
__global__ void across_a_barrier(char first, Row<N> row, float* out) {
    __shared__ char odd[3];
    __shared__ Row<N> shared;
    extern __shared__ Row<128> dynamic[];
    Row<N> local = row;
    if (threadIdx.x == 0) {
        odd[int(first)] = first;
        shared = row;
        for (float& value : dynamic[0].values) value = 1;
    }
    __syncthreads();
    local.values[threadIdx.x % (N / 2)] += odd[int(first)];
    look(parameter, row);
    look(shared_variable, shared);
    look(dynamic_shared, dynamic[0]);
    look(device_variable, of_the_device);
    look(constant_variable, constant);
    look(local_variable, local);
    out[threadIdx.x] = sum(row) + sum(shared) + sum(dynamic[0]) + sum(local);
}

template <int N>
void run(float* out) {
    Row<N> row;
    for (float& value : row.values) value = 2;
    for (unsigned threads : {1, 33, 64, 200}) {
        in_a_loop<<<2, threads>>>(0, row, out);
        across_a_barrier<<<2, threads, sizeof(Row<128>)>>>(1, row, out);
        check_kernel();
        float last;
        CHECK(musaMemcpy(&last, out + threads - 1, sizeof last, musaMemcpyDeviceToHost));
        if (last != 3 * N + 64 + 1) std::printf("wrong sum: %g\n", last);
    }
}

int main() {
    float* out;
    CHECK(musaMalloc(&out, 200 * sizeof(float)));
    run<16>(out);
    run<32>(out);
    run<64>(out);
    run<128>(out);
    unsigned found[kinds];
    CHECK(musaMemcpyFromSymbol(found, misplaced, sizeof found));
    for (unsigned count : found) std::printf("%u ", count);
    std::printf("\n");
}
