// streams CASE: what is asynchronous, and in which order. Prints `question=answer` lines.
//
// A gate is a kernel that ends when the host opens it, so that the cases need no luck with time.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#include "program.h"

namespace {

using namespace std::chrono_literals;

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

musaStream_t stream_with(unsigned flags) {
    musaStream_t stream = nullptr;
    CHECK(musaStreamCreateWithFlags(&stream, flags));
    return stream;
}

}  // namespace

__global__ void wait_for(const volatile int* open) {
    while (*open == 0) {
    }
}
__global__ void scale(unsigned* x, unsigned n, unsigned factor, unsigned summand) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * factor + summand;
}
__global__ void meet(int* mine, int* theirs) {
    atomicExch(mine, 1);
    while (atomicAdd(theirs, 0) == 0) {
    }
}
__global__ void append(int* log, int value) { log[1 + atomicAdd(&log[0], 1)] = value; }
__global__ void set(int* out, int value) { *out = value; }
__global__ void crash(int* out) { *out = 1; }

struct Wide {
    char name[3];
    double values[5];
    alignas(32) int last;
};
__global__ void unpack(double* out, char c, Wide wide, short s, double d, float3 v) {
    const double all[] = {
        double(c), double(wide.name[2]), wide.values[4], double(wide.last), double(s), d, v.x, v.z};
    for (int i = 0; i < 8; ++i) out[i] = all[i];
}

class Gate {
public:
    explicit Gate(musaStream_t stream = nullptr) : open_(pinned<int>()) {
        wait_for<<<1, 1, 0, stream>>>(open_);
        CHECK(musaGetLastError());
    }
    void open() { *static_cast<volatile int*>(open_) = 1; }
    bool is_open() const { return *open_ != 0; }
    // Another thread opens it; what waits meanwhile can be seen to have waited.
    void open_later() {
        std::thread([this] {
            std::this_thread::sleep_for(30ms);
            open();
        }).detach();
    }

private:
    int* open_;
};

// stdin: rows of 4 words (stream, factor, summand, whether all threads of the host wait first);
// each step waits for the event of the step before.
void chain(int n, int steps) {
    DeviceArray<unsigned>& x = input<unsigned>(n);
    const std::vector<unsigned> table = input<unsigned>(4 * steps).host();
    musaStream_t streams[4] = {nullptr, stream_with(0), stream_with(musaStreamNonBlocking),
                               stream_with(musaStreamNonBlocking)};
    musaEvent_t done = nullptr;
    CHECK(musaEventCreateWithFlags(&done, musaEventDisableTiming));
    CHECK(musaDeviceSynchronize());
    for (int i = 0; i < steps; ++i) {
        const unsigned* step = &table[4 * i];
        musaStream_t stream = streams[step[0]];
        CHECK(musaStreamWaitEvent(stream, done));
        scale<<<blocks_for(n, 128), 128, 0, stream>>>(x, n, step[1], step[2]);
        CHECK(musaEventRecord(done, stream));
        if (step[3]) CHECK(musaEventSynchronize(done));
    }
    CHECK(musaDeviceSynchronize());
    x.write();
}

void overlap() {
    for (unsigned flags : {musaStreamNonBlocking, musaStreamDefault}) {
        DeviceArray<int> flag(2);
        CHECK(musaDeviceSynchronize());
        musaStream_t a = stream_with(flags), b = stream_with(flags);
        meet<<<1, 1, 0, a>>>(flag, flag + 1);
        meet<<<1, 1, 0, b>>>(flag + 1, flag);
        tell(flags ? "non-blocking streams meet" : "blocking streams meet",
             musaDeviceSynchronize());
    }
}

void asynchronous() {
    int* value = pinned<int>();
    Gate gate;
    set<<<1, 1>>>(value, 7);
    tell("before synchronising", *value);
    tell("query", musaStreamQuery(nullptr));
    gate.open();
    tell("synchronise", musaDeviceSynchronize());
    tell("after", *value);
    tell("query after", musaStreamQuery(nullptr));
}

// Without a gate: no thread waits, and the work is done all the same; or was done at once.
void at_once() {
    int* value = pinned<int>();
    set<<<1, 1>>>(value, 7);
    tell("at once", *value);
    for (int i = 0; i < 60000 && *static_cast<volatile int*>(value) == 0; ++i)
        std::this_thread::sleep_for(1ms);
    tell("later", *value);
}

