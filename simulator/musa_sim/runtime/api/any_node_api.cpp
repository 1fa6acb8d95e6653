// Nodes of graphs by one structure that says which kind they are; the values that conditional nodes depend on; and which nodes
// of executable graphs do their work.
#include <algorithm>
#include <iterator>
#include <memory>

#include "api/graph_nodes.h"
#include "streams/allocations.h"

using musa_sim::add_call;
using musa_sim::api_call;
using musa_sim::Condition;
using musa_sim::Conditional;
using musa_sim::device_call;
using musa_sim::find_graph;
using musa_sim::MadeWork;

namespace {

musaKernelNodeParams kernel_of(const musaGraphNodeParams& params) {
    const musaKernelNodeParamsV2& given = params.kernel;
    return {given.func, given.gridDim, given.blockDim, given.sharedMemBytes, given.kernelParams, given.extra};
}
musaMemsetParams fill_of(const musaGraphNodeParams& params) {
    const musaMemsetParamsV2& given = params.memset;
    return {given.dst, given.pitch, given.value, given.elementSize, given.width, given.height};
}
musaHostNodeParams host_call_of(const musaGraphNodeParams& params) { return {params.host.fn, params.host.userData}; }

// As an API function that is refused.
musaError_t refuse(musaError_t error) {
    return api_call([=] { return error; });
}

musaError_t check(const musaGraphNodeParams* params) {
    if (!params || params->reserved2 != 0) return musaErrorInvalidValue;
    const auto is_zero = [](int number) { return number == 0; };
    const bool valid =
        std::all_of(std::begin(params->reserved0), std::end(params->reserved0), is_zero) &&
        (params->type != musaGraphNodeTypeMemcpy ||
         (params->memcpy.flags == 0 &&
          std::all_of(std::begin(params->memcpy.reserved), std::end(params->memcpy.reserved), is_zero)));
    return valid ? musaSuccess : musaErrorInvalidValue;
}

bool is_size(musaGraphConditionalNodeType type, unsigned size) {
    switch (type) {
        case musaGraphCondTypeIf: return size == 1 || size == 2;
        case musaGraphCondTypeWhile: return size == 1;
        case musaGraphCondTypeSwitch: return size > 0;
    }
    return false;
}

// A node with graphs that are empty at first.
musaError_t make_conditional(MadeWork& made, musaGraph_t graph, musaConditionalNodeParams& params) {
    if (!is_size(params.type, params.size)) return musaErrorInvalidValue;
    auto condition = musa_sim::find_condition(graph, params.handle);
    if (!condition) return musaErrorInvalidValue;
    auto work = std::make_shared<Conditional>();
    work->condition = std::move(condition);
    work->type = params.type;
    for (unsigned i = 0; i < params.size; ++i) {
        work->graphs.push_back(std::make_shared<MUgraph_st>());
        work->handles.push_back(work->graphs.back().get());
    }
    params.phGraph_out = work->handles.data();
    made.name = "conditional";
    made.conditional = std::move(work);
    return musaSuccess;
}

musaError_t add_allocation(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies, size_t count,
                           musaMemAllocNodeParamsV2& given) {
    musaMemAllocNodeParams same{given.poolProps, given.accessDescs, given.accessDescCount, given.bytesize, nullptr};
    const musaError_t error = musaGraphAddMemAllocNode(node, graph, dependencies, count, &same);
    if (error == musaSuccess) given.dptr = same.dptr;
    return error;
}

// body(node of the executable graph) as an API function, for a node that can be disabled.
template <class Body>
musaError_t enabled_call(musaGraphExec_t exec, musaGraphNode_t node, Body&& body) {
    return api_call([&] {
        const auto found = musa_sim::live_executables().find(exec);
        if (!found || !musa_sim::graph_of(node)) return musaErrorInvalidValue;
        const MUgraphNode_st* mine = found->executable->counterpart(node);
        const bool can_be_disabled = node->type == musaGraphNodeTypeKernel || node->type == musaGraphNodeTypeMemcpy ||
                                     node->type == musaGraphNodeTypeMemset;
        return mine && can_be_disabled ? body(*found->executable, *mine) : musaErrorInvalidValue;
    });
}

}  // namespace

