#include "streams/capture.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/lifetime.h"
#include "streams/allocations.h"
#include "streams/graph_memory.h"

namespace musa_sim {

// A stream that is being captured, and the nodes that its next node will come after.
struct CapturedStream {
    std::shared_ptr<StreamQueue> queue;
    std::vector<musaGraphNode_t> last;
};

struct Capture {
    unsigned long long id;
    musaStreamCaptureMode mode;
    std::thread::id thread;
    std::shared_ptr<MUgraph_st> graph;
    std::vector<CapturedStream> streams;  // the first is the origin
    std::size_t earlier = 0;  // nodes of the graph that were there before
    bool in_users_graph = false;
    bool valid = true;
    bool ended = false;

    CapturedStream* find(const std::shared_ptr<StreamQueue>& queue) {
        const auto found = std::find_if(streams.begin(), streams.end(),
                                        [&](const auto& stream) { return stream.queue == queue; });
        return found == streams.end() ? nullptr : &*found;
    }
    CapturedStream& join(const std::shared_ptr<StreamQueue>& queue) {
        return streams.emplace_back(CapturedStream{queue, {}});
    }
};

namespace {

musaStreamCaptureMode& thread_capture_mode() {
    static thread_local musaStreamCaptureMode mode MUSA_SIM_INITIAL_EXEC = musaStreamCaptureModeGlobal;
    return mode;
}

void add_once(std::vector<musaGraphNode_t>& nodes, const std::vector<musaGraphNode_t>& more) {
    for (const musaGraphNode_t node : more) {
        if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    }
}

// The nodes that come before the next one of any of these streams.
std::unordered_set<const MUgraphNode_st*> nodes_before(const std::vector<CapturedStream>& streams) {
    std::unordered_set<const MUgraphNode_st*> before;
    std::vector<musaGraphNode_t> open;
    for (const CapturedStream& stream : streams) open.insert(open.end(), stream.last.begin(), stream.last.end());
    while (!open.empty()) {
        const musaGraphNode_t node = open.back();
        open.pop_back();
        if (!before.insert(node).second) continue;
        open.insert(open.end(), node->after.begin(), node->after.end());
    }
    return before;
}

// Whether all captured nodes come before the next node of one of these streams.
bool reach_all(const Capture& capture, const std::vector<CapturedStream>& streams) {
    const auto before = nodes_before(streams);
    const auto& nodes = capture.graph->nodes;
    return std::all_of(nodes.begin() + static_cast<std::ptrdiff_t>(capture.earlier), nodes.end(),
                       [&](const auto& node) { return before.count(node.get()) != 0; });
}

// Whether they come before the next node of the origin.
bool is_joined(const Capture& capture) { return reach_all(capture, {capture.streams.front()}); }

}  // namespace

Captures& Captures::instance() {
    static Captures& captures = leaked<Captures>();
    return captures;
}

Captures::Found Captures::capture_of(const std::shared_ptr<StreamQueue>& queue) const {
    for (const Found& capture : captures_) {
        if (capture->find(queue)) return capture;
    }
    return nullptr;
}

musaError_t Captures::check_begin(const Target& target) const {
    if (StreamQueues::kind(target.queue) == StreamKind::legacy_default)
        return musaErrorStreamCaptureUnsupported;
    return capture_of(target.queue) ? musaErrorIllegalState : musaSuccess;
}

Captures::Found Captures::add_capture(const Target& target, musaStreamCaptureMode mode,
                                      std::shared_ptr<MUgraph_st> graph) {
    auto capture = std::make_shared<Capture>();
    capture->id = ++last_id_;
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->earlier = graph->nodes.size();
    capture->graph = std::move(graph);
    capture->graph->capturing = true;
    capture->join(target.queue);
    captures_.push_back(capture);
    ++count_;
    return capture;
}

musaError_t Captures::begin(const Target& target, musaStreamCaptureMode mode) {
    std::lock_guard<std::mutex> lock(mutex_);
    const musaError_t error = check_begin(target);
    if (error == musaSuccess) add_capture(target, mode, live_graphs().find(live_graphs().add({})));
    return error;
}

musaError_t Captures::begin_in(const Target& target, musaStreamCaptureMode mode, std::shared_ptr<MUgraph_st> graph,
                               const musaGraphNode_t* after, std::size_t count) {
    std::lock_guard<std::mutex> lock(mutex_);
    const musaError_t error = check_begin(target);
    if (error != musaSuccess) return error;
    const auto is_other = [&](const MUgraphNode_st* node) { return !graph->contains(node); };
    if (graph->capturing || std::any_of(after, after + count, is_other)) return musaErrorInvalidValue;
    const Found capture = add_capture(target, mode, std::move(graph));
    capture->in_users_graph = true;
    add_once(capture->streams.front().last, {after, after + count});
    return musaSuccess;
}

musaError_t Captures::check_end(const Capture& capture, const Target& target) const {
    if (!capture.valid) return musaErrorStreamCaptureInvalidated;
    if (capture.streams.front().queue != target.queue) return musaErrorStreamCaptureUnmatched;
    return is_joined(capture) ? musaSuccess : musaErrorStreamCaptureUnjoined;
}

musaError_t Captures::end(const Target& target, musaGraph_t* graph) {
    if (graph) *graph = nullptr;
    std::lock_guard<std::mutex> lock(mutex_);
    const Found capture = capture_of(target.queue);
    if (!capture) return musaErrorIllegalState;
    if (!graph) return musaErrorInvalidValue;
    const bool elsewhere = capture->mode != musaStreamCaptureModeRelaxed &&
                           capture->thread != std::this_thread::get_id();
    // The wrong thread ends it as well, without a graph.
    const musaError_t error = elsewhere ? musaErrorStreamCaptureWrongThread : check_end(*capture, target);
    // Ended in a stream other than the origin, it continues, invalid, until it is ended there.
    if (capture->streams.front().queue != target.queue) {
        capture->valid = false;
        return error;
    }
    forget(capture);
    const std::shared_ptr<MUgraph_st> made = std::move(capture->graph);
    if (error == musaSuccess) {
        *graph = made.get();
    } else if (!capture->in_users_graph) {
        live_graphs().remove(made.get());
    }
    return error;
}

void Captures::forget(const Found& capture) {
    capture->ended = true;
    capture->graph->capturing = false;
    capture->streams.clear();
    captures_.erase(std::find(captures_.begin(), captures_.end(), capture));
    --count_;
}

bool Captures::makes_legacy_stream_wait(const Target& target, const Capture& capture) const {
    return std::any_of(capture.streams.begin(), capture.streams.end(), [&](const auto& stream) {
        return StreamQueues::kind(stream.queue) == StreamKind::blocking &&
               StreamQueues::device(stream.queue) == target.device;
    });
}

musaError_t Captures::check_legacy_stream(const Target& target, bool invalidate) {
    if (StreamQueues::kind(target.queue) != StreamKind::legacy_default) return musaSuccess;
    musaError_t result = musaSuccess;
    for (const Found& capture : captures_) {
        if (!makes_legacy_stream_wait(target, *capture)) continue;
        if (invalidate) capture->valid = false;
        result = musaErrorStreamCaptureImplicit;
    }
    return result;
}

musaError_t Captures::info(const Target& target, CaptureInfo* found) {
    std::lock_guard<std::mutex> lock(mutex_);
    const musaError_t error = check_legacy_stream(target, false);
    if (error != musaSuccess) return error;
    *found = {};
    const Found capture = capture_of(target.queue);
    if (!capture) return musaSuccess;
    found->status = capture->valid ? musaStreamCaptureStatusActive
                                   : musaStreamCaptureStatusInvalidated;
    if (!capture->valid) return musaSuccess;
    const std::vector<musaGraphNode_t>& last = capture->find(target.queue)->last;
    found->id = capture->id;
    found->graph = capture->graph.get();
    found->nodes = last.data();
    found->node_count = last.size();
    return musaSuccess;
}

musaError_t Captures::check_valid(const Found& capture) const {
    return capture && !capture->valid ? musaErrorStreamCaptureInvalidated : musaSuccess;
}

musaError_t Captures::check_work(const Target& target) {
    std::lock_guard<std::mutex> lock(mutex_);
    const musaError_t error = check_legacy_stream(target, true);
    return error != musaSuccess ? error : check_valid(capture_of(target.queue));
}

musaError_t Captures::refuse(const Target& target) {
    std::lock_guard<std::mutex> lock(mutex_);
    const Found capture = capture_of(target.queue);
    if (!capture) return musaSuccess;
    const musaError_t error = check_valid(capture);
    capture->valid = false;
    return error != musaSuccess ? error : musaErrorStreamCaptureUnsupported;
}

musaError_t Captures::check_wait(const Target& target) {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        const musaError_t error = check_legacy_stream(target, true);
        if (error != musaSuccess) return error;
    }
    const musaError_t error = refuse(target);
    return error != musaSuccess ? error : check_unsafe();
}

