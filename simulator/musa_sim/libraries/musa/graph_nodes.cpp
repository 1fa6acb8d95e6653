// Nodes of graphs, by calls of the runtime.
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

static_assert(sizeof(MUSA_MEMSET_NODE_PARAMS) == sizeof(musaMemsetParams));
static_assert(sizeof(MUSA_HOST_NODE_PARAMS) == sizeof(musaHostNodeParams));
static_assert(sizeof(MUSA_MEM_ALLOC_NODE_PARAMS) == sizeof(musaMemAllocNodeParams));
static_assert(sizeof(MUkernelNodeAttrValue) == sizeof(musaKernelNodeAttrValue));

// Call runtime(params) for a copy that the driver describes.
template <class Call>
MUresult copy_call(const MUSA_MEMCPY3D* params, Call runtime) {
    if (!params) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([&] {
        musaMemcpy3DParms same{};
        const musaError_t error = driver::runtime_copy(*params, &same);
        return error != musaSuccess ? error : runtime(&same);
    });
}

}  // namespace

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

MUSA_EXPORT MUresult muGraphAddKernelNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                                          const MUSA_KERNEL_NODE_PARAMS* params) {
    if (!params) return MUSA_ERROR_INVALID_VALUE;
    const musaKernelNodeParams same = of_runtime(*params);
    return driver::call([&] { return musaGraphAddKernelNode(node, graph, dependencies, count, &same); });
}

MUSA_EXPORT MUresult muGraphKernelNodeGetAttribute(MUgraphNode node, MUkernelNodeAttrID attribute,
                                                   MUkernelNodeAttrValue* value) {
    return driver::call(
        [=] { return musaGraphKernelNodeGetAttribute(node, static_cast<musaKernelNodeAttrID>(attribute), reinterpret_cast<musaKernelNodeAttrValue*>(value)); });
}

MUSA_EXPORT MUresult muGraphKernelNodeSetAttribute(MUgraphNode node, MUkernelNodeAttrID attribute, const
                                                   MUkernelNodeAttrValue* value) {
    return driver::call(
        [=] { return musaGraphKernelNodeSetAttribute(node, static_cast<musaKernelNodeAttrID>(attribute), reinterpret_cast<const musaKernelNodeAttrValue*>(value)); });
}

// The driver's first argument is the target, the runtime's the source.
MUSA_EXPORT MUresult muGraphKernelNodeCopyAttributes(MUgraphNode to, MUgraphNode from) {
    return driver::call([=] { return musaGraphKernelNodeCopyAttributes(from, to); });
}

MUSA_EXPORT MUresult muGraphAddMemcpyNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                                          const MUSA_MEMCPY3D* params, MUcontext) {
    return copy_call(params, [=](const musaMemcpy3DParms* same) {
        return musaGraphAddMemcpyNode(node, graph, dependencies, count, same);
    });
}

MUSA_EXPORT MUresult muGraphMemcpyNodeGetParams(MUgraphNode node, MUSA_MEMCPY3D* params) {
    if (!params) return MUSA_ERROR_INVALID_VALUE;
    musaMemcpy3DParms found{};
    const MUresult result = driver::call([&] { return musaGraphMemcpyNodeGetParams(node, &found); });
    if (result == MUSA_SUCCESS) *params = driver::driver_copy(found);
    return result;
}

MUSA_EXPORT MUresult muGraphMemcpyNodeSetParams(MUgraphNode node, const MUSA_MEMCPY3D* params) {
    return copy_call(params, [=](const musaMemcpy3DParms* same) { return musaGraphMemcpyNodeSetParams(node, same); });
}

MUSA_EXPORT MUresult muGraphExecMemcpyNodeSetParams(MUgraphExec exec, MUgraphNode node, const MUSA_MEMCPY3D* params,
                                                    MUcontext) {
    return copy_call(
        params, [=](const musaMemcpy3DParms* same) { return musaGraphExecMemcpyNodeSetParams(exec, node, same); });
}

MUSA_EXPORT MUresult muGraphAddMemsetNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t
                                          count, const MUSA_MEMSET_NODE_PARAMS* params, MUcontext) {
    return driver::call(
        [=] { return musaGraphAddMemsetNode(node, graph, dependencies, count, reinterpret_cast<const musaMemsetParams*>(params)); });
}

MUSA_EXPORT MUresult muGraphMemsetNodeGetParams(MUgraphNode node, MUSA_MEMSET_NODE_PARAMS* params) {
    return driver::call(
        [=] { return musaGraphMemsetNodeGetParams(node, reinterpret_cast<musaMemsetParams*>(params)); });
}

MUSA_EXPORT MUresult muGraphMemsetNodeSetParams(MUgraphNode node, const MUSA_MEMSET_NODE_PARAMS* params) {
    return driver::call(
        [=] { return musaGraphMemsetNodeSetParams(node, reinterpret_cast<const musaMemsetParams*>(params)); });
}

