// settings: what devices and streams may be asked for, and kernels by their names. Prints `question=answer` lines.
#include <musa.h>

#include <string>

#include "program.h"

namespace {

void tell(const char* question, musaError_t answer) { std::printf("%s=%s\n", question, musaGetErrorName(answer)); }
void tell(const char* question, long long answer) { std::printf("%s=%lld\n", question, answer); }

}  // namespace

extern "C" musaError_t older_properties(void* properties, int device) __asm__("musaGetDeviceProperties");

__global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }

namespace {

void devices() {
    unsigned flags = 0;
    CHECK(musaSetDeviceFlags(musaDeviceScheduleYield));
    CHECK(musaGetDeviceFlags(&flags));
    tell("flags", flags);
    tell("two schedules", musaSetDeviceFlags(musaDeviceScheduleYield | musaDeviceScheduleSpin));
    CHECK(musaInitDevice(1, musaDeviceScheduleSpin, 1));
    CHECK(musaSetDevice(1));
    CHECK(musaGetDeviceFlags(&flags));
    tell("of the other", flags);
    CHECK(musaSetDevice(0));
    size_t limit = 0;
    CHECK(musaDeviceSetLimit(musaLimitMallocHeapSize, 1 << 20));
    CHECK(musaThreadGetLimit(&limit, musaLimitMallocHeapSize));
    tell("limit", static_cast<long long>(limit));
    tell("no limit", musaDeviceGetLimit(&limit, static_cast<musaLimit>(9)));
    tell("of launches in kernels", musaDeviceSetLimit(musaLimitDevRuntimeSyncDepth, 4));
    musaFuncCache cache{};
    CHECK(musaThreadSetCacheConfig(musaFuncCachePreferShared));
    CHECK(musaDeviceGetCacheConfig(&cache));
    tell("cache", cache);
    musaDeviceProp wish{};
    int device = -1;
    wish.major = 3;
    CHECK(musaChooseDevice(&device, &wish));
    tell("chosen", device);
    int valid[] = {1, 0};
    CHECK(musaSetValidDevices(valid, 2));
    CHECK(musaGetDevice(&device));
    tell("first valid", device);
    valid[1] = 7;
    tell("not valid", musaSetValidDevices(valid, 2));
    char id[32];
    CHECK(musaDeviceGetPCIBusId(id, sizeof id, 0));
    CHECK(musaDeviceGetByPCIBusId(&device, id + 5));  // without the domain
    tell("by id", device);
    int value = 0;
    CHECK(musaDeviceGetP2PAttribute(&value, musaDevP2PAttrAccessSupported, 0, 1));
    tell("access", value);
    tell("to itself", musaDeviceGetP2PAttribute(&value, musaDevP2PAttrAccessSupported, 0, 0));
    size_t width = 0;
    const musaChannelFormatDesc word = musaCreateChannelDesc(32, 0, 0, 0, musaChannelFormatKindFloat);
    CHECK(musaDeviceGetTexture1DLinearMaxWidth(&width, &word, 0));
    musaDeviceProp properties{};
    CHECK(musaGetDeviceProperties(&properties, 0));
    tell("width", static_cast<long long>(width) == properties.maxTexture1DLinear);
    CHECK(musaCtxResetPersistingL2Cache());
    CHECK(musaThreadSynchronize());
    // CUDA 11's functions do not write the fields of CUDA 12.
    struct {
        musaDeviceProp properties;
        char after = 0;
    } older{};
    std::memset(&older.properties, 0x55, sizeof older.properties);
    CHECK(older_properties(&older.properties, 0));
    tell("older form", older.properties.hostRegisterSupported == 0x55555555 && older.properties.major == properties.major);
    tell("newer form", properties.hostRegisterSupported == 1 && properties.memoryPoolsSupported == 1);
}

void streams() {
    musaStream_t first = nullptr, second = nullptr;
    CHECK(musaStreamCreate(&first));
    CHECK(musaStreamCreate(&second));
    unsigned long long ids[3] = {};
    CHECK(musaStreamGetId(first, &ids[0]));
    CHECK(musaStreamGetId(second, &ids[1]));
    CHECK(musaStreamGetId(nullptr, &ids[2]));
    tell("ids differ", ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    int device = -1;
    CHECK(musaStreamGetDevice(first, &device));
    tell("device", device);
    musaStreamAttrValue value{};
    CHECK(musaStreamGetAttribute(nullptr, musaStreamAttributeSynchronizationPolicy, &value));
    tell("policy", value.syncPolicy);
    value.syncPolicy = musaSyncPolicyYield;
    CHECK(musaStreamSetAttribute(nullptr, musaStreamAttributeSynchronizationPolicy, &value));
    CHECK(musaStreamCopyAttributes(first, nullptr));
    value = {};
    CHECK(musaStreamGetAttribute(first, musaStreamAttributeSynchronizationPolicy, &value));
    tell("copied policy", value.syncPolicy);
    value.accessPolicyWindow = {nullptr, 0, 1, musaAccessPropertyPersisting, musaAccessPropertyPersisting};
    tell("no window", musaStreamSetAttribute(first, musaStreamAttributeAccessPolicyWindow, &value));
    CHECK(musaStreamDestroy(first));
    tell("destroyed", musaStreamGetAttribute(first, musaStreamAttributeSynchronizationPolicy, &value));
    tell("no attribute", musaStreamGetAttribute(second, musaLaunchAttributeCooperative, &value));
    void* managed = nullptr;
    CHECK(musaMallocManaged(&managed, 100));
    tell("attach", musaStreamAttachMemAsync(second, managed));
    int here = 0;
    tell("attach nothing", musaStreamAttachMemAsync(second, &here));
}

void kernels() {
    CHECK(musaSetDevice(0));
    const char* name = nullptr;
    const void* stub = reinterpret_cast<const void*>(scale);
    CHECK(musaFuncGetName(&name, stub));
    std::printf("name=%s\n", name);
    size_t all = 0, half = 0;
    CHECK(musaOccupancyAvailableDynamicSMemPerBlock(&all, stub, 1, 64));
    CHECK(musaOccupancyAvailableDynamicSMemPerBlock(&half, stub, 2, 64));
    tell("shared memory", all > 0 && half > 0 && half <= all);
    tell("too many blocks", musaOccupancyAvailableDynamicSMemPerBlock(&half, stub, 1000, 64));
    // The driver, which the runtime has initialised, launches the program's own kernel.
    void* launch = nullptr;
    musaDriverEntryPointQueryResult found{};
    CHECK(musaGetDriverEntryPoint("muLaunchKernel", &launch, musaEnableDefault, &found));
    void* none = &none;
    CHECK(musaGetDriverEntryPoint("muNothing", &none, musaEnableDefault, &found));
    tell("none", none == nullptr && found == musaDriverEntryPointSymbolNotFound);
    musaFunction_t function = nullptr;
    CHECK(musaGetFuncBySymbol(&function, stub));
    DeviceArray<float> x(1);
    const float three = 3, by = 7;
    CHECK(musaMemcpy(x, &three, sizeof three, musaMemcpyHostToDevice));
    float* pointer = x;
    float factor = by;
    void* arguments[] = {&pointer, &factor};
    const auto kernel = reinterpret_cast<decltype(&muLaunchKernel)>(launch);
    if (kernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) != MUSA_SUCCESS) return;
    std::printf("launched=%g\n", x.host()[0]);
    tell("no kernel", musaGetFuncBySymbol(&function, &factor));
}

}  // namespace

int main() {
    devices();
    streams();
    kernels();
}
