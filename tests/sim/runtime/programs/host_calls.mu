// host_calls CASE: calls of the runtime API that CUDA's host code makes. Prints `question=answer` lines; textures and
// surfaces write what they read.
#include "program.h"

#include <musa_profiler_api.h>

#include <cooperative_groups.h>

#include <cstdint>

namespace {

void tell(const char* question, musaError_t answer) { std::printf("%s=%s\n", question, musaGetErrorName(answer)); }
void tell(const char* question, long long answer) { std::printf("%s=%lld\n", question, answer); }

__global__ void add(int* to, int value, const int* from) {
    to[blockIdx.x * blockDim.x + threadIdx.x] += value + (from ? from[threadIdx.x] : 0);
}
__global__ void is_cooperative(int* to) { *to = cooperative_groups::this_grid().is_valid(); }

template <class T>
std::vector<T> counted(std::size_t size) {
    std::vector<T> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<T>(i + 1);
    return values;
}

// The work of body(stream), captured and launched.
template <class Body>
musaError_t launch_captured(Body&& body) {
    musaStream_t stream;
    CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeGlobal));
    const musaError_t result = body(stream);
    musaGraph_t graph = nullptr;
    const musaError_t ended = musaStreamEndCapture(stream, &graph);
    if (result != musaSuccess) tell("capture ends", ended);
    if (ended != musaSuccess) return result;
    musaGraphExec_t exec;
    CHECK(musaGraphInstantiate(&exec, graph, 0));
    CHECK(musaGraphLaunch(exec, stream));
    CHECK(musaStreamSynchronize(stream));
    CHECK(musaGraphExecDestroy(exec));
    CHECK(musaGraphDestroy(graph));
    return result;
}

void launches() {
    DeviceArray<int> out(8);
    musaLaunchAttribute attributes[2] = {};
    musaLaunchConfig_t config{};
    config.gridDim = dim3(2);
    config.blockDim = dim3(4);
    config.attrs = attributes;
    tell("plain", musaLaunchKernelEx(&config, add, static_cast<int*>(out), short{3}, nullptr));
    int* to = out;
    int value = 10;
    const int* from = nullptr;
    void* arguments[] = {&to, &value, &from};
    tell("C", musaLaunchKernelExC(&config, reinterpret_cast<const void*>(add), arguments));
    tell("typed", musaLaunchKernelExC(&config, add, arguments));
    tell("sum", out.host()[7]);

    config.gridDim = config.blockDim = dim3(1);
    config.numAttrs = 2;
    attributes[0].id = musaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].id = musaLaunchAttributeCooperative;
    attributes[1].val.cooperative = 1;
    tell("cooperative", musaLaunchKernelEx(&config, is_cooperative, to));
    tell("grid", out.host()[0]);
    config.gridDim = dim3(1 << 20);
    tell("too large", musaLaunchKernelEx(&config, is_cooperative, to));
    config.gridDim = dim3(2);
    attributes[1].id = musaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim = {1, 1, 1};
    tell("no cluster", musaLaunchKernelEx(&config, is_cooperative, to));
    attributes[1].val.clusterDim.x = 2;
    tell("cluster", musaLaunchKernelEx(&config, is_cooperative, to));
    attributes[1].val.clusterDim.x = 0;
    tell("empty cluster", musaLaunchKernelEx(&config, is_cooperative, to));
    attributes[1].id = musaLaunchAttributeProgrammaticEvent;
    tell("event", musaLaunchKernelEx(&config, is_cooperative, to));
    attributes[1].id = static_cast<musaLaunchAttributeID>(99);
    tell("unknown", musaLaunchKernelEx(&config, is_cooperative, to));
    tell("no configuration", musaLaunchKernelExC(nullptr, add, arguments));
    config.attrs = nullptr;
    tell("no attributes", musaLaunchKernelEx(&config, is_cooperative, to));
    config.numAttrs = 0;
    config.blockDim = dim3(0);
    tell("no threads", musaLaunchKernelEx(&config, is_cooperative, to));
    config.blockDim = dim3(4);
    tell("captured", launch_captured([&](musaStream_t stream) {
             config.stream = stream;
             return musaLaunchKernelEx(&config, add, to, 100, nullptr);
         }));
    tell("after capture", out.host()[7]);
}

