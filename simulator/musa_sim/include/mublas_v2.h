/* mublas.h by cuBLAS's newer name. */
#include <mublas.h>
