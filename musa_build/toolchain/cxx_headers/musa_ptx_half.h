/* Instructions of PTX on f16, f16x2, bf16 and bf16x2. Operands are the bits of registers. See musa_ptx.h.
 *
 * The functions are those of musa_fp16.h and musa_bf16.h, which have CUDA's names.
 */
#ifndef MUSA_BUILD_MUSA_PTX_HALF_H
#define MUSA_BUILD_MUSA_PTX_HALF_H

#include "musa_ptx.h"

#if defined(__MUSACC__)

#include <musa_fp16.h>

/* Older GPUs have no bfloat16 (torch_musa has it from mp_22 on). */
#if !defined(__MUSA_ARCH__) || __MUSA_ARCH__ >= 220
#include <musa_bf16.h>
#define MUSA_PTX_HAS_BFLOAT16
#endif

#define MUSA_PTX_FUNCTION static __device__ __forceinline__

namespace musa_ptx {

using u16 = unsigned short;

/* One number */
struct half_conversions {
    using type = __half;
    static constexpr u16 nan = 0x7fff;
    MUSA_PTX_FUNCTION float wide(__half a) { return __half2float(a); }
    MUSA_PTX_FUNCTION __half rn(float a) { return __float2half_rn(a); }
    MUSA_PTX_FUNCTION __half rz(float a) { return __float2half_rz(a); }
    MUSA_PTX_FUNCTION __half rd(float a) { return __float2half_rd(a); }
    MUSA_PTX_FUNCTION __half ru(float a) { return __float2half_ru(a); }
};
#ifdef MUSA_PTX_HAS_BFLOAT16
struct bfloat16_conversions {
    using type = __mt_bfloat16;
    static constexpr u16 nan = 0x7fff;
    MUSA_PTX_FUNCTION float wide(__mt_bfloat16 a) { return __bfloat162float(a); }
    MUSA_PTX_FUNCTION __mt_bfloat16 rn(float a) { return __float2bfloat16_rn(a); }
    MUSA_PTX_FUNCTION __mt_bfloat16 rz(float a) { return __float2bfloat16_rz(a); }
    MUSA_PTX_FUNCTION __mt_bfloat16 rd(float a) { return __float2bfloat16_rd(a); }
    MUSA_PTX_FUNCTION __mt_bfloat16 ru(float a) { return __float2bfloat16_ru(a); }
};
#endif

template <class Conversions>
struct half_precision {
    using T = typename Conversions::type;
    MUSA_PTX_FUNCTION T in(u16 a) { return bits_as<T>(a); }
    MUSA_PTX_FUNCTION u16 out(T a) { return bits_as<u16>(a); }
    /* PTX's results are canonical: there is one NaN. */
    MUSA_PTX_FUNCTION u16 result(T a) {
        const float value = Conversions::wide(a);
        return value == value ? out(a) : Conversions::nan;
    }
    MUSA_PTX_FUNCTION float to_float(u16 a) { return Conversions::wide(in(a)); }
    MUSA_PTX_FUNCTION u16 from_float_rn(float a) { return result(Conversions::rn(a)); }
    MUSA_PTX_FUNCTION u16 from_float_rz(float a) { return result(Conversions::rz(a)); }
    MUSA_PTX_FUNCTION u16 from_float_rd(float a) { return result(Conversions::rd(a)); }
    MUSA_PTX_FUNCTION u16 from_float_ru(float a) { return result(Conversions::ru(a)); }
    MUSA_PTX_FUNCTION u16 relu(u16 a) { return to_float(a) <= 0 ? 0 : a; }
    MUSA_PTX_FUNCTION u16 saturated(u16 a) {
        const float value = to_float(a);
        return value > 0 ? (value < 1 ? a : from_float_rn(1.0f)) : 0;
    }
    MUSA_PTX_FUNCTION u16 add(u16 a, u16 b) { return result(__hadd(in(a), in(b))); }
    MUSA_PTX_FUNCTION u16 sub(u16 a, u16 b) { return result(__hsub(in(a), in(b))); }
    MUSA_PTX_FUNCTION u16 mul(u16 a, u16 b) { return result(__hmul(in(a), in(b))); }
    MUSA_PTX_FUNCTION u16 fma(u16 a, u16 b, u16 c) { return result(__hfma(in(a), in(b), in(c))); }
    /* Where a factor is the NaN that tensor maps fill in beyond the end (0x7ff7 of each type), the result is 0. The NaN and
     * the result are those of an H200. */
    MUSA_PTX_FUNCTION u16 fma_oob(u16 a, u16 b, u16 c) {
        return (a & 0x7fff) == 0x7ff7 || (b & 0x7fff) == 0x7ff7 ? 0 : fma(a, b, c);
    }
    MUSA_PTX_FUNCTION u16 neg(u16 a) { return static_cast<u16>(a ^ 0x8000); }
    MUSA_PTX_FUNCTION u16 abs(u16 a) { return static_cast<u16>(a & 0x7fff); }
    MUSA_PTX_FUNCTION u16 min(u16 a, u16 b) { return from_float_rn(min_number(to_float(a), to_float(b))); }
    MUSA_PTX_FUNCTION u16 max(u16 a, u16 b) { return from_float_rn(max_number(to_float(a), to_float(b))); }
    MUSA_PTX_FUNCTION u16 min_nan(u16 a, u16 b) { return from_float_rn(musa_ptx::min_nan(to_float(a), to_float(b))); }
    MUSA_PTX_FUNCTION u16 max_nan(u16 a, u16 b) { return from_float_rn(musa_ptx::max_nan(to_float(a), to_float(b))); }
    MUSA_PTX_FUNCTION u16 ex2(u16 a) { return from_float_rn(exp2f(to_float(a))); }
    MUSA_PTX_FUNCTION u16 tanh(u16 a) { return from_float_rn(tanhf(to_float(a))); }
    MUSA_PTX_FUNCTION u16 add_sat(u16 a, u16 b) { return saturated(add(a, b)); }
    MUSA_PTX_FUNCTION u16 sub_sat(u16 a, u16 b) { return saturated(sub(a, b)); }
    MUSA_PTX_FUNCTION u16 mul_sat(u16 a, u16 b) { return saturated(mul(a, b)); }
    MUSA_PTX_FUNCTION u16 fma_sat(u16 a, u16 b, u16 c) { return saturated(fma(a, b, c)); }
    MUSA_PTX_FUNCTION u16 fma_relu(u16 a, u16 b, u16 c) { return relu(fma(a, b, c)); }
    MUSA_PTX_FUNCTION u16 fma_oob_relu(u16 a, u16 b, u16 c) { return relu(fma_oob(a, b, c)); }
    MUSA_PTX_FUNCTION u16 atomic_add(u16* address, u16 value) {
        return out(atomicAdd(reinterpret_cast<T*>(address), in(value)));
    }
    template <class... Values>
    MUSA_PTX_FUNCTION void atomic_add_vector(u16* address, Values... values) {
        (atomic_add(address++, static_cast<u16>(values)), ...);
    }
};

struct f16 : half_precision<half_conversions> {
    /* An integer of 32 bits, rounded once. */
    template <class Integer>
    MUSA_PTX_FUNCTION u16 from_int_rn(Integer a) { return out(__double2half(static_cast<double>(a))); }
    template <class Integer>
    MUSA_PTX_FUNCTION u16 from_int_rz(Integer a) { return out(__float2half_rz(cut(a))); }
    template <class Integer>
    MUSA_PTX_FUNCTION u16 from_int_rd(Integer a) { return out(__float2half_rd(cut(a))); }
    template <class Integer>
    MUSA_PTX_FUNCTION u16 from_int_ru(Integer a) { return out(__float2half_ru(cut(a))); }

private:
    /* Values that a half cannot hold may be anywhere beyond its range; the rest is exact in a float. */
    template <class Integer>
    MUSA_PTX_FUNCTION float cut(Integer a) {
        const long long wide = static_cast<long long>(a);
        return static_cast<float>(wide > 100000 ? 100000 : wide < -100000 ? -100000 : wide);
    }
};
#ifdef MUSA_PTX_HAS_BFLOAT16
struct bf16 : half_precision<bfloat16_conversions> {};
#endif

/* Two numbers */
template <class One>
struct two_of {
#define MUSA_PTX_EACH_1(name)                                                                                 \
    MUSA_PTX_FUNCTION unsigned name(unsigned a) {                                                             \
        return One::name(low(a)) | static_cast<unsigned>(One::name(high(a))) << 16;                           \
    }
#define MUSA_PTX_EACH_2(name)                                                                                 \
    MUSA_PTX_FUNCTION unsigned name(unsigned a, unsigned b) {                                                 \
        return One::name(low(a), low(b)) | static_cast<unsigned>(One::name(high(a), high(b))) << 16;          \
    }
#define MUSA_PTX_EACH_3(name)                                                                                 \
    MUSA_PTX_FUNCTION unsigned name(unsigned a, unsigned b, unsigned c) {                                     \
        return One::name(low(a), low(b), low(c)) |                                                            \
               static_cast<unsigned>(One::name(high(a), high(b), high(c))) << 16;                             \
    }
    MUSA_PTX_FUNCTION u16 low(unsigned a) { return static_cast<u16>(a); }
    MUSA_PTX_FUNCTION u16 high(unsigned a) { return static_cast<u16>(a >> 16); }
    MUSA_PTX_FUNCTION unsigned from_floats_rn(float a, float b) {
        return One::from_float_rn(a) | static_cast<unsigned>(One::from_float_rn(b)) << 16;
    }
    MUSA_PTX_FUNCTION unsigned from_floats_rz(float a, float b) {
        return One::from_float_rz(a) | static_cast<unsigned>(One::from_float_rz(b)) << 16;
    }
    MUSA_PTX_EACH_1(relu)
    MUSA_PTX_EACH_1(neg)
    MUSA_PTX_EACH_1(abs)
    MUSA_PTX_EACH_1(ex2)
    MUSA_PTX_EACH_1(tanh)
    MUSA_PTX_EACH_2(add)
    MUSA_PTX_EACH_2(sub)
    MUSA_PTX_EACH_2(mul)
    MUSA_PTX_EACH_2(min)
    MUSA_PTX_EACH_2(max)
    MUSA_PTX_EACH_2(min_nan)
    MUSA_PTX_EACH_2(max_nan)
    MUSA_PTX_EACH_2(add_sat)
    MUSA_PTX_EACH_2(sub_sat)
    MUSA_PTX_EACH_2(mul_sat)
    MUSA_PTX_EACH_3(fma)
    MUSA_PTX_EACH_3(fma_sat)
    MUSA_PTX_EACH_3(fma_relu)
    MUSA_PTX_EACH_3(fma_oob)
    MUSA_PTX_EACH_3(fma_oob_relu)
    template <class Compare>
    MUSA_PTX_FUNCTION unsigned masks(unsigned a, unsigned b, Compare compare) {
        return (compare(One::to_float(low(a)), One::to_float(low(b))) ? 0xffffu : 0u) |
               (compare(One::to_float(high(a)), One::to_float(high(b))) ? 0xffff0000u : 0u);
    }
    /* PTX promises no more than that each half is added atomically. */
    MUSA_PTX_FUNCTION unsigned atomic_add(unsigned* address, unsigned value) {
        u16* halves = reinterpret_cast<u16*>(address);
        const unsigned before = One::atomic_add(halves, low(value));
        return before | static_cast<unsigned>(One::atomic_add(halves + 1, high(value))) << 16;
    }
    template <class... Values>
    MUSA_PTX_FUNCTION void atomic_add_vector(unsigned* address, Values... values) {
        (atomic_add(address++, values), ...);
    }
#undef MUSA_PTX_EACH_1
#undef MUSA_PTX_EACH_2
#undef MUSA_PTX_EACH_3
};
struct f16x2 : two_of<f16> {};
#ifdef MUSA_PTX_HAS_BFLOAT16
struct bf16x2 : two_of<bf16> {};
#endif

}  // namespace musa_ptx

#undef MUSA_PTX_HAS_BFLOAT16
#undef MUSA_PTX_FUNCTION

#endif

#endif
