/* <math.h>. Only mcc looks into this folder. In C++ it includes <cmath>, which may have been included without the special
 * functions (cmath, beside this file).
 */
#include_next <math.h>
#if defined(__cplusplus) && !defined(_GLIBCXX_INCLUDE_NEXT_C_HEADERS) && !defined(MUSA_SIM_NO_SPECIAL_FUNCTIONS)
#include <cmath>
#endif
