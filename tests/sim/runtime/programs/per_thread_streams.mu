// per_thread_streams CASE: which work waits for which where stream 0 is a stream of each thread, or of the device. Prints
// `question=answer` lines. Compiled with and without -fgpu-default-stream=per-thread.
//
// A gate is a kernel that ends when the host opens it, so that no case depends on time.
#include <atomic>
#include <thread>

#include "program.h"

namespace {

void tell(const char* question, musaError_t answer) {
    std::printf("%s=%s\n", question, musaGetErrorName(answer));
}
void tell(const char* question, long long answer) { std::printf("%s=%lld\n", question, answer); }

template <class T>
T* pinned(std::size_t count = 1) {
    T* data = nullptr;
    CHECK(musaHostAlloc(&data, count * sizeof(T), musaHostAllocMapped));
    std::memset(data, 0, count * sizeof(T));
    return data;
}

template <class Body>
void in_a_thread(Body body) {
    std::thread(body).join();
}

}  // namespace

__global__ void wait_for(const volatile int* open) {
    while (*open == 0) {
    }
}
__global__ void meet(int* mine, int* theirs) {
    atomicExch(mine, 1);
    while (atomicAdd(theirs, 0) == 0) {
    }
}
__global__ void append(int* log, int value) { log[1 + atomicAdd(&log[0], 1)] = value; }
__global__ void set(int* out, int value) { *out = value; }
__device__ int symbol;

class Gate {
public:
    Gate() : open_(pinned<int>()) {
        wait_for<<<1, 1>>>(open_);
        CHECK(musaGetLastError());
    }
    explicit Gate(musaStream_t stream) : open_(pinned<int>()) {
        wait_for<<<1, 1, 0, stream>>>(open_);
        CHECK(musaGetLastError());
    }
    void open() { *static_cast<volatile int*>(open_) = 1; }
    bool is_open() const { return *open_ != 0; }

private:
    int* open_;
};

void launch_three(int* log) {
    append<<<1, 1>>>(log, 1);
    int two = 2;
    void* arguments[] = {&log, &two};
    CHECK(musaLaunchKernel(reinterpret_cast<void*>(append), 1, 1, arguments, 0, nullptr));
    musaLaunchConfig_t configuration{};
    configuration.gridDim = configuration.blockDim = 1;
    CHECK(musaLaunchKernelEx(&configuration, append, log, 3));
}

// A thread submits work while the default stream of another one is closed.
void beside() {
    int* log = pinned<int>(16);
    Gate gate;
    in_a_thread([&] {
        launch_three(log);
        tell("query", musaStreamQuery(nullptr));
        tell("stream of the thread", musaStreamQuery(musaStreamPerThread));
        tell("legacy stream", musaStreamQuery(musaStreamLegacy));
    });
    gate.open();
    CHECK(musaDeviceSynchronize());
    tell("done", log[0]);
}

// Only where streams are the threads' own; otherwise each of these would wait forever.
void independent() {
    int* log = pinned<int>(16);
    int *device = nullptr, *other = nullptr, back = 0, at = 0;
    CHECK(musaMalloc(&device, sizeof(int)));
    CHECK(musaMalloc(&other, sizeof(int)));
    Gate gate;
    in_a_thread([&] {
        set<<<1, 1>>>(device, 5);
        tell("memcpy", musaMemcpy(&back, device, sizeof(int), musaMemcpyDeviceToHost));
        tell("copied", back);
        tell("memset", musaMemset(other, 0, sizeof(int)));
        const int seven = 7;
        tell("to symbol", musaMemcpyToSymbol(symbol, &seven, sizeof(int)));
        tell("from symbol", musaMemcpyFromSymbol(&at, symbol, sizeof(int)));
        tell("symbol", at);
        launch_three(log);
        tell("synchronise", musaStreamSynchronize(nullptr));
        tell("in order", log[1] * 100 + log[2] * 10 + log[3]);
    });
    tell("the other thread's", musaStreamQuery(nullptr));
    tell("open", gate.is_open());
    gate.open();
    CHECK(musaDeviceSynchronize());
}

