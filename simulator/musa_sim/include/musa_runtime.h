/* The MUSA runtime for C++: the API of musa_runtime_api.h with typed overloads, and, when mcc
 * compiles, everything that kernels use. mcc includes this header before the first line of every
 * source.
 */
#ifndef __MUSA_RUNTIME_H__
#define __MUSA_RUNTIME_H__

#if defined(__MUSACC__)
#include <host_defines.h>
#include <musa_sim/c_library.h>

#include <ctype.h>
#include <time.h>
#endif

#include <channel_descriptor.h>
#include <driver_functions.h>
#include <library_types.h>
#include <musa_runtime_api.h>
#include <stdint.h> /* projects have its types from here */
#include <vector_functions.h>

#if defined(__MUSACC__)

/* The names that clang's CUDA mode looks for when it compiles a launch; mcc renames them to MUSA's.
 */
extern "C" {
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                     void* stream = nullptr);
int cudaLaunchKernel(const void* func, dim3 grid, dim3 block, void** args, size_t shared,
                     void* stream);
/* with -fgpu-default-stream=per-thread */
int cudaLaunchKernel_ptsz(const void* func, dim3 grid, dim3 block, void** args, size_t shared,
                          void* stream);
}

#include <math_constants.h>
#include <math_functions.h>
#include <musa_sim/address_spaces.h>
#include <musa_sim/atomic_functions.h>
#include <musa_sim/builtin_variables.h>
#include <musa_sim/burst_functions.h>
#include <musa_sim/cached_access.h>
#include <musa_sim/device_launch.h>
#include <musa_sim/directed_rounding.h>
#include <musa_sim/integer_functions.h>
#include <musa_sim/memory_functions.h>
#include <musa_sim/numbered_barriers.h>
#include <musa_sim/simd_functions.h>
#include <musa_sim/synchronization.h>
#include <musa_sim/texture_functions.h>
#include <musa_sim/texture_references.h>
#include <musa_sim/warp_functions.h>
#include <musa_sim/warp_reductions.h>

/* Guards of the other headers of CUDA that cuda_runtime.h includes, by which code asks for them: what
 * they declare is declared above. */
#define __COMMON_FUNCTIONS_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_DOUBLE_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_TYPES_H__
#define __HOST_CONFIG_H__
#define __SM_20_ATOMIC_FUNCTIONS_H__
#define __SM_20_INTRINSICS_H__
#define __SM_30_INTRINSICS_H__
#define __SM_32_ATOMIC_FUNCTIONS_H__
#define __SM_32_INTRINSICS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_35_INTRINSICS_H__
#define __SM_60_ATOMIC_FUNCTIONS_H__
#define __SM_61_INTRINSICS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_TYPES_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_TYPES_H__

#endif

#if defined(__cplusplus)
#include <musa_sim/typed_api.h>
#endif

#endif
