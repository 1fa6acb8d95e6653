// Copies, fills, host functions, events, allocations and graphs as nodes of graphs.
#include <algorithm>
#include <memory>

#include "api/graph_nodes.h"
#include "streams/allocations.h"
#include "streams/boxes.h"
#include "streams/event_nodes.h"
#include "streams/graph_memory.h"
#include "streams/host_node.h"
#include "streams/symbols.h"

using musa_sim::add_call;
using musa_sim::CopyNode;
using musa_sim::EventNode;
using musa_sim::FillNode;
using musa_sim::find_graph;
using musa_sim::HostNode;
using musa_sim::MadeWork;
using musa_sim::Region;
using musa_sim::set_call;
using musa_sim::work_call;

namespace {

musaError_t make_copy(MadeWork& made, const musaMemcpy3DParms* params) {
    musa_sim::BoxCopy box;
    musaError_t error = musa_sim::resolve(params, &box);
    std::shared_ptr<CopyNode> node;
    if (error == musaSuccess) {
        error = musa_sim::make_copy_node(box.to.begin, box.to.region, box.from.begin, box.from.region, params->kind,
                                         &node);
    }
    if (error != musaSuccess) return error;
    node->set_parameters(*params);
    made.name = node->name();
    made.work = std::move(node);
    return musaSuccess;
}

musaError_t make_line_copy(MadeWork& made, void* dst, const void* src, std::size_t count, musaMemcpyKind kind) {
    const Region line{count, count, 1};
    std::shared_ptr<CopyNode> node;
    const musaError_t error = musa_sim::make_copy_node(dst, line, src, line, kind, &node);
    if (error != musaSuccess) return error;
    made.name = node->name();
    made.work = std::move(node);
    return musaSuccess;
}

musaError_t make_copy_to_symbol(MadeWork& made, const void* symbol, const void* src, std::size_t count,
                                std::size_t offset, musaMemcpyKind kind) {
    char* begin = nullptr;
    const musaError_t error = musa_sim::part_of_symbol(symbol, offset, count, &begin);
    if (error != musaSuccess) return error;
    return musa_sim::is_to_host(kind) ? musaErrorInvalidMemcpyDirection : make_line_copy(made, begin, src, count, kind);
}

musaError_t make_copy_from_symbol(MadeWork& made, void* dst, const void* symbol, std::size_t count,
                                  std::size_t offset, musaMemcpyKind kind) {
    char* begin = nullptr;
    const musaError_t error = musa_sim::part_of_symbol(symbol, offset, count, &begin);
    if (error != musaSuccess) return error;
    return musa_sim::is_from_host(kind) ? musaErrorInvalidMemcpyDirection
                                        : make_line_copy(made, dst, begin, count, kind);
}

musaError_t make_fill(MadeWork& made, const musaMemsetParams* params) {
    if (!params) return musaErrorInvalidValue;
    const std::size_t bytes = params->elementSize;
    if (bytes != 1 && bytes != 2 && bytes != 4) return musaErrorInvalidValue;
    const std::size_t width = params->width * bytes;
    const Region region{params->height == 1 ? width : params->pitch, width, params->height};
    std::shared_ptr<FillNode> node;
    const musaError_t error = musa_sim::make_fill_node(params->dst, region, {params->value, bytes}, &node);
    if (error != musaSuccess) return error;
    made.name = node->name();
    made.work = std::move(node);
    return musaSuccess;
}

musaError_t make_host_call(MadeWork& made, const musaHostNodeParams* params) {
    if (!params || !params->fn) return musaErrorInvalidValue;
    made.name = "host function";
    made.work = std::make_shared<HostNode>(*params);
    return musaSuccess;
}

// On the event's device.
musaError_t make_record(MadeWork& made, musaEvent_t handle) {
    const auto event = musa_sim::live_events().find(handle);
    if (!event) return musaErrorInvalidResourceHandle;
    made.name = "event";
    made.device = event->device;
    made.work = std::make_shared<musa_sim::EventRecordNode>(event);
    return musaSuccess;
}

// On any device.
musaError_t make_wait(MadeWork& made, musaEvent_t handle) {
    const auto event = musa_sim::live_events().find(handle);
    if (!event) return musaErrorInvalidResourceHandle;
    made.name = "event";
    made.work = std::make_shared<musa_sim::EventWaitNode>(event);
    return musaSuccess;
}

// `made_for`: the type of node that the function is about.
musaError_t get_event(musaGraphNode_t node, musaGraphNodeType made_for, musaEvent_t* event) {
    return work_call<EventNode>(node, [&](const EventNode& work) {
        if (!event || node->type != made_for) return musaErrorInvalidValue;
        *event = &work.event();
        return musaSuccess;
    });
}

musaError_t make_allocation(MadeWork& made, musaMemAllocNodeParams* params) {
    if (!params || params->bytesize == 0 || params->poolProps.allocType != musaMemAllocationTypePinned ||
        params->poolProps.location.type != musaMemLocationTypeDevice)
        return musaErrorInvalidValue;
    const int device = params->poolProps.location.id;
    if (!musa_sim::DeviceTable::instance().contains(device)) return musaErrorInvalidDevice;
    if (device != musa_sim::current_device() || params->accessDescCount > 0)
        return musa_sim::not_simulated("a graph's allocations for other devices than the current one");
    const musaError_t error =
        musa_sim::allocate(&params->dptr, params->bytesize, musa_sim::MemoryKind::device);
    if (error != musaSuccess) return error;
    auto memory = std::make_shared<musa_sim::GraphMemory>(params->dptr, params->bytesize, device);
    made.name = "MemAlloc";
    made.work = std::make_shared<musa_sim::AllocationNode>(std::move(memory), *params);
    return musaSuccess;
}

}  // namespace

