// Graphs: the runtime's.
#include "driver.h"

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
