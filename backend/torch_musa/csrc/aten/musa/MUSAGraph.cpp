#include "torch_musa/csrc/aten/musa/MUSAGraph.h"

#include "torch_musa/csrc/core/MUSAException.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/MemorySource.h"
#include "torch_musa/csrc/core/TorchVersion.h"

#if TORCH_MUSA_TORCH_AT_LEAST(2, 13)
#include <ATen/core/GraphImplInterface.h>
#endif

#include <utility>

namespace at::musa {

c10::musa::MempoolId_t graph_pool_handle() {
  const c10::musa::MemoryPoolId id = c10::musa::MemPool(nullptr).id(); // programs' own pools have other numbers
  return {id.first, id.second};
}

MUSAGraph::~MUSAGraph() {
  try {
    reset();
  } catch (const std::exception& error) {
    TORCH_WARN("A MUSA graph could not be given back: ", error.what());
  }
}

void MUSAGraph::capture_begin(c10::musa::MempoolId_t pool, musaStreamCaptureMode mode) {
  TORCH_CHECK(
      graph_ == nullptr && graph_exec_ == nullptr && capture_ == 0,
      "This MUSAGraph instance already owns a captured graph. To capture a new graph, create a new instance.");
  const c10::musa::MUSAStream stream = c10::musa::getCurrentMUSAStream();
  TORCH_CHECK(
      stream != c10::musa::getDefaultMUSAStream(),
      "MUSA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the "
      "default stream.)");
  C10_MUSA_CHECK(musaStreamBeginCapture(stream, mode));
  capture_ = c10::musa::captureIdMayInitCtx(stream).value();
  pool_ = pool == c10::musa::MempoolId_t{0, 0} ? graph_pool_handle() : pool;
  stream_ = stream;
  c10::musa::MUSAAllocator::get().begin_capture(capture_, pool_);
}

void MUSAGraph::capture_end() {
  TORCH_CHECK(capture_ != 0, "capture_end() was called without capture_begin()");
  TORCH_CHECK(
      c10::musa::getCurrentMUSAStream(stream_->device_index()) == *stream_,
      "Capture must end on the same stream it began on.");
  const musaError_t error = C10_MUSA_ERROR_HANDLED(musaStreamEndCapture(*stream_, &graph_));
  if (error == musaErrorStreamCaptureWrongThread) {
    C10_MUSA_CHECK(error); // the capture continues
  }
  c10::musa::MUSAAllocator::get().end_capture(std::exchange(capture_, 0));
  if (error != musaSuccess) {
    leave_pool();
    C10_MUSA_CHECK(error);
  }
  has_graph_ = true;
  size_t nodes = 0;
  C10_MUSA_CHECK(musaGraphGetNodes(graph_, nullptr, &nodes));
  if (nodes == 0) {
    TORCH_WARN(
        "The MUSA Graph is empty. This usually means that the graph was attempted to be captured on wrong device or "
        "stream.");
  }
  if (!keep_graph_) {
    instantiate();
  }
}

void MUSAGraph::instantiate() {
  TORCH_CHECK(graph_ != nullptr, "capture_end() must have been called before calling instantiate");
  if (graph_exec_ != nullptr) {
    TORCH_CHECK(keep_graph_, "instantiate() is intended to be called by the user only when keep_graph=true");
    has_graph_exec_ = false;
    C10_MUSA_CHECK(musaGraphExecDestroy(std::exchange(graph_exec_, nullptr)));
  }
  C10_MUSA_CHECK(musaGraphInstantiate(&graph_exec_, graph_, 0));
  has_graph_exec_ = true;
}

void MUSAGraph::replay() {
  if (graph_exec_ == nullptr && graph_ != nullptr) {
    instantiate();
  }
  TORCH_CHECK(graph_exec_ != nullptr, "Called MUSAGraph::replay without a preceding successful capture.");
  const c10::musa::MUSAGuard guard(stream_->device_index());
  const c10::musa::MUSAStream stream = c10::musa::getCurrentMUSAStream();
  C10_MUSA_CHECK(musaGraphLaunch(graph_exec_, stream));
  if (launched_ == nullptr) {
    C10_MUSA_CHECK(musaEventCreateWithFlags(&launched_, musaEventDisableTiming));
  }
  if (!c10::musa::isStreamCapturingMayInitCtx(stream)) {
    C10_MUSA_CHECK(musaEventRecord(launched_, stream));
  }
}

void MUSAGraph::reset() {
  // Another thread may be capturing, which this does not concern.
  const c10::musa::MUSAStreamCaptureModeGuard allowed(musaStreamCaptureModeRelaxed);
  if (launched_ != nullptr) {
    // This thread, not a stream, releases the tensors that the graph keeps: a stream must not free memory while it
    // works. If a kernel has failed, there is nothing to wait for.
    C10_MUSA_IGNORE_ERROR(musaEventSynchronize(launched_));
    C10_MUSA_IGNORE_ERROR(musaEventDestroy(std::exchange(launched_, nullptr)));
  }
  if (capture_ != 0) {
    // The capture was abandoned.
    C10_MUSA_IGNORE_ERROR(musaStreamEndCapture(*stream_, &graph_));
    c10::musa::MUSAAllocator::get().end_capture(std::exchange(capture_, 0));
  }
  if (graph_exec_ != nullptr) {
    has_graph_exec_ = false;
    C10_MUSA_IGNORE_ERROR(musaGraphExecDestroy(std::exchange(graph_exec_, nullptr)));
  }
  has_graph_ = false;
  if (graph_ != nullptr) {
    C10_MUSA_IGNORE_ERROR(musaGraphDestroy(std::exchange(graph_, nullptr)));
  }
  leave_pool();
}

void MUSAGraph::leave_pool() {
  if (pool_ != c10::musa::MempoolId_t{0, 0}) {
    c10::musa::MUSAAllocator::get().leave_pool(std::exchange(pool_, {0, 0}));
  }
}

c10::musa::MempoolId_t MUSAGraph::pool() const {
  TORCH_CHECK(
      pool_ != (c10::musa::MempoolId_t{0, 0}), "Called MUSAGraph::pool() without a preceding successful capture.");
  return pool_;
}

musaGraph_t MUSAGraph::raw_graph() const {
  TORCH_CHECK(
      keep_graph_, "You cannot access the raw graph instance unless MUSAGraph was initialized with keep_graph=true");
  TORCH_CHECK(graph_ != nullptr, "You cannot access the raw graph instance until capture_end() has been called");
  return graph_;
}

musaGraphExec_t MUSAGraph::raw_executable() const {
  TORCH_CHECK(
      graph_exec_ != nullptr, "You cannot access the raw executable graph until instantiate() has been called");
  return graph_exec_;
}

void MUSAGraph::debug_dump(const std::string& path) {
  if (graph_ == nullptr || !(keep_graph_ || debug_)) {
    TORCH_WARN("MUSA Graphs debug not enabled, set with enable_debug_mode()");
    return;
  }
  C10_MUSA_CHECK(musaGraphDebugDotPrint(graph_, path.c_str(), musaGraphDebugDotFlagsVerbose));
}

#if TORCH_MUSA_TORCH_AT_LEAST(2, 13)

namespace {

musaStreamCaptureMode mode_for(at::GraphCaptureMode mode) {
  switch (mode) {
    case at::GraphCaptureMode::ThreadLocal:
      return musaStreamCaptureModeThreadLocal;
    case at::GraphCaptureMode::Relaxed:
      return musaStreamCaptureModeRelaxed;
    default:
      return musaStreamCaptureModeGlobal;
  }
}

/// torch.accelerator.Graph.
struct AcceleratorGraph final : at::GraphImplInterface {
  explicit AcceleratorGraph(const at::GraphImplArgs& args = {}) : graph(args.keep_graph) {}

  void capture_begin(c10::musa::MempoolId_t pool, at::GraphCaptureMode mode) override {
    graph.capture_begin(pool, mode_for(mode));
  }
  void capture_end() override {
    graph.capture_end();
  }
  void instantiate() override {
    graph.instantiate();
  }
  void replay() override {
    graph.replay();
  }
  void reset() override {
    graph.reset();
  }
  c10::musa::MempoolId_t pool() const override {
    return graph.pool();
  }
  void enable_debug_mode() override {
    graph.enable_debug_mode();
  }
  void debug_dump(const std::string& path) override {
    graph.debug_dump(path);
  }

  MUSAGraph graph;
};

// By the name that torch_musa gives the device.
REGISTER_GRAPH_IMPL(MUSA, AcceleratorGraph)

} // namespace

#endif

} // namespace at::musa
