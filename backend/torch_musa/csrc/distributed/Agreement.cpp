#include "torch_musa/csrc/distributed/Agreement.h"

#include "torch_musa/csrc/distributed/HostMemory.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

namespace c10d::mccl {

namespace {

using Timeout = std::chrono::milliseconds;
using Tensors = std::vector<at::Tensor>;

/// Messages between two ranks: each is a size, the receiver's answer, and the data.
constexpr int kDataTag = 0;
constexpr int kSizeTag = 1;
constexpr int kAnswerTag = 2;

/// What a rank shows of its call; of a longer text the beginning and a digest of it all.
constexpr int64_t kShown = 256;

at::Tensor record_of(const std::string& call) {
  const size_t digest = std::hash<std::string>{}(call);
  at::Tensor record = at::zeros({kShown}, at::kByte);
  auto* bytes = static_cast<char*>(record.data_ptr());
  std::memcpy(bytes, &digest, sizeof digest);
  std::memcpy(bytes + sizeof digest, call.data(), std::min(call.size(), kShown - sizeof digest - 1));
  return record;
}

std::string shown_by(const at::Tensor& record) {
  return static_cast<const char*>(record.data_ptr()) + sizeof(size_t);
}

at::Tensor as_tensor(const std::vector<int64_t>& numbers) {
  at::Tensor made = at::empty({static_cast<int64_t>(numbers.size())}, at::kLong);
  std::copy(numbers.begin(), numbers.end(), static_cast<int64_t*>(made.data_ptr()));
  return made;
}

void send(Communicator& communicator, const at::Tensor& tensor, int target, int tag, Timeout timeout) {
  Tensors sent{tensor};
  communicator.gloo().send(sent, target, tag)->wait(timeout);
}

void receive(Communicator& communicator, const at::Tensor& tensor, int source, int tag, Timeout timeout) {
  Tensors received{tensor};
  communicator.gloo().recv(received, source, tag)->wait(timeout);
}

int64_t receive_number(Communicator& communicator, int source, int tag, Timeout timeout) {
  const at::Tensor number = at::empty({1}, at::kLong);
  receive(communicator, number, source, tag, timeout);
  return *static_cast<const int64_t*>(number.data_ptr());
}

void require_equal_sizes(int sender, int64_t sent, int receiver, int64_t expected) {
  if (sent != expected) {
    C10_THROW_ERROR(
        DistBackendError,
        c10::str("rank ", sender, " sends ", sent, " bytes, but rank ", receiver, " receives ", expected));
  }
}

} // namespace

std::string elements_of(const Tensors& tensors) {
  std::string text;
  for (size_t i = 0; i < tensors.size(); ++i) {
    text += c10::str(i == 0 ? "" : " and ", tensors[i].numel(), " ", tensors[i].scalar_type());
  }
  return text;
}

void gather_bytes(Communicator& communicator, at::Tensor whole, at::Tensor input, Timeout timeout) {
  AllgatherOptions options;
  options.timeout = timeout;
  communicator.await(communicator.gloo()._allgather_base(whole, input, options), timeout);
}

void agree(Communicator& communicator, const std::string& call, Timeout timeout) {
  const int size = communicator.peers().size();
  const at::Tensor mine = record_of(call);
  const at::Tensor all = at::empty({size * kShown}, at::kByte);
  gather_bytes(communicator, all, mine, timeout);
  std::map<std::string, std::vector<int>> ranks_by_call;
  bool same = true;
  for (int rank = 0; rank < size; ++rank) {
    const at::Tensor record = all.narrow(0, rank * kShown, kShown);
    ranks_by_call[shown_by(record)].push_back(rank);
    same = same && record.equal(mine);
  }
  if (same) {
    return;
  }
  std::vector<std::string> stories;
  for (const auto& [shown, ranks] : ranks_by_call) {
    stories.push_back(c10::str(named(ranks), " called ", shown));
  }
  C10_THROW_ERROR(DistBackendError, "the ranks differ: " + c10::Join("; ", stories));
}

void agree_on_splits(
    Communicator& communicator,
    const std::vector<int64_t>& sent,
    const std::vector<int64_t>& expected,
    Timeout timeout) {
  const int size = communicator.peers().size();
  std::vector<int64_t> both = sent;
  both.insert(both.end(), expected.begin(), expected.end());
  const at::Tensor all = at::empty({size, 2, size}, at::kLong);
  gather_bytes(communicator, bytes_of(all), bytes_of(as_tensor(both)), timeout);
  const auto* numbers = static_cast<const int64_t*>(all.data_ptr());
  for (int sender = 0; sender < size; ++sender) {
    for (int receiver = 0; receiver < size; ++receiver) {
      require_equal_sizes(
          sender, numbers[(sender * 2 + 0) * size + receiver], receiver, numbers[(receiver * 2 + 1) * size + sender]);
    }
  }
}

void send_bytes(Communicator& communicator, const at::Tensor& bytes, int target, Timeout timeout) {
  send(communicator, as_tensor({bytes.numel()}), target, kSizeTag, timeout);
  const int64_t expected = receive_number(communicator, target, kAnswerTag, timeout);
  require_equal_sizes(communicator.peers().rank(), bytes.numel(), target, expected);
  if (bytes.numel() > 0) {
    send(communicator, bytes, target, kDataTag, timeout);
  }
}

void receive_bytes(Communicator& communicator, const at::Tensor& bytes, int source, Timeout timeout) {
  const int64_t sent = receive_number(communicator, source, kSizeTag, timeout);
  send(communicator, as_tensor({bytes.numel()}), source, kAnswerTag, timeout);
  require_equal_sizes(source, sent, communicator.peers().rank(), bytes.numel());
  if (bytes.numel() > 0) {
    receive(communicator, bytes, source, kDataTag, timeout);
  }
}

} // namespace c10d::mccl
