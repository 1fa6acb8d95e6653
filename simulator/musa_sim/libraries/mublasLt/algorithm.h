// Which algorithms compute a product.
#pragma once

#include <mublasLt.h>

namespace mublas_lt {

// Return whether an algorithm is the one there is, in a configuration that is computed.
bool is_computed(const mublasLtMatmulAlgo_t& algo);

}  // namespace mublas_lt