musaError_t Captures::check_wait_for_device(int device) {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        musaError_t result = musaSuccess;
        for (const Found& capture : captures_) {
            const bool works_there =
                std::any_of(capture->streams.begin(), capture->streams.end(), [=](const auto& stream) {
                    return StreamQueues::device(stream.queue) == device;
                });
            if (!works_there) continue;
            capture->valid = false;
            result = musaErrorStreamCaptureUnsupported;
        }
        if (result != musaSuccess) return result;
    }
    return check_unsafe();
}

musaError_t Captures::check_unsafe() {
    const musaStreamCaptureMode mode = thread_capture_mode();
    if (mode == musaStreamCaptureModeRelaxed) return musaSuccess;
    std::lock_guard<std::mutex> lock(mutex_);
    musaError_t result = musaSuccess;
    for (const Found& capture : captures_) {
        const bool mine = capture->thread == std::this_thread::get_id();
        const bool forbids = mine ? capture->mode != musaStreamCaptureModeRelaxed
                                  : mode == musaStreamCaptureModeGlobal &&
                                        capture->mode == musaStreamCaptureModeGlobal;
        if (!forbids) continue;
        capture->valid = false;
        result = musaErrorStreamCaptureUnsupported;
    }
    return result;
}

musaError_t Captures::check_event(const CapturedPoint* recorded) {
    if (!recorded) return check_unsafe();
    std::lock_guard<std::mutex> lock(mutex_);
    if (recorded->capture->ended) return musaErrorInvalidValue;
    recorded->capture->valid = false;
    return musaErrorCapturedEvent;
}

