// Graphs: work that is described once and done as often as the graph is launched.
//
// A node knows how to make the work of one launch. The executable form has a queue for each stream
// that was captured, so that concurrent streams stay concurrent, and its nodes wait for
// each other by tickets (stream_queues.h), as tasks of streams do.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "streams/streams.h"

namespace musa_sim {

// The work of a node. It holds copies of all that it needs, and is the same in each launch.
class NodeWork {
public:
    virtual ~NodeWork() = default;
    // Make the work of one launch; profilers see it as work of the target.
    virtual std::unique_ptr<Work> make(const Target& target) const = 0;
};

// A function of the target that returns a callable, as NodeWork.
template <class Make>
std::shared_ptr<const NodeWork> as_node_work(Make make) {
    struct Made final : NodeWork {
        explicit Made(Make&& m) : make_callable(std::move(m)) {}
        std::unique_ptr<Work> make(const Target& target) const override {
            return as_work(make_callable(target));
        }
        Make make_callable;
    };
    return std::make_shared<Made>(std::move(make));
}

// A stream that was captured. The first one of a graph is that where the capture began.
struct GraphStream {
    int device;
    int priority;
};

}  // namespace musa_sim

struct MUgraphNode_st {
    musaGraphNodeType type;
    std::string name;  // for people
    std::size_t number;
    std::size_t stream;  // of the graph
    std::vector<musaGraphNode_t> after;
    std::shared_ptr<const musa_sim::NodeWork> work;
};

struct MUgraph_st {
    std::vector<std::shared_ptr<MUgraphNode_st>> nodes;  // in topological order
    std::vector<musa_sim::GraphStream> streams;
    bool capturing = false;  // belongs to a capture, which still adds nodes
};

namespace musa_sim {

// An executable graph: independent of the graph that it was made from.
class Executable {
public:
    explicit Executable(const MUgraph_st& graph);
    ~Executable();
    Executable(const Executable&) = delete;
    Executable& operator=(const Executable&) = delete;

    // Held while a graph is launched.
    static std::mutex& launching();

    // Submit all nodes in the order of the target, after earlier launches. The returned ticket is complete when all
    // nodes are.
    static Ticket launch(const std::shared_ptr<Executable>& self, const Target& target);
    // Release the objects that finished launches kept alive. Objects that a library or the user gave a graph
    // may call the API in their destructors, so they are not destroyed on a thread of a stream.
    static void sweep();
    static std::mutex& sweeping();  // for fork()

    // All nodes, one after the other, as one piece of work: a graph inside a graph.
    static std::shared_ptr<const NodeWork> as_child(const std::shared_ptr<Executable>& self);

    // The device of a node of the graph that it was made from; -1 if it is of another.
    int device_of(const MUgraphNode_st* node) const;
    // Set the work of the node in later launches.
    void replace(const MUgraphNode_st* node, std::shared_ptr<const NodeWork> work);
    // Take over the work of the graph's nodes, if the graphs differ in nothing else. If they do, *node is
    // the first node that differs; nullptr if their numbers of nodes differ.
    musaGraphExecUpdateResult update(const MUgraph_st& graph, musaGraphNode_t* node);

private:
    friend class ChildGraph;
    struct Step {
        std::shared_ptr<const MUgraphNode_st> node;  // of the graph that it was made from
        std::shared_ptr<const NodeWork> work;
    };
    const Step* find(const MUgraphNode_st* node) const;

    std::vector<Step> steps_;
    std::vector<Target> targets_;  // of the streams
    Ticket last_;  // of the launch before
};

}  // namespace musa_sim

struct MUgraphExec_st {
    std::shared_ptr<musa_sim::Executable> executable;
};

namespace musa_sim {

LiveObjects<MUgraph_st>& live_graphs();
// The graph that has the node; nullptr if there is none.
std::shared_ptr<MUgraph_st> graph_of(const MUgraphNode_st* node);
LiveObjects<MUgraphExec_st>& live_executables();

}  // namespace musa_sim
