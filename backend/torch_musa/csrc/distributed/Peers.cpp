#include "torch_musa/csrc/distributed/Peers.h"

#include "torch_musa/csrc/core/MUSAException.h"

#include <c10/util/Exception.h>
#include <c10/util/StringUtil.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <thread>

namespace c10d::mccl {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// The setting that torch_musa/distributed reads; named in messages only.
constexpr const char* kShareSetting = "MUSA_SIM_MCCL_SHARE_DEVICES=1";

std::string key_of(const char* kind, int rank) {
  return c10::str("mccl/", kind, "/", rank);
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Two processes with the same answer see each other under /proc.
std::string machine_id() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::array<char, 64> processes{};
  if (readlink("/proc/self/ns/pid", processes.data(), processes.size() - 1) < 0) {
    processes[0] = '\0';
  }
  return host_name() + "/" + boot + "/" + processes.data();
}

struct ProcessState {
  char state; ///< R, S, ...; Z has ended
  std::string started;
};

/// None if there is no such process.
std::optional<ProcessState> state_of(int64_t process) {
  std::ifstream file(c10::str("/proc/", process, "/stat"));
  std::string line;
  if (!std::getline(file, line)) {
    return std::nullopt;
  }
  // pid (name) state ...; the name may hold anything, blanks and parentheses too
  std::istringstream fields(line.substr(std::min(line.rfind(')'), line.size() - 1) + 1));
  std::string field;
  ProcessState result{'?', ""};
  constexpr int kState = 3;
  constexpr int kStarted = 22;
  for (int number = kState; number <= kStarted && fields >> field; ++number) {
    if (number == kState) {
      result.state = field[0];
    } else if (number == kStarted) {
      result.started = field;
    }
  }
  return result;
}

Peer myself(std::vector<std::string> devices) {
  const auto process = static_cast<int64_t>(getpid());
  const std::optional<ProcessState> state = state_of(process);
  return {host_name(), machine_id(), process, state ? state->started : "", std::move(devices)};
}

/// One field a line; no field has line ends.
std::string packed(const Peer& peer) {
  std::string text = c10::str(peer.host, "\n", peer.machine, "\n", peer.process, "\n", peer.started, "\n");
  for (const std::string& device : peer.devices) {
    text += device + "\n";
  }
  return text;
}

Peer unpacked(const std::string& text) {
  std::istringstream lines(text);
  Peer peer;
  std::string process;
  std::getline(lines, peer.host);
  std::getline(lines, peer.machine);
  std::getline(lines, process);
  std::getline(lines, peer.started);
  peer.process = std::stoll(process);
  for (std::string device; std::getline(lines, device);) {
    peer.devices.push_back(device);
  }
  return peer;
}

/// Waits until `happened`, asking more and more seldom; false after `timeout`.
bool poll(const std::function<bool()>& happened, milliseconds timeout) {
  const Clock::time_point end = Clock::now() + timeout;
  for (milliseconds pause(1); !happened(); pause = std::min(2 * pause, milliseconds(50))) {
    if (Clock::now() >= end) {
      return false;
    }
    std::this_thread::sleep_for(pause);
  }
  return true;
}

} // namespace

std::string device_id(c10::DeviceIndex device) {
  musaDeviceProp properties{};
  C10_MUSA_CHECK(musaGetDeviceProperties(&properties, device));
  return std::string(properties.uuid.bytes, strnlen(properties.uuid.bytes, sizeof properties.uuid.bytes));
}

std::string named(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i) {
    text += c10::str(i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ", ranks[i]);
  }
  return text;
}

Peers::Peers(
    c10::intrusive_ptr<Store> store,
    int rank,
    int size,
    milliseconds timeout,
    std::vector<std::string> devices,
    bool share_devices)
    : store_(std::move(store)), rank_(rank), share_devices_(share_devices), peers_(static_cast<size_t>(size)) {
  TORCH_CHECK_VALUE(rank >= 0 && rank < size, "mccl: the rank is ", rank, ", but the group has ", size, " ranks");
  peers_[rank] = myself(std::move(devices));
  store_->set(key_of("peer", rank_), packed(peers_[rank]));
  meet(timeout);
  require_devices();
}

Peers::Peers(const Peers& whole, c10::intrusive_ptr<Store> store, const std::vector<int>& ranks)
    : store_(std::move(store)),
      rank_(static_cast<int>(std::find(ranks.begin(), ranks.end(), whole.rank_) - ranks.begin())),
      share_devices_(whole.share_devices_) {
  for (int rank : ranks) {
    peers_.push_back(whole.peers_.at(rank));
  }
}

