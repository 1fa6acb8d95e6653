// A program that registers something that is no fat binary.
#include <musa_runtime.h>

#include <cstdio>

extern "C" {
void** __musaRegisterFatBinary(void* wrapper);
int __musaRegisterFunction(void** handle, const void* host_stub, char* device_function,
                           const char* device_name, int thread_limit, void* thread_id,
                           void* block_id, void* block_dim, void* grid_dim, int* warp_size);
}

static void stub() {}

int main() {
    static char data[64] = "this is no device code";
    struct {
        int magic, version;
        const void* data;
        void* unused;
    } wrapper = {0x466243B1, 1, data, nullptr};
    void** handle = __musaRegisterFatBinary(&wrapper);
    const auto* address = reinterpret_cast<const void*>(stub);
    char name[] = "stub";
    __musaRegisterFunction(handle, address, name, name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    std::printf("launch=%s\n",
                musaGetErrorName(musaLaunchKernel(address, 1, 1, nullptr, 0, nullptr)));
}
