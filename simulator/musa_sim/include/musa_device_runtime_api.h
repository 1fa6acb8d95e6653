/* The runtime's functions for device code. */
#include <musa_runtime_api.h>
