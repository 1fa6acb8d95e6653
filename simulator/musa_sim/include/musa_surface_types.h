/* The types of surfaces. */
#include <musa_runtime.h>
