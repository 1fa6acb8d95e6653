// Making graphs by hand: graphs, the order of their nodes, copies of them, and what they keep alive.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "streams/graph_memory.h"

using musa_sim::api_call;
using musa_sim::device_call;
using musa_sim::find_graph;
using musa_sim::graph_of;
using musa_sim::GraphMemory;
using musa_sim::is_device;
using musa_sim::live_graphs;
using musa_sim::UserObjects;

namespace {

using Nodes = std::vector<musaGraphNode_t>;

// body(after, before) for each edge, once all are known to be of nodes of the graph.
template <class Body>
musaError_t edges_call(musaGraph_t handle, const musaGraphNode_t* from, const musaGraphNode_t* to, size_t count,
                       bool exist, Body&& body) {
    return api_call([&] {
        const auto graph = find_graph(handle);
        if (!graph || (count > 0 && (!from || !to))) return musaErrorInvalidValue;
        for (size_t i = 0; i < count; ++i) {
            if (from[i] == to[i] || !graph->contains(from[i]) || !graph->contains(to[i])) return musaErrorInvalidValue;
            const Nodes& after = to[i]->after;
            if ((std::find(after.begin(), after.end(), from[i]) != after.end()) != exist) return musaErrorInvalidValue;
        }
        for (size_t i = 0; i < count; ++i) body(to[i]->after, from[i]);
        return musaSuccess;
    });
}

void take_out(Nodes& nodes, musaGraphNode_t node) {
    nodes.erase(std::remove(nodes.begin(), nodes.end(), node), nodes.end());
}

// Of graphs' memory, which reserves what it uses.
musaError_t memory_attribute(int device, musaGraphMemAttributeType attr, std::uint64_t* value) {
    switch (attr) {
        case musaGraphMemAttrUsedMemCurrent:
        case musaGraphMemAttrReservedMemCurrent: *value = GraphMemory::used(device); return musaSuccess;
        case musaGraphMemAttrUsedMemHigh:
        case musaGraphMemAttrReservedMemHigh: *value = GraphMemory::most_used(device); return musaSuccess;
    }
    return musaErrorInvalidValue;
}

}  // namespace

musaError_t musaGraphCreate(musaGraph_t* graph, unsigned int flags) {
    return device_call([&] {
        if (!graph || flags != 0) return musaErrorInvalidValue;
        *graph = live_graphs().add({});
        return musaSuccess;
    });
}

musaError_t musaGraphClone(musaGraph_t* graphClone, musaGraph_t originalGraph) {
    return device_call([&] {
        const auto found = find_graph(originalGraph);
        if (!graphClone || !found || found->capturing) return musaErrorInvalidValue;
        // As in CUDA: two graphs cannot own the same memory or the same condition.
        if (musa_sim::allocates_memory(*found) || musa_sim::has_conditional_nodes(*found)) return musaErrorNotSupported;
        *graphClone = live_graphs().add(musa_sim::clone(*found));
        return musaSuccess;
    });
}

musaError_t musaGraphNodeFindInClone(musaGraphNode_t* node, musaGraphNode_t originalNode, musaGraph_t clonedGraph) {
    return api_call([&] {
        const auto clone = find_graph(clonedGraph);
        if (!node || !clone) return musaErrorInvalidValue;
        const auto found = std::find_if(clone->nodes.begin(), clone->nodes.end(), [=](const auto& mine) {
            return mine->original && mine->original.get() == originalNode;
        });
        if (found == clone->nodes.end()) return musaErrorInvalidValue;
        *node = found->get();
        return musaSuccess;
    });
}

musaError_t musaGraphAddDependencies(musaGraph_t graph, const musaGraphNode_t* from, const musaGraphNode_t* to,
                                     size_t numDependencies) {
    return edges_call(graph, from, to, numDependencies, false,
                      [](Nodes& after, musaGraphNode_t node) { after.push_back(node); });
}

