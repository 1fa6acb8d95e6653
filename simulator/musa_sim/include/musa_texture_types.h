/* The types of textures. */
#include <musa_runtime.h>
