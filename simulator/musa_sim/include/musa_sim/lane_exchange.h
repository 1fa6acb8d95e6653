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

/* Work that one thread does for 32 lanes. Each lane has an object of a class derived from this one, with its operands and
 * results; the static function `run` gets the objects of all lanes. libmusart reads the first member. */
struct __musa_sim_lane_work {
    void (*run_for_lanes)(void* const* lanes);
};
/* Lanes read and write variables of each other here, which the checks would not allow. */
template <class Work>
__device__ __attribute__((noinline, disable_sanitizer_instrumentation)) void __musa_sim_run_for_lanes(void* const* lanes) {
    Work* of_lanes[32];
    for (int i = 0; i < 32; ++i) of_lanes[i] = static_cast<Work*>(lanes[i]);
    Work::run(of_lanes);
}
/* Run the work of a warp when all its lanes have come. It orders no accesses, so the check for races sees no barrier. */
template <class Work>
__device__ __forceinline__ void __musa_sim_work_together(Work& mine) {
    mine.run_for_lanes = &__musa_sim_run_for_lanes<Work>;
    __musa_sim_sync_lanes(0xffffffffu, 6, reinterpret_cast<unsigned long long>(static_cast<__musa_sim_lane_work*>(&mine)), 0);
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

/* The registers of the lanes, exchanged at once. */
template <class Word, int count>
struct __musa_sim_registers {
    Word of[32][count];

    __device__ __forceinline__ explicit __musa_sim_registers(const Word (&mine)[count]) {
        struct exchange : __musa_sim_lane_work {
            const Word* mine;
            Word (*all)[count];
            static __device__ void run(exchange* const (&lanes)[32]) {
                for (exchange* to : lanes)
                    for (int lane = 0; lane < 32; ++lane)
                        for (int i = 0; i < count; ++i) to->all[lane][i] = lanes[lane]->mine[i];
            }
        } own;
        own.mine = mine;
        own.all = of;
        __musa_sim_work_together(own);
    }
};

#endif
