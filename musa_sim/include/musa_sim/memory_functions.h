/* new, delete and assert in kernels.
 *
 * mcc only.
 */
#ifndef MUSA_SIM_MEMORY_FUNCTIONS_H
#define MUSA_SIM_MEMORY_FUNCTIONS_H

#include <musa_sim/c_library.h>

extern "C" __device__ __attribute__((noreturn)) void __musa_sim_assert_fail(const char *expression, const char *file,
                                                                            unsigned line, const char *function);

/* __assert_fail is what the assert macro calls. The C library's ends the process; the one that kernels get ends the
 * kernel with musaErrorAssert.
 *
 * Headers of PyTorch declare the function again: for device and host if __CUDA__ is not defined, else for the host
 * only. Either must agree with what is declared here, hence the two forms.
 */
#if defined(__MUSA_ARCH__) && !defined(__CUDA__)
#pragma redefine_extname __assert_fail __musa_sim_assert_fail
#pragma clang force_cuda_host_device begin
#include <assert.h>
#pragma clang force_cuda_host_device end
#else
#include <assert.h>
extern "C" __device__ inline __attribute__((noreturn)) void __assert_fail(const char *expression, const char *file,
                                                                          unsigned line,
                                                                          const char *function) noexcept {
    __musa_sim_assert_fail(expression, file, line, function);
}
#endif

__device__ inline void *operator new(size_t, void *place) noexcept { return place; }
__device__ inline void *operator new[](size_t, void *place) noexcept { return place; }
__device__ inline void operator delete(void *, void *) noexcept {}
__device__ inline void operator delete[](void *, void *) noexcept {}

__device__ inline void *operator new(size_t size) { return malloc(size); }
__device__ inline void *operator new[](size_t size) { return malloc(size); }
__device__ inline void operator delete(void *memory) noexcept { free(memory); }
__device__ inline void operator delete[](void *memory) noexcept { free(memory); }
__device__ inline void operator delete(void *memory, size_t) noexcept { free(memory); }
__device__ inline void operator delete[](void *memory, size_t) noexcept { free(memory); }

#endif
