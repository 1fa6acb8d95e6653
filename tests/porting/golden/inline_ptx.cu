// Inline PTX of the kinds that packages have.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define LOAD_STREAMING(value, pointer)                    \
    asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" \
                 : "=f"(value)                            \
                 : "l"(pointer))

#define ADD_WITH_CARRY(low, high, a, b)        \
    asm("add.cc.u32 %0, %2, %3;\n\t"           \
        "addc.u32 %1, 0, 0;"                   \
        : "=r"(low), "=r"(high) : "r"(a), "r"(b))

__device__ __forceinline__ unsigned lane_id() {
    unsigned id;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
    return id;
}

__device__ __forceinline__ unsigned bits(unsigned value, int first, int count) {
    unsigned result;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(value), "r"(first), "r"(count));
    return result;
}

__device__ __forceinline__ void copy_to_shared(void* shared, const void* global, bool inside) {
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile(
        "{\n"
        "  .reg .pred p;\n"
        "  setp.ne.b32 p, %0, 0;\n"
        "  @p cp.async.cg.shared.global.L2::128B [%1], [%2], %3;\n"
        "}\n" ::"r"((int)inside),
        "r"(address), "l"(global), "n"(16));
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
}

__device__ __half2 multiply_add(__half2 a, __half2 b, __half2 c) {
    __half2 d;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(reinterpret_cast<unsigned&>(d))
        : "r"(reinterpret_cast<const unsigned&>(a)), "r"(reinterpret_cast<const unsigned&>(b)),
          "r"(reinterpret_cast<const unsigned&>(c)));
    return d;
}

__device__ float power_of_two(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ void warpgroup_wait() { asm volatile("wgmma.wait_group.sync.aligned 0;"); }
