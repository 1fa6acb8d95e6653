/* The state of an mbarrier, an object of 64 bits: for mcc and for the host compiler, which share such objects.
 *
 * Bits 0 to 19 count the arrivals that its phase lacks, 20 to 39 those of a whole phase, and the others the phases. Its
 * tokens are its states. Who includes it has MUSA's runtime: it lies beside musa_ptx.h in folders without libcu++.
 */
#ifndef MUSA_BUILD_MUSA_PTX_MBARRIER_H
#define MUSA_BUILD_MUSA_PTX_MBARRIER_H

namespace musa_ptx {
namespace mbarrier {

using state = unsigned long long;
constexpr unsigned all_at = 20, phase_at = 40;
constexpr state count_mask = (1ull << 20) - 1;

__host__ __device__ constexpr unsigned missing(state token) { return static_cast<unsigned>(token & count_mask); }
__host__ __device__ constexpr state first(unsigned count) { return static_cast<state>(count) << all_at | count; }
__host__ __device__ constexpr state arrived(state now, unsigned count, unsigned dropped) {
    now -= static_cast<state>(dropped) << all_at;
    if (missing(now) > count) return now - count;
    const state all = now >> all_at & count_mask;
    return ((now >> phase_at) + 1) << phase_at | all << all_at | all;
}
struct nothing_to_complete {
    __host__ __device__ void operator()() const noexcept {}
};

}  // namespace mbarrier
}  // namespace musa_ptx

#endif
