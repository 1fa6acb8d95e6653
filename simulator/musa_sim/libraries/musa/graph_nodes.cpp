// Nodes of graphs, by calls of the runtime.
#include <cstddef>
#include <cstring>

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

// The parameters in the form that has a kernel of a library, too.
musaKernelNodeParams of_runtime(const MUSA_KERNEL_NODE_PARAMS_v2& params) {
    MUSA_KERNEL_NODE_PARAMS first;
    std::memcpy(&first, &params, sizeof first);
    if (!first.func) first.func = reinterpret_cast<MUfunction>(params.kern);
    return of_runtime(first);
}

static_assert(offsetof(MUSA_KERNEL_NODE_PARAMS_v2, kern) == sizeof(MUSA_KERNEL_NODE_PARAMS));

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

MUSA_EXPORT MUresult muGraphKernelNodeGetParams_v2(MUgraphNode node, MUSA_KERNEL_NODE_PARAMS_v2* params) {
    if (!params) return MUSA_ERROR_INVALID_VALUE;
    MUSA_KERNEL_NODE_PARAMS first;
    const MUresult result = muGraphKernelNodeGetParams(node, &first);
    if (result != MUSA_SUCCESS) return result;
    *params = {};
    std::memcpy(params, &first, sizeof first);
    return result;
}

MUSA_EXPORT MUresult muGraphKernelNodeSetParams_v2(MUgraphNode node, const MUSA_KERNEL_NODE_PARAMS_v2* params) {
    if (!params) return MUSA_ERROR_INVALID_VALUE;
    const musaKernelNodeParams same = of_runtime(*params);
    return driver::call([&] { return musaGraphKernelNodeSetParams(node, &same); });
}

MUSA_EXPORT MUresult muGraphExecKernelNodeSetParams_v2(MUgraphExec exec, MUgraphNode node,
                                                       const MUSA_KERNEL_NODE_PARAMS_v2* params) {
    if (!params) return MUSA_ERROR_INVALID_VALUE;
    const musaKernelNodeParams same = of_runtime(*params);
    return driver::call([&] { return musaGraphExecKernelNodeSetParams(exec, node, &same); });
}

MUSA_EXPORT MUresult muGraphAddKernelNode_v2(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies,
                                             size_t count, const MUSA_KERNEL_NODE_PARAMS_v2* params) {
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

namespace {

// Copy the parameters of any node into the runtime's structure; return false for a copy, as the driver describes it, that is wrong.
bool of_runtime(const MUgraphNodeParams& given, musaGraphNodeParams& same) {
    same.type = static_cast<musaGraphNodeType>(given.type);
    std::memcpy(same.reserved0, given.reserved0, sizeof same.reserved0);
    same.reserved2 = given.reserved2;
    switch (given.type) {
        case MU_GRAPH_NODE_TYPE_KERNEL: {
            const musaKernelNodeParams kernel = of_runtime(given.kernel);
            same.kernel = {kernel.func, kernel.gridDim, kernel.blockDim, kernel.sharedMemBytes, kernel.kernelParams,
                           kernel.extra};
            return true;
        }
        case MU_GRAPH_NODE_TYPE_MEMCPY:
            same.memcpy = {given.memcpy.flags, {given.memcpy.reserved}, {}};
            return driver::runtime_copy(given.memcpy.copyParams, &same.memcpy.copyParams) == musaSuccess;
        case MU_GRAPH_NODE_TYPE_MEMSET:
            same.memset = {driver::pointer(given.memset.dst), given.memset.pitch, given.memset.value,
                           given.memset.elementSize, given.memset.width, given.memset.height};
            return true;
        case MU_GRAPH_NODE_TYPE_MEM_FREE: same.free.dptr = driver::pointer(given.free.dptr); return true;
        default: std::memcpy(same.reserved1, given.reserved1, sizeof same.reserved1); return true;
    }
}

static_assert(sizeof(MUgraphNodeParams) == sizeof(musaGraphNodeParams));
static_assert(offsetof(MUgraphNodeParams, alloc.dptr) == offsetof(musaGraphNodeParams, alloc.dptr));
static_assert(offsetof(MUgraphNodeParams, conditional.phGraph_out) ==
              offsetof(musaGraphNodeParams, conditional.phGraph_out));
static_assert(sizeof(MUgraphEdgeData) == sizeof(musaGraphEdgeData));
static_assert(sizeof(MUSA_GRAPH_INSTANTIATE_PARAMS) == sizeof(musaGraphInstantiateParams));

const musaGraphEdgeData* of_runtime(const MUgraphEdgeData* data) {
    return reinterpret_cast<const musaGraphEdgeData*>(data);
}

// Call runtime(params) for the parameters of any node.
template <class Call>
MUresult any_node_call(MUgraphNodeParams* params, Call runtime) {
    if (!params) return MUSA_ERROR_INVALID_VALUE;
    musaGraphNodeParams same{};
    if (!of_runtime(*params, same)) return MUSA_ERROR_INVALID_VALUE;
    const MUresult result = driver::call([&] { return runtime(&same); });
    if (result != MUSA_SUCCESS) return result;
    if (params->type == MU_GRAPH_NODE_TYPE_MEM_ALLOC) params->alloc.dptr = driver::address(same.alloc.dptr);
    if (params->type == MU_GRAPH_NODE_TYPE_CONDITIONAL) params->conditional.phGraph_out = same.conditional.phGraph_out;
    return result;
}

}  // namespace

MUSA_EXPORT MUresult muGraphAddNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                                    MUgraphNodeParams* params) {
    return any_node_call(params, [=](musaGraphNodeParams* same) {
        return musaGraphAddNode(node, graph, dependencies, count, same);
    });
}

MUSA_EXPORT MUresult muGraphAddNode_v2(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies,
                                       const MUgraphEdgeData* data, size_t count, MUgraphNodeParams* params) {
    return any_node_call(params, [=](musaGraphNodeParams* same) {
        return musaGraphAddNode_v2(node, graph, dependencies, of_runtime(data), count, same);
    });
}

MUSA_EXPORT MUresult muGraphNodeSetParams(MUgraphNode node, MUgraphNodeParams* params) {
    return any_node_call(params, [=](musaGraphNodeParams* same) { return musaGraphNodeSetParams(node, same); });
}

MUSA_EXPORT MUresult muGraphExecNodeSetParams(MUgraphExec exec, MUgraphNode node, MUgraphNodeParams* params) {
    return any_node_call(params, [=](musaGraphNodeParams* same) { return musaGraphExecNodeSetParams(exec, node, same); });
}

// In memory of the current device, which the context may be of.
MUSA_EXPORT MUresult muGraphConditionalHandleCreate(MUgraphConditionalHandle* handle, MUgraph graph, MUcontext,
                                                    unsigned int initial, unsigned int flags) {
    if (!handle) return MUSA_ERROR_INVALID_VALUE;
    musaGraphConditionalHandle made = 0;
    const MUresult result = driver::call([&] { return musaGraphConditionalHandleCreate(&made, graph, initial, flags); });
    if (result == MUSA_SUCCESS) *handle = made;
    return result;
}

MUSA_EXPORT MUresult muGraphNodeSetEnabled(MUgraphExec exec, MUgraphNode node, unsigned int enabled) {
    return driver::call([=] { return musaGraphNodeSetEnabled(exec, node, enabled); });
}

MUSA_EXPORT MUresult muGraphNodeGetEnabled(MUgraphExec exec, MUgraphNode node, unsigned int* enabled) {
    return driver::call([=] { return musaGraphNodeGetEnabled(exec, node, enabled); });
}
