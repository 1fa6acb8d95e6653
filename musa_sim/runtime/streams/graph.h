// Graphs: work that is described once and done as often as the graph is launched.
//
// A node knows how to make the work of one launch. The executable form has a queue for each stream
// that was captured, so that what was concurrent in the streams still is, and its nodes wait for
// each other by tickets (stream_queues.h), as tasks of streams do.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "streams/streams.h"

namespace musa_sim {

// What a node does. It holds copies of all that it needs, and is the same in each launch.
class NodeWork {
public:
    virtual ~NodeWork() = default;
    // The work of one launch, told to profilers as work of the target.
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
struct Lane {
    int device;
    int priority;
};

}  // namespace musa_sim

struct MUgraphNode_st {
    musaGraphNodeType type;
    std::string name;  // for people
    std::size_t number;
    std::size_t lane;
    std::vector<musaGraphNode_t> after;
    std::shared_ptr<const musa_sim::NodeWork> work;
};

struct MUgraph_st {
    std::vector<std::shared_ptr<MUgraphNode_st>> nodes;  // each one after those it comes after
    std::vector<musa_sim::Lane> lanes;
    bool capturing = false;  // belongs to a capture, which still adds nodes
};

namespace musa_sim {

// What musaGraphLaunch launches: independent of the graph that it was made from.
class Executable {
public:
    explicit Executable(const MUgraph_st& graph);
    ~Executable();
    Executable(const Executable&) = delete;
    Executable& operator=(const Executable&) = delete;

    // Held while a graph is launched.
    static std::mutex& launching();

    // Submits all nodes in the order of the target, after what a launch before this one does. The
    // returned ticket is complete when all are.
    static Ticket launch(const std::shared_ptr<Executable>& self, const Target& target);
    // Lets go of what launches that are over had kept alive. What a library or the user gave a graph
    // to keep may call the API when it goes, so it does not go on a thread of a stream.
    static void sweep();
    static std::mutex& sweeping();  // for fork()

    // All nodes, one after the other, as one piece of work: a graph inside a graph.
    static std::shared_ptr<const NodeWork> as_child(const std::shared_ptr<Executable>& self);

    // The device of a node of the graph that it was made from; -1 if it is of another.
    int device_of(const MUgraphNode_st* node) const;
    // What the node does in launches from now on.
    void replace(const MUgraphNode_st* node, std::shared_ptr<const NodeWork> work);
    // Takes over what the graph's nodes do, if the graph is the same but for that. If not, *node is
    // the first that differs; nullptr if their numbers do.
    musaGraphExecUpdateResult update(const MUgraph_st& graph, musaGraphNode_t* node);

private:
    friend class ChildGraph;
    struct Step {
        std::shared_ptr<const MUgraphNode_st> node;  // of the graph that it was made from
        std::shared_ptr<const NodeWork> work;
    };
    const Step* find(const MUgraphNode_st* node) const;

    std::vector<Step> steps_;
    std::vector<Target> lanes_;
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
