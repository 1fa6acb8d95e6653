/* The registers of a warp's 32 lanes, exchanged at once: 3 operations at which lanes wait, however many registers there are.
 *
 * mcc only. The lanes put their registers together in memory of the first one, and copy them from there. All have to come.
 */
#ifndef MUSA_SIM_LANE_EXCHANGE_H
#define MUSA_SIM_LANE_EXCHANGE_H

#include <musa_sim/builtin_variables.h>
#include <musa_sim/runtime_functions.h>

template <class Word, int count>
struct __musa_sim_registers {
    Word of[32][count];

    __device__ __forceinline__ explicit __musa_sim_registers(const Word (&mine)[count]) {
        const unsigned in_plane = __musa_sim_thread_idx_y() + __musa_sim_thread_idx_z() * __musa_sim_block_dim_y();
        const unsigned lane = (__musa_sim_thread_idx_x() + in_plane * __musa_sim_block_dim_x()) % 32;
        auto* const first = reinterpret_cast<__musa_sim_registers*>(
            wait(read_lane, reinterpret_cast<unsigned long long>(this)));
        __musa_sim_lane_copy(first->of[lane], mine, sizeof mine);
        wait(join, 0);
        if (first != this) __musa_sim_lane_copy(of, first->of, sizeof of);
        wait(join, 0);
    }

private:
    enum operation { join, read_lane };  // of __musa_sim_sync_lanes
    static __device__ __forceinline__ unsigned long long wait(operation what, unsigned long long value) {
        return __musa_sim_sync_lanes(0xffffffffu, what, value, 0);
    }
};

#endif
