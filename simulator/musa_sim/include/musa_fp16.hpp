/* The functions on half: musa_fp16.h has them all. */
#include <musa_fp16.h>
