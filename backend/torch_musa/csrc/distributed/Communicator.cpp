#include "torch_musa/csrc/distributed/Communicator.h"

#include "torch_musa/csrc/core/MUSAException.h"
#include "torch_musa/csrc/core/MUSAFunctions.h"

#include <c10/util/Exception.h>
#include <musa_sim_mccl.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace c10d::mccl {

namespace {

constexpr const char* kIdKey = "mccl/id";

/// libmccl's words, which say already what failed in which rank.
struct Failed {
  std::string text;
};

mcclUniqueId id_of(Store& store, int rank, Communicator::Timeout timeout) {
  mcclUniqueId id{};
  if (rank == 0) {
    check(mcclGetUniqueId(&id));
    const auto* bytes = reinterpret_cast<const uint8_t*>(id.internal);
    store.set(kIdKey, std::vector<uint8_t>(bytes, bytes + sizeof id.internal));
    return id;
  }
  store.wait({kIdKey}, timeout);
  const std::vector<uint8_t> bytes = store.get(kIdKey);
  TORCH_INTERNAL_ASSERT(bytes.size() == sizeof id.internal);
  std::copy(bytes.begin(), bytes.end(), id.internal);
  return id;
}

} // namespace

std::exception_ptr backend_error(const std::string& text) {
  const c10::SourceLocation here{__func__, __FILE__, static_cast<uint32_t>(__LINE__)};
  return std::make_exception_ptr(c10::DistBackendError(here, text));
}

void check(mcclResult_t result) {
  if (result != mcclSuccess) {
    C10_THROW_ERROR(DistBackendError, mcclGetLastError(nullptr));
  }
}

Communicator::Communicator(Store& store, int rank, int size, Timeout timeout) : rank_(rank), size_(size) {
  TORCH_CHECK_VALUE(rank >= 0 && rank < size, "mccl: the rank is ", rank, ", but the group has ", size, " ranks");
  try {
    const mcclUniqueId id = id_of(store, rank, timeout);
    if (musa_sim_mccl_join(&handle_, size, &id, rank, timeout.count()) != mcclSuccess) {
      throw Failed{mcclGetLastError(nullptr)};
    }
  } catch (...) {
    std::rethrow_exception(fail("joining the process group"));
  }
}

Communicator::~Communicator() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!aborted_) {
    mcclCommDestroy(handle_);
  }
}

std::exception_ptr Communicator::failure() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.empty()) {
    return nullptr;
  }
  return backend_error(c10::str("mccl: this process group is of no use any more, since it failed before. ", failure_));
}

std::exception_ptr Communicator::fail(const char* operation) {
  std::string text;
  const std::string where = c10::str(operation, " failed in rank ", rank_, " of ", size_, ": ");
  try {
    throw;
  } catch (const Failed& failed) {
    text = failed.text;
  } catch (const c10::Error& error) {
    text = where + error.what_without_backtrace();
  } catch (const std::exception& error) {
    text = where + error.what();
  }
  std::lock_guard<std::mutex> lock(mutex_);
  text = aborted_ ? "mccl: the process group was shut down" : "mccl: " + text;
  if (failure_.empty()) {
    failure_ = text;
  }
  return backend_error(text);
}

void Communicator::abort() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!aborted_) {
    aborted_ = true;
    mcclCommAbort(handle_);
  }
}

SideStreams::~SideStreams() {
  for (const auto& [device, stream] : streams_) {
    C10_MUSA_CHECK_WARN(musaStreamDestroy(stream));
  }
}

musaStream_t SideStreams::current() {
  musaStream_t& stream = streams_[c10::musa::current_device()];
  if (stream == nullptr) {
    C10_MUSA_CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
  }
  return stream;
}

void Call::run(const std::function<void()>& submit) const {
  check(mcclGroupStart());
  try {
    check(musa_sim_mccl_call(name.c_str(), timeout.count(), collective ? 1 : 0));
    submit();
  } catch (...) {
    mcclGroupEnd();
    throw;
  }
  check(mcclGroupEnd());
  C10_MUSA_CHECK(musaStreamSynchronize(stream));
  mcclResult_t state = mcclSuccess;
  if (mcclCommGetAsyncError(comm, &state) != mcclSuccess || state != mcclSuccess) {
    throw Failed{mcclGetLastError(comm)};
  }
}

} // namespace c10d::mccl
