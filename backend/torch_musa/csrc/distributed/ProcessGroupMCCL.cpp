#include "torch_musa/csrc/distributed/ProcessGroupMCCL.h"

#include "torch_musa/csrc/core/MUSAEvent.h"
#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/MUSAStream.h"
#include "torch_musa/csrc/distributed/Agreement.h"
#include "torch_musa/csrc/distributed/Checks.h"
#include "torch_musa/csrc/distributed/HostMemory.h"
#include "torch_musa/csrc/distributed/Reduction.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace c10d {

namespace {

using mccl::alias_of;
using mccl::bytes_of;
using mccl::Communicator;
using mccl::elements_of;
using mccl::flat_alias_of;
using mccl::gather_bytes;
using mccl::Inbox;
using mccl::packed_bytes_of;
using mccl::Reduction;
using Tensors = std::vector<at::Tensor>;
using Lists = std::vector<Tensors>;
using Timeout = std::chrono::milliseconds;
using WorkPtr = c10::intrusive_ptr<Work>;

Tensors both(const Tensors& first, const Tensors& second) {
  Tensors all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

bool all_of_one_size(const Tensors& tensors) {
  return std::all_of(
      tensors.begin(), tensors.end(), [&](const at::Tensor& tensor) { return tensor.numel() == tensors[0].numel(); });
}

bool all_empty(const Tensors& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const at::Tensor& tensor) { return tensor.numel() == 0; });
}

/// Has gloo reduce a flat CPU tensor of one type in place, in all ranks.
void reduce_everywhere(Communicator& communicator, Timeout timeout, const Reduction& reduction, at::Tensor flat) {
  AllreduceOptions options;
  options.reduceOp = reduction.gloo();
  options.timeout = timeout;
  Tensors operands{reduction.operand(flat)};
  reduction.before(flat);
  communicator.await(communicator.gloo().allreduce(operands, options), timeout);
  reduction.after(flat);
}

void broadcast_bytes(Communicator& communicator, Timeout timeout, at::Tensor bytes, int root) {
  BroadcastOptions options;
  options.rootRank = root;
  options.timeout = timeout;
  Tensors tensors{std::move(bytes)};
  communicator.await(communicator.gloo().broadcast(tensors, options), timeout);
}

/// The byte splits for gloo out of splits of the first dimension; empty means even.
std::vector<int64_t> byte_splits(const std::vector<int64_t>& splits, const at::Tensor& tensor, int size) {
  const auto nbytes = static_cast<int64_t>(tensor.nbytes());
  if (splits.empty()) {
    return std::vector<int64_t>(size, nbytes / size);
  }
  const int64_t rows = tensor.dim() == 0 ? 1 : tensor.size(0);
  std::vector<int64_t> result;
  for (int64_t split : splits) {
    result.push_back(rows == 0 ? 0 : split * (nbytes / rows));
  }
  return result;
}

std::vector<int64_t> byte_counts(const Tensors& tensors) {
  std::vector<int64_t> result;
  for (const at::Tensor& tensor : tensors) {
    result.push_back(static_cast<int64_t>(tensor.nbytes()));
  }
  return result;
}

void exchange_bytes(
    Communicator& communicator,
    Timeout timeout,
    at::Tensor output,
    at::Tensor input,
    std::vector<int64_t> output_splits,
    std::vector<int64_t> input_splits) {
  mccl::agree_on_splits(communicator, input_splits, output_splits, timeout);
  AllToAllOptions options;
  options.timeout = timeout;
  communicator.await(
      communicator.gloo().alltoall_base(output, input, output_splits, input_splits, options), timeout);
}

at::Tensor new_bytes(int64_t count) {
  return at::empty({count}, at::TensorOptions().dtype(at::kByte));
}

/// Cuts `bytes` into pieces for `targets` and copies each there.
void distribute(const at::Tensor& bytes, const Tensors& targets) {
  int64_t offset = 0;
  for (const at::Tensor& target : targets) {
    Inbox inbox(target);
    inbox.bytes().copy_(bytes.narrow(0, offset, inbox.bytes().numel()));
    inbox.deliver();
    offset += inbox.bytes().numel();
  }
}

/// All tensors' elements in one flat CPU tensor.
at::Tensor joined(const Tensors& tensors) {
  Tensors flat;
  for (const at::Tensor& tensor : tensors) {
    flat.push_back(alias_of(tensor).reshape({-1}));
  }
  return at::cat(flat);
}

} // namespace

