// Sharing memory and events between processes. Device memory is memory of this process, and events
// are threads' work in it: nothing of either could be opened by another, so all of this is refused.
#include "base/devices.h"

using musa_sim::device_call;

namespace {

musaError_t refuse() {
    return device_call([] { return musaErrorNotSupported; });
}

}  // namespace

musaError_t musaIpcGetEventHandle(musaIpcEventHandle_t*, musaEvent_t) { return refuse(); }

musaError_t musaIpcOpenEventHandle(musaEvent_t*, musaIpcEventHandle_t) { return refuse(); }

musaError_t musaIpcGetMemHandle(musaIpcMemHandle_t*, void*) { return refuse(); }

musaError_t musaIpcOpenMemHandle(void**, musaIpcMemHandle_t, unsigned int) { return refuse(); }

musaError_t musaIpcCloseMemHandle(void*) { return refuse(); }
