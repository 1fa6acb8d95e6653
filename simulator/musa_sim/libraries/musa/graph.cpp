// Graphs, by calls of the runtime.
#include "driver.h"

MUSA_EXPORT MUresult muStreamBeginCapture(MUstream stream, MUstreamCaptureMode mode) {
    return driver::call([=] { return musaStreamBeginCapture(stream, static_cast<musaStreamCaptureMode>(mode)); });
}
MUSA_FIRST_NAME(muStreamBeginCapture)

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
MUSA_FIRST_NAME(muStreamGetCaptureInfo)

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

MUSA_EXPORT MUresult muGraphInstantiateWithParams(MUgraphExec* exec, MUgraph graph, MUSA_GRAPH_INSTANTIATE_PARAMS* params) {
    if (!params) return MUSA_ERROR_INVALID_VALUE;
    musaGraphInstantiateParams same{params->flags, params->hUploadStream, nullptr, musaGraphInstantiateError};
    const MUresult result = driver::call([&] { return musaGraphInstantiateWithParams(exec, graph, &same); });
    params->hErrNode_out = same.errNode_out;
    params->result_out = static_cast<MUgraphInstantiateResult>(same.result_out);
    return result;
}

MUSA_EXPORT MUresult muGraphExecGetFlags(MUgraphExec exec, muuint64_t* flags) {
    if (!flags) return MUSA_ERROR_INVALID_VALUE;
    unsigned long long found = 0;
    const MUresult result = driver::call([&] { return musaGraphExecGetFlags(exec, &found); });
    if (result == MUSA_SUCCESS) *flags = found;
    return result;
}

MUSA_EXPORT MUresult muStreamBeginCaptureToGraph(MUstream stream, MUgraph graph, const MUgraphNode* dependencies,
                                                 const MUgraphEdgeData* data, size_t count, MUstreamCaptureMode mode) {
    return driver::call([=] {
        return musaStreamBeginCaptureToGraph(stream, graph, dependencies, reinterpret_cast<const musaGraphEdgeData*>(data),
                                             count, static_cast<musaStreamCaptureMode>(mode));
    });
}

MUSA_EXPORT MUresult muGraphUpload(MUgraphExec exec, MUstream stream) {
    return driver::call([=] { return musaGraphUpload(exec, stream); });
}

MUSA_EXPORT MUresult muGraphLaunch(MUgraphExec exec, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([=] { return musaGraphLaunch(exec, stream); });
}

MUSA_EXPORT MUresult muGraphExecDestroy(MUgraphExec exec) {
    return driver::call([=] { return musaGraphExecDestroy(exec); });
}

MUSA_EXPORT MUresult muGraphDestroy(MUgraph graph) {
    return driver::call([=] { return musaGraphDestroy(graph); });
}

MUSA_EXPORT MUresult muStreamUpdateCaptureDependencies(MUstream stream, MUgraphNode* dependencies, size_t count,
                                                       unsigned int flags) {
    return driver::call([=] { return musaStreamUpdateCaptureDependencies(stream, dependencies, count, flags); });
}

MUSA_EXPORT MUresult muGraphCreate(MUgraph* graph, unsigned int flags) {
    return driver::call([=] { return musaGraphCreate(graph, flags); });
}

MUSA_EXPORT MUresult muGraphClone(MUgraph* clone, MUgraph original) {
    return driver::call([=] { return musaGraphClone(clone, original); });
}

MUSA_EXPORT MUresult muGraphNodeFindInClone(MUgraphNode* node, MUgraphNode original, MUgraph clone) {
    return driver::call([=] { return musaGraphNodeFindInClone(node, original, clone); });
}

MUSA_EXPORT MUresult muGraphAddDependencies(MUgraph graph, const MUgraphNode* from, const MUgraphNode* to, size_t
                                            count) {
    return driver::call([=] { return musaGraphAddDependencies(graph, from, to, count); });
}