musaError_t musaGraphAddMemcpyNode(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                   size_t numDependencies, const musaMemcpy3DParms* copyParams) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeMemcpy,
                    [&](MadeWork& made) { return make_copy(made, copyParams); });
}

musaError_t musaGraphAddMemcpyNode1D(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                     size_t numDependencies, void* dst, const void* src, size_t count,
                                     musaMemcpyKind kind) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeMemcpy,
                    [&](MadeWork& made) { return make_line_copy(made, dst, src, count, kind); });
}

musaError_t musaGraphAddMemcpyNodeToSymbol(musaGraphNode_t* node, musaGraph_t graph,
                                           const musaGraphNode_t* dependencies, size_t numDependencies,
                                           const void* symbol, const void* src, size_t count, size_t offset,
                                           musaMemcpyKind kind) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeMemcpy,
                    [&](MadeWork& made) { return make_copy_to_symbol(made, symbol, src, count, offset, kind); });
}

musaError_t musaGraphAddMemcpyNodeFromSymbol(musaGraphNode_t* node, musaGraph_t graph,
                                             const musaGraphNode_t* dependencies, size_t numDependencies, void* dst,
                                             const void* symbol, size_t count, size_t offset, musaMemcpyKind kind) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeMemcpy,
                    [&](MadeWork& made) { return make_copy_from_symbol(made, dst, symbol, count, offset, kind); });
}

musaError_t musaGraphMemcpyNodeGetParams(musaGraphNode_t node, musaMemcpy3DParms* params) {
    return work_call<CopyNode>(node, [&](const CopyNode& copy) {
        return params ? (*params = copy.parameters(), musaSuccess) : musaErrorInvalidValue;
    });
}

// The functions that change nodes, of a graph and of an executable one.
#define SET_NODE(type, make)                                                                                   \
    set_call(node, type, [&](const MUgraphNode_st&, MadeWork& made) { return make; })
#define SET_EXEC_NODE(type, make)                                                                              \
    set_call(exec, node, type, [&](const MUgraphNode_st&, MadeWork& made) { return make; })

musaError_t musaGraphMemcpyNodeSetParams(musaGraphNode_t node, const musaMemcpy3DParms* params) {
    return SET_NODE(musaGraphNodeTypeMemcpy, make_copy(made, params));
}

musaError_t musaGraphExecMemcpyNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node,
                                             const musaMemcpy3DParms* params) {
    return SET_EXEC_NODE(musaGraphNodeTypeMemcpy, make_copy(made, params));
}

musaError_t musaGraphMemcpyNodeSetParams1D(musaGraphNode_t node, void* dst, const void* src, size_t count,
                                           musaMemcpyKind kind) {
    return SET_NODE(musaGraphNodeTypeMemcpy, make_line_copy(made, dst, src, count, kind));
}

