// Advice and prefetches that name a device, and those that name a location: the runtime then tells one answer.
#include <cstdio>
#include <cuda_runtime.h>

static int preferred(const void *memory, size_t bytes) {
    int device = -9;
    cudaMemRangeGetAttribute(&device, sizeof device, cudaMemRangeAttributePreferredLocation, memory, bytes);
    return device;
}

static int prefetched(const void *memory, size_t bytes) {
    int device = -9;
    cudaDeviceSynchronize();
    cudaMemRangeGetAttribute(&device, sizeof device, cudaMemRangeAttributeLastPrefetchLocation, memory, bytes);
    return device;
}

int main() {
    const size_t bytes = 4096;
    char *memory;
    cudaMallocManaged(&memory, bytes);
    cudaMemLocation device{}, host{}, nowhere{}, numa{};
    device.type = cudaMemLocationTypeDevice;
    device.id = 0;
    host.type = cudaMemLocationTypeHost;
    host.id = 7;
    numa.type = cudaMemLocationTypeHostNumaCurrent;
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    std::printf("%d", cudaMemAdvise(memory, bytes, cudaMemAdviseSetPreferredLocation, device));
    std::printf(" %d", preferred(memory, bytes));
    std::printf(" %d", cudaMemAdvise_v2(memory, bytes, cudaMemAdviseSetPreferredLocation, host));
    std::printf(" %d", preferred(memory, bytes));
    std::printf(" %d", cudaMemAdvise(memory, bytes, cudaMemAdviseSetPreferredLocation, 0));
    std::printf(" %d\n", preferred(memory, bytes));

    std::printf("%d", cudaMemPrefetchAsync(memory, bytes, device, 0));
    std::printf(" %d", prefetched(memory, bytes));
    std::printf(" %d", cudaMemPrefetchAsync(memory, bytes, numa, 0, stream));
    std::printf(" %d", prefetched(memory, bytes));
    std::printf(" %d", cudaMemPrefetchAsync(memory, bytes, 0));
    std::printf(" %d", prefetched(memory, bytes));
    std::printf(" %d", cudaMemPrefetchAsync_v2(memory, bytes, host, 0, stream));
    std::printf(" %d", prefetched(memory, bytes));
    std::printf(" %d", cudaMemPrefetchAsync(memory, bytes, 0, stream));
    std::printf(" %d\n", prefetched(memory, bytes));

    std::printf("%d", cudaMemPrefetchAsync(memory, bytes, nowhere, 0) == cudaErrorInvalidDevice);
    std::printf(" %d\n", cudaMemPrefetchAsync(memory, bytes, device, 1) == cudaErrorInvalidValue);
}
