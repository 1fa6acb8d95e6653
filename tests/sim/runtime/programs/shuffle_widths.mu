// Shuffles in segments of each width: which lane each lane reads, as a list of numbers.
#include <musa_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                    \
    do {                                                                               \
        const musaError_t error = (call);                                              \
        if (error != musaSuccess) {                                                    \
            std::printf("%s: %s\n", #call, musaGetErrorName(error));                   \
            std::exit(1);                                                              \
        }                                                                              \
    } while (0)

enum Mode { up, down, exclusive_or, by_index };

__device__ int source(unsigned mask, int mode, int argument, int width) {
    const int lane = threadIdx.x;
    switch (mode) {
        case up: return __shfl_up_sync(mask, lane, argument, width);
        case down: return __shfl_down_sync(mask, lane, argument, width);
        case exclusive_or: return __shfl_xor_sync(mask, lane, argument, width);
        default: return __shfl_sync(mask, lane, argument, width);
    }
}

// The block has one warp. Argument and width grow by these from lane to lane.
__global__ void all_widths(int* out, int last_width, int argument_step, int width_step, unsigned mask) {
    const int lane = threadIdx.x, lanes = blockDim.x;
    if ((mask >> lane % 32 & 1) == 0) return;
    for (int mode = up; mode <= by_index; ++mode)
        for (int width = 1; width <= last_width; ++width)
            for (int argument = 0; argument < lanes; ++argument, out += lanes)
                out[lane] = source(mask, mode, (argument + lane * argument_step) % lanes,
                                   (width - 1 + lane * width_step) % last_width + 1);
}

// The width is known when the kernel is compiled.
template <int Width>
__global__ void one_width(int* out) {
    const int lane = threadIdx.x;
    out[lane] = __shfl_down_sync(0xffffffffu, lane, 1, Width);
    out[128 + lane] = __shfl_sync(0xffffffffu, lane, 3, Width);
}

// Half of the lanes give a wrong width.
__global__ void some(int* out) {
    const int lane = threadIdx.x;
    out[lane] = __shfl_down_sync(0xffffffffu, lane, 1, lane < 16 ? 16 : 24);
}

template <class Launch>
void print(const char* name, int count, Launch launch) {
    int* out = nullptr;
    CHECK(musaMallocManaged(&out, count * sizeof(int)));
    for (int i = 0; i < count; ++i) out[i] = -1;
    launch(out);
    CHECK(musaGetLastError());
    std::string text = std::string(name) + "=" + musaGetErrorName(musaDeviceSynchronize()) + ":";
    for (int i = 0; i < count; ++i) text += std::to_string(out[i]) + ",";
    std::puts(text.c_str());
    CHECK(musaFree(out));
}

int main(int, char** arguments) {
    const std::string wanted = arguments[1];
    const int lanes = std::atoi(arguments[2]);
    if (wanted == "all") {
        const int last = std::atoi(arguments[3]), argument_step = std::atoi(arguments[4]);
        const int width_step = std::atoi(arguments[5]);
        const auto mask = static_cast<unsigned>(std::strtoul(arguments[6], nullptr, 16));
        print("all", 4 * last * lanes * lanes, [&](int* out) {
            all_widths<<<1, lanes>>>(out, last, argument_step, width_step, mask);
        });
    }
    if (wanted == "constant") {
        print("0", 256, [&](int* out) { one_width<0><<<1, lanes>>>(out); });
        print("24", 256, [&](int* out) { one_width<24><<<1, lanes>>>(out); });
        print("33", 256, [&](int* out) { one_width<33><<<1, lanes>>>(out); });
    }
    if (wanted == "some") print("some", lanes, [&](int* out) { some<<<1, lanes>>>(out); });
}