ProcessGroupMCCL::ProcessGroupMCCL(
    c10::intrusive_ptr<Backend> gloo,
    std::shared_ptr<mccl::Peers> peers,
    Timeout timeout,
    mccl::Unlocked unlocked)
    : Backend(peers->rank(), peers->size()),
      communicator_(std::make_shared<Communicator>(std::move(gloo), std::move(peers))),
      unlocked_(std::move(unlocked)),
      everybody_(static_cast<size_t>(getSize())),
      timeout_(timeout) {
  std::iota(everybody_.begin(), everybody_.end(), 0);
}

ProcessGroupMCCL::~ProcessGroupMCCL() = default;

const std::string ProcessGroupMCCL::getBackendName() const {
  return "mccl";
}

c10::intrusive_ptr<Backend::Options> ProcessGroupMCCL::getBackendOptions() {
  auto options = c10::make_intrusive<Options>();
  options->timeout = timeout_.load();
  return options;
}

#if TORCH_MUSA_TORCH_AT_LEAST(2, 13)

bool ProcessGroupMCCL::supportsSplitting() const {
  return true;
}

bool ProcessGroupMCCL::supportsShrinking() const {
  return true;
}

c10::intrusive_ptr<Backend> ProcessGroupMCCL::split(
    const c10::intrusive_ptr<Store>& /*store*/,
    const std::vector<int>& ranks,
    const c10::intrusive_ptr<Backend::Options>& options) {
  // Not by the given store: torch names it by the groups that a rank is in, so names differ after a split that left
  // ranks out. All ranks of this group have called this function as often.
  const int number = split_++;
  if (std::find(ranks.begin(), ranks.end(), getRank()) == ranks.end()) {
    return nullptr;
  }
  return part(c10::str("mccl/split/", number, "/", ranks.front()), ranks, options);
}

c10::intrusive_ptr<Backend> ProcessGroupMCCL::shrink(
    const std::vector<int64_t>& without,
    int flags,
    const c10::intrusive_ptr<Backend::Options>& options) {
  constexpr int kAbort = 1; // torch.distributed.SHRINK_ABORT
  if ((flags & kAbort) != 0) {
    abort();
  }
  std::vector<int> ranks;
  for (int rank : everybody_) {
    if (std::find(without.begin(), without.end(), rank) == without.end()) {
      ranks.push_back(rank);
    }
  }
  return part(c10::str("mccl/shrunk/", shrunk_++), ranks, options);
}

c10::intrusive_ptr<Backend> ProcessGroupMCCL::part(
    const std::string& name,
    const std::vector<int>& ranks,
    const c10::intrusive_ptr<Backend::Options>& options) {
  c10::intrusive_ptr<Backend> group;
  unlocked_([&] {
    Backend& gloo = communicator_->gloo();
    const auto store = c10::make_intrusive<PrefixStore>(name, communicator_->peers().store());
    const auto for_gloo = c10::make_intrusive<PrefixStore>("gloo", store);
    group = c10::make_intrusive<ProcessGroupMCCL>(
        gloo.split(for_gloo, ranks, gloo.getBackendOptions()),
        std::make_shared<mccl::Peers>(communicator_->peers(), store, ranks),
        options ? options->timeout : timeout_.load(),
        unlocked_);
  });
  return group;
}

#endif

void ProcessGroupMCCL::setTimeout(Timeout timeout) {
  timeout_ = timeout;
}

void ProcessGroupMCCL::setSequenceNumberForGroup() {} // all ranks count from 0

uint64_t ProcessGroupMCCL::getSequenceNumberForGroup() {
  return sequence_;
}

std::vector<mccl::Lane*> ProcessGroupMCCL::lanes() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<mccl::Lane*> all{&collectives_};
  for (auto& [unused, lane] : to_ranks_) {
    all.push_back(lane.get());
  }
  return all;
}

void ProcessGroupMCCL::shutdown() {
  // Others may still need this rank's part. Every job ends within its timeout.
  unlocked_([this] {
    for (mccl::Lane* lane : lanes()) {
      lane->drain();
    }
  });
  abort();
}

void ProcessGroupMCCL::abort() {
  const std::exception_ptr reason = mccl::backend_error("mccl: the process group was shut down");
  for (mccl::Lane* lane : lanes()) {
    lane->close(reason);
  }
}

bool ProcessGroupMCCL::supportsCoalescing() const {
  return true;
}

