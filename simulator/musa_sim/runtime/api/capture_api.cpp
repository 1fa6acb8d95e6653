// Capturing streams into graphs.
#include <utility>

#include "streams/capture.h"

using musa_sim::api_call;
using musa_sim::CaptureInfo;
using musa_sim::Captures;
using musa_sim::device_call;
using musa_sim::find_target;
using musa_sim::set_if_asked;
using musa_sim::Target;

namespace {

bool is_mode(musaStreamCaptureMode mode) {
    return mode >= musaStreamCaptureModeGlobal && mode <= musaStreamCaptureModeRelaxed;
}

musaError_t capture_info(musaStream_t stream, CaptureInfo* info) {
    Target target;
    const musaError_t error = find_target(stream, &target);
    return error != musaSuccess ? error : Captures::instance().info(target, info);
}

}  // namespace

musaError_t musaStreamBeginCapture(musaStream_t stream, musaStreamCaptureMode mode) {
    return device_call([&] {
        if (!is_mode(mode)) return musaErrorInvalidValue;
        Target target;
        const musaError_t error = find_target(stream, &target);
        return error != musaSuccess ? error : Captures::instance().begin(target, mode);
    });
}

musaError_t musaStreamBeginCaptureToGraph(musaStream_t stream, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                          const musaGraphEdgeData* dependencyData, size_t numDependencies,
                                          musaStreamCaptureMode mode) {
    return device_call([&] {
        const auto found = musa_sim::find_graph(graph);
        if (!is_mode(mode) || !found || (!dependencies && numDependencies > 0)) return musaErrorInvalidValue;
        if (!musa_sim::are_edges(dependencyData, numDependencies)) return musaErrorInvalidValue;
        Target target;
        const musaError_t error = find_target(stream, &target);
        if (error != musaSuccess) return error;
        return Captures::instance().begin_in(target, mode, found, dependencies, numDependencies);
    });
}

musaError_t musaStreamEndCapture(musaStream_t stream, musaGraph_t* graph) {
    return device_call([&] {
        Target target;
        const musaError_t error = find_target(stream, &target);
        return error != musaSuccess ? error : Captures::instance().end(target, graph);
    });
}

musaError_t musaStreamIsCapturing(musaStream_t stream, musaStreamCaptureStatus* status) {
    return device_call([&] {
        if (!status) return musaErrorInvalidValue;
        CaptureInfo info;
        const musaError_t error = capture_info(stream, &info);
        if (error == musaSuccess) *status = info.status;
        return error;
    });
}

musaError_t musaStreamGetCaptureInfo(musaStream_t stream, musaStreamCaptureStatus* status,
                                     unsigned long long* id, musaGraph_t* graph,
                                     const musaGraphNode_t** dependencies,
                                     size_t* numDependencies) {
    return device_call([&] {
        if (!status) return musaErrorInvalidValue;
        CaptureInfo info;
        const musaError_t error = capture_info(stream, &info);
        if (error != musaSuccess) return error;
        *status = info.status;
        if (info.status != musaStreamCaptureStatusActive) return musaSuccess;
        set_if_asked(id, info.id);
        set_if_asked(graph, info.graph);
        set_if_asked(dependencies, info.nodes);
        set_if_asked(numDependencies, info.node_count);
        return musaSuccess;
    });
}

musaError_t musaStreamGetCaptureInfo_v2(musaStream_t stream, musaStreamCaptureStatus* status,
                                        unsigned long long* id, musaGraph_t* graph,
                                        const musaGraphNode_t** dependencies,
                                        size_t* numDependencies) {
    return musaStreamGetCaptureInfo(stream, status, id, graph, dependencies, numDependencies);
}

musaError_t musaThreadExchangeStreamCaptureMode(musaStreamCaptureMode* mode) {
    return api_call([&] {
        if (!mode || !is_mode(*mode)) return musaErrorInvalidValue;
        *mode = Captures::exchange_thread_mode(*mode);
        return musaSuccess;
    });
}

musaError_t musaStreamUpdateCaptureDependencies(musaStream_t stream, musaGraphNode_t* dependencies,
                                                size_t numDependencies, unsigned int flags) {
    return device_call([&] {
        if ((!dependencies && numDependencies > 0) || flags > musaStreamSetCaptureDependencies)
            return musaErrorInvalidValue;
        Target target;
        const musaError_t error = find_target(stream, &target);
        if (error != musaSuccess) return error;
        return Captures::instance().update_dependencies(target, dependencies, numDependencies,
                                                        flags == musaStreamSetCaptureDependencies);
    });
}

// Edges have no data: where the program wants an array of them, there is none.
musaError_t musaStreamGetCaptureInfo_v3(musaStream_t stream, musaStreamCaptureStatus* status, unsigned long long* id,
                                        musaGraph_t* graph, const musaGraphNode_t** dependencies,
                                        const musaGraphEdgeData** edgeData, size_t* numDependencies) {
    const musaError_t error = musaStreamGetCaptureInfo(stream, status, id, graph, dependencies, numDependencies);
    if (error == musaSuccess) set_if_asked<const musaGraphEdgeData*>(edgeData, nullptr);
    return error;
}

musaError_t musaStreamUpdateCaptureDependencies_v2(musaStream_t stream, musaGraphNode_t* dependencies,
                                                   const musaGraphEdgeData* dependencyData, size_t numDependencies,
                                                   unsigned int flags) {
    if (!musa_sim::are_edges(dependencyData, numDependencies))
        return api_call([] { return musaErrorInvalidValue; });
    return musaStreamUpdateCaptureDependencies(stream, dependencies, numDependencies, flags);
}
