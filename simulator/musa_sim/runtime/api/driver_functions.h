// Functions of the driver API, a library above this one, which is loaded at the first use.
#pragma once

namespace musa_sim {

// Find a function by its name; return nullptr without such a function or without the driver.
void* driver_function(const char* name);

}  // namespace musa_sim