musaError_t musaGraphAddNode(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                             size_t numDependencies, musaGraphNodeParams* nodeParams) {
    const musaError_t error = check(nodeParams);
    if (error != musaSuccess) return refuse(error);
    const size_t count = numDependencies;
    switch (nodeParams->type) {
        case musaGraphNodeTypeKernel: {
            const musaKernelNodeParams kernel = kernel_of(*nodeParams);
            return musaGraphAddKernelNode(node, graph, dependencies, count, &kernel);
        }
        case musaGraphNodeTypeMemcpy:
            return musaGraphAddMemcpyNode(node, graph, dependencies, count, &nodeParams->memcpy.copyParams);
        case musaGraphNodeTypeMemset: {
            const musaMemsetParams fill = fill_of(*nodeParams);
            return musaGraphAddMemsetNode(node, graph, dependencies, count, &fill);
        }
        case musaGraphNodeTypeHost: {
            const musaHostNodeParams call = host_call_of(*nodeParams);
            return musaGraphAddHostNode(node, graph, dependencies, count, &call);
        }
        case musaGraphNodeTypeGraph:
            return musaGraphAddChildGraphNode(node, graph, dependencies, count, nodeParams->graph.graph);
        case musaGraphNodeTypeEmpty: return musaGraphAddEmptyNode(node, graph, dependencies, count);
        case musaGraphNodeTypeWaitEvent:
            return musaGraphAddEventWaitNode(node, graph, dependencies, count, nodeParams->eventWait.event);
        case musaGraphNodeTypeEventRecord:
            return musaGraphAddEventRecordNode(node, graph, dependencies, count, nodeParams->eventRecord.event);
        case musaGraphNodeTypeMemAlloc: return add_allocation(node, graph, dependencies, count, nodeParams->alloc);
        case musaGraphNodeTypeMemFree:
            return musaGraphAddMemFreeNode(node, graph, dependencies, count, nodeParams->free.dptr);
        case musaGraphNodeTypeConditional:
            return add_call(node, graph, dependencies, count, musaGraphNodeTypeConditional, [&](MadeWork& made) {
                return make_conditional(made, graph, nodeParams->conditional);
            });
        case musaGraphNodeTypeExtSemaphoreSignal:
            return musaGraphAddExternalSemaphoresSignalNode(node, graph, dependencies, count, nullptr);
        case musaGraphNodeTypeExtSemaphoreWait:
            return musaGraphAddExternalSemaphoresWaitNode(node, graph, dependencies, count, nullptr);
        case musaGraphNodeTypeCount: break;
    }
    return refuse(musaErrorInvalidValue);
}

musaError_t musaGraphAddNode_v2(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                const musaGraphEdgeData* dependencyData, size_t numDependencies,
                                musaGraphNodeParams* nodeParams) {
    if (!musa_sim::are_edges(dependencyData, numDependencies)) return refuse(musaErrorInvalidValue);
    return musaGraphAddNode(node, graph, dependencies, numDependencies, nodeParams);
}

// The functions for one kind of node check that the node is of that kind.
musaError_t musaGraphNodeSetParams(musaGraphNode_t node, musaGraphNodeParams* nodeParams) {
    const musaError_t error = check(nodeParams);
    if (error != musaSuccess) return refuse(error);
    switch (nodeParams->type) {
        case musaGraphNodeTypeKernel: {
            const musaKernelNodeParams kernel = kernel_of(*nodeParams);
            return musaGraphKernelNodeSetParams(node, &kernel);
        }
        case musaGraphNodeTypeMemcpy: return musaGraphMemcpyNodeSetParams(node, &nodeParams->memcpy.copyParams);
        case musaGraphNodeTypeMemset: {
            const musaMemsetParams fill = fill_of(*nodeParams);
            return musaGraphMemsetNodeSetParams(node, &fill);
        }
        case musaGraphNodeTypeHost: {
            const musaHostNodeParams call = host_call_of(*nodeParams);
            return musaGraphHostNodeSetParams(node, &call);
        }
        case musaGraphNodeTypeWaitEvent: return musaGraphEventWaitNodeSetEvent(node, nodeParams->eventWait.event);
        case musaGraphNodeTypeEventRecord: return musaGraphEventRecordNodeSetEvent(node, nodeParams->eventRecord.event);
        default: return refuse(musaErrorInvalidValue);
    }
}

