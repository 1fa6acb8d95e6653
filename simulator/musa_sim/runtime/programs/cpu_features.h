// The features of this machine's CPU, and those that device images need.
#pragma once

#include <cstdint>
#include <string>

namespace musa_sim {

// Return why the CPU cannot run images that the fat binary marks `cpu` (musa_sim/mcc/clang/cpu.py); empty if it can.
// MUSA_SIM_CPU_WITHOUT ("avx2,fma") names features to do without, so that programs can be tried as on an older CPU.
std::string why_not_runnable(std::uint16_t cpu);

}  // namespace musa_sim
