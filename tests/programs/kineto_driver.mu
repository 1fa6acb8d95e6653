// A trace by libkineto of work that the driver's and the runtime's functions submit: driver_trace.json.
#include <libkineto.h>
#include <musa.h>
#include <musa_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void check(int status, const char* call) {
    if (status == 0) return;
    std::fprintf(stderr, "%s: %d\n", call, status);
    std::exit(1);
}
#define CHECK(call) check(call, #call)

}  // namespace

__global__ void twice(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

int main() {
    float* x = nullptr;
    CHECK(musaMalloc(&x, 4096));
    libkineto_init(false, true);
    libkineto::api().initProfilerIfRegistered();
    auto& profiler = libkineto::api().activityProfiler();
    profiler.prepareTrace({libkineto::ActivityType::GPU_MEMCPY, libkineto::ActivityType::GPU_MEMSET,
                           libkineto::ActivityType::CONCURRENT_KERNEL, libkineto::ActivityType::CUDA_SYNC,
                           libkineto::ActivityType::PRIVATEUSE1_RUNTIME, libkineto::ActivityType::PRIVATEUSE1_DRIVER},
                          "ACTIVITIES_WARMUP_PERIOD_SECS=0");
    profiler.startTrace();
    MUfunction function = nullptr;
    CHECK(musaGetFuncBySymbol(&function, reinterpret_cast<const void*>(twice)));
    std::vector<float> values(1024, 3);
    void* arguments[] = {&x};
    const auto address = reinterpret_cast<MUdeviceptr>(x);
    CHECK(muMemsetD32(address, 0, 1024));
    CHECK(muMemcpyHtoD(address, values.data(), 4096));
    for (int i = 0; i < 3; ++i) CHECK(muLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
    twice<<<4, 256>>>(x);
    CHECK(musaMemcpy(values.data(), x, 4096, musaMemcpyDeviceToHost));
    CHECK(muCtxSynchronize());
    const auto trace = profiler.stopTrace();
    trace->save("driver_trace.json");
    return values[0] == 48 ? 0 : 2;
}