musaError_t musaGraphExecNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node, musaGraphNodeParams* nodeParams) {
    const musaError_t error = check(nodeParams);
    if (error != musaSuccess) return refuse(error);
    switch (nodeParams->type) {
        case musaGraphNodeTypeKernel: {
            const musaKernelNodeParams kernel = kernel_of(*nodeParams);
            return musaGraphExecKernelNodeSetParams(exec, node, &kernel);
        }
        case musaGraphNodeTypeMemcpy: return musaGraphExecMemcpyNodeSetParams(exec, node, &nodeParams->memcpy.copyParams);
        case musaGraphNodeTypeMemset: {
            const musaMemsetParams fill = fill_of(*nodeParams);
            return musaGraphExecMemsetNodeSetParams(exec, node, &fill);
        }
        case musaGraphNodeTypeHost: {
            const musaHostNodeParams call = host_call_of(*nodeParams);
            return musaGraphExecHostNodeSetParams(exec, node, &call);
        }
        case musaGraphNodeTypeGraph: return musaGraphExecChildGraphNodeSetParams(exec, node, nodeParams->graph.graph);
        case musaGraphNodeTypeWaitEvent:
            return musaGraphExecEventWaitNodeSetEvent(exec, node, nodeParams->eventWait.event);
        case musaGraphNodeTypeEventRecord:
            return musaGraphExecEventRecordNodeSetEvent(exec, node, nodeParams->eventRecord.event);
        default: return refuse(musaErrorInvalidValue);
    }
}

musaError_t musaGraphConditionalHandleCreate(musaGraphConditionalHandle* handle, musaGraph_t graph,
                                             unsigned int defaultLaunchValue, unsigned int flags) {
    return device_call([&] {
        const auto found = find_graph(graph);
        if (!handle || !found || (flags & ~static_cast<unsigned>(musaGraphCondAssignDefault)) != 0)
            return musaErrorInvalidValue;
        void* memory = nullptr;
        const musaError_t error = musa_sim::allocate(&memory, sizeof(unsigned), musa_sim::MemoryKind::device);
        if (error != musaSuccess) return error;
        const std::shared_ptr<unsigned> value(static_cast<unsigned*>(memory), [](unsigned* mine) {
            musa_sim::MemoryTable::instance().release(mine, musa_sim::MemoryKind::device, musa_sim::MemoryKind::device);
        });
        *value = defaultLaunchValue;
        found->conditions.push_back(std::make_shared<const Condition>(
            Condition{value, defaultLaunchValue, (flags & musaGraphCondAssignDefault) != 0}));
        *handle = reinterpret_cast<musaGraphConditionalHandle>(memory);
        return musaSuccess;
    });
}

musaError_t musaGraphNodeSetEnabled(musaGraphExec_t exec, musaGraphNode_t node, unsigned int isEnabled) {
    return enabled_call(exec, node, [&](musa_sim::Executable& executable, const MUgraphNode_st&) {
        executable.enable(node, isEnabled != 0);
        return musaSuccess;
    });
}

musaError_t musaGraphNodeGetEnabled(musaGraphExec_t exec, musaGraphNode_t node, unsigned int* isEnabled) {
    return enabled_call(exec, node, [&](const musa_sim::Executable&, const MUgraphNode_st& mine) {
        if (!isEnabled) return musaErrorInvalidValue;
        *isEnabled = mine.enabled ? 1 : 0;
        return musaSuccess;
    });
}
