#include "streams/launch_limits.h"

#include <algorithm>

#include "base/devices.h"
#include "base/findings.h"
#include "base/settings.h"

namespace musa_sim {
namespace {

using std::to_string;

std::string text_of(const dim3& size) {
    return "(" + to_string(size.x) + "," + to_string(size.y) + "," + to_string(size.z) + ")";
}

// "blockDim.z is 128; mp_22 allows 1 to 64"
std::string size_problem(const char* name, const dim3& size, const int (&limit)[3],
                         const Architecture& arch) {
    const unsigned found[] = {size.x, size.y, size.z};
    for (int i = 0; i < 3; ++i) {
        if (found[i] >= 1 && found[i] <= static_cast<unsigned>(limit[i])) continue;
        return std::string(name) + "." + "xyz"[i] + " is " + to_string(found[i]) + "; " + arch.name +
               " allows 1 to " + to_string(limit[i]);
    }
    return "";
}

std::string grid_problem(const Architecture& arch, const dim3& grid) {
    const std::string problem = size_problem("gridDim", grid, arch.limits.grid, arch);
    if (!problem.empty()) return problem;
    constexpr std::uint64_t most = ~std::uint64_t{0} / 2;
    if (static_cast<unsigned __int128>(grid.x) * grid.y * grid.z <= most) return "";
    return "gridDim is " + text_of(grid) + "; a grid has at most " + to_string(most) + " blocks";
}

std::string block_problem(const Architecture& arch, const dim3& block) {
    const std::string problem = size_problem("blockDim", block, arch.limits.block, arch);
    if (!problem.empty()) return problem;
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    if (threads <= max_threads_per_block) return "";
    return "blockDim is " + text_of(block) + ", " + to_string(threads) +
           " threads; a block has at most " + to_string(max_threads_per_block);
}

std::string bounds_problem(const Architecture& arch, const KernelCode& code, const dim3& block) {
    const unsigned threads = block.x * block.y * block.z;
    if (threads <= static_cast<unsigned>(code.max_threads)) return "";
    std::string text = "blockDim is " + text_of(block) + ", " + to_string(threads) +
                       " threads; the kernel's __launch_bounds__ allows " +
                       to_string(code.max_threads);
    const int lanes = settings().warp_width;
    if (arch.warp_size != lanes && block.x == static_cast<unsigned>(arch.warp_size)) {
        text += ". The device property warpSize is " + to_string(arch.warp_size) + " on " +
                arch.name + "; kernels have warps of " + to_string(lanes);
    }
    return text;
}

int threads_of(const dim3& block) { return static_cast<int>(block.x * block.y * block.z); }

// All blocks of a cooperative launch run at the same time.
std::string residence_problem(const Architecture& arch, const KernelCode& code,
                              const LaunchShape& shape) {
    if (!shape.cooperative) return "";
    const int on_each = blocks_per_multiprocessor(arch, threads_of(shape.block),
                                                  code.static_shared + shape.dynamic_shared);
    const auto most = static_cast<std::uint64_t>(on_each) * static_cast<std::uint64_t>(arch.multiprocessors);
    const std::uint64_t blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    if (blocks <= most) return "";
    return "the cooperative launch has " + to_string(blocks) + " blocks; " + arch.name + " runs " +
           to_string(most) + " of them at a time, " + to_string(on_each) + " on each of " +
           to_string(arch.multiprocessors) + " multiprocessors";
}

}  // namespace

// Without opting in through musaFuncSetAttribute, static and dynamic shared memory together have
// the default limit.
LaunchProblem shared_memory_problem(const Architecture& arch, const KernelCode& code,
                                    std::size_t dynamic) {
    const auto problem = [&](const std::string& limit) {
        return LaunchProblem{musaErrorInvalidValue,
                             "the block needs " + to_string(code.static_shared + dynamic) +
                                 " bytes of shared memory, " + to_string(dynamic) +
                                 " of them dynamic; " + limit};
    };
    const std::size_t sum = code.static_shared + dynamic;
    const bool opted_in = code.max_dynamic_shared != 0;
    if (opted_in && dynamic > code.max_dynamic_shared) {
        return problem("musaFuncAttributeMaxDynamicSharedMemorySize was set to " +
                       to_string(code.max_dynamic_shared));
    }
    const std::size_t most = opted_in ? arch.shared_per_block_optin : arch.shared_per_block;
    if (sum <= most) return {};
    std::string limit = std::string(arch.name) + " allows " + to_string(most);
    if (!opted_in && sum <= arch.shared_per_block_optin) {
        limit += ", and " + to_string(arch.shared_per_block_optin) +
                 " after musaFuncSetAttribute(musaFuncAttributeMaxDynamicSharedMemorySize)";
    }
    return problem(limit);
}

LaunchProblem launch_problem(const Architecture& arch, const KernelCode& code,
                             const LaunchShape& shape) {
    std::string text = grid_problem(arch, shape.grid);
    if (text.empty()) text = block_problem(arch, shape.block);
    if (!text.empty()) return {musaErrorInvalidConfiguration, text};
    // Real devices refuse it, too; with which error is a guess.
    text = bounds_problem(arch, code, shape.block);
    if (!text.empty()) return {musaErrorInvalidValue, text};
    LaunchProblem shared = shared_memory_problem(arch, code, shape.dynamic_shared);
    if (shared.error != musaSuccess) return shared;
    text = residence_problem(arch, code, shape);
    if (!text.empty()) return {musaErrorCooperativeLaunchTooLarge, text};
    return {};
}

musaError_t refuse_launch(const Kernel& kernel, const LaunchProblem& problem) {
    if (problem.error == musaSuccess) return musaSuccess;
    Findings::instance().warn("kernel " + std::string(kernel.readable_name) +
                              " cannot be launched: " + problem.text);
    return problem.error;
}

musaError_t check_launch(const Kernel& kernel, const KernelCode& code, const LaunchShape& shape) {
    return refuse_launch(kernel, launch_problem(*current().architecture, code, shape));
}

int blocks_per_multiprocessor(const Architecture& arch, int block_size, std::size_t shared) {
    const int warps = (block_size + arch.warp_size - 1) / arch.warp_size;
    int blocks = std::min(max_blocks_per_multiprocessor,
                          arch.threads_per_multiprocessor / (warps * arch.warp_size));
    if (shared > 0) {
        blocks = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(blocks),
                                                        arch.shared_per_multiprocessor / shared));
    }
    return blocks;
}

}  // namespace musa_sim
