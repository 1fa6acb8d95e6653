// Stream capture: which streams are being captured, which calls are allowed meanwhile, and how work submitted
// to them becomes nodes of a graph.
//
// A capture begins in one stream, its origin. Others join it when they wait for an event that a
// captured stream recorded, and the origin must wait for them before it ends. A call that cannot be
// captured, or needs a result that does not exist yet, is refused; as on a GPU, that
// invalidates the capture, and musaStreamEndCapture reports it too.
//
// Usually nothing is captured. Then every call reads one counter.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "streams/graph.h"

namespace musa_sim {

struct Capture;  // capture.cpp

// An event recorded in a captured stream: the nodes that a waiting stream comes after.
struct CapturedPoint {
    std::shared_ptr<Capture> capture;
    std::vector<musaGraphNode_t> nodes;
};

struct CaptureInfo {
    musaStreamCaptureStatus status = musaStreamCaptureStatusNone;
    unsigned long long id = 0;
    musaGraph_t graph = nullptr;
    const musaGraphNode_t* nodes = nullptr;
    std::size_t node_count = 0;
};

class Captures {
public:
    static Captures& instance();
    // Whether any stream is being captured.
    static bool any() { return __builtin_expect(count_.load(std::memory_order_acquire) != 0, false); }

    musaError_t begin(const Target& target, musaStreamCaptureMode mode);
    // Add what is captured to the graph; the first node comes after these.
    musaError_t begin_in(const Target& target, musaStreamCaptureMode mode, std::shared_ptr<MUgraph_st> graph,
                         const musaGraphNode_t* after, std::size_t count);
    musaError_t end(const Target& target, musaGraph_t* graph);
    // musaErrorStreamCaptureImplicit for the legacy stream while it would wait for a captured one.
    musaError_t info(const Target& target, CaptureInfo* found);

    // Before work is submitted to the target, or awaited:
    //
    // - the legacy stream must not become dependent on a captured stream
    // - an invalid capture takes no more work
    musaError_t check_work(const Target& target);
    // Before waiting for a stream or asking how far it is.
    musaError_t check_wait(const Target& target);
    // Before waiting for all that a device does.
    musaError_t check_wait_for_device(int device);
    // Before a call that would not be part of the graph, as an allocation: the thread's mode and
    // the captures' modes say whether it is allowed.
    musaError_t check_unsafe();
    // Before asking about an event, or waiting for it.
    musaError_t check_event(const CapturedPoint* recorded);
    // The caller requests an operation that cannot be captured.
    musaError_t refuse(const Target& target);

    bool is_captured(const Target& target);
    // The target's stream is being captured: the work becomes a node.
    musaError_t add(const Target& target, musaGraphNodeType type, std::string name,
                    std::shared_ptr<const NodeWork> work);
    musaError_t add_child(const Target& target, MUgraph_st graph);
    // The nodes that the next one comes after: these, or these too.
    musaError_t update_dependencies(const Target& target, const musaGraphNode_t* nodes, std::size_t count,
                                    bool replace);
    // As musaMallocAsync and musaFreeAsync in a stream that is being captured.
    musaError_t allocate(const Target& target, void** pointer, std::size_t size);
    musaError_t free(const Target& target, void* pointer);

    // An event is recorded in the target; nullptr if that is not being captured.
    std::shared_ptr<const CapturedPoint> point(const Target& target);
    // The target waits for an event, which was recorded in a captured stream if `recorded` is not
    // nullptr. *captured: the wait is part of a capture.
    musaError_t wait(const Target& target, const CapturedPoint* recorded, bool* captured);

    void stream_destroyed(const std::shared_ptr<StreamQueue>& queue);

    static musaStreamCaptureMode exchange_thread_mode(musaStreamCaptureMode mode);

    std::mutex& mutex() { return mutex_; }  // for fork(): captures continue in the child

private:
    using Found = std::shared_ptr<Capture>;

    // All of these: with the mutex held.
    Found capture_of(const std::shared_ptr<StreamQueue>& queue) const;
    musaError_t check_begin(const Target& target) const;
    Found add_capture(const Target& target, musaStreamCaptureMode mode, std::shared_ptr<MUgraph_st> graph);
    bool makes_legacy_stream_wait(const Target& target, const Capture& capture) const;
    musaError_t check_legacy_stream(const Target& target, bool invalidate);
    musaError_t check_valid(const Found& capture) const;
    musaError_t check_end(const Capture& capture, const Target& target) const;
    musaError_t add(const Target& target, MUgraphNode_st node);
    void forget(const Found& capture);

    static inline std::atomic<int> count_{0};
    std::mutex mutex_;
    std::vector<Found> captures_;
    unsigned long long last_id_ = 0;
};

// Call `check` of the captures, if there are any.
template <class... Parameters, class... Arguments>
musaError_t capture_check(musaError_t (Captures::*check)(Parameters...), Arguments&&... arguments) {
    return Captures::any() ? (Captures::instance().*check)(arguments...) : musaSuccess;
}

// body() as an API function that captures do not see and therefore may forbid.
template <class Body>
musaError_t unsafe_call(Body&& body) {
    return device_call([&] {
        const musaError_t error = capture_check(&Captures::check_unsafe);
        return error != musaSuccess ? error : body();
    });
}

// The target of a stream that is to be given work.
inline musaError_t find_work_target(musaStream_t stream, Target* target) {
    const musaError_t error = find_target(stream, target);
    return error != musaSuccess ? error : capture_check(&Captures::check_work, *target);
}

inline bool is_captured(const Target& target) {
    return Captures::any() && Captures::instance().is_captured(target);
}

// body(target) as an API function, for the stream's target.
template <class Body>
musaError_t stream_call(musaStream_t stream, Body&& body) {
    return device_call([&] {
        Target target;
        const musaError_t error = find_work_target(stream, &target);
        return error != musaSuccess ? error : body(target);
    });
}
// The same for the default stream's, as calls have it that do their work before they return.
template <class Body>
musaError_t default_stream_call(Body&& body) {
    return device_call([&] {
        const Target target = default_target();
        musaError_t error = capture_check(&Captures::check_work, target);
        if (error == musaSuccess) error = capture_check(&Captures::check_unsafe);
        return error != musaSuccess ? error : body(target);
    });
}

}  // namespace musa_sim
