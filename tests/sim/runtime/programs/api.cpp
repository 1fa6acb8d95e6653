// api CASE: the runtime API from ordinary C++, without kernels. Prints `question=answer` lines.
#include <musa.h>
#include <musa_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

void tell(const char* question, musaError_t answer) {
    std::printf("%s=%s\n", question, musaGetErrorName(answer));
}
void tell(const char* question, long long answer) { std::printf("%s=%lld\n", question, answer); }

#define TELL(call) tell(#call, call)

void memory() {
    char *a = nullptr, *b = nullptr, *managed = nullptr, *pinned = nullptr;
    char host[256], back[256];
    for (int i = 0; i < 256; ++i) host[i] = static_cast<char>(i);
    size_t free_before = 0, free_after = 0, total = 0;
    musaMemGetInfo(&free_before, &total);
    tell("malloc", musaMalloc(&a, 256));
    tell("malloc b", musaMalloc(&b, 256));
    musaMemGetInfo(&free_after, &total);
    tell("free memory less", static_cast<long long>(free_before - free_after));
    tell("total", static_cast<long long>(total));
    tell("alignment", reinterpret_cast<long long>(a) % 512);
    tell("h2d", musaMemcpy(a, host, 256, musaMemcpyHostToDevice));
    tell("d2d", musaMemcpy(b, a, 256, musaMemcpyDeviceToDevice));
    tell("d2h", musaMemcpy(back, b, 256, musaMemcpyDefault));
    tell("same", std::memcmp(host, back, 256) == 0);
    tell("inner pointer", musaMemcpy(a + 100, host, 156, musaMemcpyHostToDevice));
    tell("past the end", musaMemcpy(a + 100, host, 157, musaMemcpyHostToDevice));
    tell("host as device", musaMemcpy(back, host, 8, musaMemcpyHostToDevice));
    tell("host as device source", musaMemcpy(back, host, 8, musaMemcpyDeviceToHost));
    tell("null", musaMemcpy(nullptr, host, 8, musaMemcpyDefault));
    tell("null, no bytes", musaMemcpy(nullptr, host, 0, musaMemcpyDefault));
    tell("kind 9", musaMemcpy(a, host, 8, static_cast<musaMemcpyKind>(9)));
    tell("memset", musaMemset(a, 7, 256));
    tell("memset past the end", musaMemset(a, 7, 257));
    tell("memset host", musaMemset(host, 7, 1));
    musaMemcpy(back, a, 256, musaMemcpyDeviceToHost);
    tell("filled", back[0] == 7 && back[255] == 7);
    tell("2d", musaMemcpy2D(a, 64, host, 16, 16, 4, musaMemcpyHostToDevice));
    musaMemcpy(back, a, 256, musaMemcpyDeviceToHost);
    tell("2d rows", back[64] == 16 && back[64 * 3 + 15] == 63 && back[16] == 7);
    tell("2d pitch", musaMemcpy2D(a, 8, host, 16, 16, 4, musaMemcpyHostToDevice));
    tell("2d past the end", musaMemcpy2D(a, 100, host, 16, 16, 4, musaMemcpyHostToDevice));
    tell("managed", musaMallocManaged(&managed, 16));
    tell("pinned", musaHostAlloc(&pinned, 16, musaHostAllocMapped));
    unsigned flags = 0;
    tell("flags of pinned", musaHostGetFlags(&flags, pinned));
    tell("mapped", flags == musaHostAllocMapped);
    tell("flags of a device's", musaHostGetFlags(&flags, a));
    tell("flags of plain", musaHostGetFlags(&flags, host));
    tell("register", musaHostRegister(host, 256, musaHostRegisterDefault));
    tell("register twice", musaHostRegister(host + 8, 8, musaHostRegisterDefault));
    for (const char* pointer : {a + 3, managed, pinned, host + 1, back}) {
        musaPointerAttributes attributes;
        musaPointerGetAttributes(&attributes, pointer);
        std::printf("type of %s=%d\n",
                    pointer == a + 3     ? "device"
                    : pointer == managed ? "managed"
                    : pointer == pinned  ? "pinned"
                    : pointer == back    ? "plain"
                                         : "registered",
                    attributes.type);
    }
    tell("unregister", musaHostUnregister(host));
    tell("unregister twice", musaHostUnregister(host));
    tell("register read-only", musaHostRegister(host, 256, musaHostRegisterPortable | musaHostRegisterReadOnly));
    tell("flags of registered", musaHostGetFlags(&flags, host) == musaSuccess ? static_cast<int>(flags) : -1);
    tell("unregister read-only", musaHostUnregister(host));
    tell("register a device's", musaHostRegister(host, 256, musaHostRegisterIoMemory));
    tell("free inner", musaFree(a + 1));
    tell("free pinned as device", musaFree(pinned));
    tell("free device as pinned", musaFreeHost(a));
    tell("free", musaFree(a));
    tell("free twice", musaFree(a));
    tell("free null", musaFree(nullptr));
    tell("free managed", musaFree(managed));
    tell("free pinned", musaFreeHost(pinned));
    musaFree(b);
    musaMemGetInfo(&free_after, &total);
    tell("all returned", free_before == free_after);
    void* nothing = &a;
    tell("malloc 0", musaMalloc(&nothing, 0));
    tell("malloc 0 is null", nothing == nullptr);
    tell("malloc too much", musaMalloc(&nothing, total + 1));
    tell("malloc absurd", musaMalloc(&nothing, SIZE_MAX));
    tell("last", musaGetLastError());
    tell("last is cleared", musaGetLastError());
}