void ProcessGroupMCCL::startCoalescing() {
  std::lock_guard<std::mutex> lock(mutex_);
  coalescing_ = true;
}

WorkPtr ProcessGroupMCCL::endCoalescing() {
  std::lock_guard<std::mutex> lock(mutex_);
  coalescing_ = false;
  return c10::make_intrusive<mccl::CoalescedWork>(getRank(), std::exchange(coalesced_, {}));
}

mccl::Lane& ProcessGroupMCCL::lane_to(Direction direction, int rank) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<mccl::Lane>& lane = to_ranks_[{direction, rank}];
  if (!lane) {
    lane = std::make_unique<mccl::Lane>();
  }
  return *lane;
}

ProcessGroupMCCL::Operation ProcessGroupMCCL::operation(OpType type, const char* title, Timeout timeout) const {
  return {type, title, timeout == kUnsetTimeout ? timeout_.load() : timeout};
}

WorkPtr ProcessGroupMCCL::launch(
    const Operation& operation,
    const std::string& details,
    const Tensors& inputs,
    const Tensors& outputs,
    Exchange exchange) {
  ++sequence_;
  auto agreed = [call = operation.name() + details, exchange = std::move(exchange)](
                    Communicator& communicator, Timeout timeout) {
    mccl::agree(communicator, call, timeout);
    exchange(communicator, timeout);
  };
  return launch(operation, inputs, outputs, std::move(agreed), collectives_, everybody_);
}

WorkPtr ProcessGroupMCCL::launch(
    const Operation& operation,
    const Tensors& inputs,
    const Tensors& outputs,
    Exchange exchange,
    mccl::Lane& lane,
    const std::vector<int>& partners) {
  if (std::exception_ptr error = communicator_->failure()) {
    std::rethrow_exception(error);
  }
  const Tensors touched = both(inputs, outputs);
  std::optional<c10::Device> device;
  auto ready = std::make_shared<at::musa::MUSAEvent>();
  if (!touched.empty()) {
    device = touched[0].device();
    ready->record(c10::musa::getCurrentMUSAStream(device->index()));
  }
  auto work = c10::make_intrusive<mccl::MCCLWork>(
      getRank(), operation.type, operation.title, inputs, outputs, device, unlocked_);
  auto job = [communicator = communicator_, exchange = std::move(exchange), operation, touched, device, ready, work,
              partners](std::exception_ptr given_up) {
    c10::musa::OptionalMUSAGuard guard(device);
    std::exception_ptr error = given_up ? given_up : communicator->failure();
    if (!error) {
      try {
        ready->synchronize();
        if (device) {
          communicator->peers().claim(mccl::device_id(device->index()), partners, operation.timeout);
        }
        exchange(*communicator, operation.timeout);
      } catch (...) {
        error = communicator->fail(operation.name(), operation.timeout, touched);
      }
    }
    work->conclude(error);
  };
  lane.add({std::move(job), work->completion()});
  std::lock_guard<std::mutex> lock(mutex_);
  if (coalescing_) {
    coalesced_.push_back(work);
  }
  return work;
}

WorkPtr ProcessGroupMCCL::broadcast(Tensors& tensors, const BroadcastOptions& options) {
  const Operation asked = operation(OpType::BROADCAST, "mccl:broadcast", options.timeout);
  const at::Tensor tensor = mccl::only(asked.name(), tensors);
  mccl::check_tensors(asked.name(), tensors);
  mccl::check_dense(asked.name(), tensor);
  mccl::check_rank(asked.name(), "root", options.rootRank, getSize());
  const int root = static_cast<int>(options.rootRank);
  const std::string details = c10::str(" of ", elements_of(tensors), " from rank ", root);
  return launch(asked, details, {tensor}, {tensor}, [tensor, root](Communicator& communicator, Timeout timeout) {
    if (tensor.numel() > 0) {
      broadcast_bytes(communicator, timeout, bytes_of(flat_alias_of(tensor)), root);
    }
  });
}

WorkPtr ProcessGroupMCCL::launch_all_reduce(const Operation& asked, const Tensors& tensors, const ReduceOp& op) {
  mccl::check_tensors(asked.name(), tensors);
  std::vector<Reduction> reductions;
  for (const at::Tensor& tensor : tensors) {
    mccl::check_dense(asked.name(), tensor);
    reductions.emplace_back(asked.name(), op, tensor.scalar_type(), getSize());
  }
  const std::string details = c10::str(" (", mccl::name_of(op), ") of ", elements_of(tensors));
  return launch(asked, details, tensors, tensors, [tensors, reductions](Communicator& communicator, Timeout timeout) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].numel() > 0) {
        reduce_everywhere(communicator, timeout, reductions[i], flat_alias_of(tensors[i]));
      }
    }
  });
}

