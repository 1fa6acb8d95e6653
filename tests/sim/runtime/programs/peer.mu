// peer CASE: device 1 uses memory of device 0. Prints `question=answer` lines.
#include "program.h"

struct Holder {
    char letter;
    const int* values;
    int count;
};

__device__ int variable = 11;

__global__ void read(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void read_held(Holder holder, int* out) {
    __syncthreads();
    if (threadIdx.x < holder.count) out[threadIdx.x] = holder.values[threadIdx.x];
}
__global__ void write(int* out) { out[threadIdx.x] = 7; }
// Carries the pointer without following it.
__global__ void carry(const int* in, int* out) { out[threadIdx.x] = in != nullptr && threadIdx.x == 0 ? 5 : 6; }
// The pointer is in memory, not among the arguments.
__global__ void read_listed(const int* const* list, int* out) { out[threadIdx.x] = list[0][threadIdx.x]; }

namespace {

constexpr int count = 32;

void tell(const char* question, musaError_t answer) { std::printf("%s=%s\n", question, musaGetErrorName(answer)); }

int* filled(musaError_t (*allocate)(void**, size_t), int value) {
    void* memory = nullptr;
    CHECK(allocate(&memory, count * sizeof(int)));
    std::vector<int> host(count, value);
    CHECK(musaMemcpy(memory, host.data(), count * sizeof(int), musaMemcpyDefault));
    return static_cast<int*>(memory);
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    int* theirs = filled(musaMalloc, 3);
    int* managed = filled([](void** p, size_t n) { return musaMallocManaged(p, n, musaMemAttachGlobal); }, 4);
    int* pinned = filled(musaMallocHost, 5);
    CHECK(musaSetDevice(1));
    int* mine = filled(musaMalloc, 0);
    const bool enabled = name.find("enabled ") == 0;
    const std::string what = enabled ? name.substr(8) : name;
    if (enabled) CHECK(musaDeviceEnablePeerAccess(0, 0));
    if (what == "read") read<<<1, count>>>(theirs, mine);
    if (what == "held") read_held<<<1, count>>>(Holder{'a', theirs + 1, count - 1}, mine);
    if (what == "write") write<<<1, count>>>(theirs);
    if (what == "carry") carry<<<1, count>>>(theirs, mine);
    if (what == "managed") read<<<1, count>>>(managed, mine);
    if (what == "pinned") read<<<1, count>>>(pinned, mine);
    if (what == "variable") {
        void* address = nullptr;
        CHECK(musaSetDevice(0));
        CHECK(musaGetSymbolAddress(&address, variable));
        CHECK(musaSetDevice(1));
        read<<<1, 1>>>(static_cast<int*>(address), mine);
    }
    if (what == "listed") {
        const int** list = nullptr;
        CHECK(musaMalloc(&list, sizeof theirs));
        CHECK(musaMemcpy(list, &theirs, sizeof theirs, musaMemcpyHostToDevice));
        read_listed<<<1, count>>>(list, mine);
    }
    if (what == "copy") CHECK(musaMemcpyPeer(mine, 1, theirs, 0, count * sizeof(int)));
    if (what == "plain copy") CHECK(musaMemcpy(mine, theirs, count * sizeof(int), musaMemcpyDeviceToDevice));
    if (what == "disabled again") {
        CHECK(musaDeviceEnablePeerAccess(0, 0));
        read<<<1, count>>>(theirs, mine);
        CHECK(musaDeviceSynchronize());
        CHECK(musaDeviceDisablePeerAccess(0));
        read<<<1, count>>>(theirs, mine);
    }
    if (what == "other way") {  // access has a direction
        CHECK(musaSetDevice(0));
        CHECK(musaDeviceEnablePeerAccess(1, 0));
        CHECK(musaSetDevice(1));
        read<<<1, count>>>(theirs, mine);
    }
    tell("result", musaDeviceSynchronize());
    CHECK(musaDeviceReset());
    tell("enable after reset", musaDeviceEnablePeerAccess(0, 0));
    int value = 0;
    CHECK(musaMemcpy(&value, what == "write" ? theirs : mine, sizeof value, musaMemcpyDeviceToHost));
    std::printf("value=%d\n", value);
    read<<<1, count>>>(theirs, mine);
    tell("allowed now", musaDeviceSynchronize());
    CHECK(musaFree(theirs));
    CHECK(musaFree(mine));
    CHECK(musaFree(managed));
    CHECK(musaFreeHost(pinned));
}
