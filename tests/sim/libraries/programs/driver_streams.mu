// Launches with the arguments in a buffer, words of memory that streams wait for and write, events of two processes.
#include <musa.h>
#include <musa_runtime.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

namespace {

void expect(MUresult result, const char* what) {
    if (result == MUSA_SUCCESS) return;
    const char* name = "?";
    muGetErrorName(result, &name);
    std::fprintf(stderr, "%s: %s\n", what, name);
    std::exit(3);
}
#define CHECK(call) expect(static_cast<MUresult>(call), #call)

void tell(const char* name, long long value) { std::printf("%s=%lld\n", name, value); }
void tell(const char* name, MUresult result) {
    const char* text = "?";
    muGetErrorName(result, &text);
    std::printf("%s=%s\n", name, text);
}

void begin() {
    CHECK(muInit(0));
    MUdevice device = 0;
    MUcontext context = nullptr;
    CHECK(muDeviceGet(&device, 0));
    CHECK(muDevicePrimaryCtxRetain(&context, device));
    CHECK(muCtxSetCurrent(context));
}

MUdeviceptr allocate(size_t bytes) {
    MUdeviceptr memory = 0;
    CHECK(muMemAlloc(&memory, bytes));
    CHECK(muMemsetD8(memory, 0, bytes));
    CHECK(muCtxSynchronize());  // the host and other streams do not wait for it
    return memory;
}

template <class T>
T word_at(MUdeviceptr memory) {
    T value;
    CHECK(muMemcpyDtoH(&value, memory, sizeof value));
    return value;
}

MUstream stream() {
    MUstream made = nullptr;
    CHECK(muStreamCreate(&made, MU_STREAM_NON_BLOCKING));
    return made;
}

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

__global__ void add(int* at, int by, double factor, char half) { *at += by * static_cast<int>(factor) + half; }

struct Pairs {
    float2 of[3];
};
__global__ void unknown(char first, int second, Pairs pairs, float* out) {
    out[0] = pairs.of[2].y + second + first;
}

__global__ void two_offsets(int first, Pairs pairs, float* out) { *out = pairs.of[0].x + first; }

void older() {
    begin();
    MUfunction function = nullptr;
    CHECK(musaGetFuncBySymbol(&function, reinterpret_cast<const void*>(add)));
    const MUdeviceptr memory = allocate(4);
    CHECK(muFuncSetBlockShape(function, 1, 1, 1));
    CHECK(muFuncSetSharedSize(function, 0));
    CHECK(muParamSetv(function, 0, const_cast<MUdeviceptr*>(&memory), sizeof memory));
    CHECK(muParamSeti(function, 8, 20));
    double factor = 3;
    CHECK(muParamSetv(function, 16, &factor, sizeof factor));
    char half = 2;
    CHECK(muParamSetv(function, 24, &half, 1));
    CHECK(muParamSetSize(function, 25));
    CHECK(muLaunch(function));
    tell("one", word_at<int>(memory));
    CHECK(muLaunchGrid(function, 2, 1));
    CHECK(muCtxSynchronize());
    tell("more", word_at<int>(memory) > 62);
    CHECK(muParamSetSize(function, 20));
    tell("too small", muLaunch(function));
    tell("no shape", muFuncSetBlockShape(function, 0, 1, 1));

    // The words of `extra` themselves.
    char buffer[32] = {};
    size_t bytes = sizeof buffer;
    void* both[] = {MU_LAUNCH_PARAM_BUFFER_POINTER, buffer, MU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, MU_LAUNCH_PARAM_END};
    void* unsized[] = {MU_LAUNCH_PARAM_BUFFER_POINTER, buffer, MU_LAUNCH_PARAM_END};
    void* parameters[] = {buffer, buffer, buffer, buffer};
    tell("both ways", muLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, both));
    tell("no size", muLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, unsized));

    // mcc does not know that Pairs is aligned to 8; where it may begin at one byte only, that does not matter.
    const MUdeviceptr out = allocate(4);
    struct {
        char first;
        int second;
        Pairs pairs;
        MUdeviceptr out;
    } arguments = {1, 2, {{{3, 4}, {5, 6}, {7, 8}}}, out};
    static_assert(sizeof arguments == 40);
    size_t size = sizeof arguments;
    void* extra[] = {MU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, MU_LAUNCH_PARAM_BUFFER_SIZE, &size, MU_LAUNCH_PARAM_END};
    CHECK(musaGetFuncBySymbol(&function, reinterpret_cast<const void*>(unknown)));
    CHECK(muLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    CHECK(muCtxSynchronize());
    MUfunction ambiguous = nullptr;
    CHECK(musaGetFuncBySymbol(&ambiguous, reinterpret_cast<const void*>(two_offsets)));
    tell("two places", muLaunchKernel(ambiguous, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    tell("class", static_cast<long long>(word_at<float>(out)));

    // Nodes of graphs take the same words.
    MUgraph graph = nullptr;
    MUgraphNode node = nullptr;
    MUgraphExec exec = nullptr;
    CHECK(muGraphCreate(&graph, 0));
    MUSA_KERNEL_NODE_PARAMS kernel{};
    kernel.func = function;
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.extra = extra;
    arguments.second = 100;
    CHECK(muGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
    arguments.second = 0;  // the node has its own
    CHECK(muGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(muGraphLaunch(exec, nullptr));
    CHECK(muCtxSynchronize());
    tell("node", static_cast<long long>(word_at<float>(out)));
}

// The stream passes when the word is `passes`, not before.
template <class Word>
void waits(const char* name, unsigned how, Word value, Word stops, Word passes) {
    const MUstream first = stream();
    const MUdeviceptr memory = allocate(64);
    Word* const word = reinterpret_cast<Word*>(memory);
    __atomic_store_n(word, stops, __ATOMIC_SEQ_CST);
    if constexpr (sizeof(Word) == 4) {
        CHECK(muStreamWaitValue32(first, memory, value, how));
    } else {
        CHECK(muStreamWaitValue64(first, memory, value, how));
    }
    CHECK(muStreamWriteValue32(first, memory + 32, 77, MU_STREAM_WRITE_VALUE_DEFAULT));
    pause();
    const bool waited = muStreamQuery(first) == MUSA_ERROR_NOT_READY;
    __atomic_store_n(word, passes, __ATOMIC_SEQ_CST);
    CHECK(muStreamSynchronize(first));
    tell(name, waited && word_at<unsigned>(memory + 32) == 77);
    CHECK(muStreamDestroy(first));
}

void words() {
    begin();
    for (const MUdevice_attribute attribute :
         {MU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS, MU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
          MU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR}) {
        int there = 0;
        CHECK(muDeviceGetAttribute(&there, attribute, 0));
        if (!there) tell("lacks", attribute);
    }
    waits<unsigned>("geq", MU_STREAM_WAIT_VALUE_GEQ, 5, 4, 6);
    waits<unsigned>("geq around", MU_STREAM_WAIT_VALUE_GEQ, 2, 0xfffffff0u, 3);
    waits<unsigned>("eq", MU_STREAM_WAIT_VALUE_EQ, 5, 6, 5);
    waits<unsigned>("and", MU_STREAM_WAIT_VALUE_AND, 6, 9, 4);
    waits<unsigned>("nor", MU_STREAM_WAIT_VALUE_NOR, 0xf, 0xfffffff0u, 0x10);
    waits<unsigned long long>("geq 64", MU_STREAM_WAIT_VALUE_GEQ, 1ull << 40, 1ull << 39, 1ull << 41);
    waits<unsigned long long>("eq 64", MU_STREAM_WAIT_VALUE_EQ, 1ull << 40, 0, 1ull << 40);

    // Two streams that wait for each other in turn, in one batch each.
    const MUdeviceptr memory = allocate(64);
    const MUstream ping = stream(), pong = stream();
    const auto wait = [&](int at, unsigned value) {
        MUstreamBatchMemOpParams made{};
        made.waitValue.operation = MU_STREAM_MEM_OP_WAIT_VALUE_32;
        made.waitValue.address = memory + static_cast<MUdeviceptr>(at);
        made.waitValue.value = value;
        made.waitValue.flags = MU_STREAM_WAIT_VALUE_EQ;
        return made;
    };
    const auto write = [&](int at, unsigned value) {
        MUstreamBatchMemOpParams made{};
        made.writeValue.operation = MU_STREAM_MEM_OP_WRITE_VALUE_32;
        made.writeValue.address = memory + static_cast<MUdeviceptr>(at);
        made.writeValue.value = value;
        return made;
    };
    MUstreamBatchMemOpParams here[] = {wait(0, 1), write(8, 1), wait(0, 2), write(8, 2)};
    MUstreamBatchMemOpParams there[] = {write(0, 1), wait(8, 1), write(0, 2), wait(8, 2)};
    CHECK(muStreamBatchMemOp(ping, 4, here, 0));
    CHECK(muStreamBatchMemOp(pong, 4, there, 0));
    CHECK(muStreamSynchronize(ping));
    CHECK(muStreamSynchronize(pong));
    tell("in turn", word_at<unsigned>(memory) * 10 + word_at<unsigned>(memory + 8));

    // A kernel opens the way.
    CHECK(muStreamWaitValue32(ping, memory, 44, MU_STREAM_WAIT_VALUE_EQ));
    add<<<1, 1, 0, pong>>>(reinterpret_cast<int*>(memory), 20, 2.5, 2);
    CHECK(muStreamSynchronize(ping));

    tell("no such memory", muStreamWriteValue32(ping, 64, 1, 0));
    tell("odd address", muStreamWaitValue32(ping, memory + 2, 1, 0));
    tell("no such way", muStreamWaitValue32(ping, memory, 1, 7));
    CHECK(muStreamBeginCapture(ping, MU_STREAM_CAPTURE_MODE_RELAXED));
    tell("captured", muStreamWaitValue32(ping, memory, 1, 0));
}

// One process records an event, the other waits for it: in a stream, by asking, by synchronising.
void events() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::exit(4);
    const auto send = [&](int end, const void* what, size_t bytes) {
        if (write(ends[end], what, bytes) != static_cast<ssize_t>(bytes)) std::_Exit(5);
    };
    const auto receive = [&](int end, void* what, size_t bytes) {
        if (read(ends[end], what, bytes) != static_cast<ssize_t>(bytes)) std::_Exit(6);
    };
    char token = 0;
    if (fork() == 0) {
        begin();
        MUipcEventHandle handle;
        MUipcMemHandle shared;
        receive(1, &handle, sizeof handle);
        receive(1, &shared, sizeof shared);
        MUevent event = nullptr;
        MUdeviceptr memory = 0;
        CHECK(muIpcOpenEventHandle(&event, handle));
        CHECK(muIpcOpenMemHandle(&memory, shared, MU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
        const bool was_waiting = muEventQuery(event) == MUSA_ERROR_NOT_READY;
        const MUstream own = stream();
        CHECK(muStreamWaitEvent(own, event, 0));
        CHECK(muMemcpyDtoDAsync(memory + 16, memory, 4, own));
        pause();
        const bool waited = muStreamQuery(own) == MUSA_ERROR_NOT_READY;
        send(1, &token, 1);
        CHECK(muStreamSynchronize(own));
        CHECK(muEventSynchronize(event));
        float time = 0;
        const bool untimed = muEventElapsedTime(&time, event, event) == MUSA_ERROR_INVALID_HANDLE;
        // Now this process records, and the other waits.
        CHECK(muEventRecord(event, own));
        CHECK(muEventDestroy(event));
        send(1, &token, 1);
        std::_Exit(was_waiting && waited && untimed ? 0 : 10 + 4 * was_waiting + 2 * waited + untimed);
    }
    begin();
    MUevent event = nullptr, plain = nullptr;
    tell("timed", muEventCreate(&event, MU_EVENT_INTERPROCESS));
    CHECK(muEventCreate(&plain, MU_EVENT_DISABLE_TIMING));
    CHECK(muEventCreate(&event, MU_EVENT_INTERPROCESS | MU_EVENT_DISABLE_TIMING));
    MUipcEventHandle handle;
    tell("not for others", muIpcGetEventHandle(&handle, plain));
    const MUdeviceptr memory = allocate(8 << 20), gate = allocate(64);
    const MUstream own = stream();
    MUipcMemHandle shared;
    CHECK(muIpcGetMemHandle(&shared, memory));
    CHECK(muStreamWaitValue32(own, gate, 1, MU_STREAM_WAIT_VALUE_EQ));
    CHECK(muMemsetD32Async(memory, 42, 1, own));
    CHECK(muEventRecord(event, own));
    CHECK(muIpcGetEventHandle(&handle, event));
    MUevent again = nullptr;
    tell("own handle", muIpcOpenEventHandle(&again, handle));
    send(0, &handle, sizeof handle);
    send(0, &shared, sizeof shared);
    receive(0, &token, 1);
    tell("still recorded", muEventQuery(event));
    *reinterpret_cast<volatile unsigned*>(gate) = 1;
    receive(0, &token, 1);
    CHECK(muEventSynchronize(event));
    int status = -1;
    wait(&status);
    tell("child", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    tell("seen", word_at<unsigned>(memory + 16));
    std::memset(&handle, 7, sizeof handle);
    tell("no handle", muIpcOpenEventHandle(&again, handle));
}

}  // namespace

int main(int, char** arguments) {
    const std::string name = arguments[1];
    for (const auto& known : {std::pair<const char*, void (*)()>{"older", older}, {"words", words}, {"events", events}}) {
        if (name == known.first) return known.second(), 0;
    }
    return 1;
}
