/* Constants of half and bfloat16, by the names of CUDA's. */
#ifndef MUSA_SIM_FLOAT16_CONSTANTS_H
#define MUSA_SIM_FLOAT16_CONSTANTS_H

#define MUSART_INF_FP16 __ushort_as_half(0x7c00)
#define MUSART_NAN_FP16 __ushort_as_half(0x7fff)
#define MUSART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define MUSART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define MUSART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define MUSART_ZERO_FP16 __ushort_as_half(0x0000)
#define MUSART_ONE_FP16 __ushort_as_half(0x3c00)

#define MUSART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define MUSART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define MUSART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define MUSART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define MUSART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define MUSART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define MUSART_ONE_BF16 __ushort_as_bfloat16(0x3f80)

#endif
