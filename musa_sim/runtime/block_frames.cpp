// Memory for kernels that mcc cut into loops between barriers: one frame per thread of the running block.
#include <vector>

#include "device_abi.h"
#include "lifetime.h"

extern "C" void* __musa_sim_frames(std::size_t bytes) {
    // Per worker, reused from block to block. max_align_t is 16 bytes, which is what a frame asks for.
    auto& frames = musa_sim::PerThread<std::vector<std::max_align_t>>::get();
    const std::size_t count = (bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
    if (frames.size() < count) frames.resize(count);
    return frames.data();
}
