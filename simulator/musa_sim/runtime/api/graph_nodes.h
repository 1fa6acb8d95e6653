// Parts that the functions about nodes of graphs share: adding a node, and changing what it does.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "streams/capture.h"

namespace musa_sim {

// The work of a node.
struct MadeWork {
    std::shared_ptr<const NodeWork> work{};
    std::string name{};
    int device = current_device();
    std::shared_ptr<MUgraph_st> child{};
    std::shared_ptr<const Conditional> conditional{};
};

// Add a node to the graph, after these.
musaError_t add_node(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* after, size_t count,
                     musaGraphNodeType type, MadeWork made);

// make(made) as an API function that adds what it makes.
template <class Make>
musaError_t add_call(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* after, size_t count,
                     musaGraphNodeType type, Make&& make) {
    return device_call([&] {
        MadeWork made;
        if (!node) return musaErrorInvalidValue;
        const musaError_t error = make(made);
        return error != musaSuccess ? error : add_node(node, graph, after, count, type, std::move(made));
    });
}

// make(node, made) as an API function that changes what a node does, of this type: of a graph, and of an executable graph,
// where `node` is the graph's.
template <class Make>
musaError_t set_call(musaGraphNode_t node, musaGraphNodeType type, Make&& make) {
    return device_call([&] {
        const auto graph = graph_of(node);
        if (!graph || node->type != type) return musaErrorInvalidValue;
        MadeWork made;
        made.device = node->device;
        const musaError_t error = make(*node, made);
        if (error != musaSuccess) return error;
        node->work = std::move(made.work);
        node->name = std::move(made.name);
        node->device = made.device;
        return musaSuccess;
    });
}

template <class Make>
musaError_t set_call(musaGraphExec_t exec, musaGraphNode_t node, musaGraphNodeType type, Make&& make) {
    return device_call([&] {
        const auto found = live_executables().find(exec);
        if (!found || !graph_of(node) || node->type != type) return musaErrorInvalidValue;
        const MUgraphNode_st* mine = found->executable->counterpart(node);
        if (!mine) return musaErrorInvalidValue;
        MadeWork made;
        made.device = mine->device;
        const musaError_t error = make(*mine, made);
        if (error != musaSuccess) return error;
        // Its queue in the executable is settled.
        if (made.device != mine->device) return musaErrorInvalidValue;
        found->executable->replace(node, std::move(made.work));
        return musaSuccess;
    });
}

// body(work) as an API function, for a node whose work is of this class.
template <class NodeWork, class Body>
musaError_t work_call(musaGraphNode_t node, Body&& body) {
    return device_call([&] {
        if (!graph_of(node)) return musaErrorInvalidValue;
        const auto* work = dynamic_cast<const NodeWork*>(node->work.get());
        return work ? body(*work) : musaErrorInvalidValue;
    });
}

}  // namespace musa_sim
