#include "blocks/exit_warnings.h"

#include <string>

#include "base/device_abi.h"
#include "base/findings.h"
#include "blocks/wording.h"

namespace musa_sim {
namespace {

void warn(Launch& launch, const std::string& exited, const char* barrier) {
    if (launch.warned_of_exits.exchange(true)) return;
    Findings::instance().warn(
        std::string("exits ") + launch.kernel_name,
        "kernel " + std::string(launch.kernel_name) + ", block " +
            index_text(__musa_sim_context.block_idx) + ": " + exited +
            " had exited when the others met at " + barrier +
            "\n    It goes on here, and can hang on a card: let all of them reach the barrier. "
            "MUSA_SIM_CHECK=sync makes this an error; see: musa-build explain sync");
}

}  // namespace

void warn_of_exited_warps(Launch& launch, std::uint32_t exited, std::uint32_t all) {
    if (exited == 0) return;
    warn(launch, std::to_string(exited) + " of " + counted(all, "warp"), "a barrier of the block");
}

void warn_of_exited_blocks(Launch& launch, std::uint64_t arrived) {
    const std::uint64_t all = launch.block_count();
    warn(launch, std::to_string(all - arrived) + " of " + counted(all, "block"), "grid.sync()");
}

}  // namespace musa_sim
