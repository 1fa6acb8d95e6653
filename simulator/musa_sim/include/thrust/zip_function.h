/* zip_function is defined beside zip_iterator. */
#include <thrust/iterator/zip_iterator.h>
