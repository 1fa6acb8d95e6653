#include "torch_musa/csrc/distributed/Communicator.h"

#include "torch_musa/csrc/distributed/Lane.h"

#include <ATen/core/ivalue.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace c10d::mccl {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// How often a waiting rank looks whether the others live.
constexpr milliseconds kLook(100);
/// What a rank sent before it ended may still be on its way.
constexpr milliseconds kArrival(5000);
/// gloo says itself that time is up; this is for where it does not.
constexpr milliseconds kLate(2000);
/// A process closes its connections some time before it has ended.
constexpr milliseconds kDying(10000);

struct TimedOut : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Cause {
  std::string text;
  bool timed_out = false;
  bool told = false; ///< whether the text says all already
};

bool speaks_of_timeout(const std::string& text) {
  return text.find("imed out") != std::string::npos || text.find("imeout") != std::string::npos;
}

/// The exception being handled.
Cause current_cause() {
  try {
    throw;
  } catch (const c10::DistBackendError& error) {
    return {error.what_without_backtrace(), false, true};
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    return {text, speaks_of_timeout(text), false};
  } catch (const std::exception& error) {
    return {error.what(), speaks_of_timeout(error.what()), false};
  } catch (...) {
    return {"an unknown error", false, false};
  }
}

/// Never given back: gloo's destructor would wait for what hangs in it.
template <typename Kept>
void keep_for_good(Kept kept) {
  new Kept(std::move(kept));
}

} // namespace

std::exception_ptr backend_error(const std::string& text) {
  const c10::SourceLocation here{__func__, __FILE__, static_cast<uint32_t>(__LINE__)};
  return std::make_exception_ptr(c10::DistBackendError(here, text));
}

Communicator::Communicator(c10::intrusive_ptr<Backend> gloo, std::shared_ptr<Peers> peers)
    : gloo_(std::move(gloo)), peers_(std::move(peers)) {}

void Communicator::await(const c10::intrusive_ptr<Work>& part, Timeout timeout) {
  auto ended = std::make_shared<Completion>();
  part->getFuture()->addCallback([ended](c10::ivalue::Future& /*future*/) { ended->signal(); });
  const Clock::time_point begin = Clock::now();
  std::optional<Clock::time_point> alone_since;
  while (!ended->wait(kLook)) {
    const Clock::time_point now = Clock::now();
    if (!alone_since && !ended_ranks(milliseconds(0)).empty()) {
      alone_since = now;
    }
    if (alone_since && now - *alone_since > kArrival) {
      throw std::runtime_error("a rank ended without taking part");
    }
    if (now - begin > timeout + kLate) {
      throw TimedOut("timed out");
    }
  }
  part->wait();
}

std::exception_ptr Communicator::failure() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.empty()) {
    return nullptr;
  }
  return backend_error(c10::str("mccl: this process group is of no use any more, since it failed before. ", failure_));
}

std::vector<int> Communicator::ended_ranks(Timeout patience) {
  const Clock::time_point end = Clock::now() + patience;
  while (true) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (ended_.empty()) {
        ended_ = peers_->ended();
      }
      if (!ended_.empty() || Clock::now() >= end) {
        return ended_;
      }
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
}

std::string Communicator::blame(const std::string& cause, bool timed_out, Timeout timeout) {
  const std::vector<int> ended = ended_ranks(timed_out ? milliseconds(0) : std::min(kDying, timeout));
  if (!ended.empty()) {
    return peers_->story_of(ended);
  }
  if (timed_out) {
    return c10::str(
        "timed out after ", timeout.count(), " ms: another rank did not take part in it. All ranks must call the same "
        "collectives in the same order; TORCH_DISTRIBUTED_DEBUG=DETAIL says which of them does not. gloo says: ",
        cause);
  }
  return cause;
}

std::exception_ptr Communicator::fail(
    const char* operation,
    Timeout timeout,
    const std::vector<at::Tensor>& touched) {
  const Cause cause = current_cause();
  const std::string reason = cause.told ? cause.text : blame(cause.text, cause.timed_out, timeout);
  const std::string text =
      c10::str("mccl: ", operation, " failed in rank ", peers_->rank(), " of ", peers_->size(), ": ", reason);
  keep_for_good(touched);
  keep_for_good(gloo_);
  std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.empty()) {
    failure_ = text;
  }
  return backend_error(text);
}

} // namespace c10d::mccl
