/* remove, remove_if, remove_copy_if */
#include <thrust/detail/selections.h>
#include <thrust/detail/rearrangements.h>
