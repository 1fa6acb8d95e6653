#include "streams/graph.h"

#include <algorithm>
#include <utility>

#include "base/lifetime.h"

namespace musa_sim {
namespace {

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

}  // namespace

LiveObjects<MUgraph_st>& live_graphs() {
    static auto& graphs = leaked<LiveObjects<MUgraph_st>>();
    return graphs;
}

std::shared_ptr<MUgraph_st> graph_of(const MUgraphNode_st* node) {
    return live_graphs().find_if([=](const MUgraph_st& graph) {
        return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                           [=](const auto& mine) { return mine.get() == node; });
    });
}

LiveObjects<MUgraphExec_st>& live_executables() {
    static auto& executables = leaked<LiveObjects<MUgraphExec_st>>();
    return executables;
}

Executable::Executable(const MUgraph_st& graph) {
    for (const GraphStream& stream : graph.streams) {
        targets_.push_back({stream.device,
                            StreamQueues::instance().create(
                                stream.device, StreamKind::non_blocking, stream.priority)});
    }
    for (const auto& node : graph.nodes) steps_.push_back({node, node->work});
}

// Launches in flight complete all the same: the last task of each keeps the object alive, until
// the next sweep().
Executable::~Executable() {
    for (const Target& target : targets_) StreamQueues::instance().close(target.queue);
}

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
    Executable& mine = *self;
    std::lock_guard<std::mutex> lock(launching());
    StreamQueues& queues = StreamQueues::instance();
    const Ticket begin = queues.submit(target.queue, nullptr, Start::soon, {mine.last_});
    std::vector<Target> targets = mine.targets_;
    if (targets.front().device == target.device) targets.front() = target;

    std::vector<Ticket> done;
    for (const Step& step : mine.steps_) {
        const Target& stream = targets[step.node->stream];
        std::vector<Ticket> after{begin};
        for (const MUgraphNode_st* before : step.node->after) after.push_back(done[before->number]);
        done.push_back(queues.submit(stream.queue, unless_failed(stream.device, step.work->make(stream)),
                                     Start::soon, std::move(after)));
    }
    auto keep = as_work([self]() mutable { Finished::instance().add(std::move(self)); });
    mine.last_ = queues.submit(target.queue, std::move(keep), Start::now, std::move(done));
    return mine.last_;
}

// The nodes as they were when the graph became part of another.
class ChildGraph final : public NodeWork {
public:
    explicit ChildGraph(std::shared_ptr<const Executable> executable)
        : executable_(std::move(executable)), steps_(executable_->steps_) {}

    std::unique_ptr<Work> make(const Target& target) const override {
        std::vector<std::unique_ptr<Work>> all;
        for (const Executable::Step& step : steps_) {
            const Target stream{device_of(step), target.queue};
            all.push_back(unless_failed(stream.device, step.work->make(stream)));
        }
        return as_work([keep = executable_, all = std::move(all)] {
            for (const auto& work : all) work->run();
        });
    }

    // Whether the other has the same nodes, whatever they do.
    bool is_like(const ChildGraph& other) const {
        return std::equal(steps_.begin(), steps_.end(), other.steps_.begin(), other.steps_.end(),
                          [&](const Executable::Step& mine, const Executable::Step& theirs) {
                              return difference(*mine.node, *mine.work, *theirs.node, *theirs.work) ==
                                         musaGraphExecUpdateSuccess &&
                                     device_of(mine) == other.device_of(theirs);
                          });
    }

    // The property of the new node that an update cannot take over.
    static musaGraphExecUpdateResult difference(const MUgraphNode_st& old, const NodeWork& old_work,
                                                const MUgraphNode_st& node, const NodeWork& work) {
        if (old.type != node.type) return musaGraphExecUpdateErrorNodeTypeChanged;
        const auto number = [](const MUgraphNode_st* mine, const MUgraphNode_st* theirs) {
            return mine->number == theirs->number;
        };
        const bool same_edges = std::equal(old.after.begin(), old.after.end(), node.after.begin(),
                                           node.after.end(), number);
        const auto* child = dynamic_cast<const ChildGraph*>(&old_work);
        const auto* new_child = dynamic_cast<const ChildGraph*>(&work);
        const bool same_children = !child || !new_child || child->is_like(*new_child);
        return same_edges && same_children ? musaGraphExecUpdateSuccess
                                           : musaGraphExecUpdateErrorTopologyChanged;
    }

private:
    int device_of(const Executable::Step& step) const {
        return executable_->targets_[step.node->stream].device;
    }

    std::shared_ptr<const Executable> executable_;
    std::vector<Executable::Step> steps_;
};

std::shared_ptr<const NodeWork> Executable::as_child(const std::shared_ptr<Executable>& self) {
    std::lock_guard<std::mutex> lock(launching());
    return std::make_shared<ChildGraph>(self);
}

const Executable::Step* Executable::find(const MUgraphNode_st* node) const {
    const bool has_it = node->number < steps_.size() && steps_[node->number].node.get() == node;
    return has_it ? &steps_[node->number] : nullptr;
}

int Executable::device_of(const MUgraphNode_st* node) const {
    return find(node) ? targets_[node->stream].device : -1;
}

void Executable::replace(const MUgraphNode_st* node, std::shared_ptr<const NodeWork> work) {
    std::lock_guard<std::mutex> lock(launching());
    steps_[node->number].work = std::move(work);
}

musaGraphExecUpdateResult Executable::update(const MUgraph_st& graph, musaGraphNode_t* node) {
    std::lock_guard<std::mutex> lock(launching());
    *node = nullptr;
    if (graph.nodes.size() != steps_.size()) return musaGraphExecUpdateErrorTopologyChanged;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        MUgraphNode_st& mine = *graph.nodes[i];
        auto result = ChildGraph::difference(*steps_[i].node, *steps_[i].work, mine, *mine.work);
        const int device = graph.streams[mine.stream].device;
        if (result == musaGraphExecUpdateSuccess && device != targets_[steps_[i].node->stream].device)
            result = musaGraphExecUpdateErrorNotSupported;
        if (result == musaGraphExecUpdateSuccess) continue;
        *node = &mine;
        return result;
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i].work = graph.nodes[i]->work;
    return musaGraphExecUpdateSuccess;
}

}  // namespace musa_sim
