/* Exchanges between the 32 lanes of a warp in matrix instructions.
 *
 * mcc only. All lanes have to come to each of these functions.
 */
#ifndef MUSA_SIM_LANE_EXCHANGE_H
#define MUSA_SIM_LANE_EXCHANGE_H

#include <musa_sim/builtin_variables.h>
#include <musa_sim/runtime_functions.h>

/* The address that the first lane gives. */
template <class T>
__device__ __forceinline__ T* __musa_sim_of_first_lane(T* mine) {
    return reinterpret_cast<T*>(__musa_sim_sync_lanes(0xffffffffu, 1, reinterpret_cast<unsigned long long>(mine), 0));
}
/* All lanes have come. The instructions order no accesses, so the check for races must see no barrier. */
__device__ __forceinline__ void __musa_sim_meet_lanes() {
#ifdef __MUSA_SIM_CHECKED__
    __musa_sim_of_first_lane<void>(nullptr);
#else
    __musa_sim_sync_lanes(0xffffffffu, 0, 0, 0);
#endif
}

/* Checked builds: reports an operand that was never written. `Element` says whether it holds integers; single bits (bool) are as
 * often as not what unwritten variables are filled with. */
template <class Element, class Registers>
__device__ __forceinline__ void __musa_sim_read_operand(const Registers& operand) {
#ifdef __MUSA_SIM_CHECKED__
    if constexpr (!__is_same(Element, bool))
        __musa_sim_check_operand(&operand, sizeof operand, !__is_same(Element, int));
#endif
}

/* The registers of the lanes, exchanged at once: 3 operations at which lanes wait, however many registers there are. The lanes
 * put them together in memory of the first one, and copy them from there. */
template <class Word, int count>
struct __musa_sim_registers {
    Word of[32][count];

    __device__ __forceinline__ explicit __musa_sim_registers(const Word (&mine)[count]) {
        const unsigned in_plane = __musa_sim_thread_idx_y() + __musa_sim_thread_idx_z() * __musa_sim_block_dim_y();
        const unsigned lane = (__musa_sim_thread_idx_x() + in_plane * __musa_sim_block_dim_x()) % 32;
        auto* const first = __musa_sim_of_first_lane(this);
        __musa_sim_lane_copy(first->of[lane], mine, sizeof mine);
        __musa_sim_meet_lanes();
        if (first != this) __musa_sim_lane_copy(of, first->of, sizeof of);
        __musa_sim_meet_lanes();
    }
};

#endif
