#pragma once

#include "torch_musa/csrc/core/Device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Generator.h>

#include <mutex>

namespace at::musa {

/// The random generator of a simulated device: PyTorch's CPU Mersenne twister with a musa device.
///
/// Real torch_musa draws Philox numbers, so the same seed gives other numbers on hardware, and a saved state
/// of one is not a state of the other.
class SimulatorGenerator final : public at::CPUGeneratorImpl {
 public:
  explicit SimulatorGenerator(c10::DeviceIndex device);

  static c10::DeviceType device_type() {
    return kMUSA;
  }

 private:
  SimulatorGenerator* clone_impl() const override;
};

/// The generator of `device` (-1: the current one) that random functions use when they are given none.
const at::Generator& default_generator(c10::DeviceIndex device = -1);

/// A new generator for `device` (-1: the current one), with PyTorch's default seed.
at::Generator new_generator(c10::DeviceIndex device = -1);

/// A CPU generator that continues the sequence of a musa generator for as long as it lives: it starts in the
/// musa generator's state and hands its own state back when it is destroyed. Until then the lender is locked.
class BorrowedGenerator {
 public:
  explicit BorrowedGenerator(at::Generator lender);
  ~BorrowedGenerator();
  BorrowedGenerator(const BorrowedGenerator&) = delete;
  BorrowedGenerator& operator=(const BorrowedGenerator&) = delete;

  const at::Generator& cpu_generator() const {
    return borrowed_;
  }

 private:
  at::Generator lender_;
  std::unique_lock<std::mutex> lock_;
  at::Generator borrowed_;
};

} // namespace at::musa
