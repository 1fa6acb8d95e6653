// expect prefetch=musaErrorStreamCaptureUnsupported
#include "probe.h"
int main() {
    int* data = managed<int>(1024);
    musaStream_t stream;
    CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeGlobal));
    fact("prefetch", musaMemPrefetchAsync(data, 1024 * sizeof(int), 0, stream));
    musaGraph_t graph;
    (void)musaStreamEndCapture(stream, &graph);
}
