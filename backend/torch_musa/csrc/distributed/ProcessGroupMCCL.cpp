#include "torch_musa/csrc/distributed/ProcessGroupMCCL.h"

#include "torch_musa/csrc/core/MUSAEvent.h"
#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/MUSAStream.h"
#include "torch_musa/csrc/distributed/Checks.h"
#include "torch_musa/csrc/distributed/Packing.h"
#include "torch_musa/csrc/distributed/Reduction.h"

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <algorithm>
#include <optional>

namespace c10d {

namespace {

using mccl::Call;
using mccl::check;
using mccl::deliver;
using mccl::Inbox;
using mccl::packed;
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

/// "10 Float", "10 Float and 3 Half": what ranks must have as much of as the others.
std::string elements_of(const Tensors& tensors) {
  std::string text;
  for (size_t i = 0; i < tensors.size(); ++i) {
    text += c10::str(i == 0 ? "" : " and ", tensors[i].numel(), " ", tensors[i].scalar_type());
  }
  return text;
}

/// The part of a tensor that each rank has, by splits of its first dimension; empty means even.
Tensors parts_of(const at::Tensor& tensor, const std::vector<int64_t>& splits, int size) {
  const c10::NoGradGuard no_grad;
  const at::Tensor rows = tensor.dim() == 0 ? tensor.unsqueeze(0) : tensor;
  return rows.split_with_sizes(splits.empty() ? std::vector<int64_t>(size, rows.size(0) / size) : splits);
}

/// For each rank nothing, but for one of them a tensor.
Tensors only_for(int64_t rank, const at::Tensor& tensor, int size) {
  Tensors tensors(size);
  tensors[rank] = tensor;
  return tensors;
}

/// Sends a tensor to each rank and receives one from each; undefined ones stand for nothing.
mccl::Exchange messages(const Tensors& sent, const Tensors& received) {
  return [sent, received](const Call& call) {
    Tensors parts;
    std::vector<Inbox> inboxes;
    call.run([&] {
      for (size_t rank = 0; rank < sent.size(); ++rank) {
        if (sent[rank].defined()) {
          const at::Tensor& part = parts.emplace_back(packed(sent[rank]));
          check(mcclSend(
              part.data_ptr(), part.nbytes(), mcclUint8, static_cast<int>(rank), call.comm, call.stream));
        }
      }
      for (size_t rank = 0; rank < received.size(); ++rank) {
        if (received[rank].defined()) {
          const Inbox& inbox = inboxes.emplace_back(received[rank]);
          check(mcclRecv(inbox.data(), inbox.nbytes(), mcclUint8, static_cast<int>(rank), call.comm, call.stream));
        }
      }
    });
    deliver(inboxes);
  };
}

} // namespace

ProcessGroupMCCL::ProcessGroupMCCL(
    const c10::intrusive_ptr<Store>& store,
    int rank,
    int size,
    Timeout timeout,
    mccl::Unlocked unlocked)
    : Backend(rank, size),
      store_(store),
      communicator_(std::make_shared<mccl::Communicator>(*store, rank, size, timeout)),
      unlocked_(std::move(unlocked)),
      timeout_(timeout) {}

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
  for (int rank = 0; rank < getSize(); ++rank) {
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
    group = c10::make_intrusive<ProcessGroupMCCL>(
        c10::make_intrusive<PrefixStore>(name, store_),
        static_cast<int>(std::find(ranks.begin(), ranks.end(), getRank()) - ranks.begin()),
        static_cast<int>(ranks.size()),
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

std::vector<mccl::JobThread*> ProcessGroupMCCL::threads() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<mccl::JobThread*> all{&collectives_.thread};
  for (auto& [unused, way] : to_ranks_) {
    all.push_back(&way->thread);
  }
  return all;
}

void ProcessGroupMCCL::shutdown() {
  // Others may still need this rank's part. Every job ends within its timeout.
  unlocked_([this] {
    for (mccl::JobThread* thread : threads()) {
      thread->drain();
    }
  });
  close();
}

void ProcessGroupMCCL::abort() {
  close();
  communicator_->abort();
}

void ProcessGroupMCCL::close() {
  const std::exception_ptr reason = mccl::backend_error("mccl: the process group was shut down");
  for (mccl::JobThread* thread : threads()) {
    thread->close(reason);
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

ProcessGroupMCCL::Way& ProcessGroupMCCL::way_to(Direction direction, int rank) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<Way>& way = to_ranks_[{direction, rank}];
  if (!way) {
    way = std::make_unique<Way>();
  }
  return *way;
}

ProcessGroupMCCL::Operation ProcessGroupMCCL::operation(OpType type, const char* title, Timeout timeout) const {
  return {type, title, timeout == kUnsetTimeout ? timeout_.load() : timeout};
}

WorkPtr ProcessGroupMCCL::launch(
    const Operation& operation,
    const std::string& details,
    const Tensors& inputs,
    const Tensors& outputs,
    mccl::Exchange exchange) {
  ++sequence_;
  return launch(operation, details, inputs, outputs, std::move(exchange), collectives_);
}

WorkPtr ProcessGroupMCCL::launch(
    const Operation& operation,
    const std::string& details,
    const Tensors& inputs,
    const Tensors& outputs,
    mccl::Exchange exchange,
    Way& way) {
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
  auto job = [communicator = communicator_, streams = way.streams, exchange = std::move(exchange), operation,
              name = operation.name() + details, is_collective = &way == &collectives_, touched, device, ready,
              work](std::exception_ptr given_up) {
    c10::musa::OptionalMUSAGuard guard(device);
    std::exception_ptr error = given_up ? given_up : communicator->failure();
    if (!error) {
      try {
        ready->synchronize();
        exchange({communicator->handle(), streams->current(), name, operation.timeout, is_collective});
      } catch (...) {
        error = communicator->fail(operation.name());
      }
    }
    work->conclude(error);
  };
  way.thread.add({std::move(job), work->completion()});
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
  return launch(asked, details, {tensor}, {tensor}, [tensor, root](const Call& call) {
    void* data = tensor.data_ptr();
    call.run([&] { check(mcclBroadcast(data, data, tensor.nbytes(), mcclUint8, root, call.comm, call.stream)); });
  });
}

WorkPtr ProcessGroupMCCL::launch_all_reduce(const Operation& asked, const Tensors& tensors, const ReduceOp& op) {
  mccl::check_tensors(asked.name(), tensors);
  std::vector<Reduction> reductions;
  for (const at::Tensor& tensor : tensors) {
    mccl::check_dense(asked.name(), tensor);
    reductions.emplace_back(asked.name(), op, tensor.scalar_type());
  }
  const std::string details = c10::str(" (", mccl::name_of(op), ") of ", elements_of(tensors));
  return launch(asked, details, tensors, tensors, [tensors, reductions](const Call& call) {
    call.run([&] {
      for (size_t i = 0; i < tensors.size(); ++i) {
        void* data = tensors[i].data_ptr();
        reductions[i].with_operation(call.comm, [&](mcclRedOp_t op) {
          check(mcclAllReduce(data, data, tensors[i].numel(), reductions[i].type(), op, call.comm, call.stream));
        });
      }
    });
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
  const Reduction reduction(asked.name(), options.reduceOp, tensor.scalar_type());
  const int root = static_cast<int>(options.rootRank);
  const std::string details =
      c10::str(" (", mccl::name_of(options.reduceOp), ") of ", elements_of(tensors), " to rank ", root);
  return launch(asked, details, {tensor}, {tensor}, [=](const Call& call) {
    void* data = tensor.data_ptr();
    call.run([&] {
      reduction.with_operation(call.comm, [&](mcclRedOp_t op) {
        check(mcclReduce(data, data, tensor.numel(), reduction.type(), op, root, call.comm, call.stream));
      });
    });
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
  return launch(asked, details, {input}, output, [input, output](const Call& call) {
    const at::Tensor mine = packed(input);
    const std::vector<Inbox> inboxes(output.begin(), output.end());
    call.run([&] {
      for (size_t root = 0; root < inboxes.size(); ++root) {
        check(mcclBroadcast(
            mine.data_ptr(), inboxes[root].data(), inboxes[root].nbytes(), mcclUint8, static_cast<int>(root), call.comm,
            call.stream));
      }
    });
    deliver(inboxes);
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
  return launch(asked, " of " + elements_of(inputs), inputs, outputs, [inputs, outputs](const Call& call) {
    call.run([&] {
      for (size_t i = 0; i < inputs.size(); ++i) {
        check(mcclAllGather(
            inputs[i].data_ptr(), outputs[i].data_ptr(), inputs[i].nbytes(), mcclUint8, call.comm, call.stream));
      }
    });
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
  const int root = static_cast<int>(options.rootRank);
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
  return launch(asked, details, {input}, output, messages(only_for(root, input, getSize()), output));
}

WorkPtr ProcessGroupMCCL::scatter(Tensors& outputs, Lists& inputs, const ScatterOptions& options) {
  const Operation asked = operation(OpType::SCATTER, "mccl:scatter", options.timeout);
  const at::Tensor output = mccl::only(asked.name(), outputs);
  mccl::check_tensors(asked.name(), outputs);
  mccl::check_rank(asked.name(), "root", options.rootRank, getSize());
  const int root = static_cast<int>(options.rootRank);
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
  return launch(asked, details, input, {output}, messages(input, only_for(root, output, getSize())));
}

WorkPtr ProcessGroupMCCL::reduce_scatter(Tensors& outputs, Lists& inputs, const ReduceScatterOptions& options) {
  const Operation asked = operation(OpType::REDUCE_SCATTER, "mccl:reduce_scatter", options.timeout);
  const at::Tensor output = mccl::only(asked.name(), outputs);
  const Tensors input = mccl::only(asked.name(), inputs);
  mccl::check_tensors(asked.name(), both(outputs, input));
  mccl::check_one_per_rank(asked.name(), "input", input, getSize(), output);
  mccl::check_same_count(asked.name(), input[getRank()], output);
  const Reduction reduction(asked.name(), options.reduceOp, output.scalar_type());
  const std::string details = c10::str(" (", mccl::name_of(options.reduceOp), ") of ", elements_of(input));
  return launch(asked, details, input, {output}, [input, output, reduction](const Call& call) {
    Tensors parts;
    for (const at::Tensor& part : input) {
      parts.push_back(packed(part));
    }
    const Inbox inbox(output);
    call.run([&] {
      reduction.with_operation(call.comm, [&](mcclRedOp_t op) {
        for (size_t root = 0; root < parts.size(); ++root) {
          check(mcclReduce(
              parts[root].data_ptr(), inbox.data(), parts[root].numel(), reduction.type(), op, static_cast<int>(root),
              call.comm, call.stream));
        }
      });
    });
    inbox.deliver();
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
    reductions.emplace_back(asked.name(), op, outputs[i].scalar_type());
  }
  const std::string details = c10::str(" (", mccl::name_of(op), ") of ", elements_of(inputs));
  return launch(asked, details, inputs, outputs, [inputs, outputs, reductions](const Call& call) {
    call.run([&] {
      for (size_t i = 0; i < inputs.size(); ++i) {
        reductions[i].with_operation(call.comm, [&](mcclRedOp_t op) {
          check(mcclReduceScatter(
              inputs[i].data_ptr(), outputs[i].data_ptr(), outputs[i].numel(), reductions[i].type(), op, call.comm,
              call.stream));
        });
      }
    });
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
  return launch(
      asked, c10::str(" of ", input.scalar_type()), {input}, {output},
      messages(parts_of(input, input_splits, getSize()), parts_of(output, output_splits, getSize())));
}

WorkPtr ProcessGroupMCCL::alltoall(Tensors& outputs, Tensors& inputs, const AllToAllOptions& options) {
  const Operation asked = operation(OpType::ALLTOALL, "mccl:all_to_all", options.timeout);
  mccl::check_tensors(asked.name(), both(inputs, outputs));
  TORCH_CHECK_VALUE(!inputs.empty(), "mccl: all_to_all was given no tensors");
  mccl::check_one_per_rank(asked.name(), "output", outputs, getSize(), inputs[0]);
  mccl::check_one_per_rank(asked.name(), "input", inputs, getSize(), inputs[0]);
  mccl::check_same_count(asked.name(), outputs[getRank()], inputs[getRank()]);
  return launch(asked, c10::str(" of ", inputs[0].scalar_type()), inputs, outputs, messages(inputs, outputs));
}

// As with NCCL, messages between two ranks match by their order; tags count for nothing.
WorkPtr ProcessGroupMCCL::send(Tensors& tensors, int target, int /*tag*/) {
  const Operation asked = operation(OpType::SEND, "mccl:send", kUnsetTimeout);
  const at::Tensor tensor = mccl::only(asked.name(), tensors);
  mccl::check_tensors(asked.name(), tensors);
  mccl::check_partner(asked.name(), target, getRank(), getSize());
  return launch(
      asked, "", {tensor}, {}, messages(only_for(target, tensor, getSize()), {}), way_to(Direction::kSend, target));
}

WorkPtr ProcessGroupMCCL::recv(Tensors& tensors, int source, int /*tag*/) {
  const Operation asked = operation(OpType::RECV, "mccl:recv", kUnsetTimeout);
  const at::Tensor tensor = mccl::only(asked.name(), tensors);
  mccl::check_tensors(asked.name(), tensors);
  mccl::check_partner(asked.name(), source, getRank(), getSize());
  return launch(
      asked, "", {}, {tensor}, messages({}, only_for(source, tensor, getSize())), way_to(Direction::kReceive, source));
}

WorkPtr ProcessGroupMCCL::barrier(const BarrierOptions& options) {
  // NCCL's barrier is a collective on some device. This one belongs to none; it comes after the work of all.
  for (c10::DeviceIndex device = 0; device < c10::musa::device_count(); ++device) {
    c10::musa::getCurrentMUSAStream(device).synchronize();
  }
  const Operation asked = operation(OpType::BARRIER, "mccl:barrier", options.timeout);
  return launch(asked, "", {}, {}, [](const Call& call) {
    call.run([&] { check(mcclAllReduce(nullptr, nullptr, 0, mcclUint8, mcclSum, call.comm, call.stream)); });
  });
}

} // namespace c10d
