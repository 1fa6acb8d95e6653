// devices CASE: device variables, per device and per file; two files with kernels of the same name
// (devices_other.mu).
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

__device__ int counter = 5;
__constant__ float table[4] = {1, 2, 3, 4};

namespace {
template <int threads>
__global__ void __launch_bounds__(threads, 2) bounded() {}

__global__ void same_name(int* out) { *out = 1; }
}  // namespace

void launch_other(int* out);
int other_counter();

__global__ void count(int by) { atomicAdd(&counter, by); }
__global__ void look_up(float* out) { out[threadIdx.x] = table[threadIdx.x]; }

int read_counter() {
    int value = 0;
    CHECK(musaMemcpyFromSymbol(&value, counter, sizeof value));
    return value;
}

void variables() {
    for (int device : {0, 1}) {
        CHECK(musaSetDevice(device));
        count<<<2, 8>>>(device + 1);
        check_kernel();
    }
    for (int device : {0, 1}) {
        CHECK(musaSetDevice(device));
        std::printf("counter %d=%d\n", device, read_counter());
    }
    std::printf("counter of the other file=%d\n", other_counter());

    const float half[2] = {30, 40};
    CHECK(musaSetDevice(1));
    CHECK(musaMemcpyToSymbol(table, half, sizeof half, 2 * sizeof(float)));
    for (int device : {0, 1}) {
        CHECK(musaSetDevice(device));
        DeviceArray<float> out(4);
        look_up<<<1, 4>>>(out);
        check_kernel();
        const std::vector<float> found = out.host();
        std::printf("table %d=%g %g %g %g\n", device, found[0], found[1], found[2], found[3]);
    }
    void* address = nullptr;
    std::size_t size = 0;
    CHECK(musaGetSymbolAddress(&address, table));
    CHECK(musaGetSymbolSize(&size, table));
    std::printf("size=%zu\n", size);
    CHECK(musaMemset(address, 0, size));
    int ordinary = 0;
    std::printf("past the end=%s\n", musaGetErrorName(musaMemcpyToSymbol(table, half, 8, 12)));
    std::printf("no symbol=%s\n", musaGetErrorName(musaMemcpyToSymbol(ordinary, half, 4)));
}

void files() {
    int* out = nullptr;
    int found[2];
    CHECK(musaMalloc(&out, 8));
    same_name<<<1, 1>>>(out);
    launch_other(out + 1);
    CHECK(musaMemcpy(found, out, 8, musaMemcpyDeviceToHost));
    std::printf("kernels=%d %d\n", found[0], found[1]);
}

void fork_and_launch() {
    DeviceArray<float> out(1 << 16);
    look_up<<<64, 4>>>(out);
    count<<<256, 64>>>(1);
    check_kernel();
    const pid_t child = fork();
    if (child == 0) {
        count<<<256, 64>>>(1);
        _exit(musaDeviceSynchronize() == musaSuccess && read_counter() == 5 + 2 * 256 * 64 ? 7 : 1);
    }
    count<<<256, 64>>>(2);
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child=%d\n", WEXITSTATUS(status));
    std::printf("parent=%d\n", read_counter() - 5);
}

__global__ void shared(int* out) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[1024];
    dynamic[threadIdx.x] = fixed[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = dynamic[threadIdx.x ^ 1] + fixed[threadIdx.x ^ 1];
}

void launches() {
    DeviceArray<int> out(1024);
    auto attempt = [&](const char* what, dim3 grid, dim3 block, std::size_t bytes,
                       musaStream_t stream = nullptr) {
        shared<<<grid, block, bytes, stream>>>(out);
        std::printf("%s=%s\n", what, musaGetErrorName(musaGetLastError()));
    };
    auto opt_in = [&](int bytes) {
        const auto attribute = musaFuncAttributeMaxDynamicSharedMemorySize;
        std::printf("opt in %d=%s\n", bytes,
                    musaGetErrorName(musaFuncSetAttribute(shared, attribute, bytes)));
        musaGetLastError();  // not to be taken for the next launch's
    };
    attempt("ordinary", 1, 1024, 4096);
    attempt("no block", 0, 1, 4096);
    attempt("no thread", 1, 0, 4096);
    attempt("1025 threads", 1, 1025, 8192);
    attempt("1024 threads in 3D", 1, dim3(4, 4, 64), 4096);
    attempt("too many in 3D", 1, dim3(4, 5, 64), 8192);
    attempt("48K", 1, 32, 48 * 1024);
    attempt("60K", 1, 32, 60 * 1024);
    opt_in(60 * 1024);
    attempt("60K after opting in", 1, 32, 60 * 1024);
    attempt("64K after opting in to 60K", 1, 32, 64 * 1024);
    opt_in(200 * 1024);
    musaStream_t stream = nullptr;
    CHECK(musaStreamCreate(&stream));
    attempt("stream", 1, 32, 4096, stream);
    CHECK(musaStreamDestroy(stream));
    attempt("destroyed stream", 1, 32, 4096, stream);
    if (musaSetDevice(1) == musaSuccess) {
        musaStreamCreate(&stream);
        musaSetDevice(0);
        attempt("stream of another device", 1, 32, 4096, stream);
    }
    musaGetLastError();
    void (*nothing)() = nullptr;
    const musaError_t error =
        musaLaunchKernel(reinterpret_cast<const void*>(nothing), 1, 1, nullptr, 0, nullptr);
    std::printf("no kernel=%s\n", musaGetErrorName(error));
    int blocks = -1, grid = -1, block = -1;
    CHECK(musaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared, 1024, 0));
    std::printf("occupancy=%d\n", blocks);
    CHECK(musaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared, 2048, 0));
    std::printf("occupancy of too many threads=%d\n", blocks);
    CHECK(musaOccupancyMaxPotentialBlockSize(&grid, &block, shared));
    std::printf("best=%d\n", block);
    musaFuncAttributes attributes;
    CHECK(musaFuncGetAttributes(&attributes, shared));
    std::printf("max dynamic=%d\n", attributes.maxDynamicSharedSizeBytes);

    musaGetLastError();  // that of the launch of no kernel
    bounded<192><<<1, dim3(64, 3)>>>();
    std::printf("at the bound=%s\n", musaGetErrorName(musaGetLastError()));
    bounded<192><<<1, dim3(64, 4)>>>();
    std::printf("beyond the bound=%s\n", musaGetErrorName(musaGetLastError()));
    bounded<192><<<1, dim3(128, 2)>>>();
    std::printf("warps of the property=%s\n", musaGetErrorName(musaGetLastError()));
    attempt("z of a block", 1, dim3(1, 1, 65), 4096);
    attempt("y of a grid", dim3(1, 65536), 1, 4096);
    attempt("z of a block again", 1, dim3(1, 1, 65), 4096);
    std::printf("too many blocks=%s\n",
                musaGetErrorName(musaLaunchCooperativeKernel(bounded<192>, 2000, 192, nullptr)));
    musaGetLastError();
    CHECK(musaFuncGetAttributes(&attributes, bounded<192>));
    CHECK(musaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded<192>, 256, 0));
    std::printf("bound=%d occupancy beyond=%d\n", attributes.maxThreadsPerBlock, blocks);
}

int main(int, char** argv) {
    const std::string name = argv[1];
    if (name == "variables") variables();
    if (name == "files") files();
    if (name == "fork") fork_and_launch();
    if (name == "launches") launches();
}
