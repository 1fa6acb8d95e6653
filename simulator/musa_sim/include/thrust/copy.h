/* copy, copy_n, copy_if; copy also between host and device */
#include <thrust/detail/elementwise.h>
#include <thrust/detail/selections.h>
#include <thrust/device_vector.h>