// A question whether work is done makes a thread come for it, also while another stream is busy; a thousand questions
// make no thousand threads.
void polled() {
    const auto threads = [] {
        const std::filesystem::directory_iterator tasks("/proc/self/task");
        return std::distance(begin(tasks), end(tasks));
    };
    int* value = pinned<int>();
    Gate gate(stream_with(musaStreamNonBlocking));
    musaStream_t stream = stream_with(musaStreamNonBlocking);
    musaEvent_t done = nullptr;
    CHECK(musaEventCreate(&done));
    std::ptrdiff_t most = 0;
    for (int i = 1; i <= 1000; ++i) {
        set<<<1, 1, 0, stream>>>(value, i);
        CHECK(musaEventRecord(done, stream));
        while ((i % 2 ? musaStreamQuery(stream) : musaEventQuery(done)) == musaErrorNotReady) {
        }
        if (*static_cast<volatile int*>(value) != i) tell("too early", i);
        if (i % 100 == 0) most = std::max<std::ptrdiff_t>(most, threads());
    }
    tell("value", *value);
    tell("few threads", most < 10);
    gate.open();
    CHECK(musaDeviceSynchronize());
}

void arguments() {
    double* out = pinned<double>(8);
    Gate gate;
    {
        Wide wide{{'a', 'b', 'c'}, {1, 2, 3, 4, 5.5}, 77};
        char c = 'x';
        short s = -3;
        double d = 2.25;
        float3 v = make_float3(1, 2, 3);
        void* packed[] = {&out, &c, &wide, &s, &d, &v};
        CHECK(musaLaunchKernel(unpack, dim3(1), dim3(1), packed));
        std::memset(&wide, 0, sizeof wide);
        c = 0, s = 0, d = 0, v = make_float3(0, 0, 0);
    }
    gate.open();
    CHECK(musaDeviceSynchronize());
    for (int i = 0; i < 8; ++i) std::printf("argument %d=%g\n", i, out[i]);
}

void default_stream() {
    int* log = pinned<int>(16);
    musaStream_t a = stream_with(0), b = stream_with(0),
                 free_one = stream_with(musaStreamNonBlocking);
    Gate gate(a);
    append<<<1, 1, 0, a>>>(log, 1);
    append<<<1, 1>>>(log, 2);
    append<<<1, 1, 0, b>>>(log, 3);
    append<<<1, 1, 0, musaStreamPerThread>>>(log, 4);
    append<<<1, 1, 0, free_one>>>(log, 5);
    tell("non-blocking", musaStreamSynchronize(free_one));
    tell("default", musaStreamQuery(nullptr));
    tell("blocking", musaStreamQuery(b));
    tell("of the thread", musaStreamQuery(musaStreamPerThread));
    tell("first", log[1]);
    gate.open();
    tell("synchronise default", musaStreamSynchronize(nullptr));
    tell("then", log[2] * 10 + log[3]);
    CHECK(musaDeviceSynchronize());
    tell("all", log[0]);
}

void copies() {
    constexpr std::size_t small = 64, large = 1 << 20;
    std::vector<char> pageable(large, 'a');
    char* page_locked = pinned<char>(large);
    std::memset(page_locked, 'a', large);
    DeviceArray<char> device(large), other(large);
    char* back = pinned<char>(large);
    CHECK(musaDeviceSynchronize());
    musaStream_t stream = stream_with(musaStreamNonBlocking);
    {
        Gate gate(stream);
        CHECK(musaMemcpyAsync(device, pageable.data(), small, musaMemcpyHostToDevice, stream));
        CHECK(musaMemcpyAsync(device + small, page_locked, small, musaMemcpyHostToDevice, stream));
        CHECK(musaMemcpyAsync(other, device, small, musaMemcpyDeviceToDevice, stream));
        CHECK(musaMemcpyAsync(back, device, 2 * small, musaMemcpyDeviceToHost, stream));
        pageable[0] = page_locked[0] = 'b';
        tell("all four are asynchronous", !gate.is_open() && back[0] == 0);
        gate.open();
        CHECK(musaStreamSynchronize(stream));
        std::printf("pageable source=%c\npinned source=%c\n", back[0], back[small]);
    }
    {
        Gate gate(stream);
        gate.open_later();
        CHECK(musaMemcpyAsync(pageable.data(), device, small, musaMemcpyDeviceToHost, stream));
        tell("to pageable memory waits", gate.is_open());
        std::printf("and has copied=%c\n", pageable[small - 1]);
    }
    {
        Gate gate(stream);
        gate.open_later();
        CHECK(musaMemcpyAsync(device, pageable.data(), large, musaMemcpyHostToDevice, stream));
        tell("a large pageable source waits", gate.is_open());
    }
    {
        Gate gate;
        CHECK(musaMemcpy(other, device, large, musaMemcpyDeviceToDevice));
        CHECK(musaMemset(device, 'm', large));
        tell("within the device does not wait", !gate.is_open());
        gate.open_later();
        CHECK(musaMemcpy(back, device, large, musaMemcpyDeviceToHost));
        tell("to the host waits", gate.is_open() && back[large - 1] == 'm');
    }
}

