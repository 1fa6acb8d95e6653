/* What cub's headers share: where they can be used, and macros that code using cub refers to.
 *
 * Our own subset of cub: its names and semantics as documented, for 32 lanes and a CPU underneath. A name that is not
 * here does not exist, so code that needs it fails when it is compiled. Block- and warp-wide classes, and everything
 * that launches kernels, need mcc; iterators and operators are readable by any C++17 compiler. Headers include what
 * cub's include of its interface, because code relies on that.
 */
#ifndef MUSA_CUB_CONFIG_CUH
#define MUSA_CUB_CONFIG_CUH

#include <musa_runtime.h>

#include <algorithm>  /* code that includes cub only often takes std::max from it */

#define CUB_NAMESPACE_BEGIN namespace cub {
#define CUB_NAMESPACE_END }
#define CUB_RUNTIME_FUNCTION __host__

#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_QUOTIENT_FLOOR(x, y) ((x) / (y))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y) - 1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y) (CUB_QUOTIENT_CEILING(x, y) * (y))

#define CUB_LOG_WARP_THREADS(unused) 5
#define CUB_WARP_THREADS(unused) 32
#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_PTX_WARP_THREADS 32

#endif
