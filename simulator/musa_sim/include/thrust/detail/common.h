/* Headers that nearly each of NVIDIA's algorithms brings: programs use them without including them. Headers that need others of
 * detail/ than dispatch.h cannot be here, as dispatch.h ends with this one. */
#ifndef MUSA_THRUST_DETAIL_COMMON_H
#define MUSA_THRUST_DETAIL_COMMON_H

#include <thrust/detail/elementwise.h>
#include <thrust/detail/reductions.h>
#include <thrust/detail/scans.h>
#include <thrust/detail/selections.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/memory.h>
#include <thrust/tuple.h>

#include <iostream>

#endif
