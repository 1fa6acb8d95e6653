/* Atomic functions on int, unsigned, long long, float and double; those on half and bfloat16 stand
 * with the types.
 *
 * mcc only. Relaxed, as in CUDA; the _block and _system forms are the same operation.
 */
#ifndef MUSA_SIM_ATOMIC_FUNCTIONS_H
#define MUSA_SIM_ATOMIC_FUNCTIONS_H

#include <vector_functions.h>

#define MUSA_SIM_ATOMIC __device__ __forceinline__

/* *address = f(*address), atomically; the value before. For types and operations the processor has
 * no instruction for. Bits is an unsigned integer of T's size: comparing bits, not values, gets
 * zeros and NaNs right. */
template <class Bits, class T, class Function>
MUSA_SIM_ATOMIC T __musa_sim_atomic_update(T* address, Function f) {
    static_assert(sizeof(Bits) == sizeof(T), "the integer must have the size of the type");
    Bits* bits = reinterpret_cast<Bits*>(address);
    Bits before = __atomic_load_n(bits, __ATOMIC_RELAXED);
    for (;;) {
        T value;
        __builtin_memcpy(&value, &before, sizeof value);
        T updated = f(value);
        Bits after;
        __builtin_memcpy(&after, &updated, sizeof after);
        if (__atomic_compare_exchange_n(bits, &before, after, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return value;
    }
}

#define MUSA_SIM_ATOMIC_OPERATION(name, T, builtin)                                      \
    MUSA_SIM_ATOMIC T name(T* address, T value) {                                        \
        return builtin(address, value, __ATOMIC_RELAXED);                                \
    }                                                                                    \
    MUSA_SIM_ATOMIC T name##_block(T* address, T value) { return name(address, value); } \
    MUSA_SIM_ATOMIC T name##_system(T* address, T value) { return name(address, value); }

#define MUSA_SIM_ATOMIC_CAS(T)                                                         \
    MUSA_SIM_ATOMIC T atomicCAS(T* address, T compare, T value) {                      \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, \
                                    __ATOMIC_RELAXED);                                 \
        return compare;                                                                \
    }                                                                                  \
    MUSA_SIM_ATOMIC T atomicCAS_block(T* address, T compare, T value) {                \
        return atomicCAS(address, compare, value);                                     \
    }                                                                                  \
    MUSA_SIM_ATOMIC T atomicCAS_system(T* address, T compare, T value) {               \
        return atomicCAS(address, compare, value);                                     \
    }

/* Exactly the types that CUDA documents. One more would clash with real code, which writes its own
 * for the missing ones: PyTorch's Atomic.cuh has a void atomicAdd(int64_t*, int64_t). */
#define MUSA_SIM_ATOMIC_32(T)                                   \
    MUSA_SIM_ATOMIC_OPERATION(atomicSub, T, __atomic_fetch_sub) \
    MUSA_SIM_ATOMIC_64(T)

#define MUSA_SIM_ATOMIC_64(T)                                     \
    MUSA_SIM_ATOMIC_OPERATION(atomicAdd, T, __atomic_fetch_add)   \
    MUSA_SIM_ATOMIC_OPERATION(atomicAnd, T, __atomic_fetch_and)   \
    MUSA_SIM_ATOMIC_OPERATION(atomicOr, T, __atomic_fetch_or)     \
    MUSA_SIM_ATOMIC_OPERATION(atomicXor, T, __atomic_fetch_xor)   \
    MUSA_SIM_ATOMIC_OPERATION(atomicExch, T, __atomic_exchange_n) \
    MUSA_SIM_ATOMIC_CAS(T)                                        \
    MUSA_SIM_ATOMIC_ORDERED(T)

#define MUSA_SIM_ATOMIC_ORDERED(T)                              \
    MUSA_SIM_ATOMIC_OPERATION(atomicMax, T, __atomic_fetch_max) \
    MUSA_SIM_ATOMIC_OPERATION(atomicMin, T, __atomic_fetch_min)

MUSA_SIM_ATOMIC_32(int)
MUSA_SIM_ATOMIC_32(unsigned)
MUSA_SIM_ATOMIC_64(unsigned long long)
MUSA_SIM_ATOMIC_ORDERED(long long)
MUSA_SIM_ATOMIC_CAS(unsigned short)

#undef MUSA_SIM_ATOMIC_32
#undef MUSA_SIM_ATOMIC_64
#undef MUSA_SIM_ATOMIC_ORDERED
#undef MUSA_SIM_ATOMIC_CAS
#undef MUSA_SIM_ATOMIC_OPERATION

#define MUSA_SIM_ATOMIC_FLOAT(T, Bits)                                                           \
    MUSA_SIM_ATOMIC T atomicAdd(T* address, T value) {                                           \
        return __musa_sim_atomic_update<Bits>(address, [value](T old) { return old + value; });  \
    }                                                                                            \
    MUSA_SIM_ATOMIC T atomicAdd_block(T* address, T value) { return atomicAdd(address, value); } \
    MUSA_SIM_ATOMIC T atomicAdd_system(T* address, T value) { return atomicAdd(address, value); }

MUSA_SIM_ATOMIC_FLOAT(float, unsigned)
MUSA_SIM_ATOMIC_FLOAT(double, unsigned long long)
#undef MUSA_SIM_ATOMIC_FLOAT

MUSA_SIM_ATOMIC float atomicExch(float* address, float value) {
    return __musa_sim_atomic_update<unsigned>(address, [value](float) { return value; });
}

/* Counts up to `limit` and starts again at zero. */
MUSA_SIM_ATOMIC unsigned atomicInc(unsigned* address, unsigned limit) {
    return __musa_sim_atomic_update<unsigned>(
        address, [limit](unsigned old) { return old >= limit ? 0 : old + 1; });
}
/* Counts down to zero and starts again at `limit`. */
MUSA_SIM_ATOMIC unsigned atomicDec(unsigned* address, unsigned limit) {
    return __musa_sim_atomic_update<unsigned>(
        address, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}
/* A vector's components are added one by one: another thread may see some of them. */
MUSA_SIM_ATOMIC float2 atomicAdd(float2* address, float2 value) {
    return make_float2(atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y));
}
MUSA_SIM_ATOMIC float4 atomicAdd(float4* address, float4 value) {
    return make_float4(atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
                       atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w));
}

#define MUSA_SIM_ATOMIC_SCOPES(name, T)                                                  \
    MUSA_SIM_ATOMIC T name##_block(T* address, T value) { return name(address, value); } \
    MUSA_SIM_ATOMIC T name##_system(T* address, T value) { return name(address, value); }
MUSA_SIM_ATOMIC_SCOPES(atomicExch, float)
MUSA_SIM_ATOMIC_SCOPES(atomicInc, unsigned)
MUSA_SIM_ATOMIC_SCOPES(atomicDec, unsigned)
MUSA_SIM_ATOMIC_SCOPES(atomicAdd, float2)
MUSA_SIM_ATOMIC_SCOPES(atomicAdd, float4)
#undef MUSA_SIM_ATOMIC_SCOPES

#undef MUSA_SIM_ATOMIC

#endif
