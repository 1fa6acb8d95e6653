// refuted by compile-error
// expect rounds=5
// expect type=13
// expect without=5
// expect disabled=0
// expect offset=8
// expect size=4
// expect into_the_same=1
// Row newer-forms: calls of CUDA 12.3 to 12.8 under MUSA's names, with CUDA's forms.
#include "probe.h"
__global__ void count_round(unsigned* rounds, unsigned most, musaGraphConditionalHandle go_on) {
    musaGraphSetConditional(go_on, ++*rounds < most);
}
int main() {
    unsigned *rounds = nullptr, host = 0, most = 5;
    CHECK(musaMalloc(&rounds, sizeof host));
    CHECK(musaMemset(rounds, 0, sizeof host));
    musaGraph_t graph = nullptr;
    CHECK(musaGraphCreate(&graph, 0));
    musaGraphConditionalHandle handle = 0;
    CHECK(musaGraphConditionalHandleCreate(&handle, graph, 1, musaGraphCondAssignDefault));
    musaGraphNodeParams loop = {musaGraphNodeTypeConditional};
    loop.conditional.handle = handle;
    loop.conditional.type = musaGraphCondTypeWhile;
    loop.conditional.size = 1;
    musaGraphNode_t node = nullptr, kernel = nullptr;
    CHECK(musaGraphAddNode(&node, graph, nullptr, 0, &loop));
    musaGraphNodeType type{};
    CHECK(musaGraphNodeGetType(node, &type));
    musaGraphNodeParams params = {musaGraphNodeTypeKernel};
    void* arguments[] = {&rounds, &most, &handle};
    params.kernel.func = reinterpret_cast<void*>(count_round);
    params.kernel.gridDim = params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = arguments;
    CHECK(musaGraphAddNode(&kernel, loop.conditional.phGraph_out[0], nullptr, 0, &params));
    musaGraphInstantiateParams how{};
    musaGraphExec_t exec = nullptr;
    CHECK(musaGraphInstantiateWithParams(&exec, graph, &how));
    musaStream_t stream = nullptr;
    CHECK(musaStreamCreate(&stream));
    CHECK(musaGraphLaunch(exec, stream));
    CHECK(musaStreamSynchronize(stream));
    CHECK(musaMemcpy(&host, rounds, sizeof host, musaMemcpyDeviceToHost));
    fact("rounds", host);
    fact("type", type);

    // a kernel that an executable graph leaves out
    musaGraph_t plain = nullptr, captured = nullptr;
    CHECK(musaGraphCreate(&plain, 0));
    CHECK(musaGraphAddNode(&kernel, plain, nullptr, 0, &params));
    CHECK(musaGraphInstantiateWithParams(&exec, plain, &how));
    CHECK(musaGraphNodeSetEnabled(exec, kernel, 0));
    CHECK(musaGraphLaunch(exec, stream));
    CHECK(musaStreamSynchronize(stream));
    CHECK(musaMemcpy(&host, rounds, sizeof host, musaMemcpyDeviceToHost));
    unsigned enabled = 1;
    CHECK(musaGraphNodeGetEnabled(exec, kernel, &enabled));
    fact("without", host);
    fact("disabled", enabled);

    size_t offset = 0, size = 0;
    CHECK(musaFuncGetParamInfo(reinterpret_cast<const void*>(count_round), 1, &offset, &size));
    fact("offset", static_cast<long long>(offset));
    fact("size", static_cast<long long>(size));
    CHECK(musaStreamBeginCaptureToGraph(stream, plain, &kernel, nullptr, 1, musaStreamCaptureModeGlobal));
    CHECK(musaStreamEndCapture(stream, &captured));
    fact("into_the_same", captured == plain);
}
