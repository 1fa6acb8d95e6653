// refuted by compile-error
// expect value=3
// expect capturing=1
#include "probe.h"
__global__ void add(int* x) { *x += 1; }
int main() {
    musaError_t (*begin)(musaStream_t, musaStreamCaptureMode) = musaStreamBeginCapture;
    musaError_t (*end)(musaStream_t, musaGraph_t*) = musaStreamEndCapture;
    musaError_t (*status)(musaStream_t, musaStreamCaptureStatus*) = musaStreamIsCapturing;
    musaError_t (*launch)(musaGraphExec_t, musaStream_t) = musaGraphLaunch;
    int* x = managed<int>(1);
    musaStream_t stream;
    musaGraph_t graph;
    musaGraphExec_t exec, old;
    musaStreamCaptureStatus now;
    CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
    CHECK(begin(stream, musaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(x);
    CHECK(status(stream, &now));
    fact("capturing", now == musaStreamCaptureStatusActive);
    CHECK(end(stream, &graph));
    CHECK(musaGraphInstantiate(&exec, graph, 0ull));                 // CUDA 12's form
    CHECK(musaGraphInstantiate(&old, graph, nullptr, nullptr, 0));   // CUDA 11's
    for (int i = 0; i < 2; ++i) CHECK(launch(exec, stream));
    CHECK(launch(old, stream));
    CHECK(musaStreamSynchronize(stream));
    fact("value", *x);
}
