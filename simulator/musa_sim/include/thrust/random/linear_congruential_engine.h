/* linear_congruential_engine is defined in thrust/random.h. */
#include <thrust/random.h>