WorkPtr ProcessGroupMCCL::allreduce(Tensors& tensors, const AllreduceOptions& options) {
  const Operation asked = operation(OpType::ALLREDUCE, "mccl:all_reduce", options.timeout);
  mccl::only(asked.name(), tensors);
  return launch_all_reduce(asked, tensors, options.reduceOp);
}

WorkPtr ProcessGroupMCCL::allreduce_coalesced(Tensors& tensors, const AllreduceCoalescedOptions& options) {
  return launch_all_reduce(
      operation(OpType::ALLREDUCE_COALESCED, "mccl:all_reduce_coalesced", options.timeout), tensors, options.reduceOp);
}

WorkPtr ProcessGroupMCCL::reduce(Tensors& tensors, const ReduceOptions& options) {
  const Operation asked = operation(OpType::REDUCE, "mccl:reduce", options.timeout);
  const at::Tensor tensor = mccl::only(asked.name(), tensors);
  mccl::check_tensors(asked.name(), tensors);
  mccl::check_dense(asked.name(), tensor);
  mccl::check_rank(asked.name(), "root", options.rootRank, getSize());
  const Reduction reduction(asked.name(), options.reduceOp, tensor.scalar_type(), getSize());
  const bool is_root = options.rootRank == getRank();
  const int64_t root = options.rootRank;
  const std::string details =
      c10::str(" (", mccl::name_of(options.reduceOp), ") of ", elements_of(tensors), " to rank ", root);
  return launch(asked, details, {tensor}, {tensor}, [=](Communicator& communicator, Timeout timeout) {
    if (tensor.numel() == 0) {
      return;
    }
    // gloo uses the tensors of the other ranks for intermediate results
    at::Tensor flat = is_root ? flat_alias_of(tensor) : flat_alias_of(tensor).clone();
    ReduceOptions for_gloo;
    for_gloo.reduceOp = reduction.gloo();
    for_gloo.rootRank = root;
    for_gloo.timeout = timeout;
    Tensors operands{reduction.operand(flat)};
    reduction.before(flat);
    communicator.await(communicator.gloo().reduce(operands, for_gloo), timeout);
    if (is_root) {
      reduction.after(flat);
    }
  });
}

WorkPtr ProcessGroupMCCL::allgather(Lists& outputs, Tensors& inputs, const AllgatherOptions& options) {
  const Operation asked = operation(OpType::ALLGATHER, "mccl:all_gather", options.timeout);
  const at::Tensor input = mccl::only(asked.name(), inputs);
  const Tensors output = mccl::only(asked.name(), outputs);
  mccl::check_tensors(asked.name(), both(inputs, output));
  mccl::check_one_per_rank(asked.name(), "output", output, getSize(), input);
  mccl::check_same_count(asked.name(), output[getRank()], input);
  const std::string details = " into " + elements_of(output);
  if (all_of_one_size(output)) {
    return launch(asked, details, {input}, output, [input, output](Communicator& communicator, Timeout timeout) {
      if (input.numel() == 0) {
        return;
      }
      const at::Tensor mine = packed_bytes_of(input);
      const at::Tensor whole = new_bytes(mine.numel() * static_cast<int64_t>(output.size()));
      gather_bytes(communicator, whole, mine, timeout);
      distribute(whole, output);
    });
  }
  const int rank = getRank();
  return launch(asked, details, {input}, output, [input, output, rank](Communicator& communicator, Timeout timeout) {
    for (int root = 0; root < static_cast<int>(output.size()); ++root) {
      Inbox inbox(output[root]);
      if (root == rank) {
        inbox.bytes().copy_(packed_bytes_of(input));
      }
      if (inbox.bytes().numel() > 0) {
        broadcast_bytes(communicator, timeout, inbox.bytes(), root);
      }
      inbox.deliver();
    }
  });
}

