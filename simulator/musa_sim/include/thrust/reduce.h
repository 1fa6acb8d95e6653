/* reduce, reduce_by_key */
#include <thrust/detail/reductions.h>
#include <thrust/detail/selections.h>
