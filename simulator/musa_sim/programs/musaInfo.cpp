// musaInfo: what the runtime says of each device, in the form that Moore Threads' installation guide shows.
#include <musa_runtime_api.h>

#include <cstdio>
#include <iomanip>
#include <iostream>
#include <string>

namespace {

constexpr int kColumn = 34;

template <class Value>
void row(const std::string& name, const Value& value) {
    std::cout << std::setw(kColumn) << name + ": " << value << '\n';
}

std::string sized(std::size_t bytes, int shift, const char* unit) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %s", static_cast<double>(bytes) / static_cast<double>(1ull << shift), unit);
    return text;
}

std::string hexadecimal(int number) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%x", number);
    return text;
}

std::string version(musaError_t (*ask)(int*)) {
    int number = 0;
    if (ask(&number) != musaSuccess) return "unknown";
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100);
}

// The devices whose memory `device` can read, or cannot.
std::string peers(int device, int count, bool wanted) {
    std::string text;
    for (int other = 0; other < count; ++other) {
        int can = 0;
        musaDeviceCanAccessPeer(&can, device, other);
        if ((can != 0) == wanted) text += "device#" + std::to_string(other) + " ";
    }
    return text;
}

void show(int device, int count) {
    musaDeviceProp p;
    std::size_t free = 0, total = 0;
    if (musaGetDeviceProperties(&p, device) != musaSuccess) return;
    std::cout << std::string(80, '-') << '\n' << std::left;
    std::cout << std::setw(kColumn) << "device#" << device << '\n';
    row("Name", p.name);
    row("Driver Version", version(&musaDriverGetVersion));
    row("Runtime Version", version(&musaRuntimeGetVersion));
    row("compute capability", std::to_string(p.major) + "." + std::to_string(p.minor));
    row("pciBusID", hexadecimal(p.pciBusID));
    row("pciDeviceID", hexadecimal(p.pciDeviceID));
    row("pciDomainID", hexadecimal(p.pciDomainID));
    row("multiProcessorCount", p.multiProcessorCount);
    row("maxThreadsPerMultiProcessor", p.maxThreadsPerMultiProcessor);
    row("isMultiGpuBoard", p.isMultiGpuBoard);
    row("clockRate", std::to_string(p.clockRate / 1000) + " Mhz");
    row("memoryClockRate", std::to_string(p.memoryClockRate / 1000) + " Mhz");
    row("memoryBusWidth", p.memoryBusWidth);
    row("totalGlobalMem", sized(p.totalGlobalMem, 30, "GB"));
    row("sharedMemPerMultiprocessor", sized(p.sharedMemPerMultiprocessor, 10, "KB"));
    row("totalConstMem", p.totalConstMem);
    row("sharedMemPerBlock", sized(p.sharedMemPerBlock, 10, "KB"));
    row("canMapHostMemory", p.canMapHostMemory);
    row("regsPerBlock", p.regsPerBlock);
    row("warpSize", p.warpSize);
    row("l2CacheSize", p.l2CacheSize);
    row("computeMode", p.computeMode);
    row("maxThreadsPerBlock", p.maxThreadsPerBlock);
    for (int i = 0; i < 3; ++i) row(std::string("maxThreadsDim.") + "xyz"[i], p.maxThreadsDim[i]);
    for (int i = 0; i < 3; ++i) row(std::string("maxGridSize.") + "xyz"[i], p.maxGridSize[i]);
    row("concurrentKernels", p.concurrentKernels);
    row("cooperativeLaunch", p.cooperativeLaunch);
    row("cooperativeMultiDeviceLaunch", p.cooperativeMultiDeviceLaunch);
    row("isIntegrated", p.integrated);
    row("maxTexture1D", p.maxTexture1D);
    row("maxTexture2D.width", p.maxTexture2D[0]);
    row("maxTexture2D.height", p.maxTexture2D[1]);
    row("maxTexture3D.width", p.maxTexture3D[0]);
    row("maxTexture3D.height", p.maxTexture3D[1]);
    row("maxTexture3D.depth", p.maxTexture3D[2]);
    row("peers", peers(device, count, true));
    row("non-peers", peers(device, count, false));
    if (musaSetDevice(device) != musaSuccess || musaMemGetInfo(&free, &total) != musaSuccess) return;
    row("memInfo.total", sized(total, 30, "GB"));
    row("memInfo.free", sized(free, 30, "GB") + " (" + std::to_string(free * 100 / total) + "%)");
    std::cout << '\n';
}

}  // namespace

int main() {
    int count = 0;
    const musaError_t error = musaGetDeviceCount(&count);
    if (error != musaSuccess) {
        std::cerr << "musaInfo: error: " << musaGetErrorString(error) << '\n';
        return 1;
    }
    std::cout << "compiler: mcc\n";
    for (int device = 0; device < count; ++device) show(device, count);
}
