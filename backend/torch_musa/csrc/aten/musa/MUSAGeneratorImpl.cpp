#include "torch_musa/csrc/aten/musa/MUSAGeneratorImpl.h"

#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGraphsC10Utils.h"

#include <ATen/ops/empty.h>

#include <array>
#include <cstring>
#include <vector>

namespace at {

namespace {

constexpr uint64_t kBlock = 4; // 32-bit numbers in a Philox block

using State = std::array<uint64_t, 2>; // seed, offset

c10::DeviceIndex or_current(c10::DeviceIndex device) {
  return device == -1 ? c10::musa::current_device() : device;
}

void require_device(c10::DeviceIndex device) {
  const c10::DeviceIndex count = c10::musa::device_count();
  TORCH_CHECK(
      device >= 0 && device < count,
      "Invalid MUSA device index ", static_cast<int>(device), ": there are ", static_cast<int>(count), " device(s)");
}

std::vector<at::Generator> seeded_generators() {
  std::vector<at::Generator> generators;
  for (c10::DeviceIndex device = 0; device < c10::musa::device_count(); ++device) {
    generators.push_back(musa::detail::createMUSAGenerator(device));
    generators.back().seed();
  }
  return generators;
}

} // namespace

MUSAGeneratorImpl::MUSAGeneratorImpl(c10::DeviceIndex device_index)
    : c10::GeneratorImpl(
          c10::Device(musa::kMUSA, or_current(device_index)),
          c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}

c10::DeviceType MUSAGeneratorImpl::device_type() {
  return musa::kMUSA;
}

std::shared_ptr<MUSAGeneratorImpl> MUSAGeneratorImpl::clone() const {
  return std::shared_ptr<MUSAGeneratorImpl>(clone_impl());
}

MUSAGeneratorImpl* MUSAGeneratorImpl::clone_impl() const {
  auto* copy = new MUSAGeneratorImpl(device_.index());
  copy->seed_ = seed_;
  copy->offset_ = offset_;
  return copy;
}

void MUSAGeneratorImpl::set_current_seed(uint64_t seed) {
  seed_ = seed;
  offset_ = 0;
}

uint64_t MUSAGeneratorImpl::current_seed() const {
  return seed_;
}

uint64_t MUSAGeneratorImpl::seed() {
  set_current_seed(c10::detail::getNonDeterministicRandom(/*is_cuda=*/true)); // true: 53 bits, which a double keeps
  return seed_;
}

void MUSAGeneratorImpl::set_offset(uint64_t offset) {
  TORCH_CHECK(offset % kBlock == 0, "the offset of a musa generator must be a multiple of 4, but is ", offset);
  offset_ = offset;
}

uint64_t MUSAGeneratorImpl::get_offset() const {
  return offset_;
}

void MUSAGeneratorImpl::set_philox_offset_per_thread(uint64_t offset) {
  set_offset(offset);
}

uint64_t MUSAGeneratorImpl::philox_offset_per_thread() const {
  return get_offset();
}

c10::intrusive_ptr<c10::TensorImpl> MUSAGeneratorImpl::get_state() const {
  const State state{seed_, offset_};
  at::Tensor bytes = at::empty({sizeof(state)}, at::TensorOptions().device(at::kCPU).dtype(at::kByte));
  std::memcpy(bytes.mutable_data_ptr(), state.data(), sizeof(state));
  return bytes.getIntrusivePtr();
}

void MUSAGeneratorImpl::set_state(const c10::TensorImpl& new_state) {
  at::detail::check_rng_state(new_state);
  State state{};
  TORCH_CHECK(
      new_state.numel() == sizeof(state),
      "the state of a musa generator has ", sizeof(state), " bytes (seed and offset), but this one has ",
      new_state.numel());
  std::memcpy(state.data(), new_state.data(), sizeof(state));
  set_offset(state[1]); // first, because it may refuse
  seed_ = state[0];
}

PhiloxMusaState MUSAGeneratorImpl::philox_musa_state(uint64_t increment) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      c10::musa::currentStreamCaptureStatusMayInitCtx() == c10::musa::CaptureStatus::None,
      "A kernel that draws random numbers cannot be captured into a graph on the simulated musa device: each launch "
      "would draw the same numbers");
  auto [seed, offset] = philox_engine_inputs(increment);
  return {seed, offset};
}

std::pair<uint64_t, uint64_t> MUSAGeneratorImpl::philox_engine_inputs(uint64_t increment) {
  const uint64_t begin = offset_;
  offset_ += (increment + kBlock - 1) / kBlock * kBlock;
  return {seed_, begin};
}

namespace musa::detail {

const Generator& getDefaultMUSAGenerator(c10::DeviceIndex device_index) {
  static const std::vector<Generator> generators = seeded_generators();
  device_index = or_current(device_index);
  require_device(device_index);
  return generators[device_index];
}

Generator createMUSAGenerator(c10::DeviceIndex device_index) {
  device_index = or_current(device_index);
  require_device(device_index);
  return at::make_generator<MUSAGeneratorImpl>(device_index);
}

} // namespace musa::detail

} // namespace at