void boxes() {
    const musaExtent extent = make_musaExtent(5, 3, 2);
    musaPitchedPtr box{};
    tell("allocate", musaMalloc3D(&box, extent));
    tell("pitch is enough", box.pitch >= 5 && box.pitch % 32 == 0 && box.xsize == 5 && box.ysize == 3);
    tell("fill", musaMemset3D(box, 9, extent));
    std::vector<unsigned char> host = counted<unsigned char>(30), back(30);
    musaMemcpy3DParms copy{};
    copy.srcPtr = make_musaPitchedPtr(host.data(), 5, 5, 3);
    copy.dstPtr = box;
    copy.dstPos = make_musaPos(1, 1, 0);
    copy.extent = make_musaExtent(4, 2, 2);
    copy.kind = musaMemcpyHostToDevice;
    tell("to the device", musaMemcpy3D(&copy));
    musaMemcpy3DParms all{};
    all.srcPtr = box;
    all.dstPtr = make_musaPitchedPtr(back.data(), 5, 5, 3);
    all.extent = extent;
    all.kind = musaMemcpyDeviceToHost;
    tell("back", musaMemcpy3D(&all));
    for (unsigned char value : back) std::printf("%d ", value);
    std::printf("\n");
    copy.kind = musaMemcpyDeviceToDevice;
    tell("wrong kind", musaMemcpy3D(&copy));
    copy.kind = static_cast<musaMemcpyKind>(9);
    tell("no kind", musaMemcpy3D(&copy));
    copy.kind = musaMemcpyDefault;
    copy.extent.width = 6;
    tell("wider than its pitch", musaMemcpy3D(&copy));
    copy.extent = make_musaExtent(4, 2, 3);
    tell("beyond the end", musaMemcpy3D(&copy));
    copy.extent = make_musaExtent(4, 0, 2);
    tell("empty", musaMemcpy3D(&copy));
    copy.dstPtr.ptr = nullptr;
    tell("to nowhere", musaMemcpy3D(&copy));
    tell("nothing", musaMemcpy3D(nullptr));
    tell("fill beyond", musaMemset3D(box, 9, make_musaExtent(5, 3, 3)));
    tell("fill in a graph", launch_captured([&](musaStream_t stream) {
             return musaMemset3DAsync(box, 7, make_musaExtent(2, 1, 2), stream);
         }));
    std::vector<unsigned char> filled(30);
    all.dstPtr.ptr = filled.data();
    tell("in a graph", launch_captured([&](musaStream_t stream) { return musaMemcpy3DAsync(&all, stream); }));
    tell("filled", filled[0] + 10 * filled[1] + 100 * filled[2] + 1000 * filled[16]);
    tell("synchronous in a graph", launch_captured([&](musaStream_t) { return musaMemcpy3D(&all); }));
    tell("free", musaFree(box.ptr));
}