musaError_t musaGraphExecMemcpyNodeSetParams1D(musaGraphExec_t exec, musaGraphNode_t node, void* dst,
                                               const void* src, size_t count, musaMemcpyKind kind) {
    return SET_EXEC_NODE(musaGraphNodeTypeMemcpy, make_line_copy(made, dst, src, count, kind));
}

musaError_t musaGraphMemcpyNodeSetParamsToSymbol(musaGraphNode_t node, const void* symbol, const void* src,
                                                 size_t count, size_t offset, musaMemcpyKind kind) {
    return SET_NODE(musaGraphNodeTypeMemcpy, make_copy_to_symbol(made, symbol, src, count, offset, kind));
}

musaError_t musaGraphExecMemcpyNodeSetParamsToSymbol(musaGraphExec_t exec, musaGraphNode_t node, const void* symbol,
                                                     const void* src, size_t count, size_t offset,
                                                     musaMemcpyKind kind) {
    return SET_EXEC_NODE(musaGraphNodeTypeMemcpy, make_copy_to_symbol(made, symbol, src, count, offset, kind));
}

musaError_t musaGraphMemcpyNodeSetParamsFromSymbol(musaGraphNode_t node, void* dst, const void* symbol, size_t count,
                                                   size_t offset, musaMemcpyKind kind) {
    return SET_NODE(musaGraphNodeTypeMemcpy, make_copy_from_symbol(made, dst, symbol, count, offset, kind));
}

musaError_t musaGraphExecMemcpyNodeSetParamsFromSymbol(musaGraphExec_t exec, musaGraphNode_t node, void* dst,
                                                       const void* symbol, size_t count, size_t offset,
                                                       musaMemcpyKind kind) {
    return SET_EXEC_NODE(musaGraphNodeTypeMemcpy, make_copy_from_symbol(made, dst, symbol, count, offset, kind));
}

musaError_t musaGraphAddMemsetNode(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                   size_t numDependencies, const musaMemsetParams* params) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeMemset,
                    [&](MadeWork& made) { return make_fill(made, params); });
}

musaError_t musaGraphMemsetNodeGetParams(musaGraphNode_t node, musaMemsetParams* params) {
    return work_call<FillNode>(node, [&](const FillNode& fill) {
        return params ? (*params = fill.parameters(), musaSuccess) : musaErrorInvalidValue;
    });
}

musaError_t musaGraphMemsetNodeSetParams(musaGraphNode_t node, const musaMemsetParams* params) {
    return SET_NODE(musaGraphNodeTypeMemset, make_fill(made, params));
}

musaError_t musaGraphExecMemsetNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node,
                                             const musaMemsetParams* params) {
    return SET_EXEC_NODE(musaGraphNodeTypeMemset, make_fill(made, params));
}

musaError_t musaGraphAddHostNode(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                 size_t numDependencies, const musaHostNodeParams* params) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeHost,
                    [&](MadeWork& made) { return make_host_call(made, params); });
}

musaError_t musaGraphHostNodeGetParams(musaGraphNode_t node, musaHostNodeParams* params) {
    return work_call<HostNode>(node, [&](const HostNode& call) {
        return params ? (*params = call.parameters(), musaSuccess) : musaErrorInvalidValue;
    });
}

musaError_t musaGraphHostNodeSetParams(musaGraphNode_t node, const musaHostNodeParams* params) {
    return SET_NODE(musaGraphNodeTypeHost, make_host_call(made, params));
}

musaError_t musaGraphExecHostNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node,
                                           const musaHostNodeParams* params) {
    return SET_EXEC_NODE(musaGraphNodeTypeHost, make_host_call(made, params));
}

musaError_t musaGraphAddEmptyNode(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                  size_t numDependencies) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeEmpty, [](MadeWork& made) {
        made.name = "empty";
        made.work = std::make_shared<musa_sim::NodeWork>();
        return musaSuccess;
    });
}

musaError_t musaGraphAddChildGraphNode(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                       size_t numDependencies, musaGraph_t childGraph) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeGraph, [&](MadeWork& made) {
        const auto child = find_graph(childGraph);
        if (!child || child->capturing) return musaErrorInvalidValue;
        if (musa_sim::allocates_memory(*child) || musa_sim::has_conditional_nodes(*child)) return musaErrorNotSupported;
        made.name = "graph";
        made.child = std::make_shared<MUgraph_st>(musa_sim::clone(*child));
        return musaSuccess;
    });
}