musaError_t musaGraphRemoveDependencies(musaGraph_t graph, const musaGraphNode_t* from, const musaGraphNode_t* to,
                                        size_t numDependencies) {
    return edges_call(graph, from, to, numDependencies, true, take_out);
}

// Executable graphs made from the graph keep the node.
musaError_t musaGraphDestroyNode(musaGraphNode_t node) {
    return api_call([&] {
        const auto graph = graph_of(node);
        if (!graph) return musaErrorInvalidValue;
        const bool owns_memory = node->type == musaGraphNodeTypeMemAlloc || node->type == musaGraphNodeTypeMemFree;
        if (owns_memory) return musaErrorNotSupported;
        for (const auto& other : graph->nodes) take_out(other->after, node);
        graph->nodes.erase(graph->nodes.begin() + static_cast<std::ptrdiff_t>(graph->index_of(node)));
        return musaSuccess;
    });
}

// Where the destructor runs is no promise: without the flag CUDA 11 and 12 refuse the call.
musaError_t musaUserObjectCreate(musaUserObject_t* object, void* ptr, musaHostFn_t destroy,
                                 unsigned int initialRefcount, unsigned int flags) {
    return device_call([&] {
        if (!object || !destroy || initialRefcount == 0 || flags != musaUserObjectNoDestructorSync)
            return musaErrorInvalidValue;
        *object = UserObjects::instance().create(ptr, destroy, initialRefcount);
        return musaSuccess;
    });
}

musaError_t musaUserObjectRetain(musaUserObject_t object, unsigned int count) {
    return api_call([&] { return UserObjects::instance().retain(object, count); });
}

musaError_t musaUserObjectRelease(musaUserObject_t object, unsigned int count) {
    return api_call([&] { return UserObjects::instance().release(object, count); });
}

musaError_t musaGraphRetainUserObject(musaGraph_t graph, musaUserObject_t object, unsigned int count,
                                      unsigned int flags) {
    return api_call([&] {
        const auto found = find_graph(graph);
        if (!found || (flags & ~static_cast<unsigned>(musaGraphUserObjectMove)) != 0) return musaErrorInvalidValue;
        const bool moved = flags & musaGraphUserObjectMove;
        // Moved references exist; that there are so many is the caller's promise.
        const musaError_t error = moved ? UserObjects::instance().check(object, count)
                                        : UserObjects::instance().retain(object, count);
        if (error == musaSuccess) found->objects.add(object, count);
        return error;
    });
}

musaError_t musaGraphReleaseUserObject(musaGraph_t graph, musaUserObject_t object, unsigned int count) {
    return api_call([&] {
        const auto found = find_graph(graph);
        return found ? found->objects.release(object, count) : musaErrorInvalidValue;
    });
}

musaError_t musaDeviceGetGraphMemAttribute(int device, musaGraphMemAttributeType attr, void* value) {
    return device_call([&] {
        if (!is_device(device)) return musaErrorInvalidDevice;
        std::uint64_t number = 0;
        const musaError_t error = value ? memory_attribute(device, attr, &number) : musaErrorInvalidValue;
        if (error == musaSuccess) std::memcpy(value, &number, sizeof number);
        return error;
    });
}

// The high ones can be set, to zero: they restart at the present amount.
musaError_t musaDeviceSetGraphMemAttribute(int device, musaGraphMemAttributeType attr, void* value) {
    return device_call([&] {
        if (!is_device(device)) return musaErrorInvalidDevice;
        std::uint64_t number = 0;
        if (!value) return musaErrorInvalidValue;
        std::memcpy(&number, value, sizeof number);
        const bool is_high = attr == musaGraphMemAttrUsedMemHigh || attr == musaGraphMemAttrReservedMemHigh;
        if (!is_high || number != 0) return musaErrorInvalidValue;
        GraphMemory::restart_most_used(device);
        return musaSuccess;
    });
}

// Nothing is kept that no graph owns.
musaError_t musaDeviceGraphMemTrim(int device) {
    return device_call([&] { return is_device(device) ? musaSuccess : musaErrorInvalidDevice; });
}
