/* all_of, any_of, none_of */
#include <thrust/detail/reductions.h>