void arrays() {
    const musaChannelFormatDesc desc = musaCreateChannelDesc<short2>();
    musaArray_t array = nullptr, other = nullptr, solid = nullptr;
    tell("allocate", musaMallocArray(&array, &desc, 4, 3));
    tell("allocate a line", musaMallocArray(&other, &desc, 12));
    tell("allocate a box", musaMalloc3DArray(&solid, &desc, make_musaExtent(4, 3, 2)));
    musaChannelFormatDesc found{};
    musaExtent extent{};
    unsigned flags = 9;
    tell("info", musaArrayGetInfo(&found, &extent, &flags, array));
    std::printf("%d %d %d %d %d, %zu %zu %zu, %u\n", found.x, found.y, found.z, found.w, found.f, extent.width,
                extent.height, extent.depth, flags);
    const std::vector<short> host = counted<short>(24);
    std::vector<short> back(24);
    tell("2D to", musaMemcpy2DToArray(array, 0, 0, host.data(), 16, 16, 3, musaMemcpyHostToDevice));
    tell("part", musaMemcpy2DToArray(array, 4, 1, host.data(), 8, 8, 2, musaMemcpyHostToDevice));
    tell("to line", musaMemcpy2DArrayToArray(other, 0, 0, array, 0, 1, 16, 1));
    tell("2D from", musaMemcpy2DFromArray(back.data(), 16, array, 0, 0, 16, 3, musaMemcpyDeviceToHost));
    for (short value : back) std::printf("%d ", value);
    std::printf("\n");
    tell("line from", musaMemcpyFromArray(back.data(), other, 4, 0, 8, musaMemcpyDeviceToHost));
    tell("line", back[0] * 1000 + back[3]);
    tell("line to", musaMemcpyToArray(array, 12, 0, host.data(), 8, musaMemcpyHostToDevice));
    musaMemcpy3DParms copy{};
    copy.srcArray = array;
    copy.srcPos = make_musaPos(2, 0, 0);
    copy.dstArray = solid;
    copy.dstPos = make_musaPos(1, 1, 1);
    copy.extent = make_musaExtent(2, 2, 1);
    copy.kind = musaMemcpyDeviceToDevice;
    tell("3D", musaMemcpy3D(&copy));
    musaMemcpy3DParms out{};
    out.srcArray = solid;
    out.srcPos = make_musaPos(1, 1, 1);
    out.dstPtr = make_musaPitchedPtr(back.data(), 8, 8, 2);
    out.extent = make_musaExtent(2, 2, 1);
    out.kind = musaMemcpyDeviceToHost;
    tell("3D out", musaMemcpy3D(&out));
    for (int i = 0; i < 8; ++i) std::printf("%d ", back[i]);
    std::printf("\n");
    tell("in a graph", launch_captured([&](musaStream_t stream) {
             return musaMemcpy2DToArrayAsync(array, 0, 0, host.data(), 4, 4, 1, musaMemcpyHostToDevice, stream);
         }));
    tell("allocation in a graph",
         launch_captured([&](musaStream_t) { return musaMallocArray(&other, &desc, 4); }));
    out.kind = musaMemcpyHostToHost;
    tell("wrong kind", musaMemcpy3D(&out));
    out.kind = musaMemcpyDeviceToHost;
    out.dstArray = array;
    tell("two targets", musaMemcpy3D(&out));
    tell("too wide", musaMemcpy2DToArray(array, 4, 0, host.data(), 16, 16, 1, musaMemcpyHostToDevice));
    tell("too high", musaMemcpy2DFromArray(back.data(), 16, array, 0, 1, 16, 3, musaMemcpyDeviceToHost));
    tell("no width", musaMallocArray(&other, &desc, 0));
    const musaChannelFormatDesc three = musaCreateChannelDesc(8, 8, 8, 0, musaChannelFormatKindUnsigned);
    tell("three components", musaMallocArray(&other, &three, 4));
    const musaChannelFormatDesc odd = musaCreateChannelDesc(8, 0, 0, 0, musaChannelFormatKindFloat);
    tell("floats of 8 bits", musaMallocArray(&other, &odd, 4));
    tell("layers", musaMalloc3DArray(&other, &desc, make_musaExtent(4, 3, 2), 1));
    tell("free", musaFreeArray(array));
    tell("free again", musaFreeArray(array));
    tell("freed", musaArrayGetInfo(&found, &extent, &flags, array));
    tell("free nothing", musaFreeArray(nullptr));
    musaFreeArray(solid);
}

int range_attribute(musaMemRangeAttribute attribute, const char* at, std::size_t size) {
    int value = -9;
    CHECK(musaMemRangeGetAttribute(&value, sizeof value, attribute, at, size));
    return value;
}

