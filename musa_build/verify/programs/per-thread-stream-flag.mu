// Captures a launch in stream 0: the device's default stream refuses a capture, that of a thread records the launch.
// flags -fgpu-default-stream=per-thread -DMUSA_API_PER_THREAD_DEFAULT_STREAM=1
// expect begin=musaSuccess
// expect of_the_thread=1
// expect nodes=1
// refuted by compile-error
#include "probe.h"
__global__ void seven(int* out) { *out = 7; }
int main() {
    int* out = managed<int>(1);
    CHECK(musaDeviceSynchronize());
    const musaError_t begun = musaStreamBeginCapture(nullptr, musaStreamCaptureModeThreadLocal);
    fact("begin", begun);
    if (begun != musaSuccess) return 0;
    musaStreamCaptureStatus status = musaStreamCaptureStatusNone;
    CHECK(musaStreamIsCapturing(musaStreamPerThread, &status));
    fact("of_the_thread", status == musaStreamCaptureStatusActive);
    seven<<<1, 1>>>(out);
    musaGraph_t graph = nullptr;
    size_t nodes = 0;
    CHECK(musaStreamEndCapture(nullptr, &graph));
    CHECK(musaGraphGetNodes(graph, nullptr, &nodes));
    fact("nodes", static_cast<long long>(nodes));
}
