#include "streams/graph.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/lifetime.h"

namespace musa_sim {
namespace {

// Branches beyond these share queues.
constexpr std::size_t most_lanes = 16;

// Executables whose launches are over, once per launch.
struct Finished {
    std::mutex mutex;
    std::vector<std::shared_ptr<Executable>> all;

    static Finished& instance() {
        static auto& finished = leaked<Finished>();
        return finished;
    }
    void add(std::shared_ptr<Executable> executable) {
        std::lock_guard<std::mutex> lock(mutex);
        all.push_back(std::move(executable));
    }
};

// Work of a stream is not done once a kernel has failed on its device.
std::unique_ptr<Work> unless_failed(int device, std::unique_ptr<Work> work) {
    return as_work([device, work = std::move(work)] {
        if (!device_failed(device)) work->run();
    });
}

// The nodes that each node comes after, as indices.
std::vector<std::vector<std::size_t>> edges_of(const MUgraph_st& graph) {
    std::unordered_map<const MUgraphNode_st*, std::size_t> indices;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) indices[graph.nodes[i].get()] = i;
    std::vector<std::vector<std::size_t>> edges;
    for (const auto& node : graph.nodes) {
        std::vector<std::size_t>& after = edges.emplace_back();
        for (const MUgraphNode_st* before : node->after) after.push_back(indices.at(before));
    }
    return edges;
}

// The indices of the nodes, each after those that it waits for and otherwise as they were made, without nodes of a circle.
std::vector<std::size_t> topological_order(const std::vector<std::vector<std::size_t>>& edges) {
    std::vector<std::size_t> waits(edges.size()), order;
    std::vector<std::vector<std::size_t>> followers(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        waits[i] = edges[i].size();
        for (const std::size_t before : edges[i]) followers[before].push_back(i);
    }
    // Usually one pass finds all, because programs make nodes in an order in which they can run.
    for (std::vector<bool> placed(edges.size()); ;) {
        const std::size_t found = order.size();
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (placed[i] || waits[i] > 0) continue;
            placed[i] = true;
            order.push_back(i);
            for (const std::size_t follower : followers[i]) --waits[follower];
        }
        if (order.size() == found) return order;
    }
}

// The property of the new node that an update cannot take over; its edges are compared elsewhere.
musaGraphExecUpdateResult difference(const MUgraphNode_st& old, const MUgraphNode_st& node) {
    if (old.type != node.type) return musaGraphExecUpdateErrorNodeTypeChanged;
    if (old.conditional) {
        const Conditional &mine = *old.conditional, &theirs = *node.conditional;
        if (mine.condition != theirs.condition || mine.type != theirs.type || mine.graphs.size() != theirs.graphs.size())
            return musaGraphExecUpdateErrorParametersChanged;
    }
    return old.device == node.device ? musaGraphExecUpdateSuccess : musaGraphExecUpdateErrorNotSupported;
}

bool have_same_form(const MUgraph_st& old, const MUgraph_st& graph) {
    return std::equal(old.nodes.begin(), old.nodes.end(), graph.nodes.begin(), graph.nodes.end(),
                      [](const auto& mine, const auto& theirs) {
                          return difference(*mine, *theirs) == musaGraphExecUpdateSuccess &&
                                 (!mine->child || have_same_form(*mine->child, *theirs->child));
                      }) &&
           edges_of(old) == edges_of(graph);
}

// The graphs that a node runs.
std::vector<std::shared_ptr<MUgraph_st>> graphs_in(const MUgraphNode_st& node) {
    if (node.child) return {node.child};
    return node.conditional ? node.conditional->graphs : std::vector<std::shared_ptr<MUgraph_st>>{};
}

// A graph inside the graph for which the predicate holds; nullptr if there is none.
template <class Predicate>
std::shared_ptr<MUgraph_st> child_of(const MUgraph_st& graph, const Predicate& holds) {
    for (const auto& node : graph.nodes) {
        for (const auto& inner : graphs_in(*node)) {
            const auto found = holds(*inner) ? inner : child_of(*inner, holds);
            if (found) return found;
        }
    }
    return nullptr;
}