WorkPtr ProcessGroupMCCL::launch_all_gather(const Operation& asked, const Tensors& inputs, const Tensors& outputs) {
  mccl::check_tensors(asked.name(), both(inputs, outputs));
  TORCH_CHECK_VALUE(
      inputs.size() == outputs.size(),
      "mccl: ", asked.name(), " needs as many outputs as inputs, but got ", outputs.size(), " and ", inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    mccl::check_contiguous(asked.name(), "input", inputs[i]);
    mccl::check_contiguous(asked.name(), "output", outputs[i]);
    mccl::check_whole_and_part(asked.name(), "output", outputs[i], "input", inputs[i], getSize());
  }
  return launch(asked, " of " + elements_of(inputs), inputs, outputs, [inputs, outputs](Communicator& communicator, Timeout timeout) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].numel() > 0) {
        gather_bytes(communicator, packed_bytes_of(outputs[i]), packed_bytes_of(inputs[i]), timeout);
      }
    }
  });
}

WorkPtr ProcessGroupMCCL::_allgather_base(at::Tensor& output, at::Tensor& input, const AllgatherOptions& options) {
  return launch_all_gather(
      operation(OpType::_ALLGATHER_BASE, "mccl:_all_gather_base", options.timeout), {input}, {output});
}

WorkPtr ProcessGroupMCCL::allgather_into_tensor_coalesced(
    Tensors& outputs,
    Tensors& inputs,
    const AllgatherOptions& options) {
  return launch_all_gather(
      operation(OpType::COALESCED, "mccl:all_gather_into_tensor_coalesced", options.timeout), inputs, outputs);
}

WorkPtr ProcessGroupMCCL::gather(Lists& outputs, Tensors& inputs, const GatherOptions& options) {
  const Operation asked = operation(OpType::GATHER, "mccl:gather", options.timeout);
  const at::Tensor input = mccl::only(asked.name(), inputs);
  mccl::check_tensors(asked.name(), inputs);
  mccl::check_rank(asked.name(), "root", options.rootRank, getSize());
  const int64_t root = options.rootRank;
  Tensors output;
  if (root == getRank()) {
    output = mccl::only(asked.name(), outputs);
    mccl::check_tensors(asked.name(), both(inputs, output));
    mccl::check_one_per_rank(asked.name(), "output", output, getSize(), input);
    for (const at::Tensor& part : output) {
      mccl::check_same_count(asked.name(), part, input);
    }
  } else {
    TORCH_CHECK_VALUE(outputs.empty(), "mccl: gather takes a list of outputs in the root rank alone");
  }
  const std::string details = c10::str(" of ", elements_of(inputs), " to rank ", root);
  return launch(asked, details, {input}, output, [input, output, root](Communicator& communicator, Timeout timeout) {
    if (input.numel() == 0) {
      return;
    }
    Tensors sent{packed_bytes_of(input)};
    std::vector<Inbox> inboxes(output.begin(), output.end());
    Lists received;
    if (!output.empty()) {
      received.emplace_back();
      for (const Inbox& inbox : inboxes) {
        received[0].push_back(inbox.bytes());
      }
    }
    GatherOptions for_gloo;
    for_gloo.rootRank = root;
    for_gloo.timeout = timeout;
    communicator.await(communicator.gloo().gather(received, sent, for_gloo), timeout);
    for (Inbox& inbox : inboxes) {
      inbox.deliver();
    }
  });
}

WorkPtr ProcessGroupMCCL::scatter(Tensors& outputs, Lists& inputs, const ScatterOptions& options) {
  const Operation asked = operation(OpType::SCATTER, "mccl:scatter", options.timeout);
  const at::Tensor output = mccl::only(asked.name(), outputs);
  mccl::check_tensors(asked.name(), outputs);
  mccl::check_rank(asked.name(), "root", options.rootRank, getSize());
  const int64_t root = options.rootRank;
  Tensors input;
  if (root == getRank()) {
    input = mccl::only(asked.name(), inputs);
    mccl::check_tensors(asked.name(), both(outputs, input));
    mccl::check_one_per_rank(asked.name(), "input", input, getSize(), output);
    for (const at::Tensor& part : input) {
      mccl::check_same_count(asked.name(), part, output);
    }
  } else {
    TORCH_CHECK_VALUE(inputs.empty(), "mccl: scatter takes a list of inputs in the root rank alone");
  }
  const std::string details = c10::str(" of ", elements_of(outputs), " from rank ", root);
  return launch(asked, details, input, {output}, [input, output, root](Communicator& communicator, Timeout timeout) {
    if (output.numel() == 0) {
      return;
    }
    Inbox inbox(output);
    Tensors received{inbox.bytes()};
    Lists sent;
    if (!input.empty()) {
      sent.emplace_back();
      for (const at::Tensor& part : input) {
        sent[0].push_back(packed_bytes_of(part));
      }
    }
    ScatterOptions for_gloo;
    for_gloo.rootRank = root;
    for_gloo.timeout = timeout;
    communicator.await(communicator.gloo().scatter(received, sent, for_gloo), timeout);
    inbox.deliver();
  });
}

