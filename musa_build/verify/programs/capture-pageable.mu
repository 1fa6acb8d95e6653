// expect copy=musaSuccess
// expect first=1
// expect second=2
#include <initializer_list>

#include "probe.h"
int main() {
    static int host = 1;
    int *device, got = 0;
    musaStream_t stream;
    musaGraph_t graph;
    musaGraphExec_t exec;
    CHECK(musaMalloc(reinterpret_cast<void**>(&device), sizeof(int)));
    CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeGlobal));
    fact("copy", musaMemcpyAsync(device, &host, sizeof host, musaMemcpyHostToDevice, stream));
    CHECK(musaStreamEndCapture(stream, &graph));
    CHECK(musaGraphInstantiate(&exec, graph, 0ull));
    for (const char* name : {"first", "second"}) {
        CHECK(musaGraphLaunch(exec, stream));
        CHECK(musaStreamSynchronize(stream));
        CHECK(musaMemcpy(&got, device, sizeof got, musaMemcpyDeviceToHost));
        fact(name, got);
        host = 2;
    }
}
