/* The common part of cub's headers: where they can be used, and macros that code using cub refers to.
 *
 * Our own subset of cub: its names and semantics as documented, for 32 lanes and a CPU underneath. A name that is not
 * here does not exist, so code that needs it fails when it is compiled. Block- and warp-wide classes, and everything
 * that launches kernels, need mcc; iterators and operators are readable by any C++11 compiler. Headers include what
 * cub's include of its interface, because code relies on that.
 */
#ifndef MUSA_CUB_CONFIG_CUH
#define MUSA_CUB_CONFIG_CUH

#include <cub/version.cuh>
#include <musa_runtime.h>

#include <algorithm>  /* code that includes cub only often takes std::max from it */

/* Code that must not share cub with other libraries puts it into a namespace of its own: CUB_WRAPPED_NAMESPACE names it,
 * for Thrust and cub together THRUST_CUB_WRAPPED_NAMESPACE; CUB_NS_PREFIX and CUB_NS_POSTFIX are the older way. */
#if defined(THRUST_CUB_WRAPPED_NAMESPACE) && !defined(CUB_WRAPPED_NAMESPACE)
#define CUB_WRAPPED_NAMESPACE THRUST_CUB_WRAPPED_NAMESPACE
#endif
#ifdef CUB_WRAPPED_NAMESPACE
#define CUB_NS_PREFIX namespace CUB_WRAPPED_NAMESPACE {
#define CUB_NS_POSTFIX }
#define CUB_NS_QUALIFIER ::CUB_WRAPPED_NAMESPACE::cub
#endif
#ifndef CUB_NS_PREFIX
#define CUB_NS_PREFIX
#endif
#ifndef CUB_NS_POSTFIX
#define CUB_NS_POSTFIX
#endif
#ifndef CUB_NS_QUALIFIER
#define CUB_NS_QUALIFIER ::cub
#endif
#define CUB_NAMESPACE_BEGIN CUB_NS_PREFIX namespace cub {
#define CUB_NAMESPACE_END } CUB_NS_POSTFIX
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
