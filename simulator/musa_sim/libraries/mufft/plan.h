// The description of a plan.
#pragma once

#include <mufft.h>

#include <array>
#include <cstddef>

namespace mufft {

using Extents = std::array<std::size_t, 3>;  // x, y, z; z runs fastest

// The positions of the elements of one side, in elements of its type.
struct Layout {
    bool dense;  // the sizes determine the other members
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

// Execute a plan; `sign` is for complex transforms.
void execute(const Plan& plan, const void* input, void* output, int sign);

}  // namespace mufft
