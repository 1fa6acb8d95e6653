// libraries musa
// refuted by compile-error
// expect supported=1
// expect granularity=2097152
// expect across=7
// expect half=0
#include <musa.h>

#include "probe.h"
#define DRIVER(call) \
    if ((call) != MUSA_SUCCESS) undecided(#call " failed")
__global__ void set(int* x) { *x = 7; }
int main() {
    int supported = 0;
    size_t step = 0;
    DRIVER(muInit(0));
    CHECK(musaFree(nullptr));
    DRIVER(muDeviceGetAttribute(&supported, MU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, 0));
    fact("supported", supported);
    MUmemAllocationProp prop = {};
    prop.type = MU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = MU_MEM_LOCATION_TYPE_DEVICE;
    DRIVER(muMemGetAllocationGranularity(&step, &prop, MU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    fact("granularity", static_cast<long long>(step));
    MUdeviceptr base = 0;
    DRIVER(muMemAddressReserve(&base, 4 * step, 0, 0, 0));
    MUmemGenericAllocationHandle memory[3];
    for (MUmemGenericAllocationHandle& handle : memory) DRIVER(muMemCreate(&handle, 2 * step, &prop, 0));
    DRIVER(muMemMap(base, 2 * step, 0, memory[0], 0));
    const MUresult half = muMemMap(base + 2 * step, step, 0, memory[1], 0);
    if (half != MUSA_SUCCESS) DRIVER(muMemMap(base + 2 * step, 2 * step, 0, memory[2], 0));
    MUmemAccessDesc desc = {};
    desc.location = prop.location;
    desc.flags = MU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DRIVER(muMemSetAccess(base, (half == MUSA_SUCCESS ? 3 : 4) * step, &desc, 1));
    int* x = reinterpret_cast<int*>(base + 2 * step);
    set<<<1, 1>>>(x);
    CHECK(ended());
    int there[2] = {};
    CHECK(musaMemcpy(there, x - 1, sizeof there, musaMemcpyDeviceToHost));
    fact("across", there[1]);
    fact("half", static_cast<long long>(half));
}
