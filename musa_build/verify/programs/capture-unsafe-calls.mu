// Each call is made in a capture of its own; 1 if the call is refused.
// expect malloc=1
// expect free=1
// expect memcpy=1
// expect memset=1
// expect stream_synchronize=1
// expect stream_query=1
// expect device_synchronize=1
// expect launch=0
#include "probe.h"
__global__ void nothing() {}
template <class Call>
void ask(const char* name, Call call) {
    musaStream_t stream;
    musaGraph_t graph;
    CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeGlobal));
    fact(name, call(stream) != musaSuccess);
    musaStreamEndCapture(stream, &graph);
    musaGetLastError();
    musaStreamDestroy(stream);
}
int main() {
    static int host;
    void *device, *more;
    CHECK(musaMalloc(&device, 64));
    CHECK(musaMalloc(&more, 64));
    ask("malloc", [](musaStream_t) { void* p; return musaMalloc(&p, 64); });
    ask("free", [more](musaStream_t) { return musaFree(more); });
    ask("memcpy", [device](musaStream_t) { return musaMemcpy(device, &host, 4, musaMemcpyHostToDevice); });
    ask("memset", [device](musaStream_t) { return musaMemset(device, 0, 4); });
    ask("stream_synchronize", [](musaStream_t s) { return musaStreamSynchronize(s); });
    ask("stream_query", [](musaStream_t s) { return musaStreamQuery(s); });
    ask("device_synchronize", [](musaStream_t) { return musaDeviceSynchronize(); });
    ask("launch", [](musaStream_t s) { nothing<<<1, 1, 0, s>>>(); return musaGetLastError(); });
}