template <class Predicate>
std::shared_ptr<MUgraph_st> any_child(const Predicate& holds) {
    std::shared_ptr<MUgraph_st> found;
    live_graphs().find_if([&](const MUgraph_st& graph) { return (found = child_of(graph, holds)) != nullptr; });
    return found;
}

// Where two graphs differ in more than in what their nodes do.
musaGraphExecUpdateResult compare(const MUgraph_st& old, const MUgraph_st& graph, musaGraphNode_t* node) {
    *node = nullptr;
    if (old.nodes.size() != graph.nodes.size()) return musaGraphExecUpdateErrorTopologyChanged;
    const auto old_edges = edges_of(old), edges = edges_of(graph);
    for (std::size_t i = 0; i < old.nodes.size(); ++i) {
        const MUgraphNode_st& mine = *old.nodes[i];
        MUgraphNode_st& theirs = *graph.nodes[i];
        auto result = difference(mine, theirs);
        const bool same_children = !mine.child || !theirs.child || have_same_form(*mine.child, *theirs.child);
        if (result == musaGraphExecUpdateSuccess && (old_edges[i] != edges[i] || !same_children))
            result = musaGraphExecUpdateErrorTopologyChanged;
        if (result == musaGraphExecUpdateSuccess) continue;
        *node = &theirs;
        return result;
    }
    return musaGraphExecUpdateSuccess;
}

// Of graphs of the same form.
void take_over_work(MUgraph_st& old, const MUgraph_st& graph) {
    for (std::size_t i = 0; i < old.nodes.size(); ++i) {
        old.nodes[i]->work = graph.nodes[i]->work;
        if (old.nodes[i]->child) take_over_work(*old.nodes[i]->child, *graph.nodes[i]->child);
    }
    old.objects = graph.objects;
}

// The condition of the handle that was made for the graph or for one inside it.
std::shared_ptr<const Condition> condition_in(const MUgraph_st& graph, musaGraphConditionalHandle handle) {
    for (const auto& condition : graph.conditions) {
        if (reinterpret_cast<musaGraphConditionalHandle>(condition->value.get()) == handle) return condition;
    }
    for (const auto& node : graph.nodes) {
        for (const auto& inner : graphs_in(*node)) {
            if (auto found = condition_in(*inner, handle)) return found;
        }
    }
    return nullptr;
}

}  // namespace

std::size_t Conditional::chosen() const {
    const unsigned now = __atomic_load_n(condition->value.get(), __ATOMIC_ACQUIRE);
    const std::size_t index = type == musaGraphCondTypeSwitch ? now : (now != 0 ? 0 : 1);
    // A loop ends where `if` has another graph.
    return type == musaGraphCondTypeWhile && now == 0 ? graphs.size() : std::min(index, graphs.size());
}

std::unique_ptr<Work> NodeWork::make(const Target&) const { return nullptr; }

Ticket NodeWork::submit(const Target& target, std::vector<Ticket> after) const {
    std::unique_ptr<Work> work = make(target);
    if (work) work = unless_failed(target.device, std::move(work));
    return StreamQueues::instance().submit(target.queue, std::move(work), Start::soon, std::move(after));
}

LiveObjects<MUgraph_st>& live_graphs() {
    static auto& graphs = leaked<LiveObjects<MUgraph_st>>();
    return graphs;
}

std::shared_ptr<MUgraph_st> find_graph(musaGraph_t handle) {
    const auto found = live_graphs().find(handle);
    return found ? found : any_child([=](const MUgraph_st& graph) { return &graph == handle; });
}

std::shared_ptr<MUgraph_st> graph_of(const MUgraphNode_st* node) {
    const auto has_it = [=](const MUgraph_st& graph) { return graph.contains(node); };
    const auto found = live_graphs().find_if(has_it);
    return found ? found : any_child(has_it);
}

