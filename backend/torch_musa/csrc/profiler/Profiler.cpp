// The work of simulated devices, as activities of torch.profiler: the libmusart part is musa_sim_activity.h.

#include "torch_musa/csrc/profiler/Profiler.h"

#if __has_include(<torch/csrc/profiler/standalone/privateuse1_profiler.h>)

// As PyTorch itself was compiled: its headers of the profiler are empty without the first.
#define USE_KINETO
#define FMT_HEADER_ONLY
#include <libkineto.h>
#include <output_base.h>
#include <torch/csrc/profiler/standalone/privateuse1_profiler.h>

#include <c10/util/Exception.h>
#include <musa_sim_activity.h>

#include <unistd.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace torch::musa {

namespace {

using libkineto::ActivityLogger;
using libkineto::ActivityType;
using libkineto::GenericTraceActivity;

const std::string kName = "musa";

const std::set<ActivityType>& activity_types() {
  static const std::set<ActivityType> types{
      ActivityType::CONCURRENT_KERNEL, ActivityType::GPU_MEMCPY, ActivityType::GPU_MEMSET,
      ActivityType::PRIVATEUSE1_RUNTIME};
  return types;
}

ActivityType type_of(musa_sim_activity_kind kind) {
  switch (kind) {
    case musa_sim_activity_call:
      return ActivityType::PRIVATEUSE1_RUNTIME;
    case musa_sim_activity_copy:
      return ActivityType::GPU_MEMCPY;
    case musa_sim_activity_fill:
      return ActivityType::GPU_MEMSET;
    case musa_sim_activity_kernel:
    case musa_sim_activity_library:
    case musa_sim_activity_operator:
      break;
  }
  return ActivityType::CONCURRENT_KERNEL;
}

int64_t now() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

/// An event of libmusart, with a name that outlives its callback.
struct Activity {
  explicit Activity(const musa_sim_activity& event) : facts(event), name(event.name) {
    facts.name = nullptr;
  }

  bool is_call() const {
    return facts.kind == musa_sim_activity_call;
  }

  musa_sim_activity facts;
  std::string name;
};

std::string triple(const unsigned (&size)[3]) {
  return fmt::format("[{}, {}, {}]", size[0], size[1], size[2]);
}

/// The keys are those that PyTorch uses for CUDA, where it has some.
void add_details(GenericTraceActivity& shown, const musa_sim_activity& facts) {
  shown.addMetadata("correlation", facts.correlation);
  if (facts.kind == musa_sim_activity_call) {
    return;
  }
  shown.addMetadata("device", facts.device);
  shown.addMetadata("stream", facts.stream);
  switch (facts.kind) {
    case musa_sim_activity_kernel:
      shown.addMetadata("grid", triple(facts.grid));
      shown.addMetadata("block", triple(facts.block));
      shown.addMetadata("shared memory", facts.static_shared + facts.dynamic_shared);
      break;
    case musa_sim_activity_copy:
    case musa_sim_activity_fill:
      shown.addMetadata("bytes", facts.bytes);
      if (facts.end > facts.begin) {
        shown.addMetadata(
            "memory bandwidth (GB/s)", static_cast<double>(facts.bytes) / static_cast<double>(facts.end - facts.begin));
      }
      break;
    case musa_sim_activity_library:
      shown.addMetadataQuoted("simulated by", "the host, as library work");
      break;
    case musa_sim_activity_operator:
      shown.addMetadataQuoted("simulated by", "PyTorch's CPU kernel");
      break;
    case musa_sim_activity_call:
      break;
  }
}

std::string device_name(int device) {
  musaDeviceProp properties{};
  return musaGetDeviceProperties(&properties, device) == musaSuccess ? properties.name : "MUSA device";
}

/// How the viewer names a device, whose rows stand below those of the host.
libkineto::DeviceInfo info_of(int device) {
  return {device, libkineto::kExceedMaxPid + device, device_name(device), fmt::format("musa:{}", device)};
}

/// One recording, from the profiler's warm-up to its trace.
class Session final : public libkineto::IActivityProfilerSession {
 public:
  ~Session() override {
    stop();
  }

  void start() override {
    begin_ = now();
    const musaError_t error = musa_sim_activity_start(MUSA_SIM_ACTIVITY_VERSION);
    if (error == musaSuccess) {
      status_ = libkineto::TraceStatus::RECORDING;
      return;
    }
    status_ = libkineto::TraceStatus::ERROR;
    errors_.push_back(
        error == musaErrorNotPermitted
            ? "No events of musa devices: another profiler has begun to record them and not ended"
            : "No events of musa devices: this libmusart is not the one that torch_musa was built with. Install "
              "torch-musa-sim again, or unset MUSA_HOME");
    TORCH_WARN(errors_.back());
  }

  void stop() override {
    if (status_ != libkineto::TraceStatus::RECORDING) {
      return;
    }
    const auto keep = [](const musa_sim_activity* event, void* into) {
      static_cast<std::vector<Activity>*>(into)->emplace_back(*event);
    };
    unfinished_ = musa_sim_activity_stop(keep, &activities_);
    end_ = now();
    status_ = libkineto::TraceStatus::PROCESSING;
  }

