/* Named constants of single and double precision. */
#ifndef __MATH_CONSTANTS_H__
#define __MATH_CONSTANTS_H__

#define MUSART_INF_F (__builtin_inff())
#define MUSART_NAN_F (__builtin_nanf(""))
#define MUSART_MIN_DENORM_F 1.4012984643e-45f
#define MUSART_MAX_NORMAL_F 3.4028234664e+38f
#define MUSART_ZERO_F 0.0f
#define MUSART_NEG_ZERO_F (-0.0f)
#define MUSART_ONE_F 1.0f
#define MUSART_SQRT_TWO_F 1.414213562f
#define MUSART_L2E_F 1.442695041f
#define MUSART_LN2_F 0.693147181f
#define MUSART_PI_F 3.141592654f
#define MUSART_PIO2_F 1.570796327f

#define MUSART_INF (__builtin_inf())
#define MUSART_NAN (__builtin_nan(""))
#define MUSART_ZERO 0.0
#define MUSART_NEG_ZERO (-0.0)
#define MUSART_ONE 1.0
#define MUSART_SQRT_TWO 1.4142135623730951
#define MUSART_L2E 1.4426950408889634
#define MUSART_LN2 0.6931471805599453
#define MUSART_PI 3.1415926535897931
#define MUSART_PIO2 1.5707963267948966

#endif