MUSA_EXPORT MUresult muGraphRemoveDependencies(MUgraph graph, const MUgraphNode* from, const MUgraphNode* to, size_t
                                               count) {
    return driver::call([=] { return musaGraphRemoveDependencies(graph, from, to, count); });
}

MUSA_EXPORT MUresult muGraphDestroyNode(MUgraphNode node) {
    return driver::call([=] { return musaGraphDestroyNode(node); });
}

MUSA_EXPORT MUresult muGraphNodeGetDependencies(MUgraphNode node, MUgraphNode* dependencies, size_t* count) {
    return driver::call([=] { return musaGraphNodeGetDependencies(node, dependencies, count); });
}

MUSA_EXPORT MUresult muGraphNodeGetDependentNodes(MUgraphNode node, MUgraphNode* dependents, size_t* count) {
    return driver::call([=] { return musaGraphNodeGetDependentNodes(node, dependents, count); });
}

MUSA_EXPORT MUresult muGraphGetRootNodes(MUgraph graph, MUgraphNode* nodes, size_t* count) {
    return driver::call([=] { return musaGraphGetRootNodes(graph, nodes, count); });
}

MUSA_EXPORT MUresult muGraphGetEdges(MUgraph graph, MUgraphNode* from, MUgraphNode* to, size_t* count) {
    return driver::call([=] { return musaGraphGetEdges(graph, from, to, count); });
}

MUSA_EXPORT MUresult muGraphChildGraphNodeGetGraph(MUgraphNode node, MUgraph* graph) {
    return driver::call([=] { return musaGraphChildGraphNodeGetGraph(node, graph); });
}

MUSA_EXPORT MUresult muGraphExecChildGraphNodeSetParams(MUgraphExec exec, MUgraphNode node, MUgraph child) {
    return driver::call([=] { return musaGraphExecChildGraphNodeSetParams(exec, node, child); });
}

MUSA_EXPORT MUresult muDeviceGetGraphMemAttribute(MUdevice device, MUgraphMem_attribute attribute, void* value) {
    return driver::call(
        [=] { return musaDeviceGetGraphMemAttribute(device, static_cast<musaGraphMemAttributeType>(attribute), value); });
}

MUSA_EXPORT MUresult muDeviceSetGraphMemAttribute(MUdevice device, MUgraphMem_attribute attribute, void* value) {
    return driver::call(
        [=] { return musaDeviceSetGraphMemAttribute(device, static_cast<musaGraphMemAttributeType>(attribute), value); });
}

MUSA_EXPORT MUresult muDeviceGraphMemTrim(MUdevice device) {
    return driver::call([=] { return musaDeviceGraphMemTrim(device); });
}

MUSA_EXPORT MUresult muUserObjectCreate(MUuserObject* object, void* data, MUhostFn destroy, unsigned int references,
                                        unsigned int flags) {
    return driver::call([=] { return musaUserObjectCreate(object, data, destroy, references, flags); });
}

MUSA_EXPORT MUresult muUserObjectRetain(MUuserObject object, unsigned int count) {
    return driver::call([=] { return musaUserObjectRetain(object, count); });
}

MUSA_EXPORT MUresult muUserObjectRelease(MUuserObject object, unsigned int count) {
    return driver::call([=] { return musaUserObjectRelease(object, count); });
}

MUSA_EXPORT MUresult muGraphRetainUserObject(MUgraph graph, MUuserObject object, unsigned int count, unsigned int
                                             flags) {
    return driver::call([=] { return musaGraphRetainUserObject(graph, object, count, flags); });
}

MUSA_EXPORT MUresult muGraphReleaseUserObject(MUgraph graph, MUuserObject object, unsigned int count) {
    return driver::call([=] { return musaGraphReleaseUserObject(graph, object, count); });
}

MUSA_EXPORT MUresult muGraphInstantiate_v2(MUgraphExec* exec, MUgraph graph, MUgraphNode* error_node, char* log,
                                           size_t log_bytes) {
    if (error_node) *error_node = nullptr;
    if (log && log_bytes > 0) *log = '\0';
    return muGraphInstantiate(exec, graph, 0);
}
