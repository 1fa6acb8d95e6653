/* musparse.h by cuSPARSE's newer name. */
#include <musparse.h>
