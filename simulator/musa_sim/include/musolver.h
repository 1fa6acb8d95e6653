/* The name by which torch_musa includes muSOLVER */
#include <musolverDn.h>
