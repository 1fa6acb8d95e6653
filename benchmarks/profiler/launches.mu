// launches: reads what to do ("launch", "copy", "fill"), does it many times, and prints the nanoseconds of the calling
// thread's own time per call. And again. While calls are timed nothing else of the simulator runs: a kernel keeps the
// stream until the host opens a gate.
#include <musa_runtime.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <string>

__global__ void wait_for(const volatile int* open) {
    while (*open == 0) {
    }
}
__global__ void nothing(int*) {}

namespace {

constexpr int calls = 200;

void check(musaError_t error) {
    if (error == musaSuccess) return;
    std::fprintf(stderr, "%s\n", musaGetErrorString(error));
    std::exit(3);
}

double nanoseconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <class Call>
double measure(int* open, Call&& call) {
    *open = 0;
    wait_for<<<1, 1>>>(open);
    const double begin = nanoseconds();
    for (int i = 0; i < calls; ++i) call();
    const double end = nanoseconds();
    *open = 1;
    check(musaDeviceSynchronize());
    return (end - begin) / calls;
}

}  // namespace

int main() {
    int* open = nullptr;
    check(musaMallocHost(&open, sizeof *open));
    int* memory = nullptr;
    check(musaMalloc(&memory, 1 << 16));
    const int value = 7;
    char what[16];
    while (std::scanf("%15s", what) == 1) {
        const std::string kind = what;
        double time = 0;
        if (kind == "launch") time = measure(open, [&] { nothing<<<1, 1>>>(memory); });
        if (kind == "copy")
            time = measure(open, [&] { check(musaMemcpyAsync(memory, &value, sizeof value, musaMemcpyHostToDevice)); });
        if (kind == "fill") time = measure(open, [&] { check(musaMemsetAsync(memory, 0, 64)); });
        std::printf("%.3f\n", time);
        std::fflush(stdout);
    }
}
