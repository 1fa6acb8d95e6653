// Whether stream 0 is the thread's, for the API, for launches, and for the API in a source of the host; and whether the
// macro is defined. The device's default stream cannot be captured. A launch in it is not part of the thread's capture.
#ifdef DEFINED_FIRST
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#endif
#include <cuda_runtime.h>

#include <cstdio>

int of_the_host_source();
#ifdef HOST
int of_the_host_source() {
    cudaGraph_t graph = nullptr;
    if (cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed) != cudaSuccess) return 0;
    cudaStreamEndCapture(0, &graph);
    return 1;
}
#else
__global__ void nothing() {}

int main() {
    cudaFree(nullptr);
    cudaGraph_t graph = nullptr;
    const bool api = cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed) == cudaSuccess;
    if (api) cudaStreamEndCapture(0, &graph);
    cudaGetLastError();
    cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeRelaxed);
    nothing<<<1, 1>>>();
    cudaGetLastError();
    size_t nodes = 0;
    if (cudaStreamEndCapture(cudaStreamPerThread, &graph) == cudaSuccess) cudaGraphGetNodes(graph, nullptr, &nodes);
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    const bool defined = true;
#else
    const bool defined = false;
#endif
    std::printf("api=%d launch=%d macro=%d host=%d\n", api, int(nodes), defined, of_the_host_source());
}
#endif