bool Captures::is_captured(const Target& target) {
    std::lock_guard<std::mutex> lock(mutex_);
    return capture_of(target.queue) != nullptr;
}

musaError_t Captures::add(const Target& target, MUgraphNode_st node) {
    std::lock_guard<std::mutex> lock(mutex_);
    const Found capture = capture_of(target.queue);
    if (!capture || !capture->valid) return musaErrorStreamCaptureInvalidated;
    CapturedStream& stream = *capture->find(target.queue);
    node.device = target.device;
    node.priority = StreamQueues::priority(target.queue);
    node.after = std::move(stream.last);
    auto& nodes = capture->graph->nodes;
    nodes.push_back(std::make_shared<MUgraphNode_st>(std::move(node)));
    stream.last = {nodes.back().get()};
    return musaSuccess;
}

musaError_t Captures::add(const Target& target, musaGraphNodeType type, std::string name,
                          std::shared_ptr<const NodeWork> work) {
    return add(target, {type, std::move(name), 0, 0, {}, std::move(work)});
}

musaError_t Captures::add_child(const Target& target, MUgraph_st graph) {
    return add(target, {musaGraphNodeTypeGraph, "graph", 0, 0, {}, nullptr,
                        std::make_shared<MUgraph_st>(std::move(graph))});
}

