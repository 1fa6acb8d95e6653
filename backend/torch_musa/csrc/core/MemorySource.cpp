#include "torch_musa/csrc/core/MemorySource.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

namespace c10::musa {

namespace {

using Use = std::pair<DeviceIndex, std::shared_ptr<const MemPool>>;

/// The pools that the calling thread has begun, the innermost last.
std::vector<Use>& uses() {
  thread_local std::vector<Use> begun;
  return begun;
}

MemoryPoolId next_id() {
  static std::atomic<uint64_t> last{0};
  return {0, ++last};
}

} // namespace

MemPool::MemPool(std::shared_ptr<const MemorySource> source) : id_(next_id()), source_(std::move(source)) {}

void begin_pool(DeviceIndex device, std::shared_ptr<const MemPool> pool) {
  uses().emplace_back(device, std::move(pool));
}

void end_pool(DeviceIndex device, const MemPool& pool) {
  std::vector<Use>& begun = uses();
  auto found = std::find_if(begun.rbegin(), begun.rend(), [&](const Use& use) {
    return use.first == device && use.second.get() == &pool;
  });
  TORCH_CHECK(found != begun.rend(), "This thread does not use the memory pool on musa:", static_cast<int>(device));
  begun.erase(std::next(found).base());
}

std::shared_ptr<const MemPool> pool_in_use(DeviceIndex device) {
  const std::vector<Use>& begun = uses();
  auto found = std::find_if(begun.rbegin(), begun.rend(), [&](const Use& use) { return use.first == device; });
  return found == begun.rend() ? nullptr : found->second;
}

} // namespace c10::musa
