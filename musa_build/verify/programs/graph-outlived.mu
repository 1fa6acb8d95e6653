// refuted by crash
// expect error=musaSuccess
// expect value=1
#include "probe.h"
__global__ void add(int* x) { *x += 1; }
int main() {
    int* x = managed<int>(1);
    musaStream_t stream;
    musaGraph_t graph;
    musaGraphExec_t exec;
    CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(x);
    CHECK(musaStreamEndCapture(stream, &graph));
    CHECK(musaGraphInstantiate(&exec, graph, 0ull));
    CHECK(musaGraphDestroy(graph));
    const musaError_t launched = musaGraphLaunch(exec, stream);
    fact("error", launched != musaSuccess ? launched : musaStreamSynchronize(stream));
    fact("value", *x);
}
