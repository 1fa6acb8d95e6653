// at_exit CASE: the API and kernels while the process ends. Prints `question=answer` lines.
//
// The first word of CASE says when: in the destructor of a global object (static), of a static one made in main (local),
// of a thread_local one, or in a handler of atexit(). The rest says what runs then.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <thrust/device_vector.h>

#include "program.h"

namespace {

// Written with write(), because stdio may be flushed for the last time already.
void tell(const char* question, const std::string& answer) {
    const std::string line = std::string(question) + "=" + answer + "\n";
    if (write(STDOUT_FILENO, line.data(), line.size()) < 0) _exit(4);
}
void tell(const char* question, musaError_t answer) { tell(question, std::string(musaGetErrorName(answer))); }
void tell(const char* question, long long answer) { tell(question, std::to_string(answer)); }

std::string wanted;
int* numbers = nullptr;  // 64 of them, in memory that host and device share
constexpr int count = 64;

}  // namespace

// Runs as a loop over its threads.
__global__ void fill(int* out, int value) { out[threadIdx.x] = value; }
// Runs as fibers.
__global__ void sum(int* out) {
    int value = out[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    __shared__ int warps[2];
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    out[threadIdx.x] = warps[0] + warps[1];
}
__global__ void spin(const volatile int* flag) {
    while (*flag != -1) {
    }
}
// Each thread waits for a block that never comes.
__global__ void spin_politely(const volatile int* flag) {
    while (*flag != -1) __nanosleep(100);
}
__device__ __noinline__ int deep(int* out, int depth) {
    volatile int frame[64];
    frame[depth % 64] = depth;
    return depth < 0 ? frame[0] : deep(out, depth + 1) + frame[depth % 64];
}
__global__ void overflow(int* out) { out[0] = deep(out, 1); }
__global__ void wild(int* out) { *reinterpret_cast<int*>(reinterpret_cast<char*>(out) + (1ull << 46)) = 1; }
__global__ void several_blocks(int* out) { atomicAdd(out, 1); }

namespace {

void kernels() {
    fill<<<1, count>>>(numbers, 2);
    tell("launch", musaGetLastError());
    sum<<<1, count>>>(numbers);
    tell("kernels", musaDeviceSynchronize());
    tell("sum", numbers[5]);
    *numbers = 0;
    several_blocks<<<200, 64>>>(numbers);
    tell("many blocks", musaDeviceSynchronize());
    tell("count", *numbers);
}

void spinning() {
    if (wanted.find("politely") != std::string::npos) {
        spin_politely<<<3, 32>>>(numbers);
    } else {
        spin<<<3, 32>>>(numbers);
    }
    tell("spinning", musaDeviceSynchronize());
}

void faults() {
    overflow<<<1, 1>>>(numbers);
    tell("overflow", musaDeviceSynchronize());
    musaDeviceReset();
    wild<<<1, 1>>>(numbers);
    tell("wild", musaDeviceSynchronize());
    musaDeviceReset();
    fill<<<1, count>>>(numbers, 3);
    tell("after", musaDeviceSynchronize());
}

void api() {
    int* memory = nullptr;
    musaStream_t stream = nullptr;
    tell("malloc", musaMalloc(&memory, 4096));
    tell("stream", musaStreamCreate(&stream));
    tell("memset", musaMemsetAsync(memory, 0, 4096, stream));
    tell("per thread", musaMemsetAsync(memory, 0, 4096, musaStreamPerThread));
    tell("synchronise", musaStreamSynchronize(stream));
    tell("destroy", musaStreamDestroy(stream));
    tell("free", musaFree(memory));
    musaDeviceProp properties;
    tell("properties", musaGetDeviceProperties(&properties, 0));
}

// Work is in flight in several streams; the program has not waited for it.
void streams() {
    for (int i = 0; i < 4; ++i) {
        musaStream_t stream = nullptr;
        musaStreamCreateWithFlags(&stream, musaStreamNonBlocking);
        for (int j = 0; j < 50; ++j) several_blocks<<<8, 64, 0, stream>>>(numbers);
    }
}

void in_a_thread() {
    std::thread([] { kernels(); }).join();
}

void in_a_child() {
    const pid_t child = fork();
    if (child == 0) {
        kernels();
        _exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    tell("child", WEXITSTATUS(status));
    kernels();
}

void many_threads() {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 64; ++i) {
        threads.emplace_back([&] {
            int* memory = nullptr;
            musaStream_t stream = nullptr;
            wrong += musaMalloc(&memory, 64 * sizeof(int)) != musaSuccess;
            wrong += musaStreamCreate(&stream) != musaSuccess;
            fill<<<1, 64, 0, stream>>>(memory, 1);
            wrong += musaStreamSynchronize(stream) != musaSuccess;
            wrong += musaFree(memory) != musaSuccess;
        });
    }
    for (std::thread& thread : threads) thread.join();
    tell("wrong", wrong);
}

// The function that the second part of CASE names.
void late() {
    const std::string what = wanted.substr(wanted.find(' ') + 1);
    if (what == "kernels") kernels();
    if (what.find("spinning") == 0) spinning();
    if (what == "faults") faults();
    if (what == "api") api();
    if (what == "streams") {
        streams();
        tell("pending", musaDeviceSynchronize());
        kernels();
    }
    if (what == "in a thread") in_a_thread();
    if (what == "in a child") in_a_child();
    if (what == "many threads") many_threads();
    tell("late", "done");
}

bool is_time(const char* time) { return wanted.compare(0, wanted.find(' '), time) == 0; }

struct Static {
    ~Static() {
        if (is_time("static")) late();
    }
} last_to_go;

struct Local {
    ~Local() {
        if (is_time("local")) late();
    }
};

struct PerThread {
    bool used = false;
    ~PerThread() {
        if (used && is_time("thread_local")) late();
    }
};
thread_local PerThread per_thread;

}  // namespace

// Globals of a kind that programs have; the device memory goes when the program has ended.
thrust::device_vector<int>* vector_on_heap = nullptr;
struct Vectors {
    ~Vectors() { delete vector_on_heap; }
} vectors;

namespace {

void leave_from_a_host_function(void*) { std::exit(5); }
void throw_from_a_host_function(void*) { throw std::runtime_error("of the host function"); }

[[noreturn]] void wait_for_ever() {
    for (;;) pause();
}

}  // namespace

int main(int argc, char** argv) {
    wanted = argv[1];
    if (argc < 3) {  // else the late part makes the first call of the API
        CHECK(musaMallocManaged(&numbers, count * sizeof(int), musaMemAttachGlobal));
        for (int i = 0; i < count; ++i) numbers[i] = 0;
        fill<<<1, count>>>(numbers, 1);
        sum<<<1, count>>>(numbers);
        CHECK(musaDeviceSynchronize());
    }
    static Local made_in_main;
    if (is_time("atexit")) std::atexit(late);
    if (is_time("thread_local")) per_thread.used = true;
    if (is_time("thread")) {
        std::thread([] { per_thread.used = true; }).join();
        wanted = "thread_local kernels";
        std::thread([] { per_thread.used = true; }).join();
        return 0;
    }
    if (is_time("other")) {  // another thread ends the process
        wanted = "local kernels";
        std::thread([] { std::exit(6); }).detach();
        wait_for_ever();
    }
    if (is_time("detached")) {  // continues with kernels while the process ends
        std::thread([] {
            for (;;) {
                several_blocks<<<100, 64>>>(numbers);
                musaDeviceSynchronize();
            }
        }).detach();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (wanted == "vectors") vector_on_heap = new thrust::device_vector<int>(1000, 7);
    if (wanted == "pending spin") {
        spin<<<3, 32>>>(numbers);
        tell("late", "done");
    }
    if (wanted == "leave") {
        CHECK(musaLaunchHostFunc(nullptr, leave_from_a_host_function, nullptr));
        wait_for_ever();
    }
    if (wanted == "leave while waiting") {
        wanted = "static api";
        CHECK(musaLaunchHostFunc(nullptr, leave_from_a_host_function, nullptr));
        musaDeviceSynchronize();
        wait_for_ever();
    }
    if (wanted == "throw" || wanted == "throw while waiting") {
        CHECK(musaLaunchHostFunc(nullptr, throw_from_a_host_function, nullptr));
        if (wanted == "throw") wait_for_ever();
        tell("synchronise", musaDeviceSynchronize());
    }
}
