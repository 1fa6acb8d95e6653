#pragma once

#include "../core/TorchVersion.h"
#include "Communicator.h"
#include "JobThread.h"
#include "MCCLWork.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace c10d {

/// torch.distributed's backend "mccl": collectives on musa tensors.
///
/// libmccl does the work. Order is NCCL's: a collective begins when the earlier work of the current stream has finished.
/// Collectives run in the order of their calls, in a stream and a thread of their own (a JobThread), while the caller
/// continues. Sends to one rank are in order among themselves, and so are receives from one.
class ProcessGroupMCCL final : public Backend {
 public:
  /// The options that init_process_group(pg_options=) and split_group() take. Only the timeout has an effect.
  struct Options final : Backend::Options {
    Options() : Backend::Options("mccl") {}
    bool is_high_priority_stream = false;
  };

  /// The ranks meet through the store; a job may take `timeout`.
  ProcessGroupMCCL(
      const c10::intrusive_ptr<Store>& store,
      int rank,
      int size,
      std::chrono::milliseconds timeout,
      mccl::Unlocked unlocked);
  ~ProcessGroupMCCL() override;

  const std::string getBackendName() const override;
  c10::intrusive_ptr<Backend::Options> getBackendOptions(); // these two override, but not yet in PyTorch 2.8
  void setTimeout(std::chrono::milliseconds timeout);
  void setSequenceNumberForGroup() override;
  uint64_t getSequenceNumberForGroup() override;
  void shutdown() TORCH_MUSA_OVERRIDE_SINCE_2_7;
  void abort() TORCH_MUSA_OVERRIDE_SINCE_2_7;

#if TORCH_MUSA_TORCH_AT_LEAST(2, 13)
  bool supportsSplitting() const override;
  bool supportsShrinking() const override;
  /// A group of some of the ranks; null in the others. They connect anew, so a failure of this group is not theirs.
  c10::intrusive_ptr<Backend> split(
      const c10::intrusive_ptr<Store>& store,
      const std::vector<int>& ranks,
      const c10::intrusive_ptr<Backend::Options>& options) override;
  /// A group of all ranks but these, which need not live any more.
  c10::intrusive_ptr<Backend> shrink(
      const std::vector<int64_t>& without,
      int flags,
      const c10::intrusive_ptr<Backend::Options>& options) override;
#endif

  bool supportsCoalescing() const TORCH_MUSA_OVERRIDE_SINCE_2_7;
  void startCoalescing() override;
  c10::intrusive_ptr<Work> endCoalescing() override;

  c10::intrusive_ptr<Work> broadcast(std::vector<at::Tensor>& tensors, const BroadcastOptions& options) override;
  c10::intrusive_ptr<Work> allreduce(std::vector<at::Tensor>& tensors, const AllreduceOptions& options) override;
  c10::intrusive_ptr<Work> allreduce_coalesced(
      std::vector<at::Tensor>& tensors,
      const AllreduceCoalescedOptions& options) override;
  c10::intrusive_ptr<Work> reduce(std::vector<at::Tensor>& tensors, const ReduceOptions& options) override;
  c10::intrusive_ptr<Work> allgather(
      std::vector<std::vector<at::Tensor>>& outputs,
      std::vector<at::Tensor>& inputs,
      const AllgatherOptions& options) override;
  c10::intrusive_ptr<Work> _allgather_base(
      at::Tensor& output,
      at::Tensor& input,
      const AllgatherOptions& options) override;
  c10::intrusive_ptr<Work> allgather_into_tensor_coalesced(
      std::vector<at::Tensor>& outputs,
      std::vector<at::Tensor>& inputs,
      const AllgatherOptions& options) override;
  c10::intrusive_ptr<Work> gather(
      std::vector<std::vector<at::Tensor>>& outputs,
      std::vector<at::Tensor>& inputs,
      const GatherOptions& options) override;
  c10::intrusive_ptr<Work> scatter(
      std::vector<at::Tensor>& outputs,
      std::vector<std::vector<at::Tensor>>& inputs,
      const ScatterOptions& options) override;
  c10::intrusive_ptr<Work> reduce_scatter(
      std::vector<at::Tensor>& outputs,
      std::vector<std::vector<at::Tensor>>& inputs,
      const ReduceScatterOptions& options) override;
  c10::intrusive_ptr<Work> _reduce_scatter_base(
      at::Tensor& output,
      at::Tensor& input,
      const ReduceScatterOptions& options) override;
  c10::intrusive_ptr<Work> reduce_scatter_tensor_coalesced(
      std::vector<at::Tensor>& outputs,
      std::vector<at::Tensor>& inputs,
      const ReduceScatterOptions& options) override;
  c10::intrusive_ptr<Work> alltoall_base(
      at::Tensor& output,
      at::Tensor& input,
      std::vector<int64_t>& output_splits,
      std::vector<int64_t>& input_splits,
      const AllToAllOptions& options) override;
  c10::intrusive_ptr<Work> alltoall(
      std::vector<at::Tensor>& outputs,
      std::vector<at::Tensor>& inputs,
      const AllToAllOptions& options) override;
  c10::intrusive_ptr<Work> send(std::vector<at::Tensor>& tensors, int target, int tag) override;
  c10::intrusive_ptr<Work> recv(std::vector<at::Tensor>& tensors, int source, int tag) override;
  c10::intrusive_ptr<Work> barrier(const BarrierOptions& options) override;