void memory() {
    std::size_t total = 0, before = 0, queued = 0, after = 0;
    char* pool = nullptr;
    CHECK(musaMemGetInfo(&before, &total));
    {
        Gate gate;
        CHECK(musaMallocAsync(&pool, 1 << 20, nullptr));
        CHECK(musaMemsetAsync(pool, 1, 1 << 20, nullptr));
        tell("free in order", musaFreeAsync(pool, nullptr));
        tell("twice", musaFreeAsync(pool, nullptr));
        tell("use after", musaMemsetAsync(pool, 1, 8, nullptr));
        CHECK(musaMemGetInfo(&queued, &total));
        tell("not yet free", before - queued >= 1 << 20);
        gate.open();
        CHECK(musaDeviceSynchronize());
        CHECK(musaMemGetInfo(&after, &total));
        tell("free after", before == after);
        musaGetLastError();
    }
    CHECK(musaMallocAsync(&pool, total - 4096, nullptr));
    Gate gate;
    CHECK(musaFreeAsync(pool, nullptr));
    gate.open_later();
    tell("memory that is being freed can be had", musaMalloc(&pool, total - 4096));
    tell("waited", gate.is_open());

    Gate second(stream_with(musaStreamNonBlocking));
    second.open_later();
    CHECK(musaFree(pool));
    tell("free waits", second.is_open());
}

void events() {
    musaStream_t stream = stream_with(musaStreamNonBlocking),
                 other = stream_with(musaStreamNonBlocking);
    musaEvent_t start = nullptr, end = nullptr;
    CHECK(musaEventCreate(&start));
    CHECK(musaEventCreate(&end));
    int* value = pinned<int>();
    float milliseconds = -1;
    {
        CHECK(musaEventRecord(start, stream));
        Gate gate(stream);
        CHECK(musaEventRecord(end, stream));
        tell("query", musaEventQuery(end));
        tell("elapsed", musaEventElapsedTime(&milliseconds, start, end));
        CHECK(musaStreamWaitEvent(other, end));
        set<<<1, 1, 0, other>>>(value, 5);
        // A wait is for the event as it was recorded then.
        CHECK(musaEventRecord(end, nullptr));
        tell("recorded elsewhere", musaEventQuery(end));
        std::this_thread::sleep_for(20ms);
        tell("other stream", musaStreamQuery(other));
        CHECK(musaEventRecord(end, stream));
        gate.open();
        tell("synchronise", musaEventSynchronize(end));
        tell("query after", musaEventQuery(end));
        CHECK(musaEventElapsedTime(&milliseconds, start, end));
        tell("took 20 ms", milliseconds >= 20 && milliseconds < 20000);
        CHECK(musaStreamSynchronize(other));
        tell("value", *value);
    }
    int devices = 0;
    CHECK(musaGetDeviceCount(&devices));
    if (devices < 2) return;
    Gate gate(stream);
    CHECK(musaEventRecord(end, stream));
    CHECK(musaSetDevice(1));
    musaStream_t elsewhere = stream_with(musaStreamNonBlocking);
    CHECK(musaStreamWaitEvent(elsewhere, end));
    set<<<1, 1, 0, elsewhere>>>(value, 6);
    tell("stream of another device", musaStreamQuery(elsewhere));
    CHECK(musaSetDevice(0));
    gate.open();
    CHECK(musaStreamSynchronize(elsewhere));
    tell("value of the other device", *value);
}

