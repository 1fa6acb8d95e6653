// activity CASE: the events of a profiler (musa_sim_activity.h). Prints one JSON object per line: what was visited, and
// facts of the program itself.
#include <musa_sim_activity.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <thread>

#include "program.h"

namespace shapes {
template <class T>
__global__ void scale(T* x, unsigned n, T factor) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
}  // namespace shapes

__global__ void wait_for(const volatile int* open) {
    while (*open == 0) {
    }
}
__global__ void reverse(float* x) {
    __shared__ float tile[256];
    extern __shared__ float more[];
    tile[threadIdx.x] = x[threadIdx.x];
    more[threadIdx.x] = 0;
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void fault() { __builtin_trap(); }

namespace {

using Clock = std::chrono::system_clock;

long long now() { return Clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

void start() { CHECK(musa_sim_activity_start(MUSA_SIM_ACTIVITY_VERSION)); }

void show(const musa_sim_activity* a, void*) {
    std::printf(
        "{\"kind\": %d, \"name\": \"%s\", \"begin\": %" PRId64 ", \"end\": %" PRId64
        ", \"correlation\": %u, \"external\": %" PRIu64
        ", \"thread\": %d, \"device\": %d, \"stream\": %d, \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], "
        "\"static\": %zu, \"dynamic\": %zu, \"bytes\": %zu}\n",
        a->kind, a->name, a->begin, a->end, a->correlation, a->external_correlation, a->thread, a->device, a->stream,
        a->grid[0], a->grid[1], a->grid[2], a->block[0], a->block[1], a->block[2], a->static_shared,
        a->dynamic_shared, a->bytes);
}

// The ends of copies and fills: memory, whether it is a device's side, whose memory.
void show_ends(const musa_sim_activity* a, void*) {
    if (a->kind != musa_sim_activity_copy && a->kind != musa_sim_activity_fill) return;
    std::printf("{\"bytes\": %zu, \"from\": [%d, %d, %d], \"to\": [%d, %d, %d], \"value\": %u}\n", a->bytes,
                a->from.memory, a->from.is_device, a->from.device, a->to.memory, a->to.is_device, a->to.device, a->value);
}

void stop() {
    const std::size_t unfinished = musa_sim_activity_stop(show, nullptr);
    std::printf("{\"unfinished\": %zu}\n", unfinished);
}

template <class T>
T* device_array(std::size_t count) {
    T* data = nullptr;
    CHECK(musaMalloc(&data, count * sizeof(T)));
    CHECK(musaMemset(data, 0, count * sizeof(T)));
    return data;
}

// Two kernels in two streams, all kinds of copies, a fill, and calls that wait.
void everything() {
    constexpr unsigned n = 1 << 20;
    float* x = device_array<float>(n);
    float* managed = nullptr;
    CHECK(musaMallocManaged(&managed, 64));
    float* page_locked = nullptr;
    CHECK(musaMallocHost(&page_locked, n * sizeof(float)));
    std::vector<float> pageable(n, 1);
    musaStream_t side = nullptr;
    CHECK(musaStreamCreate(&side));
    CHECK(musaDeviceSynchronize());

    const long long begin = now();
    start();
    shapes::scale<<<dim3(n / 256, 1, 1), 256>>>(x, n, 2.0f);
    reverse<<<1, dim3(64, 2, 2), 4096, side>>>(x);
    CHECK(musaMemcpy(x, pageable.data(), n * sizeof(float), musaMemcpyHostToDevice));
    CHECK(musaMemcpyAsync(page_locked, x, 4000, musaMemcpyDeviceToHost, side));
    CHECK(musaMemcpyAsync(x, x + n / 2, 400, musaMemcpyDefault, side));
    CHECK(musaMemcpy2D(managed, 8, pageable.data(), 16, 4, 3, musaMemcpyDefault));
    CHECK(musaMemsetAsync(x, 1, 12, side));
    CHECK(musaStreamSynchronize(side));
    CHECK(musaDeviceSynchronize());
    stop();
    std::printf("{\"begin\": %lld, \"end\": %lld, \"thread\": %d}\n", begin, now(), gettid());
}

// Ended activities are visited while the profiler continues, each once.
void drain() {
    float* x = device_array<float>(256);
    int* open = nullptr;
    CHECK(musaMallocHost(&open, sizeof *open));
    *open = 0;
    musa_sim_activity_drain(show, nullptr);  // no profiler runs
    start();
    shapes::scale<<<1, 256>>>(x, 256, 2.0f);
    CHECK(musaDeviceSynchronize());
    wait_for<<<2, 1>>>(open);
    musa_sim_activity_drain(show, nullptr);
    std::printf("{\"active\": %d}\n", musa_sim_activity_active());
    *open = 1;
    CHECK(musaDeviceSynchronize());
    musa_sim_activity_drain(show, nullptr);
    std::printf("{\"active\": %d}\n", musa_sim_activity_active());
    shapes::scale<<<3, 256>>>(x, 256, 2.0f);
    CHECK(musaDeviceSynchronize());
    stop();
    musa_sim_activity_drain(show, nullptr);
}

void ends() {
    char *device = device_array<char>(256), *other = nullptr, *managed = nullptr, *pinned = nullptr;
    std::vector<char> pageable(256);
    CHECK(musaMallocManaged(&managed, 256));
    CHECK(musaMallocHost(&pinned, 256));
    CHECK(musaSetDevice(1));
    CHECK(musaMalloc(&other, 256));
    CHECK(musaSetDevice(0));
    start();
    CHECK(musaMemcpy(device, pageable.data(), 1, musaMemcpyHostToDevice));
    CHECK(musaMemcpy(pinned, device, 2, musaMemcpyDeviceToHost));
    CHECK(musaMemcpy(managed, pinned, 3, musaMemcpyHostToDevice));
    CHECK(musaMemcpyPeer(other, 1, device, 0, 4));
    CHECK(musaMemcpy(pageable.data(), managed, 5, musaMemcpyDefault));
    CHECK(musaMemset(device, 9, 6));
    CHECK(musaDeviceSynchronize());
    musa_sim_activity_stop(show_ends, nullptr);
}

void heard(int entered, const musa_sim_activity* call, void* data) {
    std::printf("{\"heard\": \"%s\", \"entered\": %d, \"number\": %u, \"stream\": %d, \"ended\": %d, \"data\": %d}\n",
                call->name, entered, call->correlation, call->stream, call->end >= call->begin,
                *static_cast<int*>(data));
}

// An observer hears of calls with a profiler and without; of one inside another nothing.
void observer() {
    float* x = device_array<float>(256);
    int data = 5;
    musaStream_t side = nullptr;
    int number = -1, ours = -1;
    CHECK(musaStreamCreate(&side));
    CHECK(musa_sim_activity_stream(nullptr, &number));
    CHECK(musa_sim_activity_stream(side, &ours));
    std::printf("{\"streams\": [%d, %d]}\n", number, ours);
    CHECK(musa_sim_activity_observe(heard, &data));
    std::printf("{\"second\": \"%s\"}\n", musaGetErrorName(musa_sim_activity_observe(heard, &data)));
    shapes::scale<<<1, 256>>>(x, 256, 2.0f);
    CHECK(musaStreamSynchronize(side));
    start();
    shapes::scale<<<2, 256>>>(x, 256, 2.0f);
    CHECK(musaDeviceSynchronize());
    CHECK(musa_sim_activity_observe(nullptr, nullptr));
    shapes::scale<<<3, 256>>>(x, 256, 2.0f);
    CHECK(musaDeviceSynchronize());
    stop();
}

void external() {
    float* x = device_array<float>(256);
    musa_sim_activity_push_correlation(1);  // no profiler runs
    start();
    shapes::scale<<<1, 256>>>(x, 256, 2.0f);
    musa_sim_activity_push_correlation(7);
    musa_sim_activity_push_correlation(8);
    shapes::scale<<<2, 256>>>(x, 256, 2.0f);
    musa_sim_activity_pop_correlation();
    shapes::scale<<<3, 256>>>(x, 256, 2.0f);
    std::thread([=] { shapes::scale<<<4, 256>>>(x, 256, 2.0f); }).join();
    musa_sim_operator* work = musa_sim_activity_operator_submit("turn to it", "stands in", nullptr);
    CHECK(musaDeviceSynchronize());
    musa_sim_activity_operator_begin(work);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    musa_sim_activity_operator_end(work);
    musa_sim_activity_operator_end(musa_sim_activity_operator_submit("turn back", "never began", nullptr));
    stop();
    start();  // 7 was never popped
    shapes::scale<<<5, 256>>>(x, 256, 2.0f);
    CHECK(musaDeviceSynchronize());
    stop();
}

// Work in flight when the profiler ends or begins.
void cut() {
    int* open = nullptr;
    CHECK(musaMallocHost(&open, sizeof *open));
    *open = 0;
    wait_for<<<1, 1>>>(open);
    start();
    shapes::scale<<<1, 1>>>(device_array<float>(1), 1u, 1.0f);  // waits for the gate's kernel
    stop();
    *open = 1;
    CHECK(musaDeviceSynchronize());
    start();
    stop();
}

void refused() {
    std::printf("{\"version\": \"%s\"}\n", musaGetErrorName(musa_sim_activity_start(MUSA_SIM_ACTIVITY_VERSION + 1)));
    start();
    std::printf("{\"second\": \"%s\"}\n", musaGetErrorName(musa_sim_activity_start(MUSA_SIM_ACTIVITY_VERSION)));
    stop();
    std::printf("{\"active\": %d}\n", musa_sim_activity_active());
    std::printf("{\"operator\": %d}\n", musa_sim_activity_operator_submit("call", "nobody profiles", nullptr) != nullptr);
    musa_sim_activity_operator_begin(nullptr);
    musa_sim_activity_operator_end(nullptr);
    musa_sim_activity_pop_correlation();
}

// A kernel that fails has run; what comes after it does not.
void failure() {
    float* x = device_array<float>(1);
    start();
    fault<<<1, 1>>>();
    shapes::scale<<<1, 1>>>(x, 1u, 2.0f);
    musaDeviceSynchronize();
    stop();
}

void child() {
    float* x = device_array<float>(1);
    CHECK(musaDeviceSynchronize());
    start();
    shapes::scale<<<1, 1>>>(x, 1u, 2.0f);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        shapes::scale<<<2, 1>>>(x, 1u, 2.0f);
        CHECK(musaDeviceSynchronize());
        stop();
        start();
        shapes::scale<<<3, 1>>>(x, 1u, 2.0f);
        CHECK(musaDeviceSynchronize());
        stop();
        std::fflush(stdout);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    std::printf("{\"child\": %d}\n", status);
    stop();
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    if (name == "everything") everything();
    if (name == "drain") drain();
    if (name == "ends") ends();
    if (name == "observer") observer();
    if (name == "external") external();
    if (name == "cut") cut();
    if (name == "refused") refused();
    if (name == "failure") failure();
    if (name == "child") child();
    return 0;
}
