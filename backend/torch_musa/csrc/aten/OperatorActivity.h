#pragma once

#include "../core/MUSAStream.h"

#include <musa_sim_activity.h>

#include <string>

namespace at::musa {

/// An operator that PyTorch's CPU kernel computes, as a profiler sees it: work of the device's current stream. From
/// construction to begin() the host prepares it.
class OperatorActivity {
 public:
  /// `name` is "aten::mm"; the thread's current device must be `device`. The work is not called what the operator is:
  /// tools that look for operators would find two.
  OperatorActivity(const char* name, c10::Device device) {
    if (C10_UNLIKELY(musa_sim_activity_active() != 0)) {
      const std::string work = std::string("CPU kernel of ") + name;
      activity_ = musa_sim_activity_operator_submit(
          "CPU fallback", work.c_str(), c10::musa::getCurrentMUSAStream(device.index()));
    }
  }
  ~OperatorActivity() {
    end();
  }
  OperatorActivity(const OperatorActivity&) = delete;
  OperatorActivity& operator=(const OperatorActivity&) = delete;

  void begin() {
    musa_sim_activity_operator_begin(activity_);
  }
  /// If an operator throws, the activity ends as well.
  void end() {
    musa_sim_activity_operator_end(activity_);
    activity_ = nullptr;
  }

 private:
  musa_sim_operator* activity_ = nullptr;
};

} // namespace at::musa
