// graphs CASE: streams captured into graphs. Prints `question=answer` lines, or arrays.
#include <musa_sim_activity.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "program.h"

namespace {

using namespace std::chrono_literals;

void tell(const char* question, musaError_t answer) {
    std::printf("%s=%s\n", question, musaGetErrorName(answer));
}
void tell(const char* question, long long answer) { std::printf("%s=%lld\n", question, answer); }

musaStream_t stream_with(unsigned flags) {
    musaStream_t stream = nullptr;
    CHECK(musaStreamCreateWithFlags(&stream, flags));
    return stream;
}
musaStream_t side_stream() { return stream_with(musaStreamNonBlocking); }

musaEvent_t new_event() {
    musaEvent_t event = nullptr;
    CHECK(musaEventCreate(&event));
    return event;
}

}  // namespace

__global__ void scale(unsigned* x, unsigned n, unsigned factor, unsigned summand) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * factor + summand;
}
__global__ void add(unsigned* to, const unsigned* a, const unsigned* b, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = a[i] + b[i];
}
__global__ void rotate(unsigned* to, const unsigned* from, unsigned n) {
    __shared__ unsigned tile[128];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? from[i] : 0;
    __syncthreads();
    if (i < n) to[i] = tile[(threadIdx.x + 1) % blockDim.x];
}
__global__ void set(int* out, int value) { *out = value; }
__global__ void crash(int* out) { *out = 1; }
__global__ void meet(int* mine, int* theirs) {
    atomicExch(mine, 1);
    while (atomicAdd(theirs, 0) == 0) {
    }
}

// Defects that the checks find (--sim-check=all).
__global__ void past_end(int* x) { x[60 + threadIdx.x] = 1; }  // BUG
__global__ void unwritten(int* to, const int* from) {
    if (from[threadIdx.x] > 0) *to = 1;  // BUG
}
__global__ void race(int* to) {
    __shared__ int tile[60];
    tile[threadIdx.x] = threadIdx.x;
    to[threadIdx.x] = tile[59 - threadIdx.x];  // BUG
}

namespace {

// Work that is captured, and also run without a capture: kernels, copies and fills in two streams that
// wait for each other.
struct Work {
    unsigned n;
    unsigned* x;
    unsigned* y;
    unsigned* z;
    unsigned* out;  // page-locked
    musaStream_t first, second;
    musaEvent_t forked, joined;

