// CUDA 12's libraries of code: load an image, launch a kernel of it, read its variable. argv: the image.
#include <cstdio>
#include <cuda.h>
#include <fstream>
#include <iterator>
#include <string>

static int is(CUresult result, int line) {
    if (result == CUDA_SUCCESS) return 0;
    const char *name = nullptr;
    cuGetErrorName(result, &name);
    std::printf("line %d: %s\n", line, name);
    return line;
}
#define MUST(call) \
    if (is(call, __LINE__)) return 1

int main(int, char **argv) {
    CUdevice device;
    CUcontext context;
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    std::ifstream file(argv[1], std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(file), {}};
    CUlibrary of_data, of_file;
    CUlibraryOption options[] = {CU_LIBRARY_BINARY_IS_PRESERVED};
    void *values[] = {nullptr};
    MUST(cuLibraryLoadData(&of_data, image.data(), nullptr, nullptr, 0, options, values, 1));
    MUST(cuLibraryLoadFromFile(&of_file, argv[1], nullptr, nullptr, 0, nullptr, nullptr, 0));
    for (CUlibrary library : {of_data, of_file}) {
        CUkernel kernel;
        CUfunction function;
        CUmodule module;
        CUdeviceptr out, variable;
        size_t bytes = 0;
        MUST(cuLibraryGetKernel(&kernel, library, "scaled"));
        if (cuLibraryGetKernel(&kernel, library, "absent") != CUDA_ERROR_NOT_FOUND) return 2;
        MUST(cuLibraryGetKernel(&kernel, library, "scaled"));
        MUST(cuKernelGetFunction(&function, kernel));
        MUST(cuLibraryGetModule(&module, library));
        MUST(cuLibraryGetGlobal(&variable, &bytes, library, "factor"));
        int most = 0, shared = 0;
        MUST(cuKernelGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, device));
        MUST(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 4096, kernel, device));
        MUST(cuKernelGetAttribute(&shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, device));
        MUST(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, device));
        const int factor = 3;
        MUST(cuMemcpyHtoD(variable, &factor, sizeof factor));
        MUST(cuMemAlloc(&out, 5 * sizeof(int)));
        void *arguments[] = {&out};
        MUST(cuFuncLoad(function));
        CUfunctionLoadingState state;
        MUST(cuFuncIsLoaded(&state, function));
        // CUDA takes a CUkernel here
        MUST(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 5, 1, 1, 0, nullptr, arguments, nullptr));
        int result[5] = {};
        MUST(cuMemcpyDtoH(result, out, sizeof result));
        for (int value : result) std::printf("%d ", value);
        std::printf("%zu %d %d %d\n", bytes, most >= 32, shared, state == CU_FUNCTION_LOADING_STATE_LOADED);
        MUST(cuMemFree(out));
        MUST(cuLibraryUnload(library));
    }
    CUmoduleLoadingMode mode;
    MUST(cuModuleGetLoadingMode(&mode));
    CUdeviceptr managed;
    MUST(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    CUmemLocation host{CU_MEM_LOCATION_TYPE_HOST, 0}, first{CU_MEM_LOCATION_TYPE_DEVICE, 0};
    MUST(cuMemPrefetchAsync_v2(managed, 4096, first, 0, nullptr));
    MUST(cuMemPrefetchAsync_v2(managed, 4096, host, 0, nullptr));
    MUST(cuMemAdvise_v2(managed, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
    // A value that only CUDA knows is refused when it is used.
    switch (cuCtxSetLimit(CU_LIMIT_MAX, 1)) {
        case CUDA_SUCCESS: return 3;
        case CUDA_ERROR_UNSUPPORTED_LIMIT: case CUDA_ERROR_INVALID_VALUE: break;
        default: return 4;
    }
    std::printf("%d\n", mode == CU_MODULE_EAGER_LOADING);
}
