#pragma once

#include "PhiloxMusaStateRaw.muh"
#include "../../core/Device.h"

// Ported sources rely on the headers that CUDAGeneratorImpl.h includes.
#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/core/TensorBase.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace at {

/// The random generator of one musa device: a Philox seed, and an offset that says how much of it was used.
///
/// As with PyTorch's CUDAGeneratorImpl, each thread of a kernel has a sequence of its own, all threads start at the
/// same offset, and a kernel's launcher asks for as many numbers as a thread may draw. So a kernel that gives them to
/// murand_init draws the numbers that it draws on a GPU.
///
/// Callers that draw or set must hold mutex_, as PyTorch's own do.
struct MUSAGeneratorImpl : public c10::GeneratorImpl {
  explicit MUSAGeneratorImpl(c10::DeviceIndex device_index = -1);

  static c10::DeviceType device_type();

  std::shared_ptr<MUSAGeneratorImpl> clone() const;

  /// The offset becomes 0.
  void set_current_seed(uint64_t seed) override;
  uint64_t current_seed() const override;
  /// Seeds with a number from the operating system and returns it.
  uint64_t seed() override;

  /// Throws if `offset` is not a multiple of 4.
  void set_offset(uint64_t offset) override;
  uint64_t get_offset() const override;
  void set_philox_offset_per_thread(uint64_t offset);
  uint64_t philox_offset_per_thread() const;

  /// 16 bytes on the CPU: the seed, then the offset, in the machine's byte order.
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override;
  void set_state(const c10::TensorImpl& new_state) override;

  /// Takes `increment` numbers per thread, rounded up to a multiple of 4, the size of a Philox block. The result
  /// says where they begin. Throws while the current stream is captured: each launch of the graph would draw the same.
  PhiloxMusaState philox_musa_state(uint64_t increment);

  /// The same as (seed, offset).
  std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t increment);

 private:
  MUSAGeneratorImpl* clone_impl() const override;

  uint64_t seed_ = c10::default_rng_seed_val;
  uint64_t offset_ = 0;
};

namespace musa::detail {

/// The generator of a device (-1: the current one) that random functions use when they are given none. It starts
/// with a seed from the operating system.
const Generator& getDefaultMUSAGenerator(c10::DeviceIndex device_index = -1);

/// A new generator for a device (-1: the current one), with PyTorch's default seed.
Generator createMUSAGenerator(c10::DeviceIndex device_index = -1);

} // namespace musa::detail

} // namespace at
