// refuted by compile-error
// expect kernel=0
// expect memcpy=1
// expect memset=2
// expect host=3
// expect auto_free=1
// expect active=1
// expect invalidated=2
// expect relaxed=2
#include "probe.h"
int main() {
    fact("kernel", static_cast<long long>(musaGraphNodeTypeKernel));
    fact("memcpy", static_cast<long long>(musaGraphNodeTypeMemcpy));
    fact("memset", static_cast<long long>(musaGraphNodeTypeMemset));
    fact("host", static_cast<long long>(musaGraphNodeTypeHost));
    fact("auto_free", static_cast<long long>(musaGraphInstantiateFlagAutoFreeOnLaunch));
    fact("active", static_cast<long long>(musaStreamCaptureStatusActive));
    fact("invalidated", static_cast<long long>(musaStreamCaptureStatusInvalidated));
    fact("relaxed", static_cast<long long>(musaStreamCaptureModeRelaxed));
}
