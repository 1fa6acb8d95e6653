// virtual_memory CASE: reserved addresses and memory that is mapped there. Prints `question=answer` lines.
#include <musa.h>
#include <unistd.h>

#include "program.h"

namespace {

const char* name_of(MUresult result) {
    const char* name = "?";
    muGetErrorName(result, &name);
    return name;
}
void tell(const char* question, MUresult result) { std::printf("%s=%s\n", question, name_of(result)); }
void tell(const char* question, long long answer) { std::printf("%s=%lld\n", question, answer); }
#define DRIVER(call)                                              \
    if (MUresult result = (call); result != MUSA_SUCCESS) {       \
        std::fprintf(stderr, "%s: %s\n", #call, name_of(result)); \
        std::exit(3);                                             \
    }

MUmemAllocationProp on_device(int device) {
    MUmemAllocationProp prop = {};
    prop.type = MU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {MU_MEM_LOCATION_TYPE_DEVICE, device};
    return prop;
}

std::size_t granularity() {
    const MUmemAllocationProp prop = on_device(0);
    std::size_t size = 0;
    DRIVER(muMemGetAllocationGranularity(&size, &prop, MU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    return size;
}

MUmemGenericAllocationHandle memory(std::size_t size, int device = 0) {
    const MUmemAllocationProp prop = on_device(device);
    MUmemGenericAllocationHandle handle = 0;
    DRIVER(muMemCreate(&handle, size, &prop, 0));
    return handle;
}

MUdeviceptr reserved(std::size_t size) {
    MUdeviceptr address = 0;
    DRIVER(muMemAddressReserve(&address, size, 0, 0, 0));
    return address;
}

MUresult allow(MUdeviceptr address, std::size_t size, int device = 0,
               MUmemAccess_flags flags = MU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
    const MUmemAccessDesc desc = {{MU_MEM_LOCATION_TYPE_DEVICE, device}, flags};
    return muMemSetAccess(address, size, &desc, 1);
}

long long used() {
    std::size_t free = 0, total = 0;
    CHECK(musaMemGetInfo(&free, &total));
    return static_cast<long long>(total - free);
}

int* ints(MUdeviceptr address) { return reinterpret_cast<int*>(address); }

}  // namespace

__global__ void count(int* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i;
}
__global__ void touch(int* x, long long at) { x[at] = 1; }

namespace {

int value(const int* x) {
    int number = -1;
    CHECK(musaMemcpy(&number, x, sizeof number, musaMemcpyDeviceToHost));
    return number;
}

// An array that grows over two mappings, and its memory at a second address.
void grow() {
    const std::size_t step = granularity();
    int supported = 0;
    DRIVER(muDeviceGetAttribute(&supported, MU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, 0));
    tell("supported", supported);
    const long long at_first = used();
    const MUdeviceptr base = reserved(16 * step), other = reserved(step);
    tell("reserving takes", used() - at_first);
    const MUmemGenericAllocationHandle first = memory(step), second = memory(step);
    tell("creating takes", (used() - at_first) / static_cast<long long>(step));
    DRIVER(muMemMap(base, step, 0, first, 0));
    DRIVER(allow(base, step));
    const int per_step = static_cast<int>(step / sizeof(int));
    count<<<per_step / 256, 256>>>(ints(base), per_step);
    DRIVER(muMemMap(base + step, step, 0, second, 0));
    DRIVER(allow(base + step, step));
    count<<<per_step / 256, 256>>>(ints(base + step / 2), per_step);  // half in each
    CHECK(musaDeviceSynchronize());
    tell("before", value(ints(base) + per_step / 2 - 1));
    tell("across", value(ints(base) + per_step));
    std::vector<int> back(per_step);
    CHECK(musaMemcpy(back.data(), ints(base + step / 2), step, musaMemcpyDeviceToHost));
    tell("copied across", back[per_step - 1]);
    CHECK(musaMemset(ints(base + step - 4), 1, 8));
    tell("filled across", value(ints(base + step)));
    tell("copy past the end", musaMemcpy(back.data(), ints(base + step + 4), step, musaMemcpyDeviceToHost));

    DRIVER(muMemMap(other, step, 0, first, 0));
    DRIVER(allow(other, step));
    count<<<1, 8>>>(ints(other), 8);
    CHECK(musaDeviceSynchronize());
    tell("mapped twice", value(ints(base) + 7));

    musaPointerAttributes attributes;
    CHECK(musaPointerGetAttributes(&attributes, ints(base + step)));
    std::printf("pointer=%d %d\n", attributes.type == musaMemoryTypeDevice, attributes.device);
    tell("freed as if allocated", musaFree(ints(base)));
    musaGetLastError();

    DRIVER(muMemRelease(first));
    DRIVER(muMemRelease(second));
    tell("released but mapped", (used() - at_first) / static_cast<long long>(step));
    DRIVER(muMemUnmap(base + step, step));
    tell("second unmapped", (used() - at_first) / static_cast<long long>(step));
    tell("still there", value(ints(base) + 7));
    DRIVER(muMemUnmap(base, step));
    DRIVER(muMemUnmap(other, step));
    tell("all unmapped", used() - at_first);
    DRIVER(muMemAddressFree(base, 16 * step));
    DRIVER(muMemAddressFree(other, step));
}

void refusals() {
    const std::size_t step = granularity();
    MUmemAllocationProp prop = on_device(0);
    MUmemGenericAllocationHandle handle = 0;
    MUdeviceptr address = 0;
    tell("odd size", muMemCreate(&handle, step + 1, &prop, 0));
    prop.location.id = 9;
    tell("no device", muMemCreate(&handle, step, &prop, 0));
    prop = {};
    tell("no type", muMemCreate(&handle, step, &prop, 0));
    prop = on_device(0);
    tell("more than there is", muMemCreate(&handle, step << 20, &prop, 0));
    tell("odd reservation", muMemAddressReserve(&address, 4096, 0, 0, 0));
    tell("odd alignment", muMemAddressReserve(&address, step, 3 * step, 0, 0));
    DRIVER(muMemAddressReserve(&address, step, 16 * step, 0, 0));
    tell("aligned", address % (16 * step));
    DRIVER(muMemAddressFree(address, step));
    const MUdeviceptr hint = address;
    DRIVER(muMemAddressReserve(&address, step, 0, hint, 0));
    tell("at the hint", address == hint);
    DRIVER(muMemAddressReserve(&address, step, 0, hint, 0));
    tell("the hint is taken", address != hint);
    DRIVER(muMemAddressFree(address, step));
    DRIVER(muMemAddressFree(hint, step));

    const MUdeviceptr base = reserved(4 * step);
    handle = memory(2 * step);
    tell("offset", muMemMap(base, step, step, handle, 0));
    tell("past the reservation", muMemMap(base + 3 * step, 2 * step, 0, handle, 0));
    tell("past the memory", muMemMap(base, 3 * step, 0, handle, 0));
    tell("no reservation", muMemMap(base + 64 * step, step, 0, handle, 0));
    tell("no memory", muMemMap(base, step, 0, 12345, 0));
    DRIVER(muMemMap(base + step, 2 * step, 0, handle, 0));
    tell("taken", muMemMap(base, 2 * step, 0, handle, 0));
    tell("access to a hole", allow(base, 3 * step));
    tell("access to a part", allow(base + step, step));
    tell("access of no device", allow(base + step, 2 * step, 7));
    tell("unmap a part", muMemUnmap(base + step, step));
    tell("free what is mapped", muMemAddressFree(base, 4 * step));
    tell("free a part", muMemAddressFree(base, step));

    unsigned long long flags = 99;
    const MUmemLocation here = {MU_MEM_LOCATION_TYPE_DEVICE, 0};
    DRIVER(muMemGetAccess(&flags, &here, base + step));
    tell("access at first", flags);
    DRIVER(allow(base + step, 2 * step, 0, MU_MEM_ACCESS_FLAGS_PROT_READ));
    DRIVER(muMemGetAccess(&flags, &here, base + step));
    tell("access then", flags);
    MUmemGenericAllocationHandle same = 0;
    DRIVER(muMemRetainAllocationHandle(&same, reinterpret_cast<void*>(base + step + 100)));
    tell("retained", same == handle);
    DRIVER(muMemGetAllocationPropertiesFromHandle(&prop, same));
    std::printf("properties=%d %d\n", prop.type, prop.location.id);
    DRIVER(muMemRelease(handle));
    DRIVER(muMemRelease(handle));
    tell("released too often", muMemRelease(handle));

    // The file of the memory, as another process would get it.
    handle = memory(step);
    int file = -1;
    DRIVER(muMemExportToShareableHandle(&file, handle, MU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    DRIVER(muMemImportFromShareableHandle(&same, reinterpret_cast<void*>(static_cast<std::uintptr_t>(file)),
                                          MU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    const MUdeviceptr mine = reserved(step), theirs = reserved(step);
    DRIVER(muMemMap(mine, step, 0, handle, 0));
    DRIVER(muMemMap(theirs, step, 0, same, 0));
    DRIVER(allow(mine, step));
    DRIVER(allow(theirs, step));
    count<<<1, 64>>>(ints(mine), 64);
    CHECK(musaDeviceSynchronize());
    tell("shared", value(ints(theirs) + 63));
}

// A kernel at an address, and what it comes to.
void use(int* x, long long at) {
    touch<<<1, 1>>>(x, at);
    std::printf("ended=%s\n", musaGetErrorName(musaDeviceSynchronize()));
}

void misuse(const std::string& which) {
    const std::size_t step = granularity();
    const MUdeviceptr base = reserved(4 * step);
    DRIVER(muMemMap(base, step, 0, memory(step), 0));
    if (which == "no_access") return use(ints(base), 0);
    DRIVER(allow(base, step));
    if (which == "past_the_mapping") return use(ints(base), step / sizeof(int) + 1);
    if (which == "unmapped") DRIVER(muMemUnmap(base, step));
    use(ints(base), 0);
}

// Memory of device 0, used by device 1.
void peers(bool allowed) {
    const std::size_t step = granularity();
    const MUdeviceptr base = reserved(step);
    DRIVER(muMemMap(base, step, 0, memory(step, 0), 0));
    DRIVER(allow(base, step, 0));
    if (allowed) DRIVER(allow(base, step, 1));
    CHECK(musaSetDevice(1));
    use(ints(base), 3);
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    DRIVER(muInit(0));
    if (name == "grow") grow();
    else if (name == "refusals") refusals();
    else if (name == "peers") peers(true);
    else if (name == "peers_without_access") peers(false);
    else misuse(name);
}
