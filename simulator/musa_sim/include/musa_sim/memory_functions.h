/* new, delete and assert in kernels.
 *
 * mcc only.
 */
#ifndef MUSA_SIM_MEMORY_FUNCTIONS_H
#define MUSA_SIM_MEMORY_FUNCTIONS_H

#include <assert.h>
#include <musa_sim/c_library.h>

/* The assert macro calls this overload in kernels: it ends the kernel with musaErrorAssert, where the
 * C library's function ends the process. The C library's declaration stays as it is, because headers
 * of PyTorch repeat it. */
extern "C" __device__ inline __attribute__((noreturn)) void __assert_fail(
    const char* expression, const char* file, unsigned line, const char* function) noexcept {
    __musa_sim_assert_fail(expression, file, line, function);
}

/* inline is right for kernels, where nothing is replaced. (Builds name this folder with -I, so it
 * is no system folder, whose warnings the compiler would hide.) */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
__device__ inline void* operator new(size_t, void* location) noexcept { return location; }
__device__ inline void* operator new[](size_t, void* location) noexcept { return location; }
__device__ inline void operator delete(void*, void*) noexcept {}
__device__ inline void operator delete[](void*, void*) noexcept {}

__device__ inline void* operator new(size_t size) { return malloc(size); }
__device__ inline void* operator new[](size_t size) { return malloc(size); }
__device__ inline void operator delete(void* memory) noexcept { free(memory); }
__device__ inline void operator delete[](void* memory) noexcept { free(memory); }
__device__ inline void operator delete(void* memory, size_t) noexcept { free(memory); }
__device__ inline void operator delete[](void* memory, size_t) noexcept { free(memory); }
#pragma clang diagnostic pop

#endif
