/* Addresses in one kind of memory, as numbers: CUDA's __cvta_ functions, which MUTLASS and TileLang call.
 *
 * mcc only. A shared address has 32 bits, because programs keep no more of it. Those of the dynamic array are small: about
 * 1 MiB, and aligned as the pointers are. That of a static variable is the lower half of its pointer, with the top bit
 * changed where the half is small; the upper half comes back from a static variable, because all of a program's lie within
 * 1 GiB.
 */
#ifndef MUSA_SIM_ADDRESS_SPACES_H
#define MUSA_SIM_ADDRESS_SPACES_H

#include <host_defines.h>
#include <musa_sim/runtime_functions.h>
#include <stddef.h>

namespace musa_sim_detail {

extern __shared__ __attribute__((aligned(16))) char dynamic_window[];
constexpr unsigned MiB = 1u << 20, top_bit = 1u << 31;
constexpr unsigned end_of_small = 2 * MiB;

constexpr unsigned dynamic_begin(unsigned long long dynamic) { return 15 * MiB / 16 + (dynamic & 0xffff); }
constexpr unsigned shared_address_of(unsigned long long generic, unsigned long long dynamic) {
    const unsigned long long small = generic - dynamic + dynamic_begin(dynamic);
    if (small < end_of_small) return static_cast<unsigned>(small);
    const unsigned half = static_cast<unsigned>(generic);
    return half + MiB < end_of_small + 2 * MiB ? half ^ top_bit : half;  // all of a variable, also at the edges
}
constexpr unsigned long long generic_address_of(unsigned address, unsigned long long dynamic, unsigned long long near) {
    if (address < end_of_small) return dynamic + address - dynamic_begin(dynamic);
    const int distance = static_cast<int>(address - static_cast<unsigned>(near));
    const bool has_other_bit = distance >= (1 << 30) || distance < -(1 << 30);
    return near + static_cast<int>(has_other_bit ? static_cast<unsigned>(distance) ^ top_bit : static_cast<unsigned>(distance));
}

}  // namespace musa_sim_detail

__device__ __forceinline__ size_t __cvta_generic_to_shared(const void* pointer) {
    using namespace musa_sim_detail;
    return shared_address_of(reinterpret_cast<size_t>(pointer), reinterpret_cast<size_t>(dynamic_window));
}
__device__ __forceinline__ void* __cvta_shared_to_generic(size_t address) {
    using namespace musa_sim_detail;
    __shared__ char near[0];  // no byte: a kernel may ask for all shared memory that a block can have
    return reinterpret_cast<void*>(generic_address_of(static_cast<unsigned>(address), reinterpret_cast<size_t>(dynamic_window),
                                                      reinterpret_cast<size_t>(near)));
}
__device__ __forceinline__ size_t __cvta_generic_to_global(const void* pointer) {
    return reinterpret_cast<size_t>(pointer);
}
__device__ __forceinline__ void* __cvta_global_to_generic(size_t address) {
    return reinterpret_cast<void*>(address);
}

/* As CUDA has them. That MUSA's headers have them is not known (docs/unverified.md, ptx-intrinsics). */
__device__ __forceinline__ unsigned __isGlobal(const void* pointer) { return __musa_sim_address_space(pointer) == 1; }
__device__ __forceinline__ unsigned __isShared(const void* pointer) { return __musa_sim_address_space(pointer) == 2; }
__device__ __forceinline__ unsigned __isLocal(const void* pointer) { return __musa_sim_address_space(pointer) == 3; }

#endif
