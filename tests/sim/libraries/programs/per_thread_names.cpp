// Which functions the driver and the runtime return by name, and whether those of the driver work in the thread's stream.
// Prints `question=answer` lines. Compiled with the macro.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include <musa.h>
#include <musa_runtime_api.h>

namespace {

int failures = 0;
void check(bool good, const char* what) {
    if (good) return;
    std::printf("failed=%s\n", what);
    ++failures;
}
#define CHECK(what) check(what, #what)
#define WORKS(call) check((call) == 0, #call)

void names() {
    const struct {
        const char *wanted, *legacy, *own;
    } table[] = {
        {"muLaunchKernel", "muLaunchKernel", "muLaunchKernel_ptsz"},
        {"muMemcpyHtoD_v2", "muMemcpyHtoD_v2", "muMemcpyHtoD_v2_ptds"},
        {"muMemAlloc_v2", "muMemAlloc_v2", "muMemAlloc_v2"},
        {"muStreamSynchronize", "muStreamSynchronize", "muStreamSynchronize_ptsz"},
    };
    for (const auto& row : table) {
        void* function = nullptr;
        WORKS(muGetProcAddress(row.wanted, &function, MUSA_VERSION, MU_GET_PROC_ADDRESS_LEGACY_STREAM));
        CHECK(function == dlsym(RTLD_DEFAULT, row.legacy));
        void* const own = dlsym(RTLD_DEFAULT, row.own);
        for (auto flags : {MU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, MU_GET_PROC_ADDRESS_DEFAULT}) {
            WORKS(muGetProcAddress(row.wanted, &function, MUSA_VERSION, flags));
            CHECK(function == own);
            WORKS(muGetProcAddress_v2(row.wanted, &function, MUSA_VERSION, flags, nullptr));
            CHECK(function == own);
        }
        for (auto flags : {musaEnablePerThreadDefaultStream, musaEnableDefault}) {
            WORKS(musaGetDriverEntryPoint(row.wanted, &function, flags, nullptr));
            CHECK(function == own);
            WORKS(musaGetDriverEntryPointByVersion(row.wanted, &function, MUSA_VERSION, flags, nullptr));
            CHECK(function == own);
        }
    }
    // the first names mean the second versions
    void* function = nullptr;
    WORKS(muGetProcAddress("muMemcpyHtoD", &function, MUSA_VERSION, MU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
    CHECK(function == dlsym(RTLD_DEFAULT, "muMemcpyHtoD_v2_ptds"));
}

// While a host function holds the thread's stream that calls this.
template <class Body>
void while_another_thread_waits(Body body) {
    static volatile bool open;
    open = false;
    MUcontext context = nullptr;
    WORKS(muCtxGetCurrent(&context));
    WORKS(muLaunchHostFunc(
        nullptr,
        [](void*) {
            while (!open) std::this_thread::yield();
        },
        nullptr));
    std::thread([&] {
        WORKS(muCtxSetCurrent(context));
        body();
        CHECK(muStreamQuery(nullptr) == MUSA_SUCCESS);
    }).join();
    CHECK(muStreamQuery(nullptr) == MUSA_ERROR_NOT_READY);
    open = true;
    WORKS(muCtxSynchronize());
}

void copies() {
    constexpr std::size_t size = 64;
    MUdeviceptr one = 0, two = 0;
    WORKS(muMemAlloc(&one, size));
    WORKS(muMemAlloc(&two, size));
    MUSA_ARRAY_DESCRIPTOR shape{};
    shape.Width = 16;
    shape.Format = MU_AD_FORMAT_UNSIGNED_INT32;
    shape.NumChannels = 1;
    MUarray array = nullptr;
    WORKS(muArrayCreate(&array, &shape));
    WORKS(muCtxSynchronize());
    std::vector<unsigned char> from(size, 3), to(size);
    while_another_thread_waits([&] {
        WORKS(muMemcpyHtoD(one, from.data(), size));
        WORKS(muMemcpyDtoD(two, one, size));
        WORKS(muMemcpy(one, two, size));
        WORKS(muMemsetD8(one, 1, 1));
        WORKS(muMemsetD16(one + 4, 0x101, 1));
        WORKS(muMemsetD32(one + 8, 0x1010101, 1));
        WORKS(muMemsetD2D8(one + 12, 4, 1, 4, 1));
        WORKS(muMemsetD2D16(one + 16, 4, 0x101, 2, 1));
        WORKS(muMemsetD2D32(one + 20, 4, 0x1010101, 1, 1));
        WORKS(muMemcpyDtoA(array, 0, one, size));
        WORKS(muMemcpyAtoD(two, array, 0, size));
        WORKS(muMemcpyAtoH(to.data(), array, 0, size));
        WORKS(muMemcpyHtoA(array, 0, to.data(), size));
        WORKS(muMemcpyAtoA(array, 0, array, 32, 4));
        MUSA_MEMCPY2D flat{};
        flat.srcMemoryType = flat.dstMemoryType = MU_MEMORYTYPE_DEVICE;
        flat.srcDevice = two;
        flat.dstDevice = one;
        flat.srcPitch = flat.dstPitch = 8;
        flat.WidthInBytes = 8;
        flat.Height = 8;
        WORKS(muMemcpy2D(&flat));
        WORKS(muMemcpy2DUnaligned(&flat));
        MUSA_MEMCPY3D box{};
        box.srcMemoryType = box.dstMemoryType = MU_MEMORYTYPE_DEVICE;
        box.srcDevice = one;
        box.dstDevice = two;
        box.srcPitch = box.dstPitch = 8;
        box.srcHeight = box.dstHeight = 8;
        box.WidthInBytes = 8;
        box.Height = 8;
        box.Depth = 1;
        WORKS(muMemcpy3D(&box));
        WORKS(muMemcpyHtoDAsync(one + 60, from.data(), 4, nullptr));
        WORKS(muMemsetD8Async(two + 60, 2, 4, nullptr));
        WORKS(muStreamSynchronize(nullptr));
        WORKS(muMemcpyDtoH(to.data(), two, size));
    });
    std::printf("bytes=");
    for (unsigned char byte : to) std::printf("%d", byte);
    std::printf("\n");
}

}  // namespace

int main() {
    WORKS(muInit(0));
    WORKS(musaSetDevice(0));
    WORKS(musaDeviceSynchronize());
    names();
    copies();
    std::printf("failures=%d\n", failures);
}