WorkPtr ProcessGroupMCCL::reduce_scatter(Tensors& outputs, Lists& inputs, const ReduceScatterOptions& options) {
  const Operation asked = operation(OpType::REDUCE_SCATTER, "mccl:reduce_scatter", options.timeout);
  const at::Tensor output = mccl::only(asked.name(), outputs);
  const Tensors input = mccl::only(asked.name(), inputs);
  mccl::check_tensors(asked.name(), both(outputs, input));
  mccl::check_one_per_rank(asked.name(), "input", input, getSize(), output);
  mccl::check_same_count(asked.name(), input[getRank()], output);
  const Reduction reduction(asked.name(), options.reduceOp, output.scalar_type(), getSize());
  const int rank = getRank();
  const std::string details = c10::str(" (", mccl::name_of(options.reduceOp), ") of ", elements_of(input));
  return launch(asked, details, input, {output}, [=](Communicator& communicator, Timeout timeout) {
    if (all_empty(input)) {
      return;
    }
    const at::Tensor whole = joined(input);
    reduce_everywhere(communicator, timeout, reduction, whole);
    int64_t offset = 0;
    for (int before = 0; before < rank; ++before) {
      offset += input[before].numel();
    }
    alias_of(output).copy_(whole.narrow(0, offset, output.numel()).view(output.sizes()));
  });
}

WorkPtr ProcessGroupMCCL::launch_reduce_scatter(
    const Operation& asked,
    const Tensors& inputs,
    const Tensors& outputs,
    const ReduceOp& op) {
  mccl::check_tensors(asked.name(), both(inputs, outputs));
  TORCH_CHECK_VALUE(
      inputs.size() == outputs.size(),
      "mccl: ", asked.name(), " needs as many outputs as inputs, but got ", outputs.size(), " and ", inputs.size());
  std::vector<Reduction> reductions;
  for (size_t i = 0; i < inputs.size(); ++i) {
    mccl::check_contiguous(asked.name(), "input", inputs[i]);
    mccl::check_contiguous(asked.name(), "output", outputs[i]);
    mccl::check_whole_and_part(asked.name(), "input", inputs[i], "output", outputs[i], getSize());
    reductions.emplace_back(asked.name(), op, outputs[i].scalar_type(), getSize());
  }
  const int rank = getRank();
  const std::string details = c10::str(" (", mccl::name_of(op), ") of ", elements_of(inputs));
  return launch(asked, details, inputs, outputs, [=](Communicator& communicator, Timeout timeout) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].numel() == 0) {
        continue;
      }
      const at::Tensor whole = flat_alias_of(inputs[i]).clone();
      reduce_everywhere(communicator, timeout, reductions[i], whole);
      const int64_t count = outputs[i].numel();
      flat_alias_of(outputs[i]).copy_(whole.narrow(0, rank * count, count));
    }
  });
}

WorkPtr ProcessGroupMCCL::_reduce_scatter_base(
    at::Tensor& output,
    at::Tensor& input,
    const ReduceScatterOptions& options) {
  return launch_reduce_scatter(
      operation(OpType::_REDUCE_SCATTER_BASE, "mccl:_reduce_scatter_base", options.timeout), {input}, {output},
      options.reduceOp);
}

WorkPtr ProcessGroupMCCL::reduce_scatter_tensor_coalesced(
    Tensors& outputs,
    Tensors& inputs,
    const ReduceScatterOptions& options) {
  return launch_reduce_scatter(
      operation(OpType::COALESCED, "mccl:reduce_scatter_tensor_coalesced", options.timeout), inputs, outputs,
      options.reduceOp);
}

