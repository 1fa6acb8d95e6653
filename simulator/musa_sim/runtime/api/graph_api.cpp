// Looking at graphs, making them executable, and launching them.
#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "streams/activity.h"
#include "streams/capture.h"
#include "streams/graph_memory.h"

using musa_sim::ActivityCall;
using musa_sim::api_call;
using musa_sim::Captures;
using musa_sim::device_call;
using musa_sim::Executable;
using musa_sim::find_graph;
using musa_sim::live_executables;
using musa_sim::live_graphs;
using musa_sim::set_if_asked;
using musa_sim::StreamQueues;
using musa_sim::Target;

namespace {

// A list in the way of CUDA: without room for it, its length; with more room than needed, null
// handles at the end and the length.
musaError_t give_list(const std::vector<musaGraphNode_t>& list, musaGraphNode_t* room,
                      std::size_t* count) {
    if (!count) return musaErrorInvalidValue;
    if (room) {
        for (std::size_t i = 0; i < *count; ++i) room[i] = i < list.size() ? list[i] : nullptr;
        *count = std::min(*count, list.size());
    } else {
        *count = list.size();
    }
    return musaSuccess;
}

// body(graph) for a graph that is alive.
template <class Body>
musaError_t graph_call(musaGraph_t handle, Body&& body) {
    return api_call([&] {
        const std::shared_ptr<MUgraph_st> graph = find_graph(handle);
        return graph ? body(*graph) : musaErrorInvalidValue;
    });
}

const char* type_name(musaGraphNodeType type) {
    switch (type) {
        case musaGraphNodeTypeKernel: return "KERNEL";
        case musaGraphNodeTypeMemcpy: return "MEMCPY";
        case musaGraphNodeTypeMemset: return "MEMSET";
        case musaGraphNodeTypeHost: return "HOST";
        case musaGraphNodeTypeGraph: return "GRAPH";
        case musaGraphNodeTypeEmpty: return "EMPTY";
        case musaGraphNodeTypeWaitEvent: return "WAIT_EVENT";
        case musaGraphNodeTypeEventRecord: return "EVENT_RECORD";
        case musaGraphNodeTypeExtSemaphoreSignal: return "EXT_SEMAS_SIGNAL";
        case musaGraphNodeTypeExtSemaphoreWait: return "EXT_SEMAS_WAIT";
        case musaGraphNodeTypeMemAlloc: return "MEM_ALLOC";
        case musaGraphNodeTypeMemFree: return "MEM_FREE";
        case musaGraphNodeTypeConditional: return "CONDITIONAL";
        case musaGraphNodeTypeCount: break;
    }
    return "UNKNOWN";
}

std::string in_quotes(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

// As Graphviz reads it.
std::string drawing(const MUgraph_st& graph) {
    std::string text = "digraph graph_1 {\n";
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const MUgraphNode_st& node = *graph.nodes[i];
        const std::string name = "node_" + std::to_string(i);
        text += "  " + name + " [label=" +
                in_quotes(std::to_string(i) + " " + type_name(node.type) + " " + node.name) + "];\n";
        for (const MUgraphNode_st* before : node.after)
            text += "  node_" + std::to_string(graph.index_of(before)) + " -> " + name + ";\n";
    }
    return text + "}\n";
}

// Whether the node can be in a graph that a conditional node runs, as in CUDA.
bool can_be_conditional(const MUgraphNode_st& node) {
    switch (node.type) {
        case musaGraphNodeTypeKernel:
        case musaGraphNodeTypeMemcpy:
        case musaGraphNodeTypeMemset:
        case musaGraphNodeTypeEmpty:
        case musaGraphNodeTypeGraph:
        case musaGraphNodeTypeConditional: return true;
        default: return false;
    }
}

using Conditions = std::set<const musa_sim::Condition*>;

// Why conditional nodes keep the graph from becoming executable, and the node, if it is one. *used and *there: the conditions of
// nodes, and of graphs.
musaGraphInstantiateResult check_conditions(const MUgraph_st& graph, bool is_conditional, musaGraphNode_t* node,
                                            Conditions* used, Conditions* there) {
    if (graph.capturing) return musaGraphInstantiateError;
    for (const auto& condition : graph.conditions) there->insert(condition.get());
    for (const auto& one : graph.nodes) {
        *node = one.get();
        if (is_conditional && !can_be_conditional(*one)) {
            std::fprintf(stderr, "[musa-sim] a graph of a conditional node has a node of type %s; it may have kernels, copies, "
                                 "fills, graphs, empty and conditional nodes\n", type_name(one->type));
            return musaGraphInstantiateInvalidStructure;
        }
        std::vector<std::shared_ptr<MUgraph_st>> inner;
        if (one->child) inner.push_back(one->child);
        if (one->conditional) {
            inner = one->conditional->graphs;
            used->insert(one->conditional->condition.get());
        }
        for (const auto& part : inner) {
            const auto result = check_conditions(*part, is_conditional || one->conditional, node, used, there);
            if (result != musaGraphInstantiateSuccess) return result;
        }
    }
    *node = nullptr;
    return musaGraphInstantiateSuccess;
}

musaGraphInstantiateResult check_structure(const MUgraph_st& graph, musaGraphNode_t* node) {
    Conditions used, there;
    const musaGraphInstantiateResult result = check_conditions(graph, false, node, &used, &there);
    if (result != musaGraphInstantiateSuccess) return result;
    if (musa_sim::has_cycle(graph, node)) return musaGraphInstantiateInvalidStructure;
    const bool all_used = std::includes(used.begin(), used.end(), there.begin(), there.end());
    return all_used ? musaGraphInstantiateSuccess : musaGraphInstantiateConditionalHandleUnused;
}

// `allowed`: flags.
musaError_t instantiate(musaGraphExec_t* exec, musaGraph_t handle, unsigned long long allowed,
                        musaGraphInstantiateParams& params) {
    params.errNode_out = nullptr;
    params.result_out = musaGraphInstantiateError;
    if (!exec || (params.flags & ~allowed) != 0) return musaErrorInvalidValue;
    const std::shared_ptr<MUgraph_st> graph = find_graph(handle);
    if (!graph) return musaErrorInvalidValue;
    params.result_out = check_structure(*graph, &params.errNode_out);
    if (params.result_out != musaGraphInstantiateSuccess) return musaErrorInvalidValue;
    const bool frees_on_launch = (params.flags & musaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    *exec = live_executables().add({std::make_shared<Executable>(*graph), musa_sim::has_memory_nodes(*graph),
                                    frees_on_launch, params.flags});
    return musaSuccess;
}

constexpr unsigned long long plain_flags =
    musaGraphInstantiateFlagAutoFreeOnLaunch | musaGraphInstantiateFlagUseNodePriority;

musaError_t instantiate(musaGraphExec_t* exec, musaGraph_t graph, unsigned long long flags) {
    return device_call([&] {
        musaGraphInstantiateParams params{};
        params.flags = flags;
        return instantiate(exec, graph, plain_flags, params);
    });
}

}  // namespace

musaError_t musaGraphGetNodes(musaGraph_t graph, musaGraphNode_t* nodes, size_t* numNodes) {
    return graph_call(graph, [&](const MUgraph_st& found) {
        std::vector<musaGraphNode_t> all;
        for (const auto& node : found.nodes) all.push_back(node.get());
        return give_list(all, nodes, numNodes);
    });
}

musaError_t musaGraphGetRootNodes(musaGraph_t graph, musaGraphNode_t* nodes, size_t* numNodes) {
    return graph_call(graph, [&](const MUgraph_st& found) {
        std::vector<musaGraphNode_t> roots;
        for (const auto& node : found.nodes) {
            if (node->after.empty()) roots.push_back(node.get());
        }
        return give_list(roots, nodes, numNodes);
    });
}

musaError_t musaGraphGetEdges(musaGraph_t graph, musaGraphNode_t* from, musaGraphNode_t* to,
                              size_t* numEdges) {
    return graph_call(graph, [&](const MUgraph_st& found) {
        if (!numEdges || !from != !to) return musaErrorInvalidValue;
        std::vector<musaGraphNode_t> begins, ends;
        for (const auto& node : found.nodes) {
            begins.insert(begins.end(), node->after.begin(), node->after.end());
            ends.insert(ends.end(), node->after.size(), node.get());
        }
        size_t room = *numEdges;
        give_list(begins, from, &room);
        return give_list(ends, to, numEdges);
    });
}

musaError_t musaGraphNodeGetType(musaGraphNode_t node, musaGraphNodeType* type) {
    return api_call([&] {
        if (!type) return musaErrorInvalidValue;
        if (!musa_sim::graph_of(node)) return musaErrorInvalidValue;
        *type = node->type;
        return musaSuccess;
    });
}

musaError_t musaGraphNodeGetDependencies(musaGraphNode_t node, musaGraphNode_t* dependencies,
                                         size_t* numDependencies) {
    return api_call([&] {
        if (!musa_sim::graph_of(node)) return musaErrorInvalidValue;
        return give_list(node->after, dependencies, numDependencies);
    });
}

musaError_t musaGraphNodeGetDependentNodes(musaGraphNode_t node, musaGraphNode_t* dependentNodes,
                                           size_t* numDependentNodes) {
    return api_call([&] {
        const auto graph = musa_sim::graph_of(node);
        if (!graph) return musaErrorInvalidValue;
        std::vector<musaGraphNode_t> later;
        for (const auto& other : graph->nodes) {
            const auto& after = other->after;
            if (std::find(after.begin(), after.end(), node) != after.end()) later.push_back(other.get());
        }
        return give_list(later, dependentNodes, numDependentNodes);
    });
}

musaError_t musaGraphDebugDotPrint(musaGraph_t graph, const char* path, unsigned int) {
    return graph_call(graph, [&](const MUgraph_st& found) {
        if (!path) return musaErrorInvalidValue;
        std::FILE* file = std::fopen(path, "w");
        if (!file) return musaErrorOperatingSystem;
        const std::string text = drawing(found);
        const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
        return std::fclose(file) == 0 && written ? musaSuccess : musaErrorOperatingSystem;
    });
}

musaError_t musaGraphInstantiate(musaGraphExec_t* exec, musaGraph_t graph,
                                 unsigned long long flags) {
    return instantiate(exec, graph, flags);
}

musaError_t musaGraphInstantiateWithFlags(musaGraphExec_t* exec, musaGraph_t graph,
                                          unsigned long long flags) {
    return instantiate(exec, graph, flags);
}

// There is nothing to upload.
musaError_t musaGraphInstantiateWithParams(musaGraphExec_t* exec, musaGraph_t graph, musaGraphInstantiateParams* params) {
    return device_call([&] {
        if (!params) return musaErrorInvalidValue;
        params->errNode_out = nullptr;
        params->result_out = musaGraphInstantiateError;
        if (params->flags & musaGraphInstantiateFlagDeviceLaunch)
            return musa_sim::not_simulated("launches of graphs from kernels (musaGraphInstantiateFlagDeviceLaunch)");
        if (params->flags & musaGraphInstantiateFlagUpload) {
            Target target;
            const musaError_t error = musa_sim::find_work_target(params->uploadStream, &target);
            if (error != musaSuccess) return error;
        }
        return instantiate(exec, graph, plain_flags | musaGraphInstantiateFlagUpload, *params);
    });
}

musaError_t musaGraphExecGetFlags(musaGraphExec_t exec, unsigned long long* flags) {
    return api_call([&] {
        const auto found = live_executables().find(exec);
        if (!found || !flags) return musaErrorInvalidValue;
        *flags = found->flags;
        return musaSuccess;
    });
}

musaError_t musaGraphExecUpdate(musaGraphExec_t exec, musaGraph_t graph,
                                musaGraphNode_t* error_node, musaGraphExecUpdateResult* result) {
    return graph_call(graph, [&](const MUgraph_st& found) {
        const auto executable = live_executables().find(exec);
        if (!executable || found.capturing) return musaErrorInvalidValue;
        musaGraphNode_t differs = nullptr;
        const auto update_result = executable->executable->update(found, &differs);
        set_if_asked(error_node, differs);
        set_if_asked(result, update_result);
        return update_result == musaGraphExecUpdateSuccess ? musaSuccess : musaErrorGraphExecUpdateFailure;
    });
}

// Nothing to do: launching costs the same the first time.
musaError_t musaGraphUpload(musaGraphExec_t exec, musaStream_t stream) {
    return musa_sim::stream_call(stream, [&](const Target&) {
        return live_executables().find(exec) ? musaSuccess : musaErrorInvalidValue;
    });
}

musaError_t musaGraphLaunch(musaGraphExec_t exec, musaStream_t stream) {
    const ActivityCall call(__func__);
    return musa_sim::stream_call(stream, [&](const Target& target) {
        const auto found = live_executables().find(exec);
        if (!found) return musaErrorInvalidValue;
        if (musa_sim::is_captured(target)) {
            const MUgraph_st graph = found->executable->as_graph();
            if (musa_sim::has_conditional_nodes(graph)) {
                const musaError_t error = Captures::instance().refuse(target);
                return error != musaSuccess ? error : musaErrorStreamCaptureUnsupported;
            }
            return Captures::instance().add_child(target, graph);
        }
        Executable::sweep();
        if (found->has_memory_nodes) {
            const musaError_t error = musa_sim::begin_launch(found->executable->as_graph(), found->frees_on_launch);
            if (error != musaSuccess) return error;
        }
        const musa_sim::Ticket done = Executable::launch(found->executable, target);
        const musa_sim::Settings& settings = musa_sim::settings();
        if (settings.asynchronous && !settings.launch_blocking) return musaSuccess;
        StreamQueues::instance().wait(done);
        return settings.launch_blocking ? musa_sim::device_error(target.device) : musaSuccess;
    });
}

// Launches in flight continue.
musaError_t musaGraphExecDestroy(musaGraphExec_t exec) {
    return api_call([&] {
        const bool removed = live_executables().remove(exec) != nullptr;
        Executable::sweep();
        return removed ? musaSuccess : musaErrorInvalidValue;
    });
}

// Executable graphs made from it stay valid.
musaError_t musaGraphDestroy(musaGraph_t graph) {
    return api_call([&] {
        const auto found = live_graphs().find(graph);
        if (!found || found->capturing) return musaErrorInvalidValue;
        const auto removed = live_graphs().remove(graph);
        return musaSuccess;
    });
}
