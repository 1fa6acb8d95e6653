/* unique, unique_copy, unique_by_key */
#include <thrust/detail/selections.h>
#include <thrust/detail/rearrangements.h>
