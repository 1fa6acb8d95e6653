// A loop in a graph, which its kernel ends: CUDA 12.4's forms. Prints the rounds and what a graph without one kernel leaves.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define MUST(call) \
    if (cudaError_t error = (call); error != cudaSuccess) { std::printf("%s: %s\n", #call, cudaGetErrorString(error)); std::exit(1); }

__global__ void halve(int *x, int *rounds, cudaGraphConditionalHandle go_on) {
    ++*rounds;
    *x /= 2;
    cudaGraphSetConditional(go_on, *x > 0);
}

int main() {
    int *x = nullptr, *rounds = nullptr;
    MUST(cudaMallocManaged(&x, sizeof *x));
    MUST(cudaMallocManaged(&rounds, sizeof *rounds));
    *x = 1000;
    *rounds = 0;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, kernel;
    cudaGraphConditionalHandle handle;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional};
    loop.conditional.handle = handle;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    MUST(cudaGraphAddNode(&node, graph, nullptr, 0, &loop));
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    void *arguments[] = {&x, &rounds, &handle};
    params.kernel.func = reinterpret_cast<void *>(halve);
    params.kernel.gridDim = dim3(1);
    params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = arguments;
    MUST(cudaGraphAddNode(&kernel, loop.conditional.phGraph_out[0], nullptr, 0, &params));
    cudaGraphInstantiateParams how = {};
    MUST(cudaGraphInstantiateWithParams(&exec, graph, &how));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    std::printf("%d %d\n", *rounds, how.result_out == cudaGraphInstantiateSuccess);

    size_t offset = 0, size = 0;
    MUST(cudaFuncGetParamInfo(reinterpret_cast<const void *>(halve), 2, &offset, &size));
    std::printf("%d %d\n", static_cast<int>(offset), static_cast<int>(size));
    cudaGraphEdgeData edge = {};
    edge.type = cudaGraphDependencyTypeProgrammatic;
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    MUST(cudaGraphAddNode_v2(&kernel, graph, &node, &edge, 1, &params));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphNodeSetEnabled(exec, kernel, 0));
    *x = 3;
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    std::printf("%d\n", *rounds);
}
