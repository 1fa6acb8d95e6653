/* inner_product */
#include <thrust/detail/reductions.h>
