// capacity files ROOT | shares BYTES DEVICES MOST | devices: how much memory devices have.
#include <base/host_memory.cpp>

#include "program.h"

namespace {

void tell(const char* question, musaError_t answer) { std::printf("%s=%s\n", question, musaGetErrorName(answer)); }

// Takes all that the device says to be free, and uses it; then one page more, and page-locked memory without end.
void devices() {
    int count = 0;
    CHECK(musaGetDeviceCount(&count));
    for (int i = 0; i < count; ++i) {
        CHECK(musaSetDevice(i));
        std::size_t free = 0, total = 0;
        musaDeviceProp properties;
        CHECK(musaMemGetInfo(&free, &total));
        CHECK(musaGetDeviceProperties(&properties, i));
        std::printf("total %d=%zu\n", i, total);
        std::printf("consistent %d=%d\n", i, free == total && properties.totalGlobalMem == total);
        void *all = nullptr, *more = nullptr;
        CHECK(musaMalloc(&all, free));
        CHECK(musaMemset(all, 1, free));
        CHECK(musaDeviceSynchronize());
        tell("more", musaMalloc(&more, 4096));
        CHECK(musaFree(all));
    }
    void* pinned = nullptr;
    tell("pinned", musaMallocHost(&pinned, musa_sim::available_memory() + (std::size_t{1} << 30)));
    CHECK(musaMallocHost(&pinned, 4096));
}

}  // namespace

int main(int, char** argv) {
    const std::string what = argv[1];
    if (what == "files") std::printf("available=%zu\n", musa_sim::available_memory(argv[2]));
    if (what == "shares")
        std::printf("share=%zu\n", musa_sim::default_device_memory(std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4])));
    if (what == "devices") devices();
}