musaError_t Captures::update_dependencies(const Target& target, const musaGraphNode_t* nodes, std::size_t count,
                                          bool replace) {
    std::lock_guard<std::mutex> lock(mutex_);
    const Found capture = capture_of(target.queue);
    if (!capture) return musaErrorIllegalState;
    const musaError_t error = check_valid(capture);
    if (error != musaSuccess) return error;
    const std::vector<musaGraphNode_t> more(nodes, nodes + count);
    const bool known = std::all_of(more.begin(), more.end(), [&](const MUgraphNode_st* node) {
        return capture->graph->contains(node);
    });
    if (!known) return musaErrorInvalidValue;
    std::vector<musaGraphNode_t>& last = capture->find(target.queue)->last;
    if (replace) last.clear();
    add_once(last, more);
    return musaSuccess;
}

musaError_t Captures::allocate(const Target& target, void** pointer, std::size_t size) {
    const musaError_t error = musa_sim::allocate(pointer, size, MemoryKind::device);
    if (error != musaSuccess || !*pointer) return error;
    return add(target, musaGraphNodeTypeMemAlloc, "MemAlloc",
               std::make_shared<AllocationNode>(std::make_shared<GraphMemory>(*pointer, size, target.device),
                                                plain_allocation(target.device, size, *pointer)));
}

musaError_t Captures::free(const Target& target, void* pointer) {
    bool is_own = false;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        const Found capture = capture_of(target.queue);
        if (!capture) return musaErrorStreamCaptureInvalidated;
        // Memory that was there before would be freed in each launch.
        is_own = free_in_graph(*capture->graph, pointer);
        if (!is_own && !GraphMemory::left_at(pointer)) {
            capture->valid = false;
            return musaErrorInvalidValue;
        }
    }
    return add(target, musaGraphNodeTypeMemFree, "MemFree", std::make_shared<FreeNode>(pointer, is_own));
}

std::shared_ptr<const CapturedPoint> Captures::point(const Target& target) {
    std::lock_guard<std::mutex> lock(mutex_);
    const Found capture = capture_of(target.queue);
    if (!capture) return nullptr;
    return std::make_shared<CapturedPoint>(
        CapturedPoint{capture, capture->find(target.queue)->last});
}

musaError_t Captures::wait(const Target& target, const CapturedPoint* recorded, bool* captured) {
    std::lock_guard<std::mutex> lock(mutex_);
    const Found mine = capture_of(target.queue);
    *captured = mine != nullptr || recorded != nullptr;
    if (!*captured) return musaSuccess;
    if (!recorded) {
        mine->valid = false;
        return musaErrorStreamCaptureIsolation;
    }
    const Found& theirs = recorded->capture;
    if (theirs->ended) {
        if (mine) mine->valid = false;
        return mine ? musaErrorStreamCaptureIsolation : musaErrorInvalidValue;
    }
    if (mine && mine != theirs) {
        mine->valid = theirs->valid = false;
        return musaErrorStreamCaptureMerge;
    }
    const musaError_t error = check_valid(theirs);
    if (error != musaSuccess) return error;
    if (StreamQueues::kind(target.queue) == StreamKind::legacy_default) {
        theirs->valid = false;
        return musaErrorStreamCaptureImplicit;
    }
    CapturedStream& stream = mine ? *mine->find(target.queue) : theirs->join(target.queue);
    add_once(stream.last, recorded->nodes);
    return musaSuccess;
}

void Captures::stream_destroyed(const std::shared_ptr<StreamQueue>& queue) {
    std::lock_guard<std::mutex> lock(mutex_);
    const Found capture = capture_of(queue);
    if (!capture) return;
    if (capture->streams.front().queue != queue) {
        // The others may have waited for all that it captured; else nothing can any more.
        const auto gone = std::find_if(capture->streams.begin(), capture->streams.end(),
                                       [&](const auto& stream) { return stream.queue == queue; });
        capture->streams.erase(gone);
        if (!reach_all(*capture, capture->streams)) capture->valid = false;
        return;
    }
    // It can no longer be ended in its origin.
    capture->valid = false;
    forget(capture);
    const auto graph = std::exchange(capture->graph, nullptr);
    if (!capture->in_users_graph) live_graphs().remove(graph.get());
}

musaStreamCaptureMode Captures::exchange_thread_mode(musaStreamCaptureMode mode) {
    return std::exchange(thread_capture_mode(), mode);
}

}  // namespace musa_sim