std::shared_ptr<const Condition> find_condition(musaGraph_t graph, musaGraphConditionalHandle handle) {
    std::shared_ptr<const Condition> found;
    live_graphs().find_if([&](const MUgraph_st& root) {
        const auto is_it = [=](const MUgraph_st& inner) { return &inner == graph; };
        return (&root == graph || child_of(root, is_it)) && (found = condition_in(root, handle));
    });
    return found;
}

bool are_edges(const musaGraphEdgeData* edges, std::size_t count) {
    return !edges || std::all_of(edges, edges + count, [](const musaGraphEdgeData& edge) {
        return edge.from_port <= musaGraphKernelNodePortLaunchCompletion && edge.to_port == 0 &&
               edge.type <= musaGraphDependencyTypeProgrammatic &&
               std::all_of(std::begin(edge.reserved), std::end(edge.reserved), [](unsigned char byte) { return byte == 0; });
    });
}

LiveObjects<MUgraphExec_st>& live_executables() {
    static auto& executables = leaked<LiveObjects<MUgraphExec_st>>();
    return executables;
}

MUgraph_st clone(const MUgraph_st& graph) {
    MUgraph_st copy;
    std::unordered_map<const MUgraphNode_st*, musaGraphNode_t> copies;
    for (const auto& node : graph.nodes) {
        auto mine = std::make_shared<MUgraphNode_st>(*node);
        mine->original = node;
        if (node->child) mine->child = std::make_shared<MUgraph_st>(clone(*node->child));
        copies[node.get()] = mine.get();
        copy.nodes.push_back(std::move(mine));
    }
    for (const auto& node : copy.nodes) {
        for (musaGraphNode_t& before : node->after) before = copies.at(before);
    }
    copy.objects = graph.objects;
    copy.conditions = graph.conditions;
    return copy;
}

bool has_cycle(const MUgraph_st& graph, musaGraphNode_t* node) {
    const std::vector<std::size_t> order = topological_order(edges_of(graph));
    if (order.size() < graph.nodes.size()) {
        std::vector<bool> can_run(graph.nodes.size());
        for (const std::size_t index : order) can_run[index] = true;
        const auto first = std::find(can_run.begin(), can_run.end(), false) - can_run.begin();
        if (node) *node = graph.nodes[static_cast<std::size_t>(first)].get();
        return true;
    }
    return child_of(graph, [=](const MUgraph_st& inner) { return has_cycle(inner, node); }) != nullptr;
}

bool has_conditional_nodes(const MUgraph_st& graph) {
    const auto is_conditional = [](const auto& node) { return node->conditional != nullptr; };
    const auto has_some = [=](const MUgraph_st& one) {
        return std::any_of(one.nodes.begin(), one.nodes.end(), is_conditional);
    };
    return has_some(graph) || child_of(graph, has_some);
}

Executable::Executable(const MUgraph_st& graph) : graph_(clone(graph)) { add_steps(graph_, {}); }

// Add the steps of the nodes of a graph that begins after the steps `before`, and of graphs inside it.
void Executable::add_steps(MUgraph_st& graph, const std::vector<std::size_t>& before) {
    const auto edges = edges_of(graph);
    std::vector<std::size_t> ends(graph.nodes.size());  // the step that ends the node
    for (const std::size_t index : topological_order(edges)) {
        MUgraphNode_st& node = *graph.nodes[index];
        by_original_[node.original.get()] = &node;
        std::vector<std::size_t> after;
        for (const std::size_t earlier : edges[index]) after.push_back(ends[earlier]);
        if (after.empty()) after = before;
        if (node.child) {
            const std::size_t first = steps_.size();
            add_steps(*node.child, after);
            // The node ends when all of the graph's nodes have.
            for (std::size_t step = first; step < steps_.size(); ++step) after.push_back(step);
        }
        const std::size_t lane = lane_for(node, after);
        if (lane == lanes_.size()) {
            lanes_.push_back({{node.device, StreamQueues::instance().create(
                                                node.device, StreamKind::non_blocking, node.priority)},
                              0});
        }
        lanes_[lane].last = ends[index] = steps_.size();
        steps_.push_back({&node, std::move(after), lane});
        if (!node.conditional) continue;
        Step& step = steps_.back();
        for (const auto& inner : node.conditional->graphs) step.graphs.push_back(std::make_shared<Executable>(*inner));
        step.own = {node.device, StreamQueues::instance().create(node.device, StreamKind::non_blocking, node.priority)};
    }
}