void overlap() {
    int* flags = pinned<int>(2);
    std::thread threads[2];
    std::atomic<int> errors{0};
    for (int i = 0; i < 2; ++i) {
        threads[i] = std::thread([&errors, i, flags] {
            meet<<<1, 1>>>(flags + i, flags + 1 - i);
            errors += musaStreamSynchronize(nullptr) != musaSuccess;
        });
    }
    for (std::thread& thread : threads) thread.join();
    tell("errors", errors);
}

// The legacy stream and those of threads wait for each other.
void legacy() {
    int* log = pinned<int>(16);
    {
        Gate gate;
        append<<<1, 1, 0, musaStreamLegacy>>>(log, 1);
        tell("legacy behind a thread's", musaStreamQuery(musaStreamLegacy));
        gate.open();
        CHECK(musaStreamSynchronize(musaStreamLegacy));
        tell("then", log[0]);
    }
    {
        Gate gate(musaStreamLegacy);
        in_a_thread([&] {
            append<<<1, 1>>>(log, 2);
            tell("a thread's behind legacy", musaStreamQuery(nullptr));
            gate.open();
            CHECK(musaStreamSynchronize(nullptr));
            tell("and then", log[0]);
        });
    }
}

// A copy comes after the work of its own thread.
void order() {
    int *device = nullptr, back = 0;
    CHECK(musaMalloc(&device, sizeof(int)));
    Gate gate;
    set<<<1, 1>>>(device, 9);
    std::thread opener([&] { gate.open(); });
    CHECK(musaMemcpy(&back, device, sizeof(int), musaMemcpyDeviceToHost));
    opener.join();
    tell("copied", back);
    musaEvent_t event = nullptr;
    CHECK(musaEventCreate(&event));
    Gate second;
    CHECK(musaEventRecord(event));
    tell("event", musaEventQuery(event));
    in_a_thread([&] {
        CHECK(musaStreamWaitEvent(nullptr, event));
        set<<<1, 1>>>(device, 8);
        tell("waits for the event", musaStreamQuery(nullptr));
        second.open();
        CHECK(musaMemcpy(&back, device, sizeof(int), musaMemcpyDeviceToHost));
    });
    tell("after it", back);
}

void capture() {
    int* log = pinned<int>(16);
    musaGraph_t graph = nullptr;
    const musaError_t begun = musaStreamBeginCapture(nullptr, musaStreamCaptureModeThreadLocal);
    tell("begin", begun);
    if (begun != musaSuccess) return;
    append<<<1, 1>>>(log, 1);
    append<<<1, 1>>>(log, 2);
    musaStreamCaptureStatus status{};
    CHECK(musaStreamIsCapturing(musaStreamPerThread, &status));
    tell("captures", status == musaStreamCaptureStatusActive);
    in_a_thread([&] {
        append<<<1, 1>>>(log, 3);
        CHECK(musaStreamSynchronize(nullptr));
        tell("of another thread", log[0] * 10 + log[1]);
    });
    CHECK(musaStreamEndCapture(nullptr, &graph));
    std::size_t nodes = 0;
    CHECK(musaGraphGetNodes(graph, nullptr, &nodes));
    tell("nodes", static_cast<long long>(nodes));
    musaGraphExec_t exec = nullptr;
    musaGraphInstantiateParams parameters{};
    parameters.flags = musaGraphInstantiateFlagUpload;
    CHECK(musaGraphInstantiateWithParams(&exec, graph, &parameters));
    tell("upload stream is as it was", parameters.uploadStream == nullptr);
    Gate elsewhere;
    in_a_thread([&] {
        CHECK(musaGraphLaunch(exec, nullptr));
        CHECK(musaStreamSynchronize(nullptr));
        tell("launched", log[2] * 10 + log[3]);
    });
    elsewhere.open();
    CHECK(musaDeviceSynchronize());
}

int main(int, char** argv) {
    const std::string name = argv[1];
    if (name == "beside") beside();
    if (name == "independent") independent();
    if (name == "overlap") overlap();
    if (name == "legacy") legacy();
    if (name == "order") order();
    if (name == "capture") capture();
}
