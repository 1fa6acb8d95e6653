/* universal_allocator */
#include <thrust/universal_vector.h>
