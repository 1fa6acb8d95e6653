/* muBLAS's types, which torch_musa's headers include under this name. */
#ifndef MUBLAS_TYPES_H_
#define MUBLAS_TYPES_H_

#include <mublas.h>

#endif
