// Inline PTX of the kinds that packages have.
#include <musa_fp16.h>
#include <musa_runtime.h>
#include <musa_ptx_half.h>

#define LOAD_STREAMING(value, pointer)                    \
    value = ::musa_ptx::load<float>((float*)(pointer))

#define ADD_WITH_CARRY(low, high, a, b)        \
    do { \
        unsigned ptx_0 = 0; \
        unsigned ptx_1 = 0; \
        unsigned ptx_2 = (unsigned)(a); \
        unsigned ptx_3 = (unsigned)(b); \
        bool ptx_carry = false; \
        ptx_0 = ::musa_ptx::add_cc<unsigned>(ptx_2, ptx_3, ptx_carry); \
        ptx_1 = ::musa_ptx::addc<unsigned>(0u, 0u, ptx_carry); \
        low = ptx_0; \
        high = ptx_1; \
    } while (0)

__device__ __forceinline__ unsigned lane_id() {
    unsigned id;
    id = __get_laneid();
    return id;
}

__device__ __forceinline__ unsigned bits(unsigned value, int first, int count) {
    unsigned result;
    result = ::musa_ptx::bfe<unsigned>((unsigned)value, (unsigned)first, (unsigned)count);
    return result;
}

__device__ __forceinline__ void copy_to_shared(void* shared, const void* global, bool inside) {
    unsigned address = static_cast<unsigned>(musa_ptx::generic_to_shared(shared));
    do {
        unsigned ptx_0 = (unsigned)((int)inside);
        unsigned ptx_1 = (unsigned)address;
        unsigned long long ptx_2 = (unsigned long long)global;
        {
        bool ptx_p = false;
        ptx_p = ptx_0 != 0u;
        if (ptx_p) { ::musa_ptx::copy_async(::musa_ptx::shared_pointer<unsigned char>(ptx_1), (unsigned char*)ptx_2, (unsigned)(16), (unsigned)(16)); }
        }
    } while (0);
    ::musa_ptx::commit_copies();
    ::musa_ptx::wait_for_copies((unsigned)(0));
}

__device__ __half2 multiply_add(__half2 a, __half2 b, __half2 c) {
    __half2 d;
    (reinterpret_cast<unsigned&>(d)) = ::musa_ptx::f16x2::fma((unsigned)(reinterpret_cast<const unsigned&>(a)), (unsigned)(reinterpret_cast<const unsigned&>(b)), (unsigned)(reinterpret_cast<const unsigned&>(c)));
    return d;
}

__device__ float power_of_two(float x) {
    float y;
    y = ::musa_ptx::flushed(exp2f(::musa_ptx::flushed(x)));
    return y;
}

__device__ void warpgroup_wait() { asm volatile("wgmma.wait_group.sync.aligned 0;"); }