    explicit Work(unsigned size) : n(size), first(side_stream()), second(stream_with(0)) {
        for (unsigned** array : {&x, &y, &z}) CHECK(musaMalloc(array, n * sizeof(unsigned)));
        CHECK(musaMallocHost(&out, n * sizeof(unsigned)));
        CHECK(musaMemset(z, 0, n * sizeof(unsigned)));
        forked = new_event();
        joined = new_event();
    }
    void give() {
        const unsigned blocks = (n + 127) / 128;
        scale<<<blocks, 128, 0, first>>>(x, n, 3, 1);
        CHECK(musaEventRecord(forked, first));
        CHECK(musaStreamWaitEvent(second, forked, 0));
        rotate<<<blocks, 128, 0, first>>>(y, x, n);
        scale<<<blocks, 128, 0, first>>>(y, n, 5, 7);
        CHECK(musaMemsetAsync(z, 1, n / 2 * sizeof(unsigned), second));
        CHECK(musaMemcpyAsync(z + n / 2, x, (n - n / 2) * sizeof(unsigned),
                              musaMemcpyDeviceToDevice, second));
        CHECK(musaEventRecord(joined, second));
        CHECK(musaStreamWaitEvent(first, joined, 0));
        add<<<blocks, 128, 0, first>>>(x, y, z, n);
        CHECK(musaMemcpyAsync(out, x, n * sizeof(unsigned), musaMemcpyDeviceToHost, first));
        CHECK(musaGetLastError());
    }
    void read() {
        std::vector<unsigned> host(n);
        if (std::fread(host.data(), sizeof(unsigned), n, stdin) != n) std::exit(2);
        CHECK(musaMemcpy(x, host.data(), n * sizeof(unsigned), musaMemcpyHostToDevice));
    }
    void write() {
        CHECK(musaStreamSynchronize(first));
        std::fwrite(out, sizeof(unsigned), n, stdout);
    }
};

musaGraphExec_t captured(Work& work) {
    CHECK(musaStreamBeginCapture(work.first, musaStreamCaptureModeGlobal));
    work.give();
    musaGraph_t graph = nullptr;
    CHECK(musaStreamEndCapture(work.first, &graph));
    musaGraphExec_t exec = nullptr;
    CHECK(musaGraphInstantiate(&exec, graph, 0));
    CHECK(musaGraphDestroy(graph));
    return exec;
}

// Each of `rounds` inputs is worked on `repeat` times.
void compare(bool by_graph, unsigned n, int rounds, int repeat) {
    Work work(n);
    const musaGraphExec_t exec = by_graph ? captured(work) : nullptr;
    for (int round = 0; round < rounds; ++round) {
        work.read();
        for (int i = 0; i < repeat; ++i) {
            if (by_graph) {
                CHECK(musaGraphLaunch(exec, work.first));
            } else {
                work.give();
            }
        }
        work.write();
    }
    if (exec) CHECK(musaGraphExecDestroy(exec));
}

int* device_int(int value = 0) {
    int* data = nullptr;
    CHECK(musaMalloc(&data, sizeof *data));
    CHECK(musaMemcpy(data, &value, sizeof value, musaMemcpyHostToDevice));
    return data;
}
int value_of(const int* data) {
    int value = 0;
    CHECK(musaMemcpy(&value, data, sizeof value, musaMemcpyDeviceToHost));
    return value;
}

void begin(musaStream_t stream, musaStreamCaptureMode mode = musaStreamCaptureModeGlobal) {
    CHECK(musaStreamBeginCapture(stream, mode));
}
// Ends a capture that must be good, and makes it executable.
musaGraphExec_t end(musaStream_t stream) {
    musaGraph_t graph = nullptr;
    CHECK(musaStreamEndCapture(stream, &graph));
    musaGraphExec_t exec = nullptr;
    CHECK(musaGraphInstantiate(&exec, graph));
    CHECK(musaGraphDestroy(graph));
    return exec;
}
void tell_end(const char* question, musaStream_t stream) {
    musaGraph_t graph = reinterpret_cast<musaGraph_t>(1);
    const musaError_t error = musaStreamEndCapture(stream, &graph);
    std::printf("%s=%s%s\n", question, musaGetErrorName(error),
                (error == musaSuccess) == (graph != nullptr) ? "" : " with a wrong graph");
    if (error == musaSuccess) CHECK(musaGraphDestroy(graph));
    musaGetLastError();
}

// The call in a capture of a stream of its own; what it says, and what the end of the capture says.
template <class Call>
void in_capture(const char* name, Call call, musaStream_t stream = side_stream(),
                musaStreamCaptureMode mode = musaStreamCaptureModeGlobal) {
    int* data = device_int();
    begin(stream, mode);
    set<<<1, 1, 0, stream>>>(data, 1);
    const musaError_t said = call(stream);
    musaGraph_t graph = nullptr;
    const musaError_t ended = musaStreamEndCapture(stream, &graph);
    std::printf("%s=%s, %s\n", name, musaGetErrorName(said), musaGetErrorName(ended));
    musaGetLastError();
    CHECK(musaStreamSynchronize(stream));
    CHECK(musaFree(data));
}

void no_work(musaStream_t, musaError_t, void*) {}
__device__ int variable;

// Calls that cannot be part of a graph.
void refused() {
    void* memory = nullptr;
    int* data = device_int();
    std::vector<char> host(16);
    const musaEvent_t done = new_event();
    CHECK(musaEventRecord(done, nullptr));
    const musaStream_t other = side_stream();
    in_capture("synchronise stream", [](auto s) { return musaStreamSynchronize(s); });
    in_capture("query stream", [](auto s) { return musaStreamQuery(s); });
    in_capture("synchronise other", [=](auto) { return musaStreamSynchronize(other); });
    in_capture("synchronise device", [](auto) { return musaDeviceSynchronize(); });
    in_capture("reset", [](auto) { return musaDeviceReset(); });
    in_capture("query event", [=](auto) { return musaEventQuery(done); });
    in_capture("synchronise event", [=](auto) { return musaEventSynchronize(done); });
    in_capture("wait for event", [=](auto s) { return musaStreamWaitEvent(s, done, 0); });
    in_capture("wait for no event", [=](auto s) { return musaStreamWaitEvent(s, new_event(), 0); });
    in_capture("captured event", [=](auto s) {
        const musaEvent_t event = new_event();
        CHECK(musaEventRecord(event, s));
        return musaEventSynchronize(event);
    });
    in_capture("time of captured event", [=](auto s) {
        const musaEvent_t event = new_event();
        CHECK(musaEventRecord(event, s));
        float time = 0;
        return musaEventElapsedTime(&time, done, event);
    });
    in_capture("malloc", [&](auto) { return musaMalloc(&memory, 16); });
    in_capture("malloc managed", [&](auto) { return musaMallocManaged(&memory, 16); });
    in_capture("malloc host", [&](auto) { return musaMallocHost(&memory, 16); });
    in_capture("host alloc", [&](auto) { return musaHostAlloc(&memory, 16, 0); });
    in_capture("register", [&](auto) { return musaHostRegister(host.data(), 16, 0); });
    in_capture("free", [&](auto) { return musaFree(data); });
    in_capture("free async", [&](auto s) { return musaFreeAsync(data, s); });
    in_capture("malloc without free", [&](auto s) { return musaMallocAsync(&memory, 16, s); });
    in_capture("memcpy", [&](auto) { return musaMemcpy(data, data, 4, musaMemcpyDefault); });
    in_capture("memset", [&](auto) { return musaMemset(data, 0, 4); });
    in_capture("to symbol", [&](auto) { return musaMemcpyToSymbol(variable, data, 4); });
    in_capture("callback", [](auto s) { return musaStreamAddCallback(s, no_work, nullptr, 0); });
    in_capture("begin", [](auto s) { return musaStreamBeginCapture(s, musaStreamCaptureModeGlobal); });
    for (const bool joined : {false, true}) {
        in_capture(joined ? "destroy joined" : "destroy", [&](auto s) {
            musaStream_t forked = side_stream();
            const musaEvent_t event = new_event(), end = new_event();
            CHECK(musaEventRecord(event, s));
            CHECK(musaStreamWaitEvent(forked, event, 0));
            set<<<1, 1, 0, forked>>>(data, 2);
            CHECK(musaEventRecord(end, forked));
            if (joined) CHECK(musaStreamWaitEvent(s, end, 0));
            return musaStreamDestroy(forked);
        });
    }
    in_capture("create", [](auto) {
        musaStream_t made = nullptr;
        musaEvent_t event = nullptr;
        CHECK(musaStreamCreate(&made));
        return musaEventCreate(&event);
    });
    in_capture("after an error", [&](auto s) {
        musaStreamSynchronize(s);
        set<<<1, 1, 0, s>>>(data, 9);
        return musaGetLastError();
    });
    tell("value", value_of(data));
}

// The default stream, while a stream that it waits for is captured, and while none is.
void legacy() {
    int* data = device_int();
    const auto launch = [=](auto) {
        set<<<1, 1>>>(data, 5);
        return musaGetLastError();
    };
    const auto status = [](auto) {
        musaStreamCaptureStatus now;
        return musaStreamIsCapturing(nullptr, &now);
    };
    tell("begin", musaStreamBeginCapture(nullptr, musaStreamCaptureModeRelaxed));
    tell("begin legacy", musaStreamBeginCapture(musaStreamLegacy, musaStreamCaptureModeRelaxed));
    in_capture("launch", launch, stream_with(0), musaStreamCaptureModeRelaxed);
    in_capture("memcpy", [=](auto) { return musaMemset(data, 0, 4); }, stream_with(0),
               musaStreamCaptureModeRelaxed);
    in_capture("synchronise", [](auto) { return musaStreamSynchronize(nullptr); }, stream_with(0),
               musaStreamCaptureModeRelaxed);
    in_capture("record", [](auto) { return musaEventRecord(new_event(), nullptr); }, stream_with(0));
    in_capture("wait", [](auto s) {
        const musaEvent_t event = new_event();
        CHECK(musaEventRecord(event, s));
        return musaStreamWaitEvent(nullptr, event, 0);
    });
    in_capture("status", status, stream_with(0));
    in_capture("launch beside", launch);
    in_capture("status beside", status);
    in_capture("per thread", [=](auto) {
        set<<<1, 1, 0, musaStreamPerThread>>>(data, 6);
        return musaGetLastError();
    });
    CHECK(musaDeviceSynchronize());
    tell("value", value_of(data));
}

template <class Call>
musaError_t elsewhere(Call call) {
    musaError_t result = musaSuccess;
    std::thread([&] { result = call(); }).join();
    return result;
}

const musaStreamCaptureMode modes[] = {musaStreamCaptureModeGlobal, musaStreamCaptureModeThreadLocal,
                                       musaStreamCaptureModeRelaxed};

// An allocation, in the thread that captures or in another one, by the capture's mode (rows) and
// the allocating thread's.
void thread_modes() {
    for (const bool mine : {true, false}) {
        for (const musaStreamCaptureMode of_capture : modes) {
            for (const musaStreamCaptureMode of_thread : modes) {
                const musaStream_t stream = side_stream();
                begin(stream, of_capture);
                const auto allocate = [=] {
                    musaStreamCaptureMode mode = of_thread;
                    void* memory = nullptr;
                    CHECK(musaThreadExchangeStreamCaptureMode(&mode));
                    const musaError_t error = musaMalloc(&memory, 16);
                    CHECK(musaThreadExchangeStreamCaptureMode(&mode));
                    if (mode != of_thread) std::exit(4);
                    return error;
                };
                const musaError_t said = mine ? allocate() : elsewhere(allocate);
                musaGraph_t graph = nullptr;
                const musaError_t ended = musaStreamEndCapture(stream, &graph);
                std::printf("%s %d %d=%d %d\n", mine ? "mine" : "other", of_capture, of_thread, said,
                            ended);
            }
        }
    }
    for (const musaStreamCaptureMode mode : modes) {
        const musaStream_t stream = side_stream();
        begin(stream, mode);
        musaGraph_t graph = nullptr;
        const musaError_t there = elsewhere([&] { return musaStreamEndCapture(stream, &graph); });
        musaStreamCaptureStatus now;
        CHECK(musaStreamIsCapturing(stream, &now));
        std::printf("end %d=%d %d\n", mode, there, now);
        if (now != musaStreamCaptureStatusNone) CHECK(musaStreamEndCapture(stream, &graph));
    }
}

// Streams that are captured together, or must not be.
void forks() {
    int* data = device_int();
    const musaStream_t a = side_stream(), b = side_stream();
    const musaEvent_t event = new_event(), later = new_event();
    const auto fork = [&] {
        CHECK(musaEventRecord(event, a));
        CHECK(musaStreamWaitEvent(b, event, 0));
    };
    begin(a);
    fork();
    musaStreamCaptureStatus now;
    CHECK(musaStreamIsCapturing(b, &now));
    tell("joins", now);
    tell_end("without work", a);

    begin(a);
    fork();
    set<<<1, 1, 0, b>>>(data, 1);
    tell_end("unjoined", a);
    CHECK(musaStreamIsCapturing(b, &now));
    tell("is over", now);

    begin(a);
    fork();
    set<<<1, 1, 0, b>>>(data, 1);
    tell_end("ended in the fork", b);
    tell_end("then in the origin", a);

    begin(a);
    begin(b);
    CHECK(musaEventRecord(event, b));
    tell("merge", musaStreamWaitEvent(a, event, 0));
    tell_end("merged a", a);
    tell_end("merged b", b);

    begin(a);
    CHECK(musaEventRecord(event, a));
    tell_end("over", a);
    tell("event of the past", musaStreamWaitEvent(b, event, 0));
    tell("query it", musaEventQuery(event));
    CHECK(musaEventRecord(event, a));
    tell("recorded anew", musaStreamWaitEvent(b, event, 0));
    tell("no capture", musaStreamEndCapture(a, nullptr));
    tell_end("none", a);

    // Branches run at the same time, as the streams would.
    int* flags[] = {device_int(), device_int()};
    begin(a);
    fork();
    meet<<<1, 1, 0, a>>>(flags[0], flags[1]);
    meet<<<1, 1, 0, b>>>(flags[1], flags[0]);
    CHECK(musaEventRecord(later, b));
    CHECK(musaStreamWaitEvent(a, later, 0));
    CHECK(musaGraphLaunch(end(a), b));
    tell("meet", musaStreamSynchronize(b));
}

void info() {
    int* data = device_int();
    const musaStream_t a = side_stream();
    musaStreamCaptureStatus now;
    unsigned long long id = 77, second = 0;
    musaGraph_t graph = nullptr;
    const musaGraphNode_t* nodes = nullptr;
    size_t count = 9;
    CHECK(musaStreamGetCaptureInfo(a, &now, &id));
    tell("none", now);
    tell("untouched", id);
    begin(a);
    set<<<1, 1, 0, a>>>(data, 1);
    CHECK(musaMemsetAsync(data, 0, 4, a));
    CHECK(musaStreamGetCaptureInfo_v2(a, &now, &id, &graph, &nodes, &count));
    tell("active", now);
    tell("last nodes", count);
    musaGraphNodeType type;
    CHECK(musaGraphNodeGetType(nodes[0], &type));
    tell("last is", type);
    tell("not yet", musaGraphDestroy(graph));
    musaGraphExec_t exec = nullptr;
    tell("nor this", musaGraphInstantiate(&exec, graph, 0));
    musaGetLastError();
    musaStreamSynchronize(a);
    CHECK(musaStreamIsCapturing(a, &now));
    tell("invalidated", now);
    tell_end("end", a);
    begin(a);
    CHECK(musaStreamGetCaptureInfo(a, &now, &second));
    tell("another id", id != second);
    tell_end("empty", a);
    tell("no mode", musaStreamBeginCapture(a, static_cast<musaStreamCaptureMode>(3)));
    musaStreamCaptureMode wrong = static_cast<musaStreamCaptureMode>(-1);
    tell("no thread mode", musaThreadExchangeStreamCaptureMode(&wrong));
    tell("no stream", musaStreamBeginCapture(reinterpret_cast<musaStream_t>(64), modes[0]));
}

void host_function(void* data) { *static_cast<int*>(data) += 1; }
void api_in_host_function(void* data) { *static_cast<musaError_t*>(data) = musaDeviceSynchronize(); }

void nodes(const char* path) {
    int* data = device_int();
    int* host = nullptr;
    CHECK(musaMallocHost(&host, 2 * sizeof(int)));
    host[0] = host[1] = 0;
    const musaStream_t a = side_stream(), b = side_stream();
    begin(a);
    set<<<1, 1, 0, a>>>(data, 1);
    CHECK(musaMemcpyAsync(host, data, sizeof(int), musaMemcpyDeviceToHost, a));
    CHECK(musaMemcpyToSymbolAsync(variable, data, 4, 0, musaMemcpyDeviceToDevice, a));
    CHECK(musaMemset2DAsync(data, 4, 0, 4, 1, a));
    CHECK(musaLaunchHostFunc(a, host_function, host + 1));
    CHECK(musaLaunchHostFunc(a, api_in_host_function, new musaError_t));
    int* scratch = nullptr;
    CHECK(musaMallocAsync(&scratch, 64, a));
    CHECK(musaFreeAsync(scratch, a));
    musaGraph_t graph = nullptr;
    CHECK(musaStreamEndCapture(a, &graph));
    size_t count = 0;
    CHECK(musaGraphGetNodes(graph, nullptr, &count));
    tell("nodes", count);
    std::vector<musaGraphNode_t> all(count + 2);
    count += 2;
    CHECK(musaGraphGetNodes(graph, all.data(), &count));
    tell("given", count);
    tell("rest is null", !all[count] && !all[count + 1]);
    for (size_t i = 0; i < count; ++i) {
        musaGraphNodeType type;
        CHECK(musaGraphNodeGetType(all[i], &type));
        tell(("type " + std::to_string(i)).c_str(), type);
    }
    CHECK(musaGraphGetRootNodes(graph, nullptr, &count));
    tell("roots", count);
    CHECK(musaGraphGetEdges(graph, nullptr, nullptr, &count));
    tell("edges", count);
    CHECK(musaGraphDebugDotPrint(graph, path, 0));
    tell("no directory", musaGraphDebugDotPrint(graph, "/no/such/directory/file", 0));
    musaGraphExec_t exec = nullptr, again = nullptr;
    CHECK(musaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CHECK(musaGraphInstantiateWithFlags(&again, graph, musaGraphInstantiateFlagAutoFreeOnLaunch));
    CHECK(musaGraphUpload(exec, a));
    CHECK(musaGraphDestroy(graph));
    musaGraphNodeType type;
    tell("stale node", musaGraphNodeGetType(all[0], &type));
    tell("destroyed twice", musaGraphDestroy(graph));
    tell("stale graph", musaGraphInstantiate(&exec, graph, 0));

    // A graph in a graph.
    begin(b);
    CHECK(musaGraphLaunch(exec, b));
    CHECK(musaGraphLaunch(again, b));
    const musaGraphExec_t outer = end(b);
    CHECK(musaGraphExecDestroy(exec));
    CHECK(musaGraphExecDestroy(again));
    CHECK(musaGraphLaunch(outer, b));
    CHECK(musaGraphLaunch(outer, b));
    CHECK(musaGraphExecDestroy(outer));  // launched work continues
    CHECK(musaStreamSynchronize(b));
    tell("copied", host[0]);
    tell("called", host[1]);
    tell("destroyed", musaGraphExecDestroy(outer));
    tell("launched", musaGraphLaunch(outer, b));
}

// A graph keeps the values of arguments, and the addresses of buffers.
void buffers() {
    const musaStream_t a = side_stream();
    int* data = device_int();
    int* host = nullptr;
    CHECK(musaMallocHost(&host, sizeof *host));
    int pageable = 1;
    int* pageable_copy = device_int();
    int argument = 3;
    begin(a);
    set<<<1, 1, 0, a>>>(data, argument);
    argument = 4;
    CHECK(musaMemcpyAsync(pageable_copy, &pageable, sizeof(int), musaMemcpyHostToDevice, a));
    CHECK(musaMemcpyAsync(data, host, sizeof(int), musaMemcpyHostToDevice, a));
    int* scratch = nullptr;
    CHECK(musaMallocAsync(&scratch, sizeof(int), a));
    CHECK(musaMemcpyAsync(scratch, data, sizeof(int), musaMemcpyDeviceToDevice, a));
    scale<<<1, 1, 0, a>>>(reinterpret_cast<unsigned*>(scratch), 1, 10, 1);
    CHECK(musaMemcpyAsync(data, scratch, sizeof(int), musaMemcpyDeviceToDevice, a));
    CHECK(musaFreeAsync(scratch, a));
    tell("freed", musaMemcpyAsync(data, scratch, sizeof(int), musaMemcpyDeviceToDevice, a));
    musaGetLastError();
    const musaGraphExec_t exec = end(a);
    tell("nothing ran", value_of(data));
    for (int i = 1; i <= 3; ++i) {
        *host = i;
        pageable = 10 * i;
        CHECK(musaGraphLaunch(exec, i % 2 ? a : nullptr));
        CHECK(musaStreamSynchronize(i % 2 ? a : nullptr));
        tell(("launch " + std::to_string(i)).c_str(), value_of(data));
        tell(("pageable " + std::to_string(i)).c_str(), value_of(pageable_copy));
    }
    size_t before = 0, after = 0, total = 0;
    CHECK(musaMemGetInfo(&before, &total));
    CHECK(musaGraphExecDestroy(exec));
    CHECK(musaDeviceSynchronize());
    CHECK(musaMemGetInfo(&after, &total));
    tell("memory comes back", after > before);
}

// Launches of one graph in several streams come one after the other.
void order(int launches) {
    const unsigned n = 1 << 14;
    unsigned* x = nullptr;
    CHECK(musaMalloc(&x, n * sizeof *x));
    CHECK(musaMemset(x, 1, n * sizeof *x));
    CHECK(musaDeviceSynchronize());
    const musaStream_t streams[] = {side_stream(), stream_with(0), nullptr};
    begin(streams[0]);
    scale<<<n / 128, 128, 0, streams[0]>>>(x, n, 3, 1);
    scale<<<n / 128, 128, 0, streams[0]>>>(x, n, 5, 2);
    const musaGraphExec_t exec = end(streams[0]);
    for (int i = 0; i < launches; ++i) CHECK(musaGraphLaunch(exec, streams[i % 3]));
    CHECK(musaDeviceSynchronize());
    std::vector<unsigned> host(n);
    CHECK(musaMemcpy(host.data(), x, n * sizeof *x, musaMemcpyDeviceToHost));
    std::fwrite(host.data(), sizeof *x, n, stdout);
}

void failure() {
    const musaStream_t a = side_stream();
    int* data = device_int();
    begin(a);
    crash<<<1, 1, 0, a>>>(reinterpret_cast<int*>(8));
    set<<<1, 1, 0, a>>>(data, 1);
    const musaGraphExec_t exec = end(a);
    tell("launch", musaGraphLaunch(exec, a));
    tell("synchronise", musaStreamSynchronize(a));
    tell("again", musaGraphLaunch(exec, a));
    CHECK(musaDeviceReset());
    tell("not done", value_of(data));
}

void devices() {
    int* data[2];
    musaStream_t streams[2];
    musaEvent_t events[2];
    for (int device : {1, 0}) {
        CHECK(musaSetDevice(device));
        data[device] = device_int();
        streams[device] = side_stream();
        events[device] = new_event();
    }
    begin(streams[0]);
    set<<<1, 1, 0, streams[0]>>>(data[0], 5);
    CHECK(musaEventRecord(events[0], streams[0]));
    CHECK(musaSetDevice(1));
    CHECK(musaStreamWaitEvent(streams[1], events[0], 0));
    set<<<1, 1, 0, streams[1]>>>(data[1], 6);
    CHECK(musaEventRecord(events[1], streams[1]));
    CHECK(musaSetDevice(0));
    CHECK(musaStreamWaitEvent(streams[0], events[1], 0));
    const musaGraphExec_t exec = end(streams[0]);
    CHECK(musaGraphLaunch(exec, streams[1]));
    CHECK(musaSetDevice(1));
    CHECK(musaStreamSynchronize(streams[1]));
    tell("first", value_of(data[0]));
    tell("second", value_of(data[1]));
}

void show(const musa_sim_activity* a, void*) {
    std::printf("%d %u %d %s\n", a->kind, a->correlation, a->stream, a->name);
}

// Profiled: a capture, and two launches of its graph.
void profile() {
    Work work(1000);
    CHECK(musaMemset(work.x, 0, 4000));
    CHECK(musaDeviceSynchronize());
    CHECK(musa_sim_activity_start(MUSA_SIM_ACTIVITY_VERSION));
    const musaGraphExec_t exec = captured(work);
    CHECK(musaGraphLaunch(exec, work.first));
    CHECK(musaGraphLaunch(exec, work.second));
    CHECK(musaDeviceSynchronize());
    std::printf("unfinished %zu\n", musa_sim_activity_stop(show, nullptr));
}

// The defects, captured and launched, or launched as they are.
void defects(bool by_graph) {
    const musaStream_t a = side_stream();
    int* x = nullptr;
    int* never = nullptr;
    CHECK(musaMalloc(&x, 60 * sizeof(int)));
    CHECK(musaMalloc(&never, 60 * sizeof(int)));
    const auto run = [&](auto launch) {
        if (by_graph) begin(a);
        launch();
        if (by_graph) CHECK(musaGraphLaunch(end(a), a));
        musaStreamSynchronize(a);
        musaDeviceReset();
    };
    run([=] { race<<<1, 60, 0, a>>>(x); });
    run([=] { unwritten<<<1, 1, 0, a>>>(x, never); });
    run([=] { past_end<<<1, 1, 0, a>>>(x); });
}

std::vector<musaGraphNode_t> nodes_of(musaGraph_t graph) {
    std::size_t count = 0;
    CHECK(musaGraphGetNodes(graph, nullptr, &count));
    std::vector<musaGraphNode_t> nodes(count);
    CHECK(musaGraphGetNodes(graph, nodes.data(), &count));
    return nodes;
}
musaGraph_t end_graph(musaStream_t stream) {
    musaGraph_t graph = nullptr;
    CHECK(musaStreamEndCapture(stream, &graph));
    return graph;
}
musaGraphExec_t executable(musaGraph_t graph) {
    musaGraphExec_t exec = nullptr;
    CHECK(musaGraphInstantiate(&exec, graph));
    return exec;
}

// Kernels of graphs get other parameters: other arguments, other sizes, another kernel.
void parameters() {
    const musaStream_t stream = side_stream();
    int *a = device_int(), *b = device_int();
    begin(stream);
    CHECK(musaMemsetAsync(a, 0, sizeof *a, stream));
    set<<<1, 1, 0, stream>>>(a, 5);
    scale<<<2, 64, 0, stream>>>(reinterpret_cast<unsigned*>(a), 1, 3, 1);
    const musaGraph_t graph = end_graph(stream);
    const std::vector<musaGraphNode_t> nodes = nodes_of(graph);
    const musaGraphNode_t fill = nodes[0], setting = nodes[1], scaling = nodes[2];
    const musaGraphExec_t exec = executable(graph);
    const auto launch = [&](const char* what, musaGraphExec_t which) {
        CHECK(musaGraphLaunch(which, stream));
        CHECK(musaStreamSynchronize(stream));
        std::printf("%s=%d %d\n", what, value_of(a), value_of(b));
    };
    launch("as captured", exec);

    musaKernelNodeParams params{};
    CHECK(musaGraphKernelNodeGetParams(scaling, &params));
    std::printf("found=%d %u %u %u, %u %u\n", params.func == reinterpret_cast<void*>(scale), params.gridDim.x,
                params.blockDim.x, params.sharedMemBytes, *static_cast<unsigned*>(params.kernelParams[2]),
                *static_cast<unsigned*>(params.kernelParams[3]));

    {
        unsigned factor = 10;
        params.kernelParams[2] = &factor;  // in the node's own list, as many programs do
        CHECK(musaGraphExecKernelNodeSetParams(exec, scaling, &params));
        factor = 99;
    }
    launch("another argument", exec);
    CHECK(musaGraphKernelNodeGetParams(scaling, &params));
    CHECK(musaGraphExecKernelNodeSetParams(exec, scaling, &params));
    launch("the node's own again", exec);

    CHECK(musaGraphKernelNodeGetParams(setting, &params));
    int seven = 7;
    void* arguments[] = {&b, &seven};
    params.kernelParams = arguments;
    CHECK(musaGraphKernelNodeSetParams(setting, &params));
    launch("executable of before", exec);
    launch("made of the changed graph", executable(graph));
    CHECK(musaGraphKernelNodeGetParams(setting, &params));
    tell("kept", *static_cast<int*>(params.kernelParams[1]));

    unsigned one = 1;
    void* others[] = {&b, &b, &a, &one};
    musaKernelNodeParams other{};
    other.func = reinterpret_cast<void*>(add);
    other.gridDim = dim3(1);
    other.blockDim = dim3(1);
    other.kernelParams = others;
    CHECK(musaGraphExecKernelNodeSetParams(exec, scaling, &other));
    launch("another kernel", exec);

    other.blockDim = dim3(2048);
    tell("too many threads", musaGraphExecKernelNodeSetParams(exec, scaling, &other));
    other.blockDim = dim3(1);
    other.extra = others;
    tell("extra", musaGraphExecKernelNodeSetParams(exec, scaling, &other));
    other.extra = nullptr;
    other.func = &other;
    tell("no kernel", musaGraphKernelNodeSetParams(scaling, &other));
    tell("no parameters", musaGraphKernelNodeSetParams(scaling, nullptr));
    tell("a fill", musaGraphKernelNodeGetParams(fill, &other));
    begin(stream);
    set<<<1, 1, 0, stream>>>(a, 5);
    const musaGraph_t foreign = end_graph(stream);
    tell("node of another graph", musaGraphExecKernelNodeSetParams(exec, nodes_of(foreign)[0], &params));
    musaGetLastError();
    launch("all refused", exec);
    CHECK(musaGraphDestroy(graph));
    tell("destroyed", musaGraphKernelNodeGetParams(scaling, &params));
}

// An executable graph takes over a graph that differs only in what the nodes do.
void updates() {
    const musaStream_t stream = side_stream(), second = side_stream();
    const musaEvent_t forked = new_event(), joined = new_event();
    int *a = device_int(), *b = device_int();
    const auto chain = [&](int byte, int value, unsigned factor) {
        begin(stream);
        CHECK(musaMemsetAsync(a, byte, 1, stream));
        scale<<<1, 1, 0, stream>>>(reinterpret_cast<unsigned*>(a), 1, factor, value);
        return end_graph(stream);
    };
    const musaGraphExec_t exec = executable(chain(1, 5, 2));
    const auto launch = [&](const char* what) {
        CHECK(musaMemsetAsync(a, 0, sizeof *a, stream));
        CHECK(musaGraphLaunch(exec, stream));
        CHECK(musaStreamSynchronize(stream));
        std::printf("%s=%d\n", what, value_of(a));
    };
    const auto update = [&](const char* what, musaGraph_t graph) {
        musaGraphNode_t node = reinterpret_cast<musaGraphNode_t>(1);
        musaGraphExecUpdateResult result = musaGraphExecUpdateError;
        const musaError_t error = musaGraphExecUpdate(exec, graph, &node, &result);
        int number = -1;
        const std::vector<musaGraphNode_t> nodes = nodes_of(graph);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i] == node) number = static_cast<int>(i);
        std::printf("%s=%s %d %d\n", what, musaGetErrorName(error), result, number);
        musaGetLastError();
        CHECK(musaGraphDestroy(graph));
    };
    launch("as captured");
    update("same", chain(3, 7, 10));
    launch("updated");

