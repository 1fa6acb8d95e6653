// The one variable that compiled kernels read directly; see device_abi.h.
#include "base/device_abi.h"

extern "C" {
thread_local __musa_sim_context_t __musa_sim_context MUSA_SIM_INITIAL_EXEC;
}