// That of a step which the node comes after, if nothing else came after that; else a new one, which does not exist yet.
std::size_t Executable::lane_for(const MUgraphNode_st& node, const std::vector<std::size_t>& after) const {
    const auto suits = [&](const Lane& lane) {
        return lane.target.device == node.device &&
               StreamQueues::priority(lane.target.queue) == node.priority;
    };
    for (const std::size_t step : after) {
        const Lane& lane = lanes_[steps_[step].lane];
        if (lane.last == step && suits(lane)) return steps_[step].lane;
    }
    if (lanes_.size() < most_lanes) return lanes_.size();
    const auto any = std::find_if(lanes_.begin(), lanes_.end(), suits);
    return static_cast<std::size_t>(any - lanes_.begin());
}

// Launches in flight complete all the same: the last task of each keeps the object alive, until
// the next sweep().
Executable::~Executable() {
    for (const Lane& lane : lanes_) StreamQueues::instance().close(lane.target.queue);
    for (const Step& step : steps_) {
        if (step.own.queue) StreamQueues::instance().close(step.own.queue);
    }
}

// Run what the value of a condition chooses. Meanwhile the thread waits, or helps.
class Executable::ConditionalWork final : public Work {
public:
    ConditionalWork(std::shared_ptr<const Conditional> conditional, const Step& step)
        : conditional_(std::move(conditional)), graphs_(step.graphs), own_(step.own) {}
    void run() override {
        do {
            const std::size_t which = device_failed(own_.device) ? graphs_.size() : conditional_->chosen();
            if (which == graphs_.size()) return;
            Ticket done;
            {
                std::lock_guard<std::mutex> lock(launching());
                done = graphs_[which]->submit_nodes(own_, nullptr);
            }
            StreamQueues::instance().wait(done);
        } while (conditional_->type == musaGraphCondTypeWhile);
    }

private:
    std::shared_ptr<const Conditional> conditional_;
    std::vector<std::shared_ptr<Executable>> graphs_;
    Target own_;
};

std::mutex& Executable::launching() {
    static auto& mutex = leaked<std::mutex>();
    return mutex;
}

std::mutex& Executable::sweeping() { return Finished::instance().mutex; }

void Executable::sweep() {
    std::vector<std::shared_ptr<Executable>> over;
    {
        std::lock_guard<std::mutex> lock(Finished::instance().mutex);
        over.swap(Finished::instance().all);
    }
}

Ticket Executable::launch(const std::shared_ptr<Executable>& self, const Target& target) {
    std::lock_guard<std::mutex> lock(launching());
    return self->submit_nodes(target, self);
}

Ticket Executable::submit_nodes(const Target& target, std::shared_ptr<Executable> self) {
    StreamQueues& queues = StreamQueues::instance();
    std::unique_ptr<Work> first;
    if (!graph_.conditions.empty()) {
        first = as_work([conditions = graph_.conditions] {
            for (const auto& one : conditions) {
                if (one->begins_anew) __atomic_store_n(one->value.get(), one->initial, __ATOMIC_RELEASE);
            }
        });
    }
    const Ticket begin = queues.submit(target.queue, std::move(first), Start::soon, {last_});
    std::vector<Ticket> done;
    for (const Step& step : steps_) {
        const Target& own = lanes_[step.lane].target;
        std::vector<Ticket> after{begin};
        for (const std::size_t before : step.after) after.push_back(done[before]);
        done.push_back(
            submit_node(step, step.lane == 0 && own.device == target.device ? target : own, std::move(after)));
    }
    std::unique_ptr<Work> keep;
    if (self) keep = as_work([self = std::move(self)]() mutable { Finished::instance().add(std::move(self)); });
    last_ = queues.submit(target.queue, std::move(keep), keep ? Start::now : Start::soon, std::move(done));
    return last_;
}