void managed() {
    char* memory = nullptr;
    char* plain = nullptr;
    const std::size_t half = 1 << 20;
    CHECK(musaMallocManaged(&memory, 2 * half));
    CHECK(musaMalloc(&plain, 100));
    tell("prefetch", musaMemPrefetchAsync(memory, half, 0));
    tell("to the host", musaMemPrefetchAsync(memory + half, half, musaCpuDeviceId, nullptr));
    tell("first half", range_attribute(musaMemRangeAttributeLastPrefetchLocation, memory, half));
    tell("second half", range_attribute(musaMemRangeAttributeLastPrefetchLocation, memory + half, half));
    tell("both", range_attribute(musaMemRangeAttributeLastPrefetchLocation, memory, 2 * half));
    tell("read mostly", musaMemAdvise(memory, half, musaMemAdviseSetReadMostly, 7));
    tell("preferred", musaMemAdvise(memory, 2 * half, musaMemAdviseSetPreferredLocation, 0));
    tell("accessed", musaMemAdvise(memory, 2 * half, musaMemAdviseSetAccessedBy, musaCpuDeviceId));
    tell("half is read mostly", range_attribute(musaMemRangeAttributeReadMostly, memory, half));
    tell("all is not", range_attribute(musaMemRangeAttributeReadMostly, memory, 2 * half));
    tell("preferred where", range_attribute(musaMemRangeAttributePreferredLocation, memory, 2 * half));
    int devices[2] = {}, preferred = 5;
    CHECK(musaMemRangeGetAttribute(devices, sizeof devices, musaMemRangeAttributeAccessedBy, memory, half));
    tell("accessed by", devices[0] * 10 + devices[1]);
    CHECK(musaMemAdvise(memory, half, musaMemAdviseUnsetReadMostly, 0));
    CHECK(musaMemAdvise(memory, half, musaMemAdviseUnsetPreferredLocation, 0));
    CHECK(musaMemAdvise(memory, half, musaMemAdviseUnsetAccessedBy, musaCpuDeviceId));
    void* data[] = {devices, &preferred};
    std::size_t sizes[] = {sizeof devices, sizeof preferred};
    musaMemRangeAttribute attributes[] = {musaMemRangeAttributeAccessedBy, musaMemRangeAttributePreferredLocation};
    tell("several", musaMemRangeGetAttributes(data, sizes, attributes, 2, memory, half));
    tell("unset", devices[0] * 10 + preferred);
    sizes[1] = 8;
    tell("wrong size", musaMemRangeGetAttributes(data, sizes, attributes, 2, memory, half));
    tell("no such device", musaMemPrefetchAsync(memory, half, 5));
    tell("no bytes", musaMemPrefetchAsync(memory, 0, 0));
    tell("beyond", musaMemPrefetchAsync(memory + half, half + 1, 0));
    tell("device memory", musaMemPrefetchAsync(plain, 100, 0));
    tell("advice about device memory", musaMemAdvise(plain, 100, musaMemAdviseSetReadMostly, 0));
    tell("no advice", musaMemAdvise(memory, 100, static_cast<musaMemoryAdvise>(0), 0));
    tell("no such place", musaMemAdvise(memory, 100, musaMemAdviseSetPreferredLocation, -5));
    std::vector<char> pageable(100);
    tell("pageable memory", musaMemPrefetchAsync(pageable.data(), 100, 0));
    tell("in a graph", launch_captured([&](musaStream_t stream) { return musaMemPrefetchAsync(memory, half, 0, stream); }));
    CHECK(musaFree(memory));
    CHECK(musaFree(plain));
}