WorkPtr ProcessGroupMCCL::alltoall_base(
    at::Tensor& output,
    at::Tensor& input,
    std::vector<int64_t>& output_splits,
    std::vector<int64_t>& input_splits,
    const AllToAllOptions& options) {
  const Operation asked = operation(OpType::ALLTOALL_BASE, "mccl:all_to_all_single", options.timeout);
  mccl::check_tensors(asked.name(), {output, input});
  mccl::check_contiguous(asked.name(), "output", output);
  mccl::check_contiguous(asked.name(), "input", input);
  mccl::check_one_type(asked.name(), output, input);
  mccl::check_splits(asked.name(), "output", output_splits, output, getSize());
  mccl::check_splits(asked.name(), "input", input_splits, input, getSize());
  const std::vector<int64_t> received = byte_splits(output_splits, output, getSize());
  const std::vector<int64_t> sent = byte_splits(input_splits, input, getSize());
  return launch(asked, c10::str(" of ", input.scalar_type()), {input}, {output}, [=](Communicator& communicator, Timeout timeout) {
    exchange_bytes(communicator, timeout, packed_bytes_of(output), packed_bytes_of(input), received, sent);
  });
}

WorkPtr ProcessGroupMCCL::alltoall(Tensors& outputs, Tensors& inputs, const AllToAllOptions& options) {
  const Operation asked = operation(OpType::ALLTOALL, "mccl:all_to_all", options.timeout);
  mccl::check_tensors(asked.name(), both(inputs, outputs));
  TORCH_CHECK_VALUE(!inputs.empty(), "mccl: all_to_all was given no tensors");
  mccl::check_one_per_rank(asked.name(), "output", outputs, getSize(), inputs[0]);
  mccl::check_one_per_rank(asked.name(), "input", inputs, getSize(), inputs[0]);
  mccl::check_same_count(asked.name(), outputs[getRank()], inputs[getRank()]);
  const std::vector<int64_t> received = byte_counts(outputs);
  const std::vector<int64_t> sent = byte_counts(inputs);
  const Tensors given = inputs;
  const Tensors wanted = outputs;
  return launch(asked, c10::str(" of ", given[0].scalar_type()), given, wanted, [=](Communicator& communicator, Timeout timeout) {
    const at::Tensor whole = new_bytes(std::accumulate(received.begin(), received.end(), int64_t{0}));
    exchange_bytes(communicator, timeout, whole, bytes_of(joined(given)), received, sent);
    distribute(whole, wanted);
  });
}

// As with NCCL, messages between two ranks match by their order; tags count for nothing.
WorkPtr ProcessGroupMCCL::send(Tensors& tensors, int target, int /*tag*/) {
  const Operation asked = operation(OpType::SEND, "mccl:send", kUnsetTimeout);
  const at::Tensor tensor = mccl::only(asked.name(), tensors);
  mccl::check_tensors(asked.name(), tensors);
  mccl::check_partner(asked.name(), target, getRank(), getSize());
  const auto exchange = [tensor, target](Communicator& communicator, Timeout timeout) {
    mccl::send_bytes(communicator, packed_bytes_of(tensor), target, timeout);
  };
  return launch(asked, {tensor}, {}, exchange, lane_to(Direction::kSend, target), {target});
}

WorkPtr ProcessGroupMCCL::recv(Tensors& tensors, int source, int /*tag*/) {
  const Operation asked = operation(OpType::RECV, "mccl:recv", kUnsetTimeout);
  const at::Tensor tensor = mccl::only(asked.name(), tensors);
  mccl::check_tensors(asked.name(), tensors);
  mccl::check_partner(asked.name(), source, getRank(), getSize());
  const auto exchange = [tensor, source](Communicator& communicator, Timeout timeout) {
    Inbox inbox(tensor);
    mccl::receive_bytes(communicator, inbox.bytes(), source, timeout);
    inbox.deliver();
  };
  return launch(asked, {}, {tensor}, exchange, lane_to(Direction::kReceive, source), {source});
}

WorkPtr ProcessGroupMCCL::barrier(const BarrierOptions& options) {
  // NCCL's barrier is a collective on some device. This one belongs to none; it comes after the work of all.
  for (c10::DeviceIndex device = 0; device < c10::musa::device_count(); ++device) {
    c10::musa::getCurrentMUSAStream(device).synchronize();
  }
  const Operation asked = operation(OpType::BARRIER, "mccl:barrier", options.timeout);
  return launch(asked, "", {}, {}, [](Communicator& communicator, Timeout timeout) {
    BarrierOptions for_gloo;
    for_gloo.timeout = timeout;
    communicator.await(communicator.gloo().barrier(for_gloo), timeout);
  });
}

} // namespace c10d