  std::vector<std::string> errors() override {
    return errors_;
  }

  void processTrace(ActivityLogger& logger) override {
    processTrace(logger, [](int32_t) -> const libkineto::ITraceActivity* { return nullptr; }, begin_, end_);
  }

  void processTrace(
      ActivityLogger& logger,
      libkineto::getLinkedActivityCallback operator_of,
      int64_t begin,
      int64_t /*end*/) override {
    shown_ = std::make_unique<libkineto::CpuTraceBuffer>();
    shown_->span = libkineto::TraceSpan(begin_, end_, kName);
    shown_->gpuOpCount = static_cast<int>(activities_.size());
    std::set<uint32_t> submitted;
    for (const Activity& activity : activities_) {
      if (!activity.is_call()) {
        submitted.insert(activity.facts.correlation);
        streams_.emplace(activity.facts.device, activity.facts.stream);
      }
    }
    for (const Activity& activity : activities_) {
      show(activity, operator_of, submitted.count(activity.facts.correlation) != 0).log(logger);
    }
    for (int device : devices()) {
      logger.handleDeviceInfo(info_of(device), begin);
    }
  }

  /// There may be several, and those are named already. Without an answer PyTorch would name them itself.
  std::unique_ptr<libkineto::DeviceInfo> getDeviceInfo() override {
    const std::set<int> used = devices();
    return std::make_unique<libkineto::DeviceInfo>(info_of(used.empty() ? 0 : *used.begin()));
  }

  std::vector<libkineto::ResourceInfo> getResourceInfos() override {
    std::vector<libkineto::ResourceInfo> rows;
    for (const auto& [device, stream] : streams_) {
      rows.push_back({stream, stream, device, fmt::format("stream {}", stream)});
    }
    return rows;
  }

  std::unordered_map<std::string, std::string> getMetadata() override {
    return {{"musa_unfinished_activities", std::to_string(unfinished_)}};
  }

  std::unique_ptr<libkineto::CpuTraceBuffer> getTraceBuffer() override {
    return std::move(shown_);
  }

  void pushCorrelationId(uint64_t id) override {
    musa_sim_activity_push_correlation(id);
  }
  void popCorrelationId() override {
    musa_sim_activity_pop_correlation();
  }

 private:
  /// Adds an activity to the trace. An arrow leads from a call to the work that it submitted.
  GenericTraceActivity& show(
      const Activity& activity,
      const libkineto::getLinkedActivityCallback& operator_of,
      bool has_arrow) {
    const musa_sim_activity& facts = activity.facts;
    shown_->emplace_activity(shown_->span, type_of(facts.kind), activity.name);
    GenericTraceActivity& shown = *shown_->activities.back();
    shown.startTime = facts.begin;
    shown.endTime = facts.end;
    shown.id = static_cast<int32_t>(facts.correlation);
    shown.threadId = facts.thread;
    shown.device = activity.is_call() ? getpid() : facts.device;
    shown.resource = activity.is_call() ? facts.thread : facts.stream;
    if (has_arrow) {
      shown.flow.id = facts.correlation;
      shown.flow.type = libkineto::kLinkAsyncCpuGpu;
      shown.flow.start = activity.is_call();
    }
    if (facts.external_correlation != 0) {
      shown.linked = operator_of(static_cast<int32_t>(facts.external_correlation));
    }
    add_details(shown, facts);
    return shown;
  }

  /// The devices that did something.
  std::set<int> devices() const {
    std::set<int> used;
    for (const auto& [device, stream] : streams_) {
      used.insert(device);
    }
    return used;
  }

  int64_t begin_ = 0;
  int64_t end_ = 0;
  size_t unfinished_ = 0;
  std::vector<Activity> activities_;
  std::set<std::pair<int, int>> streams_; // device, stream
  std::vector<std::string> errors_;
  std::unique_ptr<libkineto::CpuTraceBuffer> shown_;
};

class MusaProfiler final : public libkineto::IActivityProfiler {
 public:
  const std::string& name() const override {
    return kName;
  }
  const std::set<ActivityType>& availableActivities() const override {
    return activity_types();
  }
  /// Null if the activities of devices were not asked for.
  std::unique_ptr<libkineto::IActivityProfilerSession> configure(
      const std::set<ActivityType>& types,
      const libkineto::Config& /*unused*/) override {
    return types.count(ActivityType::CONCURRENT_KERNEL) != 0 ? std::make_unique<Session>() : nullptr;
  }
  std::unique_ptr<libkineto::IActivityProfilerSession> configure(
      int64_t /*start*/,
      int64_t /*duration*/,
      const std::set<ActivityType>& types,
      const libkineto::Config& config) override {
    return configure(types, config);
  }
};

REGISTER_PRIVATEUSE1_PROFILER(MusaProfiler);

} // namespace

bool profiles_device() {
  return true;
}

} // namespace torch::musa

#else

bool torch::musa::profiles_device() {
  return false;
}

#endif
