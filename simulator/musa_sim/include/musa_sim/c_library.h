/* The C library, callable from kernels.
 *
 * mcc only. A kernel of the simulator is machine code of the host, so sinf, memcpy or printf are
 * simply those of the host; what is needed is that the compiler lets device code call them. Five
 * things make the order here what it is:
 *
 * - exceptions.h comes before every header of the C++ library.
 * - The pragma may wrap the C headers and few others. Around <cmath> or <new> it turns their helpers
 * into functions that conflict with each other; their constexpr functions are callable from kernels
 * anyway. (standard_library/complex wraps <complex>, standard_library/cmath leaves out what takes time.)
 * - libstdc++ has headers of its own by the names of the C ones. _GLIBCXX_INCLUDE_NEXT_C_HEADERS
 * makes them step aside.
 * - <cstddef> comes first because it declares functions of namespace std that the pragma must not
 * touch either.
 * - <bits/std_abs.h> holds the few overloads of std::abs that are not constexpr, and nothing else;
 * <malloc.h> and <mm_malloc.h> declare functions of <stdlib.h> once more, which then must be the same.
 * <type_traits> std::declval, which is not constexpr either; <bits/move.h> std::swap, and <utility>
 * std::exchange and the assignment of pairs, constexpr since C++20.
 */
#ifndef MUSA_SIM_C_LIBRARY_H
#define MUSA_SIM_C_LIBRARY_H

#include <musa_sim/exceptions.h>

#include <cstddef>

#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#pragma clang force_cuda_host_device begin
#include <type_traits>
#if __has_include(<bits/move.h>)
#include <bits/move.h>
#endif
#include <utility>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#if __has_include(<mm_malloc.h>)
#include <mm_malloc.h>
#endif
#if __has_include(<bits/std_abs.h>)
#include <bits/std_abs.h>
#endif
#pragma clang force_cuda_host_device end
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS

#define MUSA_SIM_NO_SPECIAL_FUNCTIONS
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

/* isnan, isinf, abs and the like at global scope, with the overloads that libstdc++ gives them */
#include <math.h>
#include <stdlib.h>
#undef MUSA_SIM_NO_SPECIAL_FUNCTIONS

/* libstdc++'s overloads for float that write through a pointer are not constexpr, so device code needs its own. */
#ifdef __GLIBCXX__
namespace std {
__attribute__((device)) inline float frexp(float x, int* exponent) { return __builtin_frexpf(x, exponent); }
__attribute__((device)) inline float modf(float x, float* whole) { return __builtin_modff(x, whole); }
__attribute__((device)) inline float remquo(float x, float y, int* quotient) {
    return __builtin_remquof(x, y, quotient);
}
}  // namespace std
#endif

/* headers of the special functions: nvcc includes them for all code */
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#endif
#include <limits>

#endif
