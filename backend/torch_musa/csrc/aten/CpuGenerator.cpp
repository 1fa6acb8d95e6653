#include "torch_musa/csrc/aten/CpuGenerator.h"

#include "torch_musa/csrc/aten/musa/MUSAGeneratorImpl.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/PhiloxRNGEngine.h>

#include <mutex>
#include <utility>

namespace at::musa {

namespace {

/// The Philox subsequence that seeds of twisters are drawn from; no kernel has a thread of this number.
constexpr uint64_t kNoThread = ~uint64_t{0};

/// A seed unrelated to `seed`, so that no twister's state consists of numbers that a kernel draws.
uint64_t derived(uint64_t seed) {
  at::Philox4_32 numbers(seed, kNoThread);
  const uint64_t low = numbers();
  return static_cast<uint64_t>(numbers()) << 32 | low;
}

/// Return a Mersenne twister whose whole state is drawn from Philox. Its own seeding would keep 32 bits of the seed,
/// and two of 80 000 operators would likely draw the same numbers.
at::mt19937 twister(uint64_t seed, uint64_t offset) {
  at::Philox4_32 numbers(derived(seed), /*subsequence=*/offset);
  at::mt19937 engine(seed);
  at::mt19937_data_pod data = engine.data();
  for (uint32_t& word : data.state_) {
    word = numbers();
  }
  engine.set_data(data);
  return engine;
}

} // namespace

at::Generator cpu_generator(at::Generator generator) {
  std::pair<uint64_t, uint64_t> inputs;
  {
    std::lock_guard<std::mutex> lock(generator.mutex());
    inputs = at::check_generator<at::MUSAGeneratorImpl>(generator)->philox_engine_inputs(1);
  }
  at::Generator result = at::detail::createCPUGenerator();
  result.get<at::CPUGeneratorImpl>()->set_engine(twister(inputs.first, inputs.second));
  return result;
}

} // namespace at::musa
