#include "graph.h"

#include <utility>

#include "lifetime.h"

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

LiveObjects<MUgraphExec_st>& live_executables() {
    static auto& executables = leaked<LiveObjects<MUgraphExec_st>>();
    return executables;
}

Executable::Executable(const MUgraph_st& graph) {
    for (const Lane& lane : graph.lanes) {
        lanes_.push_back({lane.device, StreamQueues::instance().create(
                                           lane.device, StreamKind::non_blocking, lane.priority)});
    }
    for (const auto& node : graph.nodes) {
        std::vector<std::size_t> after;
        for (const MUgraphNode_st* before : node->after) after.push_back(before->number);
        steps_.push_back({node->work, node->lane, std::move(after)});
    }
}

// What was launched is done all the same: the last task of each launch keeps the object alive, until
// the next sweep().
Executable::~Executable() {
    for (const Target& lane : lanes_) StreamQueues::instance().close(lane.queue);
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
    std::vector<Target> lanes = mine.lanes_;
    if (lanes.front().device == target.device) lanes.front() = target;

    std::vector<Ticket> done;
    for (const Step& step : mine.steps_) {
        const Target& lane = lanes[step.lane];
        std::vector<Ticket> after{begin};
        for (const std::size_t before : step.after) after.push_back(done[before]);
        done.push_back(queues.submit(lane.queue, unless_failed(lane.device, step.work->make(lane)),
                                     Start::soon, std::move(after)));
    }
    auto keep = as_work([self]() mutable { Finished::instance().add(std::move(self)); });
    mine.last_ = queues.submit(target.queue, std::move(keep), Start::now, std::move(done));
    return mine.last_;
}

std::shared_ptr<const NodeWork> Executable::as_child(const std::shared_ptr<Executable>& self) {
    return as_node_work([self](const Target& target) {
        std::vector<std::unique_ptr<Work>> all;
        for (const Step& step : self->steps_) {
            const Target lane{self->lanes_[step.lane].device, target.queue};
            all.push_back(unless_failed(lane.device, step.work->make(lane)));
        }
        return [self, all = std::move(all)] {
            for (const auto& work : all) work->run();
        };
    });
}

}  // namespace musa_sim