MUSA_EXPORT MUresult muGraphExecMemsetNodeSetParams(MUgraphExec exec, MUgraphNode node, const
                                                    MUSA_MEMSET_NODE_PARAMS* params, MUcontext) {
    return driver::call(
        [=] { return musaGraphExecMemsetNodeSetParams(exec, node, reinterpret_cast<const musaMemsetParams*>(params)); });
}

MUSA_EXPORT MUresult muGraphAddHostNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t
                                        count, const MUSA_HOST_NODE_PARAMS* params) {
    return driver::call(
        [=] { return musaGraphAddHostNode(node, graph, dependencies, count, reinterpret_cast<const musaHostNodeParams*>(params)); });
}

MUSA_EXPORT MUresult muGraphHostNodeGetParams(MUgraphNode node, MUSA_HOST_NODE_PARAMS* params) {
    return driver::call(
        [=] { return musaGraphHostNodeGetParams(node, reinterpret_cast<musaHostNodeParams*>(params)); });
}

MUSA_EXPORT MUresult muGraphHostNodeSetParams(MUgraphNode node, const MUSA_HOST_NODE_PARAMS* params) {
    return driver::call(
        [=] { return musaGraphHostNodeSetParams(node, reinterpret_cast<const musaHostNodeParams*>(params)); });
}

MUSA_EXPORT MUresult muGraphExecHostNodeSetParams(MUgraphExec exec, MUgraphNode node, const MUSA_HOST_NODE_PARAMS*
                                                  params) {
    return driver::call(
        [=] { return musaGraphExecHostNodeSetParams(exec, node, reinterpret_cast<const musaHostNodeParams*>(params)); });
}

MUSA_EXPORT MUresult muGraphAddChildGraphNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies,
                                              size_t count, MUgraph child) {
    return driver::call([=] { return musaGraphAddChildGraphNode(node, graph, dependencies, count, child); });
}

MUSA_EXPORT MUresult muGraphAddEmptyNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t
                                         count) {
    return driver::call([=] { return musaGraphAddEmptyNode(node, graph, dependencies, count); });
}

MUSA_EXPORT MUresult muGraphAddEventRecordNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies,
                                               size_t count, MUevent event) {
    return driver::call([=] { return musaGraphAddEventRecordNode(node, graph, dependencies, count, event); });
}

MUSA_EXPORT MUresult muGraphAddEventWaitNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies,
                                             size_t count, MUevent event) {
    return driver::call([=] { return musaGraphAddEventWaitNode(node, graph, dependencies, count, event); });
}

MUSA_EXPORT MUresult muGraphEventRecordNodeGetEvent(MUgraphNode node, MUevent* event) {
    return driver::call([=] { return musaGraphEventRecordNodeGetEvent(node, event); });
}

MUSA_EXPORT MUresult muGraphEventRecordNodeSetEvent(MUgraphNode node, MUevent event) {
    return driver::call([=] { return musaGraphEventRecordNodeSetEvent(node, event); });
}

MUSA_EXPORT MUresult muGraphExecEventRecordNodeSetEvent(MUgraphExec exec, MUgraphNode node, MUevent event) {
    return driver::call([=] { return musaGraphExecEventRecordNodeSetEvent(exec, node, event); });
}

MUSA_EXPORT MUresult muGraphEventWaitNodeGetEvent(MUgraphNode node, MUevent* event) {
    return driver::call([=] { return musaGraphEventWaitNodeGetEvent(node, event); });
}

MUSA_EXPORT MUresult muGraphEventWaitNodeSetEvent(MUgraphNode node, MUevent event) {
    return driver::call([=] { return musaGraphEventWaitNodeSetEvent(node, event); });
}

MUSA_EXPORT MUresult muGraphExecEventWaitNodeSetEvent(MUgraphExec exec, MUgraphNode node, MUevent event) {
    return driver::call([=] { return musaGraphExecEventWaitNodeSetEvent(exec, node, event); });
}

MUSA_EXPORT MUresult muGraphAddMemAllocNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t
                                            count, MUSA_MEM_ALLOC_NODE_PARAMS* params) {
    return driver::call(
        [=] { return musaGraphAddMemAllocNode(node, graph, dependencies, count, reinterpret_cast<musaMemAllocNodeParams*>(params)); });
}

MUSA_EXPORT MUresult muGraphMemAllocNodeGetParams(MUgraphNode node, MUSA_MEM_ALLOC_NODE_PARAMS* params) {
    return driver::call(
        [=] { return musaGraphMemAllocNodeGetParams(node, reinterpret_cast<musaMemAllocNodeParams*>(params)); });
}

MUSA_EXPORT MUresult muGraphAddMemFreeNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t
                                           count, MUdeviceptr memory) {
    return driver::call(
        [=] { return musaGraphAddMemFreeNode(node, graph, dependencies, count, driver::pointer(memory)); });
}

MUSA_EXPORT MUresult muGraphMemFreeNodeGetParams(MUgraphNode node, MUdeviceptr* memory) {
    return driver::call([=] { return musaGraphMemFreeNodeGetParams(node, memory); });
}
