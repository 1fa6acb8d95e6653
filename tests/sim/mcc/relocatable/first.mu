#include <cstdio>

#include "shared.muh"

static __device__ int hidden = 7;
static __global__ void same_name(int* out) { *out = hidden; }
static __device__ int helper() { return 100; }

__global__ void calls(int* out) {
    const int at = threadIdx.x;
    extern __shared__ int memory[];
    memory[at] = at;
    __syncthreads();
    Box box;
    Shape* shape = &box;
    int* sums = out + at * 10;
    sums[0] = plain(at) + helper();
    sums[1] = neighbour(at);
    sums[2] = sum_of_warp(at);
    sums[3] = dynamic()[at ^ 1];
    sums[4] = shape->area();
    sums[5] = operation(at);
    sums[6] = inlined(at);
    sums[7] = static_cast<int>(table[at % 4]);
    sums[8] = counter + managed;
    sums[9] = of_second_file();
}

static int* results;

static void show(const char* name, int count) {
    static int host[threads * 10];
    const musaError_t error = musaMemcpy(host, results, count * sizeof(int), musaMemcpyDeviceToHost);
    long long sum = 0;
    for (int i = 0; i < count; ++i) sum += static_cast<long long>(i % 97 + 1) * host[i];
    std::printf("%s=%lld %s\n", name, sum, musaGetErrorName(error));
}

int main() {
    musaMalloc(&results, threads * 10 * sizeof(int));
    const float values[4] = {1, 2, 3, 4};
    musaMemcpyToSymbol(table, values, sizeof values);
    const int start = 1000;
    musaMemcpyToSymbol(counter, &start, sizeof start);
    managed += 5;
    calls<<<1, threads, threads * sizeof(int)>>>(results);
    show("calls", threads * 10);
    kernel_of_second_file<<<1, threads>>>(results);
    show("kernel_of_second_file", threads);
    templated<<<1, threads>>>(results);
    show("templated", threads);
    launch_template_of_second_file(results);
    show("template_of_second_file", threads);
    same_name<<<1, 1>>>(results);
    show("static_of_first_file", 1);
    launch_static_kernel(results);
    show("static_of_second_file", 1);
    const int changed = 8;
    musaMemcpyToSymbol(hidden, &changed, sizeof changed);
    same_name<<<1, 1>>>(results);
    show("changed", 1);
    musaFree(results);
}
