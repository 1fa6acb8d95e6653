/* normal_distribution is defined in thrust/random.h. */
#include <thrust/random.h>
