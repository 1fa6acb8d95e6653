/* The functions of libmusart that these headers call.
 *
 * mcc only. Written by `python -m musa_sim.runtime_header` from musa_sim/mcc/runtime_abi/functions.py:
 * change the table, not this file. Those marked MUSA_SIM_SUSPENDING may suspend the thread; mcc
 * knows them by the table. They are ordinary external calls, so that the compiler keeps no value of
 * shared memory in a register across them.
 */
#ifndef MUSA_SIM_RUNTIME_FUNCTIONS_H
#define MUSA_SIM_RUNTIME_FUNCTIONS_H

#include <host_defines.h>

#define MUSA_SIM_RUNTIME extern "C" __device__
#define MUSA_SIM_SUSPENDING MUSA_SIM_RUNTIME __attribute__((convergent))

MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_thread_idx_x();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_thread_idx_y();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_thread_idx_z();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_block_idx_x();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_block_idx_y();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_block_idx_z();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_block_dim_x();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_block_dim_y();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_block_dim_z();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_grid_dim_x();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_grid_dim_y();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_grid_dim_z();
MUSA_SIM_RUNTIME __attribute__((const)) unsigned __musa_sim_warp_size();
/* __syncthreads */
MUSA_SIM_SUSPENDING void __musa_sim_sync_threads();
/* __syncthreads_count, _and, _or */
MUSA_SIM_SUSPENDING int __musa_sim_sync_threads_reduce(int operation, int predicate);
/* __syncwarp */
MUSA_SIM_SUSPENDING void __musa_sim_sync_warp(unsigned mask);
/* the __shfl_*_sync functions */
MUSA_SIM_SUSPENDING unsigned long long __musa_sim_sync_shuffle(
    unsigned mask, unsigned long long value, int kind, int argument, int width);
/* __ballot_sync */
MUSA_SIM_SUSPENDING unsigned __musa_sim_sync_ballot(unsigned mask, int predicate);
/* __all_sync, __any_sync */
MUSA_SIM_SUSPENDING int __musa_sim_sync_vote(unsigned mask, int operation, int predicate);
/* __match_any_sync, __match_all_sync */
MUSA_SIM_SUSPENDING unsigned __musa_sim_sync_match(
    unsigned mask, unsigned long long value, int all);
/* __activemask */
MUSA_SIM_SUSPENDING __attribute__((nomerge)) unsigned __musa_sim_sync_converge();
/* cooperative groups and cub */
MUSA_SIM_SUSPENDING unsigned long long __musa_sim_sync_lanes(
    unsigned mask, int operation, unsigned long long value, int source);
/* grid_group::sync */
MUSA_SIM_SUSPENDING void __musa_sim_sync_grid();
/* bar.sync and bar.arrive of PTX: a barrier by its number, for some of the block's threads */
MUSA_SIM_SUSPENDING void __musa_sim_sync_named(unsigned barrier, unsigned threads, int waits);
/* __musa_exit: the thread ends */
MUSA_SIM_SUSPENDING __attribute__((noreturn)) void __musa_sim_sync_exit();
/* __nanosleep, and loops that wait */
MUSA_SIM_SUSPENDING void __musa_sim_sync_yield();
/* tex1D, tex2D, tex3D */
MUSA_SIM_RUNTIME void __musa_sim_texture_fetch(
    unsigned long long texture, int dimensions, const float* at, unsigned* texel);
/* tex1DLayered, tex2DLayered */
MUSA_SIM_RUNTIME void __musa_sim_texture_layer(
    unsigned long long texture, int dimensions, int layer, const float* at, unsigned* texel);
/* texCubemap, texCubemapLayered */
MUSA_SIM_RUNTIME void __musa_sim_texture_cubemap(
    unsigned long long texture, int layer, const float* at, unsigned* texel);
/* tex2Dgather */
MUSA_SIM_RUNTIME void __musa_sim_texture_gather(
    unsigned long long texture, int component, const float* at, unsigned* texel);
/* tex2DLod and the others that read at a level */
MUSA_SIM_RUNTIME void __musa_sim_texture_level(
    unsigned long long texture, int dimensions, int layout, int layer, const float* at, float level, unsigned* texel);
/* tex2DGrad and the others that choose a level */
MUSA_SIM_RUNTIME void __musa_sim_texture_gradient(
    unsigned long long texture, int dimensions, int layout, int layer, const float* at, const float* steps, unsigned* texel);
/* tex1Dfetch */
MUSA_SIM_RUNTIME void __musa_sim_texture_element(
    unsigned long long texture, int index, unsigned* texel);
/* surf1Dread, surf1Dwrite and the other accesses of surfaces */
MUSA_SIM_RUNTIME void* __musa_sim_surface_element(
    unsigned long long surface, int dimensions, const int* at, int bytes, int boundary);
/* __isGlobal, __isShared, __isLocal */
MUSA_SIM_RUNTIME int __musa_sim_address_space(const void* address);
/* wmma: between variables of lanes, which the checks would not allow */
MUSA_SIM_RUNTIME void __musa_sim_lane_copy(void* to, const void* from, unsigned long long bytes);
/* checked builds, after an asynchronous copy, which the thread has to wait for */
MUSA_SIM_RUNTIME void __musa_sim_check_copy_started(const void* to, unsigned long long bytes);
/* the copies since the last call are a group */
MUSA_SIM_RUNTIME void __musa_sim_check_copies_committed();
/* the thread waited for all groups but so many */
MUSA_SIM_RUNTIME void __musa_sim_check_copies_awaited(unsigned left);
/* checked builds: threads that acquire the object later see what this thread did until now */
MUSA_SIM_RUNTIME void __musa_sim_check_released(const void* object);
/* see the line above */
MUSA_SIM_RUNTIME void __musa_sim_check_acquired(const void* object);
/* checked builds, before a matrix instruction reads an operand */
MUSA_SIM_RUNTIME void __musa_sim_check_operand(
    const void* registers, unsigned long long bytes, int is_floating);
/* grid_group::is_valid */
MUSA_SIM_RUNTIME int __musa_sim_is_cooperative();
/* assert */
MUSA_SIM_RUNTIME __attribute__((noreturn)) void __musa_sim_assert_fail(
    const char* expression, const char* file, unsigned line, const char* function);
/* exceptions of the C++ library; `what` may be null */
MUSA_SIM_RUNTIME __host__ __attribute__((noreturn)) void __musa_sim_throw(
    const char* type, const char* what);

#undef MUSA_SIM_SUSPENDING
#undef MUSA_SIM_RUNTIME

#endif
