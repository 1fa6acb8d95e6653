// Graphs: work that is described once and done as often as the graph is launched.
//
// A node knows how to submit the work of one launch. The executable form has a few queues, its lanes, so that
// nodes that do not come after each other can run at the same time. Its nodes wait for each other by tickets
// (stream_queues.h), as tasks of streams do. Graphs inside it are part of it, node by node.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "streams/streams.h"
#include "streams/user_objects.h"

namespace musa_sim {

// The work of a node. It holds copies of all that it needs, and is the same in each launch.
class NodeWork {
public:
    virtual ~NodeWork() = default;
    // Make the work of one launch; profilers see it as work of the target. nullptr: the node is a point in the order only.
    virtual std::unique_ptr<Work> make(const Target& target) const;
    // Submit it after the tickets.
    virtual Ticket submit(const Target& target, std::vector<Ticket> after) const;
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

// A value that kernels set, by its address: the graphs that a node runs depend on it.
struct Condition {
    std::shared_ptr<unsigned> value;  // in device memory
    unsigned initial;
    bool begins_anew;  // with the initial value, whenever the graph runs that it was made for
};

// The graphs that a conditional node runs.
struct Conditional {
    std::shared_ptr<const Condition> condition;
    musaGraphConditionalNodeType type;
    std::vector<std::shared_ptr<MUgraph_st>> graphs;
    std::vector<musaGraph_t> handles;  // of the graphs, for the program

    // The index of the graph that the value chooses now; the number of graphs if it chooses none.
    std::size_t chosen() const;
};

}  // namespace musa_sim

struct MUgraphNode_st {
    musaGraphNodeType type;
    std::string name;  // for people
    int device;
    int priority;
    std::vector<musaGraphNode_t> after;
    std::shared_ptr<const musa_sim::NodeWork> work;  // nullptr: of a graph inside the graph
    std::shared_ptr<MUgraph_st> child{};             // that graph
    // The node that it is a clone of. It lives as long, so that its address means nothing else.
    std::shared_ptr<const MUgraphNode_st> original{};
    std::shared_ptr<const musa_sim::Conditional> conditional{};  // of a conditional node
    bool enabled = true;  // of an executable graph; without it, the node is a point in the order
};

struct MUgraph_st {
    std::vector<std::shared_ptr<MUgraphNode_st>> nodes;  // in the order of their making
    musa_sim::UserObjectReferences objects{};
    std::vector<std::shared_ptr<const musa_sim::Condition>> conditions{};  // made for the graph
    bool capturing = false;  // belongs to a capture, which still adds nodes

    // The index of a node among the graph's; the number of nodes if it is none of them.
    std::size_t index_of(const MUgraphNode_st* node) const;
    bool contains(const MUgraphNode_st* node) const { return index_of(node) < nodes.size(); }
};

namespace musa_sim {

// A copy of the graph with the graphs inside it, but for those of conditional nodes. Nodes know what they are clones of.
MUgraph_st clone(const MUgraph_st& graph);
// Whether nodes wait for each other in a circle. *node, if asked: one of the nodes that cannot run.
bool has_cycle(const MUgraph_st& graph, musaGraphNode_t* node = nullptr);
// Whether the graph, or one inside it, has conditional nodes.
bool has_conditional_nodes(const MUgraph_st& graph);

// An executable graph: independent of the graph that it was made from, which has no cycle.
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

    // A graph of the same nodes, with what they do now.
    MUgraph_st as_graph() const;

    // Its node for a node of the graph that it was made from, or of one inside that; nullptr if it is of another.
    MUgraphNode_st* counterpart(const MUgraphNode_st* node) const;
    // Set the work of the node in later launches, and whether they do it.
    void replace(const MUgraphNode_st* node, std::shared_ptr<const NodeWork> work);
    void enable(const MUgraphNode_st* node, bool enabled);
    // Take over the work of the graph's nodes, if the graphs differ in nothing else. If they do, *node is
    // the first node that differs; nullptr if their numbers of nodes differ.
    musaGraphExecUpdateResult update(const MUgraph_st& graph, musaGraphNode_t* node);
    // The same for the graph inside the graph that is the node.
    musaGraphExecUpdateResult update_child(const MUgraphNode_st* node, const MUgraph_st& graph);

private:
    struct Step {
        MUgraphNode_st* node;  // of graph_, or of a graph in it
        std::vector<std::size_t> after;
        std::size_t lane;
        // Of a conditional node: its graphs, and the queue in which they run while the lane waits.
        std::vector<std::shared_ptr<Executable>> graphs{};
        Target own{};
    };
    class ConditionalWork;
    // submit_nodes(): with launching() held. The end keeps `self` alive, if asked.
    Ticket submit_nodes(const Target& target, std::shared_ptr<Executable> self);
    Ticket submit_node(const Step& step, const Target& lane, std::vector<Ticket> after) const;
    musaGraphExecUpdateResult compare_all(const MUgraph_st& graph, musaGraphNode_t* node) const;
    void take_over(const MUgraph_st& graph);
    const MUgraph_st& graph_inside(const MUgraph_st& graph, const Step& step, std::size_t which) const;
    void add_steps(MUgraph_st& graph, const std::vector<std::size_t>& before);
    std::size_t lane_for(const MUgraphNode_st& node, const std::vector<std::size_t>& after) const;

    MUgraph_st graph_;
    std::vector<Step> steps_;  // in topological order
    std::unordered_map<const MUgraphNode_st*, MUgraphNode_st*> by_original_;
    struct Lane {
        Target target;
        std::size_t last;  // step
    };
    std::vector<Lane> lanes_;
    Ticket last_;  // of the launch before
};

}  // namespace musa_sim

struct MUgraphExec_st {
    std::shared_ptr<musa_sim::Executable> executable;
    bool has_memory_nodes = false;
    bool frees_on_launch = false;  // the memory that an earlier launch left allocated
    unsigned long long flags = 0;  // as it was made
};

namespace musa_sim {

LiveObjects<MUgraph_st>& live_graphs();
// The graph, which may be inside another; nullptr if it is none, or no more.
std::shared_ptr<MUgraph_st> find_graph(musaGraph_t handle);
// The condition of the handle that was made for the graph or for one that it is in; nullptr if there is none.
std::shared_ptr<const Condition> find_condition(musaGraph_t graph, musaGraphConditionalHandle handle);
// Whether these are data of `count` edges (null: of plain ones). A node that may begin earlier begins when the one before it ends.
bool are_edges(const musaGraphEdgeData* edges, std::size_t count);
// The graph that has the node; nullptr if there is none.
std::shared_ptr<MUgraph_st> graph_of(const MUgraphNode_st* node);
LiveObjects<MUgraphExec_st>& live_executables();

}  // namespace musa_sim
