/* Function and variable qualifiers of the MUSA language.
 *
 * With mcc (clang's CUDA mode underneath) they are attributes; with a plain C or C++ compiler they
 * vanish, so that a header shared by kernels and host code can be read by both.
 *
 * There is deliberately no `__noinline__` macro: libstdc++ writes `__attribute__((__noinline__))`,
 * which such a macro would break, and clang knows the word as a keyword in CUDA mode.
 */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#if defined(__MUSACC__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device, section("__musa_sim_managed"))) /* mcc reads the section */
/* mcc reads the annotation: clang keeps the attribute for NVIDIA's and AMD's processors only. */
#define __launch_bounds__(...)                   \
    __attribute__((launch_bounds(__VA_ARGS__))) \
    __attribute__((annotate("musa_sim_launch_bounds", __VA_ARGS__)))
/* Macros that nvcc defines with --extended-lambda and --expt-relaxed-constexpr; mcc needs neither flag. */
#define __MUSACC_EXTENDED_LAMBDA__ 1
#define __MUSACC_RELAXED_CONSTEXPR__ 1
#define __grid_constant__ __attribute__((annotate("grid_constant")))

/* A block runs on one operating system thread, as a loop, split or as fibers. So thread-local memory
 * is memory that the block shares, and blocks that run at the same time cannot see each other's. */
#define __shared__ __attribute__((shared)) thread_local

#else

#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __shared__
#define __launch_bounds__(...)
#define __grid_constant__

#endif

#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif
#ifndef MUSARTAPI
#define MUSARTAPI
#endif
#ifndef MUSARTAPI_CDECL
#define MUSARTAPI_CDECL
#endif
#ifndef MUSART_CB
#define MUSART_CB
#endif

#endif
