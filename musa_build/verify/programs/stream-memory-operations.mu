// libraries musa
// refuted by compile-error
// expect words=1
// expect waited=1
// expect passed=7
// expect packed=42
// expect shared_event=0
// expect timed_event=1
#include <musa.h>

#include "probe.h"
#define DRIVER(call) \
    if ((call) != MUSA_SUCCESS) undecided(#call " failed")
__global__ void add(int* x, char first, double second) { *x = first + static_cast<int>(second); }
int main() {
    int words = 0;
    DRIVER(muInit(0));
    CHECK(musaFree(nullptr));
    DRIVER(muDeviceGetAttribute(&words, MU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS, 0));
    fact("words", words);

    // a second stream writes the word that the first one waits for
    MUdeviceptr memory = 0;
    DRIVER(muMemAlloc(&memory, 64));
    DRIVER(muMemsetD32(memory, 0, 16));
    DRIVER(muCtxSynchronize());
    MUstream waiting = nullptr, writing = nullptr;
    DRIVER(muStreamCreate(&waiting, MU_STREAM_NON_BLOCKING));
    DRIVER(muStreamCreate(&writing, MU_STREAM_NON_BLOCKING));
    DRIVER(muStreamWaitValue32(waiting, memory, 1, MU_STREAM_WAIT_VALUE_EQ));
    DRIVER(muStreamWriteValue32(waiting, memory + 32, 7, MU_STREAM_WRITE_VALUE_DEFAULT));
    fact("waited", muStreamQuery(waiting) == MUSA_ERROR_NOT_READY);
    DRIVER(muStreamWriteValue32(writing, memory, 1, MU_STREAM_WRITE_VALUE_DEFAULT));
    DRIVER(muStreamSynchronize(waiting));
    int there = 0;
    DRIVER(muMemcpyDtoH(&there, memory + 32, sizeof there));
    fact("passed", there);

    // the buffer is a structure of the parameters
    struct {
        MUdeviceptr x;
        char first;
        double second;
    } arguments = {memory, 2, 40};
    size_t size = sizeof arguments;
    void* extra[] = {MU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, MU_LAUNCH_PARAM_BUFFER_SIZE, &size, MU_LAUNCH_PARAM_END};
    MUfunction kernel = nullptr;
    CHECK(musaGetFuncBySymbol(&kernel, reinterpret_cast<const void*>(add)));
    DRIVER(muLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    CHECK(ended());
    DRIVER(muMemcpyDtoH(&there, memory, sizeof there));
    fact("packed", there);

    MUevent event = nullptr;
    MUipcEventHandle handle;
    DRIVER(muEventCreate(&event, MU_EVENT_INTERPROCESS | MU_EVENT_DISABLE_TIMING));
    fact("shared_event", static_cast<long long>(muIpcGetEventHandle(&handle, event)));
    fact("timed_event", static_cast<long long>(muEventCreate(&event, MU_EVENT_INTERPROCESS)));
}
