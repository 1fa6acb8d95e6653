#include "torch_musa/csrc/core/SimulatorGenerator.h"

#include "torch_musa/csrc/core/MUSAFunctions.h"

#include <utility>
#include <vector>

namespace at::musa {

namespace {

at::CPUGeneratorImpl& twister(const at::Generator& generator) {
  return *static_cast<at::CPUGeneratorImpl*>(generator.unsafeGetGeneratorImpl());
}

/// Copies everything that determines the numbers to come. Callers hold the musa generator's mutex.
void copy_state(const at::Generator& from, const at::Generator& to) {
  at::CPUGeneratorImpl& source = twister(from);
  at::CPUGeneratorImpl& target = twister(to);
  target.set_engine(source.engine());
  target.set_next_float_normal_sample(source.next_float_normal_sample());
  target.set_next_double_normal_sample(source.next_double_normal_sample());
}

} // namespace

SimulatorGenerator::SimulatorGenerator(c10::DeviceIndex device) {
  device_ = c10::Device(kMUSA, device);
  key_set_ = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);
}

SimulatorGenerator* SimulatorGenerator::clone_impl() const {
  auto* copy = new SimulatorGenerator(device_.index());
  auto* self = const_cast<SimulatorGenerator*>(this); // CPUGeneratorImpl's getters are not const
  copy->set_engine(self->engine());
  copy->set_next_float_normal_sample(self->next_float_normal_sample());
  copy->set_next_double_normal_sample(self->next_double_normal_sample());
  return copy;
}

const at::Generator& default_generator(c10::DeviceIndex device) {
  static const std::vector<at::Generator> generators = [] {
    std::vector<at::Generator> made;
    for (c10::DeviceIndex i = 0; i < c10::musa::device_count(); ++i) {
      made.push_back(new_generator(i));
    }
    return made;
  }();
  if (device == -1) {
    device = c10::musa::current_device();
  }
  TORCH_CHECK(
      device >= 0 && static_cast<size_t>(device) < generators.size(),
      "Invalid MUSA device index ", static_cast<int>(device), ": there are ", generators.size(), " device(s)");
  return generators[device];
}

at::Generator new_generator(c10::DeviceIndex device) {
  if (device == -1) {
    device = c10::musa::current_device();
  }
  return at::make_generator<SimulatorGenerator>(device);
}

BorrowedGenerator::BorrowedGenerator(at::Generator lender)
    : lender_(std::move(lender)),
      lock_(lender_.mutex()),
      borrowed_(at::detail::createCPUGenerator()) {
  copy_state(lender_, borrowed_);
}

BorrowedGenerator::~BorrowedGenerator() {
  copy_state(borrowed_, lender_);
}

} // namespace at::musa
