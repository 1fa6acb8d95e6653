// A plan, and one batch of it.
#pragma once

#include <mufft.h>

#include <array>
#include <cstddef>

namespace mufft {

using Extents = std::array<std::size_t, 3>;  // x, y, z; z runs fastest

// Where the elements of one side lie, counted in elements of its type.
struct Layout {
    bool dense;  // then the rest follows from the sizes
    Extents embed;
    std::size_t stride;
    std::size_t batch_distance;
};

struct Plan {
    mufftType type;
    Extents size;  // one- and two-dimensional data fills the last ones
    std::size_t batches;
    Layout input, output;
};

// Does the whole plan; `sign` counts for transforms from complex to complex.
void execute(const Plan& plan, const void* input, void* output, int sign);

}  // namespace mufft
