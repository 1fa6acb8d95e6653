/* curand() has the name of its library: as a macro it would rename every variable that is called so. */
#ifndef MUSA_CUDA_ADAPTER_CURAND_KERNEL_H
#define MUSA_CUDA_ADAPTER_CURAND_KERNEL_H

#if defined(__cplusplus) && defined(__MUSACC__)
template <class State>
static __device__ __forceinline__ auto curand(State *state) -> decltype(murand(state)) {
    return murand(state);
}
#endif

#endif
