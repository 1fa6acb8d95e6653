// Graphs: the runtime's.
#include "driver.h"

namespace {

musaKernelNodeParams of_runtime(const MUSA_KERNEL_NODE_PARAMS& params) {
    musaKernelNodeParams same{};
    same.func = params.func;
    same.gridDim = dim3(params.gridDimX, params.gridDimY, params.gridDimZ);
    same.blockDim = dim3(params.blockDimX, params.blockDimY, params.blockDimZ);
    same.sharedMemBytes = params.sharedMemBytes;
    same.kernelParams = params.kernelParams;
    same.extra = params.extra;
    return same;
}

MUSA_KERNEL_NODE_PARAMS of_driver(const musaKernelNodeParams& params) {
    const dim3 &grid = params.gridDim, &block = params.blockDim;
    return {static_cast<MUfunction>(params.func),
            grid.x,
            grid.y,
            grid.z,
            block.x,
            block.y,
            block.z,
            params.sharedMemBytes,
            params.kernelParams,
            params.extra};
}

}  // namespace

MUSA_EXPORT MUresult muStreamBeginCapture(MUstream stream, MUstreamCaptureMode mode) {
    return driver::call([=] { return musaStreamBeginCapture(stream, static_cast<musaStreamCaptureMode>(mode)); });
}

MUSA_EXPORT MUresult muStreamEndCapture(MUstream stream, MUgraph* graph) {
    return driver::call([=] { return musaStreamEndCapture(stream, graph); });
}

MUSA_EXPORT MUresult muStreamIsCapturing(MUstream stream, MUstreamCaptureStatus* status) {
    return muStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr, nullptr);
}

MUSA_EXPORT MUresult muStreamGetCaptureInfo(MUstream stream, MUstreamCaptureStatus* status, unsigned long long* id,
                                            MUgraph* graph, const MUgraphNode** dependencies, size_t* count) {
    if (!status) return MUSA_ERROR_INVALID_VALUE;
    musaStreamCaptureStatus now = musaStreamCaptureStatusNone;
    const MUresult result = driver::call(
        [&] { return musaStreamGetCaptureInfo(stream, &now, id, graph, dependencies, count); });
    if (result == MUSA_SUCCESS) *status = static_cast<MUstreamCaptureStatus>(now);
    return result;
}

MUSA_EXPORT MUresult muThreadExchangeStreamCaptureMode(MUstreamCaptureMode* mode) {
    if (!mode) return MUSA_ERROR_INVALID_VALUE;
    auto exchanged = static_cast<musaStreamCaptureMode>(*mode);
    const MUresult result = driver::call([&] { return musaThreadExchangeStreamCaptureMode(&exchanged); });
    if (result == MUSA_SUCCESS) *mode = static_cast<MUstreamCaptureMode>(exchanged);
    return result;
}

MUSA_EXPORT MUresult muGraphGetNodes(MUgraph graph, MUgraphNode* nodes, size_t* count) {
    return driver::call([=] { return musaGraphGetNodes(graph, nodes, count); });
}

MUSA_EXPORT MUresult muGraphNodeGetType(MUgraphNode node, MUgraphNodeType* type) {
    if (!type) return MUSA_ERROR_INVALID_VALUE;
    musaGraphNodeType found = musaGraphNodeTypeKernel;
    const MUresult result = driver::call([&] { return musaGraphNodeGetType(node, &found); });
    if (result == MUSA_SUCCESS) *type = static_cast<MUgraphNodeType>(found);
    return result;
}

MUSA_EXPORT MUresult muGraphKernelNodeGetParams(MUgraphNode node, MUSA_KERNEL_NODE_PARAMS* params) {
    if (!params) return MUSA_ERROR_INVALID_VALUE;
    musaKernelNodeParams found{};
    const MUresult result = driver::call([&] { return musaGraphKernelNodeGetParams(node, &found); });
    if (result == MUSA_SUCCESS) *params = of_driver(found);
    return result;
}

MUSA_EXPORT MUresult muGraphKernelNodeSetParams(MUgraphNode node, const MUSA_KERNEL_NODE_PARAMS* params) {
    if (!params) return MUSA_ERROR_INVALID_VALUE;
    const musaKernelNodeParams same = of_runtime(*params);
    return driver::call([&] { return musaGraphKernelNodeSetParams(node, &same); });
}

MUSA_EXPORT MUresult muGraphExecKernelNodeSetParams(MUgraphExec exec, MUgraphNode node,
                                                    const MUSA_KERNEL_NODE_PARAMS* params) {
    if (!params) return MUSA_ERROR_INVALID_VALUE;
    const musaKernelNodeParams same = of_runtime(*params);
    return driver::call([&] { return musaGraphExecKernelNodeSetParams(exec, node, &same); });
}

MUSA_EXPORT MUresult muGraphExecUpdate(MUgraphExec exec, MUgraph graph, MUgraphNode* error_node,
                                       MUgraphExecUpdateResult* result) {
    musaGraphExecUpdateResult outcome = musaGraphExecUpdateError;
    const MUresult status = driver::call([&] { return musaGraphExecUpdate(exec, graph, error_node, &outcome); });
    if (result) *result = static_cast<MUgraphExecUpdateResult>(outcome);
    return status;
}

MUSA_EXPORT MUresult muGraphDebugDotPrint(MUgraph graph, const char* path, unsigned int flags) {
    return driver::call([=] { return musaGraphDebugDotPrint(graph, path, flags); });
}

MUSA_EXPORT MUresult muGraphInstantiate(MUgraphExec* exec, MUgraph graph, unsigned long long flags) {
    return driver::call([=] { return musaGraphInstantiate(exec, graph, flags); });
}

MUSA_EXPORT MUresult muGraphInstantiateWithFlags(MUgraphExec* exec, MUgraph graph, unsigned long long flags) {
    return muGraphInstantiate(exec, graph, flags);
}

MUSA_EXPORT MUresult muGraphUpload(MUgraphExec exec, MUstream stream) {
    return driver::call([=] { return musaGraphUpload(exec, stream); });
}

MUSA_EXPORT MUresult muGraphLaunch(MUgraphExec exec, MUstream stream) {
    return driver::call([=] { return musaGraphLaunch(exec, stream); });
}

MUSA_EXPORT MUresult muGraphExecDestroy(MUgraphExec exec) {
    return driver::call([=] { return musaGraphExecDestroy(exec); });
}

MUSA_EXPORT MUresult muGraphDestroy(MUgraph graph) {
    return driver::call([=] { return musaGraphDestroy(graph); });
}
