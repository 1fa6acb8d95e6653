#pragma once

#include "../../core/Allocator.h"
#include "../../core/MUSAGraphsC10Utils.h"
#include "../../core/MUSAStream.h"

#include <optional>
#include <string>

namespace at::musa {

/// Return a new pool for the memory of graphs.
c10::musa::MempoolId_t graph_pool_handle();

/// The work of a stream, recorded once and launched as often as wanted.
///
/// As with PyTorch's CUDAGraph, memory that is allocated during the capture stays the graph's until reset(); memory that was
/// there before has to be kept by the caller.
class MUSAGraph {
 public:
  /// With `keep_graph`, instantiate() is the caller's to call, and raw_graph() can be asked for.
  explicit MUSAGraph(bool keep_graph = false) : keep_graph_(keep_graph) {}
  ~MUSAGraph();
  MUSAGraph(const MUSAGraph&) = delete;
  MUSAGraph& operator=(const MUSAGraph&) = delete;

  /// Capture the current stream, which must not be the default one. (0, 0) requests a pool of its own.
  void capture_begin(
      c10::musa::MempoolId_t pool = {0, 0},
      musaStreamCaptureMode mode = musaStreamCaptureModeGlobal);
  void capture_end();
  void instantiate();
  /// Launch the graph in the order of the current stream.
  void replay();
  /// Wait for the last launch, and release everything that the graph owns.
  void reset();

  c10::musa::MempoolId_t pool() const;
  musaGraph_t raw_graph() const;
  musaGraphExec_t raw_executable() const;
  /// Allow debug_dump().
  void enable_debug_mode() {
    debug_ = true;
  }
  /// Write the nodes and their dependencies, for Graphviz.
  void debug_dump(const std::string& path);

 protected:
  // PyTorch's CUDAGraph has these names. As in torch_musa 2.7, the graph lives until reset(): torchada destroys executables
  // and instantiates them again.
  musaGraph_t graph_ = nullptr;
  musaGraphExec_t graph_exec_ = nullptr;
  bool has_graph_ = false;
  bool has_graph_exec_ = false;

 private:
  void leave_pool();

  const bool keep_graph_;
  bool debug_ = false;
  musaEvent_t launched_ = nullptr; // after the last launch
  c10::musa::MempoolId_t pool_{0, 0};
  c10::musa::CaptureId_t capture_ = 0;
  std::optional<c10::musa::MUSAStream> stream_; // where it was captured
};

} // namespace at::musa
