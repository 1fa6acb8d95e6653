// Variables of the device, as memory that is copied.
#pragma once

#include <cstddef>

#include "base/api.h"

namespace musa_sim {

// The address and size of a variable on the current device, entered into the table so that copies can be checked.
musaError_t find_symbol(const void* symbol, void** address, std::size_t* size);
// Where `count` bytes from `offset` on begin; musaErrorInvalidValue if the variable has less.
musaError_t part_of_symbol(const void* symbol, std::size_t offset, std::size_t count, char** begin);

}  // namespace musa_sim