unsigned long long pool_attribute(musaMemPool_t pool, musaMemPoolAttr attribute) {
    unsigned long long value = 0;
    CHECK(musaMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

void pools() {
    const std::size_t mib = 1 << 20;
    musaMemPool_t pool = nullptr, current = nullptr, mine = nullptr;
    musaStream_t stream;
    CHECK(musaStreamCreate(&stream));
    tell("default", musaDeviceGetDefaultMemPool(&pool, 0));
    tell("current", musaDeviceGetMemPool(&current, 0));
    tell("is default", pool == current);
    tell("no such device", musaDeviceGetDefaultMemPool(&pool, 7));
    int *a = nullptr, *b = nullptr;
    tell("allocate", musaMallocAsync(&a, mib, stream));
    CHECK(musaMallocAsync(&b, mib, stream));
    tell("used", pool_attribute(pool, musaMemPoolAttrUsedMemCurrent) / mib);
    CHECK(musaMemsetAsync(a, 1, mib, stream));
    CHECK(musaFreeAsync(a, stream));
    CHECK(musaStreamSynchronize(stream));
    tell("used after a free", pool_attribute(pool, musaMemPoolAttrUsedMemCurrent) / mib);
    tell("reserved without a threshold", pool_attribute(pool, musaMemPoolAttrReservedMemCurrent) / mib);
    unsigned long long threshold = 3 * mib, zero = 0;
    tell("threshold", musaMemPoolSetAttribute(pool, musaMemPoolAttrReleaseThreshold, &threshold));
    tell("threshold is", pool_attribute(pool, musaMemPoolAttrReleaseThreshold) / mib);
    CHECK(musaFreeAsync(b, stream));
    CHECK(musaStreamSynchronize(stream));
    std::size_t free_bytes = 0, total = 0;
    CHECK(musaMemGetInfo(&free_bytes, &total));
    tell("kept", pool_attribute(pool, musaMemPoolAttrReservedMemCurrent) / mib);
    tell("device's", (total - free_bytes) / mib);
    tell("trim", musaMemPoolTrimTo(pool, 0));
    CHECK(musaMemGetInfo(&free_bytes, &total));
    tell("device's after trimming", total - free_bytes);
    tell("high", pool_attribute(pool, musaMemPoolAttrUsedMemHigh) / mib);
    tell("reset", musaMemPoolSetAttribute(pool, musaMemPoolAttrUsedMemHigh, &zero));
    tell("reserved high", musaMemPoolSetAttribute(pool, musaMemPoolAttrReservedMemHigh, &zero));
    tell("high after", pool_attribute(pool, musaMemPoolAttrUsedMemHigh));
    tell("read only", musaMemPoolSetAttribute(pool, musaMemPoolAttrUsedMemCurrent, &zero));
    int reuse = 0;
    tell("reuse", musaMemPoolSetAttribute(pool, musaMemPoolReuseAllowOpportunistic, &reuse));
    reuse = 5;
    CHECK(musaMemPoolGetAttribute(pool, musaMemPoolReuseAllowOpportunistic, &reuse));
    tell("reuse is", reuse);
    tell("no attribute", musaMemPoolGetAttribute(pool, static_cast<musaMemPoolAttr>(40), &threshold));

    musaMemPoolProps props{};
    tell("no kind", musaMemPoolCreate(&mine, &props));
    props.allocType = musaMemAllocationTypePinned;
    props.location = {musaMemLocationTypeDevice, 0};
    tell("create", musaMemPoolCreate(&mine, &props));
    tell("from pool", musaMallocFromPoolAsync(&a, mib, mine, stream));
    tell("overload", musaMallocAsync(&b, mib, mine, stream));
    tell("in mine", pool_attribute(mine, musaMemPoolAttrUsedMemCurrent) / mib);
    tell("set", musaDeviceSetMemPool(0, mine));
    CHECK(musaFreeAsync(b, stream));
    tell("destroy", musaMemPoolDestroy(mine));
    tell("destroy again", musaMemPoolDestroy(mine));
    CHECK(musaDeviceGetMemPool(&current, 0));
    tell("default again", pool == current);
    tell("destroy the default", musaMemPoolDestroy(pool));
    CHECK(musaFreeAsync(a, stream));
    CHECK(musaStreamSynchronize(stream));
    CHECK(musaMemGetInfo(&free_bytes, &total));
    tell("all given back", total - free_bytes);
    props.handleTypes = musaMemHandleTypePosixFileDescriptor;
    tell("for other processes", musaMemPoolCreate(&mine, &props));
    musaMemAccessFlags flags{};
    musaMemLocation here{musaMemLocationTypeDevice, 0};
    tell("access", musaMemPoolGetAccess(&flags, pool, &here));
    tell("access is", flags);
    musaMemAccessDesc none{here, musaMemAccessFlagsProtNone};
    tell("take the owner's", musaMemPoolSetAccess(pool, &none, 1));
    DeviceArray<int> result(1);
    int* result_at = result;
    tell("captured", launch_captured([&](musaStream_t s) {
             int* temporary = nullptr;
             musaError_t error = musaMallocFromPoolAsync(&temporary, 64, pool, s);
             if (error == musaSuccess) error = musaMemsetAsync(temporary, 0, 64, s);
             add<<<1, 1, 0, s>>>(temporary, 4, nullptr);
             add<<<1, 1, 0, s>>>(result_at, 1, temporary);
             return error != musaSuccess ? error : musaFreeAsync(temporary, s);
         }));
    tell("result", result.host()[0]);
    tell("pool of nothing", musaMallocFromPoolAsync(&a, 64, nullptr, stream));
}

// Device 1 adds to memory of a pool of device 0.
void pool_of_peer(bool allowed) {
    musaMemPool_t pool;
    int* memory = nullptr;
    CHECK(musaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(musaMallocAsync(&memory, 64, static_cast<musaStream_t>(nullptr)));
    CHECK(musaMemset(memory, 0, 64));
    CHECK(musaDeviceSynchronize());
    musaMemAccessDesc access{{musaMemLocationTypeDevice, 1}, musaMemAccessFlagsProtReadWrite};
    if (allowed) CHECK(musaMemPoolSetAccess(pool, &access, 1));
    CHECK(musaSetDevice(1));
    CHECK(musaDeviceEnablePeerAccess(0, 0));
    add<<<1, 4>>>(memory, 3, nullptr);
    tell("result", musaDeviceSynchronize());
    musaMemAccessFlags flags{};
    CHECK(musaSetDevice(0));
    CHECK(musaMemPoolGetAccess(&flags, pool, &access.location));
    int value = 0;
    CHECK(musaMemcpy(&value, memory, sizeof value, musaMemcpyDeviceToHost));
    tell("value", value * 10 + flags);
}

void profiler() {
    tell("start", musaProfilerStart());
    tell("stop", musaProfilerStop());
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    if (name == "launches") launches();
    if (name == "boxes") boxes();
    if (name == "arrays") arrays();
    if (name == "managed") managed();
    if (name == "pools") pools();
    if (name == "pool of peer") pool_of_peer(false);
    if (name == "allowed pool of peer") pool_of_peer(true);
    if (name == "profiler") profiler();
}