 private:
  using Tensors = std::vector<at::Tensor>;
  using Lists = std::vector<Tensors>;
  using Timeout = std::chrono::milliseconds;

  /// A thread that runs jobs one after another, and a stream.
  struct Way {
    mccl::JobThread thread;
    std::shared_ptr<mccl::SideStreams> streams = std::make_shared<mccl::SideStreams>();
  };

  struct Operation {
    OpType type;
    const char* title; ///< the profiler's: "mccl:" and the name
    Timeout timeout;

    const char* name() const {
      return title + std::char_traits<char>::length("mccl:");
    }
  };

  enum class Direction { kSend, kReceive };

  Operation operation(OpType type, const char* title, Timeout timeout) const;
  /// Queues an exchange that reads `inputs` and writes `outputs`.
  c10::intrusive_ptr<Work> launch(
      const Operation& operation,
      const std::string& details,
      const Tensors& inputs,
      const Tensors& outputs,
      mccl::Exchange exchange,
      Way& way);
  /// The same behind the collectives that were launched before. All ranks must agree about the operation's name and
  /// details.
  c10::intrusive_ptr<Work> launch(
      const Operation& operation,
      const std::string& details,
      const Tensors& inputs,
      const Tensors& outputs,
      mccl::Exchange exchange);
  c10::intrusive_ptr<Work> launch_all_reduce(const Operation& asked, const Tensors& tensors, const ReduceOp& op);
  c10::intrusive_ptr<Work> launch_all_gather(const Operation& asked, const Tensors& inputs, const Tensors& outputs);
  c10::intrusive_ptr<Work> launch_reduce_scatter(
      const Operation& asked,
      const Tensors& inputs,
      const Tensors& outputs,
      const ReduceOp& op);
#if TORCH_MUSA_TORCH_AT_LEAST(2, 13)
  /// A group of some of the ranks, which meet under this name.
  c10::intrusive_ptr<Backend> part(
      const std::string& name,
      const std::vector<int>& ranks,
      const c10::intrusive_ptr<Backend::Options>& options);
#endif
  Way& way_to(Direction direction, int rank);
  /// Gives up the jobs that were not begun.
  void close();
  std::vector<mccl::JobThread*> threads();

  const c10::intrusive_ptr<Store> store_;
  const std::shared_ptr<mccl::Communicator> communicator_;
  const mccl::Unlocked unlocked_;
  std::atomic<Timeout> timeout_;
  std::atomic<uint64_t> sequence_{0};
  std::atomic<int> split_{0}; // how often
  std::atomic<int> shrunk_{0};

  std::mutex mutex_; // guards what follows
  bool coalescing_ = false;
  std::vector<c10::intrusive_ptr<Work>> coalesced_;
  std::map<std::pair<Direction, int>, std::unique_ptr<Way>> to_ranks_;

  Way collectives_;
};

} // namespace c10d
