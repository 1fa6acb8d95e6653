/* The functions on bfloat16: musa_bf16.h has them all. */
#include <musa_bf16.h>
