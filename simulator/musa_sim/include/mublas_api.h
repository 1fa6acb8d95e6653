/* muBLAS's functions: mublas.h has them all. */
#include <mublas.h>