void streams() {
    musaStream_t stream = nullptr, other = nullptr, destroyed = nullptr;
    tell("create", musaStreamCreate(&stream));
    tell("create with flags", musaStreamCreateWithFlags(&other, musaStreamNonBlocking));
    tell("fire and forget", musaStreamSynchronize(musaStreamFireAndForget));
    tell("create with bad flags", musaStreamCreateWithFlags(&other, 77));
    unsigned flags = 0;
    musaStreamGetFlags(other, &flags);
    tell("flags", flags);
    int least = -99, greatest = -99, priority = -99;
    musaDeviceGetStreamPriorityRange(&least, &greatest);
    tell("range", least == 0 && greatest == -1);
    musaStreamCreateWithPriority(&destroyed, musaStreamDefault, -100);
    musaStreamGetPriority(destroyed, &priority);
    tell("priority", priority);
    tell("destroy", musaStreamDestroy(destroyed));
    tell("destroy twice", musaStreamDestroy(destroyed));
    tell("synchronize destroyed", musaStreamSynchronize(destroyed));
    tell("query", musaStreamQuery(stream));
    for (musaStream_t each :
         {static_cast<musaStream_t>(nullptr), musaStreamLegacy, musaStreamPerThread, stream}) {
        if (musaStreamSynchronize(each) != musaSuccess) std::printf("synchronize=failed\n");
    }
    std::string called;
    auto append = [](void* text) { *static_cast<std::string*>(text) += "host function;"; };
    tell("host function", musaLaunchHostFunc(stream, append, &called));
    musaStreamSynchronize(stream);
    std::printf("told=%s\n", called.c_str());
    int value = 0;
    tell("copy on destroyed", musaMemcpyAsync(&value, &flags, 4, musaMemcpyHostToHost, destroyed));

    musaEvent_t start = nullptr, end = nullptr, untimed = nullptr;
    float milliseconds = -1;
    musaEventCreate(&start);
    musaEventCreate(&end, musaEventDefault);
    tell("untimed", musaEventCreateWithFlags(&untimed, musaEventDisableTiming));
    tell("elapsed before recording", musaEventElapsedTime(&milliseconds, start, end));
    tell("record", musaEventRecord(start, stream));
    tell("record end", musaEventRecord(end));
    tell("wait", musaStreamWaitEvent(other, end, 0));
    tell("synchronize event", musaEventSynchronize(end));
    tell("query event", musaEventQuery(end));
    tell("elapsed", musaEventElapsedTime(&milliseconds, start, end));
    tell("elapsed is time", milliseconds >= 0 && milliseconds < 1000);
    musaEventRecord(untimed, stream);
    tell("elapsed untimed", musaEventElapsedTime(&milliseconds, start, untimed));
    tell("record on destroyed", musaEventRecord(start, destroyed));
    tell("destroy event", musaEventDestroy(untimed));
    tell("destroy event twice", musaEventDestroy(untimed));
    tell("wait for destroyed", musaStreamWaitEvent(stream, untimed, 0));
    musaStreamDestroy(stream);
    musaStreamDestroy(other);
}

