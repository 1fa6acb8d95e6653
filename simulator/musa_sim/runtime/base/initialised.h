// For the driver API, which the runtime API initialises.
#pragma once

#include "base/device_abi.h"

// Whether the process has called a function of the runtime API that asks for devices.
extern "C" MUSA_SIM_EXPORT bool __musa_sim_is_initialised();
