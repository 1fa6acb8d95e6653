// expect begun_twice=musaErrorIllegalState
// expect unjoined=musaErrorStreamCaptureUnjoined
// expect event_of_a_capture_that_is_over=musaErrorInvalidValue
// expect end_without_begin=musaErrorIllegalState
#include "probe.h"
__global__ void nothing() {}
musaStream_t stream() {
    musaStream_t made;
    CHECK(musaStreamCreateWithFlags(&made, musaStreamNonBlocking));
    return made;
}
int main() {
    musaGraph_t graph = nullptr;
    const musaStream_t a = stream(), b = stream();
    CHECK(musaStreamBeginCapture(a, musaStreamCaptureModeRelaxed));
    fact("begun_twice", musaStreamBeginCapture(a, musaStreamCaptureModeRelaxed));
    musaEvent_t event;
    CHECK(musaEventCreateWithFlags(&event, musaEventDisableTiming));
    CHECK(musaEventRecord(event, a));
    CHECK(musaStreamWaitEvent(b, event, 0));
    nothing<<<1, 1, 0, b>>>();
    fact("unjoined", musaStreamEndCapture(a, &graph));
    musaGetLastError();
    const musaStream_t c = stream();
    CHECK(musaStreamBeginCapture(c, musaStreamCaptureModeRelaxed));
    CHECK(musaEventRecord(event, c));
    CHECK(musaStreamEndCapture(c, &graph));
    fact("event_of_a_capture_that_is_over", musaEventSynchronize(event));
    musaGetLastError();
    fact("end_without_begin", musaStreamEndCapture(stream(), &graph));
}