void devices() {
    int count = -1, current = -1, value = -1;
    tell("count error", musaGetDeviceCount(&count));
    tell("count", count);
    for (int i = 0; i < count; ++i) {
        musaDeviceProp prop;
        tell("set", musaSetDevice(i));
        musaGetDevice(&current);
        musaGetDeviceProperties(&prop, i);
        musaDeviceGetAttribute(&value, musaDevAttrMaxSharedMemoryPerBlockOptin, i);
        std::printf(
            "device %d=%s %d.%d warp %d shared %zu/%zu/%d registers %d grid %d block %d x %d "
            "current %d\n",
            i, prop.name, prop.major, prop.minor, prop.warpSize, prop.sharedMemPerBlock,
            prop.sharedMemPerBlockOptin, value, prop.regsPerBlock, prop.maxGridSize[2],
            prop.maxThreadsPerBlock, prop.maxThreadsDim[2], current);
        char bus[16] = "";
        musaDeviceGetPCIBusId(bus, sizeof bus, i);
        std::printf("identity %d=%.16s %s\n", i, prop.uuid.bytes, bus);
    }
    tell("set too far", musaSetDevice(count));
    tell("set negative", musaSetDevice(-1));
    musaDeviceProp prop;
    tell("properties too far", musaGetDeviceProperties(&prop, count));
    tell("unknown attribute",
         musaDeviceGetAttribute(&value, static_cast<musaDeviceAttr>(12345), 0));
    musaRuntimeGetVersion(&value);
    tell("runtime", value);
    tell("musa.h", MUSA_VERSION);
    tell("musart", MUSART_VERSION);
    tell("bank size", musaDeviceSetSharedMemConfig(musaSharedMemBankSizeEightByte));
    tell("bank size 3", musaDeviceSetSharedMemConfig(static_cast<musaSharedMemConfig>(3)));
    musaSharedMemConfig banks = musaSharedMemBankSizeDefault;
    tell("bank size is", musaDeviceGetSharedMemConfig(&banks));
    tell("banks", banks);
    tell("bank size of no kernel",
         musaFuncSetSharedMemConfig(&value, musaSharedMemBankSizeFourByte));
    if (count < 2) return;

    musaSetDevice(0);
    musaStream_t stream_of_0 = nullptr;
    musaEvent_t event_of_1 = nullptr;
    musaStreamCreate(&stream_of_0);
    int *a = nullptr, *b = nullptr, seven = 7, back = 0;
    musaMalloc(&a, 4);
    musaSetDevice(1);
    musaEventCreate(&event_of_1);
    tell("event and stream of two devices", musaEventRecord(event_of_1, stream_of_0));
    musaMalloc(&b, 4);
    musaPointerAttributes attributes;
    musaPointerGetAttributes(&attributes, a);
    tell("device of a", attributes.device);
    musaPointerGetAttributes(&attributes, b);
    tell("device of b", attributes.device);
    musaMemcpy(a, &seven, 4, musaMemcpyHostToDevice);
    tell("peer copy", musaMemcpyPeer(b, 1, a, 0, 4));
    musaMemcpy(&back, b, 4, musaMemcpyDeviceToHost);
    tell("copied", back);
    const int eight = 8;
    musaMemcpy(a, &eight, 4, musaMemcpyHostToDevice);
    musaMemcpy3DPeerParms box{};
    box.srcPtr = {a, 4, 4, 1};
    box.dstPtr = {b, 4, 4, 1};
    box.dstDevice = 1;
    box.extent = {4, 1, 1};
    tell("peer box", musaMemcpy3DPeer(&box));
    musaMemcpy(&back, b, 4, musaMemcpyDeviceToHost);
    tell("box copied", back);
    box.srcDevice = 2;
    tell("peer box of no device", musaMemcpy3DPeer(&box));
    musaDeviceCanAccessPeer(&value, 0, 1);
    tell("can access", value);
    tell("enable", musaDeviceEnablePeerAccess(0, 0));
    tell("enable twice", musaDeviceEnablePeerAccess(0, 0));
    tell("enable self", musaDeviceEnablePeerAccess(1, 0));
    tell("disable", musaDeviceDisablePeerAccess(0));
    tell("disable twice", musaDeviceDisablePeerAccess(0));

    musaIpcMemHandle_t memory;
    tell("share memory", musaIpcGetMemHandle(&memory, a));
    musaEvent_t event = nullptr;
    musaIpcEventHandle_t shared;
    musaEventCreateWithFlags(&event, musaEventInterprocess | musaEventDisableTiming);
    tell("share event", musaIpcGetEventHandle(&shared, event));
}

void errors() {
    for (int code = 0; code <= 10000; ++code) {
        const auto error = static_cast<musaError_t>(code);
        if (std::strcmp(musaGetErrorName(error), "unrecognized error code") == 0) continue;
        std::printf("%d=%s: %s\n", code, musaGetErrorName(error), musaGetErrorString(error));
    }
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    if (name == "memory") memory();
    if (name == "streams") streams();
    if (name == "devices") devices();
    if (name == "errors") errors();
}
