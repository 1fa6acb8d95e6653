// refuted by compile-error
// expect value=7
// expect updated=20
// expect result=0
#include "probe.h"
__global__ void add(int* x, int summand) { *x += summand; }
musaGraph_t captured(int* x, int summand) {
    musaStream_t stream;
    musaGraph_t graph;
    CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(x, summand);
    CHECK(musaStreamEndCapture(stream, &graph));
    return graph;
}
int main() {
    int* x = managed<int>(1);
    const musaGraph_t graph = captured(x, 5);
    musaGraphNode_t node, differs;
    size_t count = 1;
    musaGraphExec_t exec;
    musaKernelNodeParams params;
    CHECK(musaGraphGetNodes(graph, &node, &count));
    CHECK(musaGraphInstantiate(&exec, graph, 0));
    CHECK(musaGraphKernelNodeGetParams(node, &params));
    int seven = 7;
    params.kernelParams[1] = &seven;
    CHECK(musaGraphExecKernelNodeSetParams(exec, node, &params));
    CHECK(musaGraphLaunch(exec, nullptr));
    CHECK(musaDeviceSynchronize());
    fact("value", *x);
    musaGraphExecUpdateResult result;
    CHECK(musaGraphExecUpdate(exec, captured(x, 13), &differs, &result));
    CHECK(musaGraphLaunch(exec, nullptr));
    CHECK(musaDeviceSynchronize());
    fact("updated", *x);
    fact("result", static_cast<long long>(result));
}