Ticket Executable::submit_node(const Step& step, const Target& lane, std::vector<Ticket> after) const {
    if (step.node->enabled && step.node->work) return step.node->work->submit(lane, std::move(after));
    std::unique_ptr<Work> work;
    if (step.node->conditional) work = std::make_unique<ConditionalWork>(step.node->conditional, step);
    return StreamQueues::instance().submit(lane.queue, std::move(work), Start::soon, std::move(after));
}

MUgraph_st Executable::as_graph() const {
    std::lock_guard<std::mutex> lock(launching());
    return clone(graph_);
}

MUgraphNode_st* Executable::counterpart(const MUgraphNode_st* node) const {
    const auto found = by_original_.find(node);
    if (found != by_original_.end()) return found->second;
    for (const Step& step : steps_) {
        for (const auto& inner : step.graphs) {
            if (MUgraphNode_st* mine = inner->counterpart(node)) return mine;
        }
    }
    return nullptr;
}

void Executable::replace(const MUgraphNode_st* node, std::shared_ptr<const NodeWork> work) {
    std::lock_guard<std::mutex> lock(launching());
    counterpart(node)->work = std::move(work);
}

void Executable::enable(const MUgraphNode_st* node, bool enabled) {
    std::lock_guard<std::mutex> lock(launching());
    counterpart(node)->enabled = enabled;
}

// The graph of the other graph's node that corresponds to the step's.
const MUgraph_st& Executable::graph_inside(const MUgraph_st& graph, const Step& step, std::size_t which) const {
    return *graph.nodes[graph_.index_of(step.node)]->conditional->graphs[which];
}

musaGraphExecUpdateResult Executable::compare_all(const MUgraph_st& graph, musaGraphNode_t* node) const {
    musaGraphExecUpdateResult result = compare(graph_, graph, node);
    for (const Step& step : steps_) {
        for (std::size_t i = 0; i < step.graphs.size() && result == musaGraphExecUpdateSuccess; ++i)
            result = step.graphs[i]->compare_all(graph_inside(graph, step, i), node);
    }
    return result;
}

void Executable::take_over(const MUgraph_st& graph) {
    for (const Step& step : steps_) {
        for (std::size_t i = 0; i < step.graphs.size(); ++i) step.graphs[i]->take_over(graph_inside(graph, step, i));
    }
    take_over_work(graph_, graph);
}

musaGraphExecUpdateResult Executable::update(const MUgraph_st& graph, musaGraphNode_t* node) {
    std::lock_guard<std::mutex> lock(launching());
    const musaGraphExecUpdateResult result = compare_all(graph, node);
    if (result == musaGraphExecUpdateSuccess) take_over(graph);
    return result;
}

musaGraphExecUpdateResult Executable::update_child(const MUgraphNode_st* node, const MUgraph_st& graph) {
    std::lock_guard<std::mutex> lock(launching());
    MUgraph_st& mine = *counterpart(node)->child;
    musaGraphNode_t differs = nullptr;
    const musaGraphExecUpdateResult result = compare(mine, graph, &differs);
    if (result == musaGraphExecUpdateSuccess) take_over_work(mine, graph);
    return result;
}

}  // namespace musa_sim

// Programs mostly ask about nodes that they just made.
std::size_t MUgraph_st::index_of(const MUgraphNode_st* node) const {
    const auto found =
        std::find_if(nodes.rbegin(), nodes.rend(), [=](const auto& mine) { return mine.get() == node; });
    return found == nodes.rend() ? nodes.size() : static_cast<std::size_t>(nodes.rend() - found) - 1;
}
