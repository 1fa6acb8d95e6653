// A graph's executable form takes over another graph: by the call of CUDA 12, and by that of CUDA 11.
#include <cstdio>

__global__ void set(int* to, int value) { *to = value; }

static cudaGraph_t graph_of(cudaStream_t stream, int* to, int value, bool twice) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    set<<<1, 1, 0, stream>>>(to, value);
    if (twice) set<<<1, 1, 0, stream>>>(to, value);
    cudaStreamEndCapture(stream, &graph);
    return graph;
}

int main() {
    int* to;
    cudaMalloc(&to, sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph_of(stream, to, 1, false), nullptr, nullptr, 0);
    const auto run = [&] {
        int value = 0;
        cudaGraphLaunch(executable, stream);
        cudaMemcpyAsync(&value, to, sizeof value, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        return value;
    };
    std::printf("%d\n", run());
    cudaGraphExecUpdateResultInfo info{};
    std::printf("%d", cudaGraphExecUpdate(executable, graph_of(stream, to, 2, false), &info));
    std::printf(" %d %d\n", info.result == cudaGraphExecUpdateSuccess, run());
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
    std::printf("%d", cudaGraphExecUpdate(executable, graph_of(stream, to, 3, false), nullptr, &result));
    std::printf(" %d %d\n", result == cudaGraphExecUpdateSuccess, run());
    std::printf("%d", cudaGraphExecUpdate(executable, graph_of(stream, to, 4, true), nullptr, &result));
    std::printf(" %d %d\n", result == cudaGraphExecUpdateErrorTopologyChanged, run());
}
