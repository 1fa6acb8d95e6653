// loaded_libraries IMAGE: kernels and variables of module.mu, loaded by the runtime. Prints `question=answer` lines.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "program.h"

namespace {

void tell(const char* question, long long answer) { std::printf("%s=%lld\n", question, answer); }
void tell(const char* question, musaError_t answer) {
    std::printf("%s=%s\n", question, musaGetErrorName(answer));
    musaGetLastError();  // check_kernel() asks for that of the launch
}

__global__ void own(int* x) { *x += 1; }

float reversed(musaKernel_t kernel) {
    DeviceArray<float> x(3);
    const float numbers[] = {1, 2, 3};
    CHECK(musaMemcpy(x, numbers, sizeof numbers, musaMemcpyHostToDevice));
    float* pointer = x;
    void* arguments[] = {&pointer};
    CHECK(musaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(3), arguments, sizeof numbers, nullptr));
    check_kernel();
    return x.host()[0];
}

void from_file(const char* path) {
    musaLibrary_t library = nullptr;
    CHECK(musaLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0));
    musaKernel_t kernel = nullptr;
    CHECK(musaLibraryGetKernel(&kernel, library, "reverse"));
    tell("from a file", static_cast<long long>(reversed(kernel)));
    unsigned count = 0;
    CHECK(musaLibraryGetKernelCount(&count, library));
    tell("kernels", count);
    std::vector<musaKernel_t> all(count, nullptr);
    CHECK(musaLibraryEnumerateKernels(all.data(), count, library));
    tell("among them", std::count(all.begin(), all.end(), kernel));
    tell("none twice", std::set<musaKernel_t>(all.begin(), all.end()).size() == count);
    tell("no kernel", musaLibraryGetKernel(&kernel, library, "nothing"));
    CHECK(musaLibraryUnload(library));
    tell("unloaded twice", musaLibraryUnload(library));
    tell("of the unloaded", musaLibraryGetKernel(&kernel, library, "reverse"));
    tell("no file", musaLibraryLoadFromFile(&library, "/nowhere", nullptr, nullptr, 0, nullptr, nullptr, 0));
}

void from_memory(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> image{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    musaLibrary_t library = nullptr;
    musaLibraryOption option = musaLibraryBinaryIsPreserved;
    void* yes = reinterpret_cast<void*>(1);
    CHECK(musaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, &option, &yes, 1));
    void* factor = nullptr;
    size_t bytes = 0;
    CHECK(musaLibraryGetGlobal(&factor, &bytes, library, "factor"));
    tell("bytes", static_cast<long long>(bytes));
    tell("no variable", musaLibraryGetGlobal(&factor, &bytes, library, "nothing"));
    const float factors[] = {0, 5, 0, 0}, two = 2;
    CHECK(musaMemcpy(factor, factors, sizeof factors, musaMemcpyHostToDevice));
    DeviceArray<float> x(1), y(1);
    CHECK(musaMemcpy(x, &two, sizeof two, musaMemcpyHostToDevice));
    musaKernel_t scale = nullptr;
    CHECK(musaLibraryGetKernel(&scale, library, "scale"));
    float *from = x, *to = y;
    int n = 1, which = 1;
    void* arguments[] = {&from, &to, &n, &which};
    CHECK(musaLaunchKernel(reinterpret_cast<const void*>(scale), dim3(1), dim3(1), arguments, 0, nullptr));
    check_kernel();
    tell("scaled", static_cast<long long>(y.host()[0]));
    const auto attribute = musaFuncAttributeMaxDynamicSharedMemorySize;
    CHECK(musaKernelSetAttributeForDevice(scale, attribute, 512, 0));
    musaFuncAttributes attributes;
    CHECK(musaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(scale)));
    tell("shared memory", attributes.maxDynamicSharedSizeBytes);
    tell("no device", musaKernelSetAttributeForDevice(scale, attribute, 512, 99));
    CHECK(musaLibraryUnload(library));
    const char text[64] = "no image";
    tell("no image", musaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
    option = musaLibraryHostUniversalFunctionAndDataTable;
    tell("a table", musaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, &option, &yes, 1));
    tell("no options", musaLibraryLoadData(&library, image.data(), nullptr, nullptr, 1, nullptr, nullptr, 0));
}

void own_kernel() {
    musaKernel_t kernel = nullptr;
    CHECK(musaGetKernel(&kernel, reinterpret_cast<const void*>(own)));
    DeviceArray<int> x(1);
    int* pointer = x;
    void* arguments[] = {&pointer};
    CHECK(musaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0, nullptr));
    check_kernel();
    tell("own", x.host()[0]);
    tell("not own", musaGetKernel(&kernel, &pointer));
}

}  // namespace

int main(int, char** argv) {
    from_file(argv[1]);
    from_memory(argv[1]);
    own_kernel();
}
