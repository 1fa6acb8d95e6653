#pragma once
__device__ __forceinline__ unsigned lane() {
    unsigned result;
    asm volatile(
        "mov.u32 %0, %%laneid;"
        : "=r"(result));
    return result;
}