void Peers::meet(milliseconds timeout) {
  std::vector<int> missing;
  for (int other = 0; other < size(); ++other) {
    if (other != rank_) {
      missing.push_back(other);
    }
  }
  const auto arrived = [&](int other) {
    const std::string key = key_of("peer", other);
    if (!store_->check({key})) {
      return false;
    }
    peers_[other] = unpacked(store_->get_to_str(key));
    return true;
  };
  const bool all = poll(
      [&] {
        missing.erase(std::remove_if(missing.begin(), missing.end(), arrived), missing.end());
        return missing.empty();
      },
      timeout);
  if (!all) {
    C10_THROW_ERROR(
        DistBackendError,
        c10::str(
            "mccl: rank ", rank_, " of ", size(), " waited ", timeout.count(), " ms for ", named(missing),
            " to join the process group. Start all ranks, with the same world size and the same store."));
  }
}

void Peers::require_devices() const {
  if (share_devices_) {
    return;
  }
  std::map<std::string, std::vector<int>> ranks_on;
  std::map<std::string, std::set<std::string>> devices_of;
  for (int rank = 0; rank < size(); ++rank) {
    const Peer& peer = peers_[rank];
    ranks_on[peer.machine].push_back(rank);
    devices_of[peer.machine].insert(peer.devices.begin(), peer.devices.end());
  }
  for (const auto& [machine, ranks] : ranks_on) {
    const size_t devices = devices_of[machine].size();
    if (ranks.size() > devices) {
      C10_THROW_ERROR(
          DistBackendError,
          c10::str(
              "mccl: ", ranks.size(), " ranks (", named(ranks), ") run on host ", peers_[ranks[0]].host, ", which has ",
              devices, " musa device(s); each rank needs its own. MUSA_SIM_DEVICES=", ranks.size(),
              " simulates more, ", kShareSetting, " lets ranks share devices."));
    }
  }
}

bool Peers::on_one_machine() const {
  return std::all_of(
      peers_.begin(), peers_.end(), [&](const Peer& peer) { return peer.machine == peers_[rank_].machine; });
}

void Peers::publish(const std::string& device) {
  if (device_.empty()) {
    device_ = device;
    store_->set(key_of("device", rank_), device);
  }
}

void Peers::claim(const std::string& device, const std::vector<int>& others, milliseconds timeout) {
  if (share_devices_) {
    return;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  publish(device);
  for (int other : others) {
    if (other == rank_ || peers_[other].machine != peers_[rank_].machine || compared_.count(other) != 0) {
      continue;
    }
    const std::string key = key_of("device", other);
    std::vector<int> gone;
    const bool known = poll(
        [&] {
          if (store_->check({key})) {
            return true;
          }
          gone = ended();
          return !gone.empty();
        },
        timeout);
    if (!gone.empty()) {
      C10_THROW_ERROR(DistBackendError, story_of(gone));
    }
    if (!known) {
      C10_THROW_ERROR(
          DistBackendError,
          c10::str("timed out after ", timeout.count(), " ms: rank ", other, " has not yet begun any collective"));
    }
    if (store_->get_to_str(key) == device_) {
      C10_THROW_ERROR(
          DistBackendError,
          c10::str(
              "ranks ", std::min(rank_, other), " and ", std::max(rank_, other), " both use device ", device_,
              " of host ", peers_[rank_].host, ". Give each rank its own: torch.musa.set_device(local_rank) before "
              "anything else. ", kShareSetting, " lets ranks share devices."));
    }
    compared_.insert(other);
  }
}

std::vector<int> Peers::ended() const {
  std::vector<int> result;
  for (int rank = 0; rank < size(); ++rank) {
    const Peer& peer = peers_[rank];
    if (rank == rank_ || peer.machine != peers_[rank_].machine) {
      continue;
    }
    const std::optional<ProcessState> state = state_of(peer.process);
    if (!state || state->state == 'Z' || state->state == 'X' || state->started != peer.started) {
      result.push_back(rank);
    }
  }
  return result;
}

std::string Peers::story_of(const std::vector<int>& ended) const {
  std::vector<std::string> stories;
  for (int rank : ended) {
    const Peer& peer = peers_[rank];
    stories.push_back(c10::str("rank ", rank, " (process ", peer.process, " on host ", peer.host, ") has ended"));
  }
  return c10::Join(", ", stories);
}

} // namespace c10d::mccl
