// typed_api: overloads that take pointers to whatever type, device variables and kernels. Prints
// the number of calls that failed, then facts.
#include <musa_runtime.h>

#include <cstdio>

namespace {

struct Incomplete;

__device__ volatile int watched;
__constant__ int table[4];
__device__ int3 triple;

__global__ void scale(const int* in, volatile int* out, const int factor) {
    out[threadIdx.x] = in[threadIdx.x] * factor + watched + triple.y;
}

template <class T>
int kinds_of_memory() {
    T *p = nullptr, *q = nullptr;
    size_t pitch = 0;
    musaMemPool_t pool = nullptr;
    int failed = musaDeviceGetDefaultMemPool(&pool, 0) != musaSuccess;
    const auto freed = [&](musaError_t allocated, musaError_t (*release)(void*)) {
        failed += allocated != musaSuccess || !p || release((void*)p) != musaSuccess;
        p = nullptr;
    };
    freed(musaMalloc(&p, 64), musaFree);
    freed(musaMallocManaged(&p, 64), musaFree);
    freed(musaMallocManaged(&p, 64, musaMemAttachHost), musaFree);
    freed(musaMallocPitch(&p, &pitch, 16, 4), musaFree);
    freed(musaMallocAsync(&p, 64, nullptr), musaFree);
    freed(musaMallocAsync(&p, 64, pool, nullptr), musaFree);
    freed(musaMallocFromPoolAsync(&p, 64, pool, nullptr), musaFree);
    freed(musaMallocHost(&p, 64), musaFreeHost);
    freed(musaMallocHost(&p, 64, musaHostAllocDefault), musaFreeHost);
    failed += musaHostAlloc(&p, 64, musaHostAllocMapped) != musaSuccess;
    failed += musaHostGetDevicePointer(&q, (void*)p, 0) != musaSuccess || !q;
    failed += musaFreeHost((void*)p) != musaSuccess;
    return failed;
}

template <class Function>
int kinds_of_kernel(Function kernel) {
    musaFuncAttributes attributes;
    int blocks = 0, grid = 0, block = 0;
    const auto shared = [](int threads) { return threads * sizeof(int); };
    const musaError_t errors[] = {
        musaFuncGetAttributes(&attributes, kernel),
        musaFuncSetAttribute(kernel, musaFuncAttributePreferredSharedMemoryCarveout, 50),
        musaFuncSetCacheConfig(kernel, musaFuncCachePreferL1),
        musaFuncSetSharedMemConfig(kernel, musaSharedMemBankSizeDefault),
        musaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 0),
        musaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, 128, 0,
                                                               musaOccupancyDefault),
        musaOccupancyMaxPotentialBlockSize(&grid, &block, kernel),
        musaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, kernel, 0, 0,
                                                    musaOccupancyDisableCachingOverride),
        musaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, kernel, shared),
    };
    int failed = 0;
    for (const musaError_t error : errors) failed += error != musaSuccess;
    return failed;
}

int symbols() {
    int in[] = {1, 2, 3, 4}, out[] = {0, 0, 0, 0};
    void* address = nullptr;
    size_t size = 0;
    const musaError_t errors[] = {
        musaMemcpyToSymbol(watched, in, sizeof(int)),
        musaMemcpyToSymbol(table, in, sizeof in),
        musaMemcpyToSymbol(triple, in, 3 * sizeof(int)),
        musaMemcpyToSymbolAsync(watched, in, sizeof(int), 0, musaMemcpyHostToDevice),
        musaMemcpyFromSymbol(out, watched, sizeof(int)),
        musaMemcpyFromSymbolAsync(out + 1, table, sizeof(int), 4, musaMemcpyDeviceToHost),
        musaMemcpyFromSymbol(out + 2, triple, sizeof(int), 4),
        musaGetSymbolAddress(&address, watched),
        musaGetSymbolSize(&size, watched),
        musaDeviceSynchronize(),
    };
    int failed = size != sizeof(int) || !address;
    for (const musaError_t error : errors) failed += error != musaSuccess;
    return failed + (out[0] != 1) + (out[1] != 2) + (out[2] != 2);
}

int launches() {
    int *in = nullptr, *out = nullptr, factor = 3, failed = 0;
    musaMallocManaged(&in, sizeof(int));
    musaMallocManaged(&out, sizeof(int));
    *in = 5;
    void* arguments[] = {&in, &out, &factor};
    musaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    const auto ran = [&](musaError_t error) {
        failed += error != musaSuccess || musaDeviceSynchronize() != musaSuccess || *out != 15 + 1 + 2;
        *out = 0;
    };
    ran(musaLaunchKernel(scale, 1, 1, arguments));
    ran(musaLaunchKernel((void*)scale, 1, 1, arguments, 0, nullptr));
    ran(musaLaunchCooperativeKernel(&scale, 1, 1, arguments));
    ran(musaLaunchKernelExC(&config, scale, arguments));
    ran(musaLaunchKernelEx(&config, scale, in, out, 3));
    return failed;
}

}  // namespace

int main() {
    using Function = void (*)();
    const int memory = kinds_of_memory<void>() + kinds_of_memory<const void>() +
                       kinds_of_memory<float>() + kinds_of_memory<const float>() +
                       kinds_of_memory<volatile float>() + kinds_of_memory<const volatile int>() +
                       kinds_of_memory<Incomplete>() + kinds_of_memory<const Incomplete>() +
                       kinds_of_memory<const float*>() + kinds_of_memory<const float* const>() +
                       kinds_of_memory<Function>() + kinds_of_memory<int (*)[3]>() +
                       kinds_of_memory<void()>();
    const int kernel = kinds_of_kernel(scale) + kinds_of_kernel((void*)scale) +
                       kinds_of_kernel((const void*)scale);
    int blocks = 0;
    const musaError_t flags = musaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, scale, 128, 0, 2);
    const int symbol = symbols(), launch = launches();
    std::printf("memory=%d\nsymbols=%d\nlaunches=%d\nkernel=%d\nunknown flags=%s\n", memory, symbol, launch,
                kernel, musaGetErrorName(flags));
}
