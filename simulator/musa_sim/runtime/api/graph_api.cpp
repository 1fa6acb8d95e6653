// Capturing streams into graphs, looking at graphs, and launching them.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "streams/activity.h"
#include "streams/capture.h"

using musa_sim::ActivityCall;
using musa_sim::api_call;
using musa_sim::CaptureInfo;
using musa_sim::Captures;
using musa_sim::device_call;
using musa_sim::Executable;
using musa_sim::find_target;
using musa_sim::live_executables;
using musa_sim::live_graphs;
using musa_sim::StreamQueues;
using musa_sim::Target;

namespace {

bool is_mode(musaStreamCaptureMode mode) {
    return mode >= musaStreamCaptureModeGlobal && mode <= musaStreamCaptureModeRelaxed;
}

musaError_t capture_info(musaStream_t stream, CaptureInfo* info) {
    Target target;
    const musaError_t error = find_target(stream, &target);
    return error != musaSuccess ? error : Captures::instance().info(target, info);
}

template <class T>
void set_if_asked(T* asked, T value) {
    if (asked) *asked = std::move(value);
}

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
        const std::shared_ptr<MUgraph_st> graph = live_graphs().find(handle);
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
        case musaGraphNodeTypeMemAlloc: return "MEM_ALLOC";
        case musaGraphNodeTypeMemFree: return "MEM_FREE";
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
    for (const auto& node : graph.nodes) {
        const std::string name = "node_" + std::to_string(node->number);
        text += "  " + name + " [label=" +
                in_quotes(std::to_string(node->number) + " " + type_name(node->type) + " " + node->name) +
                "];\n";
        for (const MUgraphNode_st* before : node->after)
            text += "  node_" + std::to_string(before->number) + " -> " + name + ";\n";
    }
    return text + "}\n";
}

musaError_t instantiate(musaGraphExec_t* exec, musaGraph_t handle, unsigned long long flags) {
    return device_call([&] {
        constexpr unsigned long long known =
            musaGraphInstantiateFlagAutoFreeOnLaunch | musaGraphInstantiateFlagUseNodePriority;
        if (!exec || (flags & ~known) != 0) return musaErrorInvalidValue;
        const std::shared_ptr<MUgraph_st> graph = live_graphs().find(handle);
        if (!graph || graph->capturing) return musaErrorInvalidValue;
        *exec = live_executables().add({std::make_shared<Executable>(*graph)});
        return musaSuccess;
    });
}

}  // namespace

musaError_t musaStreamBeginCapture(musaStream_t stream, musaStreamCaptureMode mode) {
    return device_call([&] {
        if (!is_mode(mode)) return musaErrorInvalidValue;
        Target target;
        const musaError_t error = find_target(stream, &target);
        return error != musaSuccess ? error : Captures::instance().begin(target, mode);
    });
}

musaError_t musaStreamEndCapture(musaStream_t stream, musaGraph_t* graph) {
    return device_call([&] {
        Target target;
        const musaError_t error = find_target(stream, &target);
        return error != musaSuccess ? error : Captures::instance().end(target, graph);
    });
}

musaError_t musaStreamIsCapturing(musaStream_t stream, musaStreamCaptureStatus* status) {
    return device_call([&] {
        if (!status) return musaErrorInvalidValue;
        CaptureInfo info;
        const musaError_t error = capture_info(stream, &info);
        if (error == musaSuccess) *status = info.status;
        return error;
    });
}

musaError_t musaStreamGetCaptureInfo(musaStream_t stream, musaStreamCaptureStatus* status,
                                     unsigned long long* id, musaGraph_t* graph,
                                     const musaGraphNode_t** dependencies,
                                     size_t* numDependencies) {
    return device_call([&] {
        if (!status) return musaErrorInvalidValue;
        CaptureInfo info;
        const musaError_t error = capture_info(stream, &info);
        if (error != musaSuccess) return error;
        *status = info.status;
        if (info.status != musaStreamCaptureStatusActive) return musaSuccess;
        set_if_asked(id, info.id);
        set_if_asked(graph, info.graph);
        set_if_asked(dependencies, info.nodes);
        set_if_asked(numDependencies, info.node_count);
        return musaSuccess;
    });
}

musaError_t musaStreamGetCaptureInfo_v2(musaStream_t stream, musaStreamCaptureStatus* status,
                                        unsigned long long* id, musaGraph_t* graph,
                                        const musaGraphNode_t** dependencies,
                                        size_t* numDependencies) {
    return musaStreamGetCaptureInfo(stream, status, id, graph, dependencies, numDependencies);
}

musaError_t musaThreadExchangeStreamCaptureMode(musaStreamCaptureMode* mode) {
    return api_call([&] {
        if (!mode || !is_mode(*mode)) return musaErrorInvalidValue;
        *mode = Captures::exchange_thread_mode(*mode);
        return musaSuccess;
    });
}

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
            return Captures::instance().add(target, musaGraphNodeTypeGraph, "graph",
                                            Executable::as_child(found->executable));
        }
        Executable::sweep();
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
        live_graphs().remove(graph);
        return musaSuccess;
    });
}