std::string called;
void note(void* text) { called += static_cast<const char*>(text); }
void call_api(void*) { called += musaGetErrorName(musaDeviceSynchronize()); }
void note_status(musaStream_t, musaError_t status, void* text) {
    called += static_cast<const char*>(text);
    called += musaGetErrorName(status);
}

void host_functions() {
    musaStream_t stream = stream_with(0);
    char one[] = "one ", two[] = "two ", three[] = "three ", four[] = " four ";
    Gate gate(stream);
    CHECK(musaLaunchHostFunc(stream, note, one));
    CHECK(musaLaunchHostFunc(stream, note, two));
    CHECK(musaStreamAddCallback(stream, note_status, three, 0));
    tell("nothing yet", called.empty());
    gate.open();
    CHECK(musaStreamSynchronize(stream));
    std::printf("told=%s\n", called.c_str());
    called.clear();
    CHECK(musaLaunchHostFunc(stream, call_api, nullptr));
    CHECK(musaStreamSynchronize(stream));
    std::printf("API in a host function=%s\n", called.c_str());
    called.clear();
    crash<<<1, 1, 0, stream>>>(nullptr);
    musaLaunchHostFunc(stream, note, one);
    musaStreamAddCallback(stream, note_status, four, 0);
    musaStreamSynchronize(stream);
    std::printf("after a fault=%s\n", called.c_str());
}

void errors() {
    musaStream_t stream = stream_with(musaStreamNonBlocking);
    int* value = pinned<int>();
    Gate gate(stream);
    crash<<<1, 1, 0, stream>>>(nullptr);
    tell("launch", musaGetLastError());
    set<<<1, 1, 0, stream>>>(value, 1);
    tell("launch after", musaGetLastError());
    gate.open();
    tell("synchronise", musaStreamSynchronize(stream));
    tell("again", musaDeviceSynchronize());
    tell("last", musaGetLastError());
    tell("launched after the fault", *value);
    set<<<1, 1>>>(value, 2);
    tell("sticky", musaGetLastError());
    CHECK(musaDeviceReset());
    set<<<1, 1>>>(value, 3);
    CHECK(musaDeviceSynchronize());
    tell("after reset", *value);
}

void fork_with_work() {
    int* value = pinned<int>();
    musaStream_t stream = stream_with(musaStreamNonBlocking);
    for (int i = 0; i < 100; ++i) set<<<1, 1, 0, stream>>>(value, i);
    Gate gate(stream);
    gate.open_later();
    set<<<1, 1, 0, stream>>>(value, 100);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        tell("child sees", *value);
        meet<<<1, 1, 0, stream>>>(value, value);
        set<<<1, 1, 0, stream_with(0)>>>(value + 1, 8);
        CHECK(musaDeviceSynchronize());
        tell("child computes", value[0] + value[1]);
        std::fflush(stdout);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    tell("child ended", status);
    set<<<1, 1, 0, stream>>>(value, 200);
    CHECK(musaDeviceSynchronize());
    tell("parent", *value);
}

// The process ends while a kernel waits for a gate that never opens and others wait behind it.
void leave() {
    musaStream_t stream = stream_with(musaStreamNonBlocking);
    Gate gate(stream);
    DeviceArray<unsigned>& x = *new DeviceArray<unsigned>(1000);
    for (int i = 0; i < 100; ++i) scale<<<10, 128, 0, stream>>>(x, 1000, i, i);
    for (int i = 0; i < 2000; ++i) scale<<<10, 128>>>(x, 1000, i, i);
    std::this_thread::sleep_for(2ms);
    tell("left", 1);
}

int main(int argc, char** argv) {
    const std::string name = argv[1];
    if (name == "chain" && argc == 4) chain(std::atoi(argv[2]), std::atoi(argv[3]));
    if (name == "overlap") overlap();
    if (name == "asynchronous") asynchronous();
    if (name == "at_once") at_once();
    if (name == "polled") polled();
    if (name == "arguments") arguments();
    if (name == "default_stream") default_stream();
    if (name == "copies") copies();
    if (name == "memory") memory();
    if (name == "events") events();
    if (name == "host_functions") host_functions();
    if (name == "errors") errors();
    if (name == "fork") fork_with_work();
    if (name == "leave") leave();
}
