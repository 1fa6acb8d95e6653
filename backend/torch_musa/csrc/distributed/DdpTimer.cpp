// DistributedDataParallel's own measurements, for which every device needs a clock.

#include "torch_musa/csrc/core/Device.h"

#include <torch/csrc/distributed/c10d/reducer_timer.hpp>

#include <optional>

namespace c10d {

namespace {

/// The host's clock: the device's operators are done when their calls return.
class MusaTimer final : public Timer {
 public:
  explicit MusaTimer(c10::Device /*device*/) {}

  std::optional<int64_t> measureDifference(Event start, Event end) override {
    const int64_t from = getTimeRef(start);
    const int64_t to = getTimeRef(end);
    // Without communication there is no end of it.
    if (from == kUnsetTime || to == kUnsetTime || to < from) {
      return std::nullopt;
    }
    return to - from;
  }
};

C10_REGISTER_TYPED_CLASS(TimerRegistry, at::musa::kMUSA, MusaTimer)

} // namespace

} // namespace c10d
