/* The constants of muRAND's generators for device code. */
#include <murand_kernel.h>