musaError_t musaGraphChildGraphNodeGetGraph(musaGraphNode_t node, musaGraph_t* graph) {
    return musa_sim::api_call([&] {
        if (!graph || !musa_sim::graph_of(node) || !node->child) return musaErrorInvalidValue;
        *graph = node->child.get();
        return musaSuccess;
    });
}

musaError_t musaGraphExecChildGraphNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node, musaGraph_t childGraph) {
    return musa_sim::device_call([&] {
        const auto found = musa_sim::live_executables().find(exec);
        const auto child = find_graph(childGraph);
        if (!found || !child || child->capturing || !musa_sim::graph_of(node) || !node->child)
            return musaErrorInvalidValue;
        if (!found->executable->counterpart(node)) return musaErrorInvalidValue;
        return found->executable->update_child(node, *child) == musaGraphExecUpdateSuccess
                   ? musaSuccess
                   : musaErrorInvalidValue;
    });
}

musaError_t musaGraphAddEventRecordNode(musaGraphNode_t* node, musaGraph_t graph,
                                        const musaGraphNode_t* dependencies, size_t numDependencies,
                                        musaEvent_t event) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeEventRecord,
                    [&](MadeWork& made) { return make_record(made, event); });
}

musaError_t musaGraphEventRecordNodeGetEvent(musaGraphNode_t node, musaEvent_t* event) {
    return get_event(node, musaGraphNodeTypeEventRecord, event);
}

musaError_t musaGraphEventRecordNodeSetEvent(musaGraphNode_t node, musaEvent_t event) {
    return SET_NODE(musaGraphNodeTypeEventRecord, make_record(made, event));
}

musaError_t musaGraphExecEventRecordNodeSetEvent(musaGraphExec_t exec, musaGraphNode_t node, musaEvent_t event) {
    return SET_EXEC_NODE(musaGraphNodeTypeEventRecord, make_record(made, event));
}

musaError_t musaGraphAddEventWaitNode(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                      size_t numDependencies, musaEvent_t event) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeWaitEvent,
                    [&](MadeWork& made) { return make_wait(made, event); });
}

musaError_t musaGraphEventWaitNodeGetEvent(musaGraphNode_t node, musaEvent_t* event) {
    return get_event(node, musaGraphNodeTypeWaitEvent, event);
}

musaError_t musaGraphEventWaitNodeSetEvent(musaGraphNode_t node, musaEvent_t event) {
    return SET_NODE(musaGraphNodeTypeWaitEvent, make_wait(made, event));
}

musaError_t musaGraphExecEventWaitNodeSetEvent(musaGraphExec_t exec, musaGraphNode_t node, musaEvent_t event) {
    return SET_EXEC_NODE(musaGraphNodeTypeWaitEvent, make_wait(made, event));
}

musaError_t musaGraphAddMemAllocNode(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                     size_t numDependencies, musaMemAllocNodeParams* nodeParams) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeMemAlloc,
                    [&](MadeWork& made) { return make_allocation(made, nodeParams); });
}

musaError_t musaGraphMemAllocNodeGetParams(musaGraphNode_t node, musaMemAllocNodeParams* params) {
    return work_call<musa_sim::AllocationNode>(node, [&](const musa_sim::AllocationNode& allocation) {
        return params ? (*params = allocation.parameters(), musaSuccess) : musaErrorInvalidValue;
    });
}

musaError_t musaGraphAddMemFreeNode(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                    size_t numDependencies, void* dptr) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeMemFree, [&](MadeWork& made) {
        const auto found = find_graph(graph);
        // Memory that was there before would be freed in each launch.
        const bool is_own = found && musa_sim::free_in_graph(*found, dptr);
        if (!found || (!is_own && !musa_sim::GraphMemory::left_at(dptr))) return musaErrorInvalidValue;
        made.name = "MemFree";
        made.work = std::make_shared<musa_sim::FreeNode>(dptr, is_own);
        return musaSuccess;
    });
}

musaError_t musaGraphMemFreeNodeGetParams(musaGraphNode_t node, void* dptr) {
    return work_call<musa_sim::FreeNode>(node, [&](const musa_sim::FreeNode& freed) {
        if (!dptr) return musaErrorInvalidValue;
        *static_cast<void**>(dptr) = freed.pointer();
        return musaSuccess;
    });
}
