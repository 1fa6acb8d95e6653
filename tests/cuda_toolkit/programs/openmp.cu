// Every form of loop and reduction against plain sums; then one stream and kernel per thread.
#include <cstdio>
#include <omp.h>
#include <vector>

__global__ void fill(int *out, int n, int value) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = value + i;
}

int main() {
    long wrong = 0;
    for (int threads : {1, 2, 3, 7}) {
        for (int n : {0, 1, 5, 1000, 1001}) {
            std::vector<int> hits(n + 1);
            long sum = 0, expected = 0;
            int last = -1, most = 0;
            for (int i = 0; i < n; i++) expected += 3L * i + 1;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
            for (int i = 0; i < n; i++) sum += 3L * i + 1, hits[i]++;
#pragma omp parallel for num_threads(threads) schedule(static, 3) lastprivate(last)
            for (int i = 0; i < n; i++) hits[i]++, last = i;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4) reduction(max : most)
            for (int i = n - 1; i >= 0; i--) hits[i]++, most = i > most ? i : most;
#pragma omp parallel for num_threads(threads) schedule(guided)
            for (unsigned long i = 0; i < (unsigned long)n; i += 2) hits[i]++;
#pragma omp parallel for if (n > 500) num_threads(threads)
            for (long i = 1; i < n; i += 2) hits[i]++;
            int singles = 0, masters = 0, counted = 0, all = 0;
#pragma omp parallel num_threads(threads)
            {
#pragma omp single
                singles++;
#pragma omp master
                masters++;
#pragma omp critical
                counted++;
#pragma omp barrier
#pragma omp atomic
                all += counted;
#pragma omp for nowait
                for (int i = 0; i < n; i++) hits[i]++;
            }
            wrong += sum != expected || last != n - 1 || most != (n > 0 ? n - 1 : 0);
            wrong += singles != 1 || masters != 1 || counted != threads || all != threads * threads;
            for (int i = 0; i < n; i++) wrong += hits[i] != 5;
        }
    }
    const int n = 300, jobs = 6;
    std::vector<int> results(n * jobs);
    int most_threads = 0;
#pragma omp parallel for num_threads(3) reduction(max : most_threads)
    for (int job = 0; job < jobs; job++) {
        int *memory;
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        cudaMalloc(&memory, n * sizeof(int));
        fill<<<1, 32, 0, stream>>>(memory, n, 1000 * job);
        cudaMemcpyAsync(&results[n * job], memory, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        cudaFree(memory);
        cudaStreamDestroy(stream);
        most_threads = omp_get_num_threads();
    }
    for (int job = 0; job < jobs; job++)
        for (int i = 0; i < n; i++) wrong += results[n * job + i] != 1000 * job + i;
    std::printf("%ld wrong, %d threads\n", wrong, most_threads);
}
