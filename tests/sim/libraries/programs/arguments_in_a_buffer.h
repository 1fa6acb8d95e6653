#include <musa.h>
#include <musa_runtime.h>
#include <cstdio>
#include <cstring>
struct Bytes { char of[3]; };
struct Numbers { int of[5]; };
struct Mixed { char tag; double value; short last; };
struct alignas(32) Wide { char of[40]; };
struct Nested { Bytes bytes; Numbers numbers; long long tail; };
struct Large { double of[50]; };
template <class T> __device__ void keep(char*& out, const T& value) {
    memcpy(out, &value, sizeof value);
    out += sizeof value;
}
int failures = 0;
template <class Arguments>
void launch(const void* kernel, Arguments& arguments, const char* expected, size_t bytes, char* out, const char* name) {
    MUfunction function = nullptr;
    musaGetFuncBySymbol(&function, kernel);
    size_t size = sizeof arguments;
    void* extra[] = {MU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, MU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     MU_LAUNCH_PARAM_END};
    const MUresult status = muLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra);
    const bool same = status == MUSA_SUCCESS && muCtxSynchronize() == MUSA_SUCCESS && memcmp(out, expected, bytes) == 0;
    if (!same) ++failures, std::printf("failed %s: %d\n", name, status);
}