    begin(stream);
    CHECK(musaMemsetAsync(a, 1, 1, stream));
    update("fewer nodes", end_graph(stream));
    begin(stream);
    CHECK(musaMemsetAsync(a, 1, 1, stream));
    CHECK(musaMemsetAsync(a, 2, 1, stream));
    update("another type", end_graph(stream));
    begin(stream);
    CHECK(musaEventRecord(forked, stream));
    CHECK(musaStreamWaitEvent(second, forked, 0));
    CHECK(musaMemsetAsync(a, 1, 1, stream));
    scale<<<1, 1, 0, second>>>(reinterpret_cast<unsigned*>(b), 1, 1, 1);
    CHECK(musaEventRecord(joined, second));
    CHECK(musaStreamWaitEvent(stream, joined, 0));
    update("another edge", end_graph(stream));
    launch("all refused");

    const auto nested = [&](int value, bool twice) {
        const musaGraphExec_t child = executable(chain(value, value, 1));
        begin(stream);
        CHECK(musaGraphLaunch(child, stream));
        if (twice) CHECK(musaGraphLaunch(child, stream));
        return end_graph(stream);
    };
    const musaGraphExec_t parent = executable(nested(1, false));
    musaGraphExecUpdateResult result = musaGraphExecUpdateError;
    tell("child", musaGraphExecUpdate(parent, nested(4, false), nullptr, &result));
    CHECK(musaMemsetAsync(a, 0, sizeof *a, stream));
    CHECK(musaGraphLaunch(parent, stream));
    CHECK(musaStreamSynchronize(stream));
    tell("updated child", value_of(a));
    tell("two children", musaGraphExecUpdate(parent, nested(4, true), nullptr, nullptr));
    begin(stream);
    CHECK(musaGraphLaunch(executable([&] {
        begin(second);
        CHECK(musaMemsetAsync(a, 1, 1, second));
        return end_graph(second);
    }()), stream));
    tell("another child", musaGraphExecUpdate(parent, end_graph(stream), nullptr, nullptr));
}

