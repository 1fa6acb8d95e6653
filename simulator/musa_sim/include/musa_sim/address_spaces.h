/* Addresses in one kind of memory, as numbers: CUDA's __cvta_ functions, which MUTLASS and TileLang call.
 *
 * mcc only. A shared address is the lower half of the pointer, because programs keep 32 bits of it. The upper half comes
 * back from a variable of the block that is known to lie near: the dynamic array for what lies in it, a static variable
 * for all others.
 */
#ifndef MUSA_SIM_ADDRESS_SPACES_H
#define MUSA_SIM_ADDRESS_SPACES_H

#include <host_defines.h>
#include <stddef.h>

namespace musa_sim_detail {

extern __shared__ __attribute__((aligned(16))) char dynamic_window[];
constexpr unsigned largest_dynamic_window = 256 * 1024;

__device__ __forceinline__ unsigned lower_half(const void* pointer) {
    return static_cast<unsigned>(reinterpret_cast<unsigned long long>(pointer));
}

}  // namespace musa_sim_detail

__device__ __forceinline__ size_t __cvta_generic_to_shared(const void* pointer) {
    return musa_sim_detail::lower_half(pointer);
}
__device__ __forceinline__ void* __cvta_shared_to_generic(size_t address) {
    using musa_sim_detail::lower_half;
    __shared__ char near;
    char* const dynamic = musa_sim_detail::dynamic_window;
    const unsigned offset = static_cast<unsigned>(address) - lower_half(dynamic);
    if (offset < musa_sim_detail::largest_dynamic_window) return dynamic + offset;
    return &near + static_cast<int>(static_cast<unsigned>(address) - lower_half(&near));
}
__device__ __forceinline__ size_t __cvta_generic_to_global(const void* pointer) {
    return reinterpret_cast<size_t>(pointer);
}
__device__ __forceinline__ void* __cvta_global_to_generic(size_t address) {
    return reinterpret_cast<void*>(address);
}

#endif
