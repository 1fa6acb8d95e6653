// managed CASE: __managed__ variables, which host and device code use by name.
#include "program.h"

struct Pair {
    int number;
    float* row;
};

__managed__ int counter = 5;
__managed__ int zero;
static __device__ __managed__ float table[4] = {1, 2, 3, 4};
__managed__ float* second = &table[1];
namespace {
__managed__ Pair pair = {7, table};
}
static __managed__ int only_on_device = 30;  // no host code names it
template <class T>
struct Holder {
    static __managed__ T value;
};
template <class T>
__managed__ T Holder<T>::value = 9;

__global__ void add(int n) { atomicAdd(&counter, n); }

__global__ void touch_all() {
    counter += zero + only_on_device - 30;
    table[2] *= 10;
    *second *= 10;
    pair.number += Holder<long>::value;
    pair.row[3] = 40;
    zero = 1;
}

__global__ void touch(int* number) { *number += 1; }

__global__ void out_of_bounds(int at) { table[at] = 1; }

// The host's values before any kernel, the device's afterwards, and again.
void by_name() {
    std::printf("initial=%d %d %g %g %d %ld\n", counter, zero, table[3], *second, pair.number, Holder<long>::value);
    counter = 20;
    zero = 2;
    touch_all<<<1, 1>>>();
    check_kernel();
    std::printf("after=%d %d %g %g %g %d\n", counter, zero, table[1], table[2], table[3], pair.number);
    for (int i = 0; i < 100; ++i) {
        add<<<4, 32>>>(1);
        add<<<4, 32>>>(1);
        CHECK(musaDeviceSynchronize());
        counter -= 255;
    }
    std::printf("alternating=%d\n", counter);
}

// The same address for everybody, and every device.
void by_address() {
    void* address = nullptr;
    CHECK(musaGetSymbolAddress(&address, counter));
    musaPointerAttributes attributes;
    CHECK(musaPointerGetAttributes(&attributes, &counter));
    std::printf("same=%d managed=%d\n", address == &counter, attributes.type == musaMemoryTypeManaged);
    int devices = 0, found = 0;
    CHECK(musaGetDeviceCount(&devices));
    for (int device = 0; device < devices; ++device) {
        CHECK(musaSetDevice(device));
        touch<<<1, 1>>>(&counter);
        add<<<1, 1>>>(10);
        check_kernel();
    }
    CHECK(musaMemcpyFromSymbol(&found, counter, sizeof found));
    std::printf("devices=%d counter=%d found=%d\n", devices, counter, found);
    std::printf("freed=%s\n", musaGetErrorName(musaFree(&counter)));
}

int main(int, char** argv) {
    const std::string name = argv[1];
    if (name == "by_name") by_name();
    if (name == "by_address") by_address();
    if (name == "out_of_bounds") {
        out_of_bounds<<<1, 1>>>(std::atoi(argv[2]));
        std::printf("error=%s\n", musaGetErrorName(musaDeviceSynchronize()));
    }
}
