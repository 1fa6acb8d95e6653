// What this machine's CPU can do, and what device images need of it.
#pragma once

#include <cstdint>
#include <string>

namespace musa_sim {

// Why the CPU cannot run images that say `cpu` in their fat binary (musa_sim/mcc/clang/cpu.py); empty if it can.
// MUSA_SIM_CPU_WITHOUT ("avx2,fma") names features to do without, so that programs can be tried as on a lesser CPU.
std::string why_not_runnable(std::uint16_t cpu);

}  // namespace musa_sim