// A child has the graphs of its parent, and captures go on in it.
void fork_process() {
    const musaStream_t a = side_stream(), b = side_stream();
    int* data = device_int();
    begin(a);
    scale<<<1, 1, 0, a>>>(reinterpret_cast<unsigned*>(data), 1, 2, 1);
    const musaGraphExec_t exec = end(a);
    CHECK(musaGraphLaunch(exec, a));
    begin(b);
    std::fflush(stdout);
    const pid_t child = fork();
    CHECK(musaGraphLaunch(exec, a));
    scale<<<1, 1, 0, b>>>(reinterpret_cast<unsigned*>(data), 1, 10, 0);
    const musaGraphExec_t captured_by_both = end(b);
    CHECK(musaGraphLaunch(captured_by_both, a));
    CHECK(musaStreamSynchronize(a));
    tell(child ? "parent" : "child", value_of(data));
    if (!child) {
        std::fflush(stdout);
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    tell("child ended", status);
}

}  // namespace

int main(int, char** argv) {
    const std::string which = argv[1];
    if (which == "plain" || which == "graph") {
        compare(which == "graph", std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
    } else if (which == "refused") {
        refused();
    } else if (which == "legacy") {
        legacy();
    } else if (which == "thread_modes") {
        thread_modes();
    } else if (which == "forks") {
        forks();
    } else if (which == "info") {
        info();
    } else if (which == "nodes") {
        nodes(argv[2]);
    } else if (which == "parameters") {
        parameters();
    } else if (which == "updates") {
        updates();
    } else if (which == "buffers") {
        buffers();
    } else if (which == "order") {
        order(std::atoi(argv[2]));
    } else if (which == "failure") {
        failure();
    } else if (which == "devices") {
        devices();
    } else if (which == "profile") {
        profile();
    } else if (which == "defects") {
        defects(std::atoi(argv[2]) != 0);
    } else if (which == "fork") {
        fork_process();
    } else {
        return 1;
    }
    return 0;
}
