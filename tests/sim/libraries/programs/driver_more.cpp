// driver_more CASE module-file: more of the driver API. Prints `question=answer` lines.
#include <musa.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

const char* name_of(MUresult result) {
    const char* name = "?";
    muGetErrorName(result, &name);
    return name;
}
void tell(const char* question, MUresult answer) { std::printf("%s=%s\n", question, name_of(answer)); }
void tell(const char* question, long long answer) { std::printf("%s=%lld\n", question, answer); }
#define CHECK(call)                                               \
    if (MUresult result = (call); result != MUSA_SUCCESS) {       \
        std::fprintf(stderr, "%s: %s\n", #call, name_of(result)); \
        std::exit(3);                                             \
    }

MUcontext begin() {
    MUcontext context = nullptr;
    CHECK(muInit(0));
    CHECK(muCtxCreate(&context, 0, 0));
    return context;
}

template <class T>
std::vector<T> read_values(MUdeviceptr from, size_t count) {
    std::vector<T> values(count);
    CHECK(muMemcpyDtoH(values.data(), from, count * sizeof(T)));
    return values;
}

MUdeviceptr allocate(size_t bytes) {
    MUdeviceptr memory = 0;
    CHECK(muMemAlloc(&memory, bytes));
    return memory;
}

// Fills of all sizes, as lines and rectangles, now and in a stream.
void fills(const char*) {
    begin();
    MUstream stream = nullptr;
    CHECK(muStreamCreate(&stream, MU_STREAM_NON_BLOCKING));
    const MUdeviceptr memory = allocate(4096);
    CHECK(muMemsetD8(memory, 1, 4096));
    CHECK(muMemsetD16(memory + 16, 0x0203, 4));
    CHECK(muMemsetD32(memory + 32, 0x04050607, 2));
    CHECK(muMemsetD2D8(memory + 64, 64, 8, 3, 2));
    CHECK(muMemsetD2D16(memory + 192, 64, 0x0910, 2, 2));
    CHECK(muMemsetD2D32(memory + 320, 64, 0x11121314, 2, 2));
    CHECK(muCtxSynchronize());
    CHECK(muMemsetD8Async(memory + 1024, 21, 3, stream));
    CHECK(muMemsetD16Async(memory + 1040, 0x2223, 2, stream));
    CHECK(muMemsetD32Async(memory + 1056, 0x24252627, 1, stream));
    CHECK(muMemsetD2D8Async(memory + 1088, 64, 28, 1, 2, stream));
    CHECK(muMemsetD2D16Async(memory + 1216, 64, 0x2930, 1, 2, stream));
    CHECK(muMemsetD2D32Async(memory + 1344, 64, 0x31323334, 1, 2, stream));
    CHECK(muStreamSynchronize(stream));
    const auto bytes = read_values<unsigned char>(memory, 4096);
    std::vector<unsigned char> expected(4096, 1);
    const auto put = [&](size_t at, std::initializer_list<int> values) {
        for (const int value : values) expected[at++] = static_cast<unsigned char>(value);
    };
    for (int i = 0; i < 4; ++i) put(16 + 2 * i, {3, 2});
    for (int i = 0; i < 2; ++i) put(32 + 4 * i, {7, 6, 5, 4});
    for (int row = 0; row < 2; ++row) {
        put(64 + 64 * row, {8, 8, 8});
        put(192 + 64 * row, {0x10, 9, 0x10, 9});
        put(320 + 64 * row, {0x14, 0x13, 0x12, 0x11, 0x14, 0x13, 0x12, 0x11});
        put(1088 + 64 * row, {28});
        put(1216 + 64 * row, {0x30, 0x29});
        put(1344 + 64 * row, {0x34, 0x33, 0x32, 0x31});
    }
    put(1024, {21, 21, 21});
    put(1040, {0x23, 0x22, 0x23, 0x22});
    put(1056, {0x27, 0x26, 0x25, 0x24});
    tell("as expected", bytes == expected);
    tell("unaligned", muMemsetD32(memory + 2, 0, 1));
    tell("odd pitch", muMemsetD2D16(memory, 63, 0, 1, 2));
    tell("past the end", muMemsetD8(memory, 0, 4097));
}

// Copies between lines, arrays and the host.
void copies(const char*) {
    const MUcontext context = begin();
    std::vector<unsigned char> host(96), back(96);
    for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i);
    const MUdeviceptr line = allocate(96);
    MUarray array = nullptr, other = nullptr;
    const MUSA_ARRAY_DESCRIPTOR words{8, 3, MU_AD_FORMAT_UNSIGNED_INT32, 1};
    CHECK(muArrayCreate(&array, &words));
    CHECK(muArrayCreate(&other, &words));
    MUstream stream = nullptr;
    CHECK(muStreamCreate(&stream, MU_STREAM_DEFAULT));
    CHECK(muMemcpyHtoA(array, 0, host.data(), 96));
    CHECK(muMemcpyAtoA(other, 32, array, 0, 64));  // the last two rows
    CHECK(muMemcpyDtoA(other, 0, line, 0));
    CHECK(muMemcpyAtoD(line, other, 40, 24));
    tell("second row", read_values<unsigned char>(line, 24) == std::vector<unsigned char>(host.begin() + 8, host.begin() + 32));
    CHECK(muMemcpyHtoAAsync(other, 0, host.data(), 32, stream));
    CHECK(muMemcpyAtoHAsync(back.data(), other, 0, 96, stream));
    CHECK(muStreamSynchronize(stream));
    tell("rows", std::memcmp(back.data(), host.data(), 32) == 0 && std::memcmp(back.data() + 32, host.data(), 64) == 0);
    CHECK(muMemcpyAtoH(back.data(), array, 33, 7));
    tell("inside a row", std::memcmp(back.data(), host.data() + 33, 7) == 0);
    tell("past the end", muMemcpyAtoH(back.data(), array, 90, 7));

    CHECK(muMemcpy(line, reinterpret_cast<MUdeviceptr>(host.data()), 96));
    CHECK(muMemcpyPeer(line, context, line + 48, context, 48));
    CHECK(muMemcpyPeerAsync(line + 48, context, line, context, 48, stream));
    CHECK(muMemcpyAsync(reinterpret_cast<MUdeviceptr>(back.data()), line, 96, stream));
    CHECK(muStreamSynchronize(stream));
    tell("peers", std::memcmp(back.data(), host.data() + 48, 48) == 0 && std::memcmp(back.data() + 48, host.data() + 48, 48) == 0);
    tell("no context", muMemcpyPeer(line, nullptr, line, context, 1));

    MUSA_MEMCPY3D_PEER box{};
    box.srcMemoryType = MU_MEMORYTYPE_DEVICE;
    box.srcDevice = line;
    box.srcPitch = 16;
    box.srcContext = box.dstContext = context;
    box.dstMemoryType = MU_MEMORYTYPE_DEVICE;
    const MUdeviceptr target = allocate(96);
    CHECK(muMemsetD8(target, 0, 96));
    box.dstDevice = target;
    box.dstPitch = 8;
    box.WidthInBytes = 8;
    box.Height = 3;
    box.Depth = 1;
    CHECK(muMemcpy3DPeer(&box));
    CHECK(muMemcpy3DPeerAsync(&box, stream));
    CHECK(muStreamSynchronize(stream));
    const auto boxed = read_values<unsigned char>(target, 24);
    tell("box", boxed[0] == 48 && boxed[8] == 64 && boxed[16] == 80);

    // Many copies in one call
    MUdeviceptr to[3] = {target, target + 8, target + 16}, from[3] = {line + 1, line + 2, line + 3};
    size_t sizes[3] = {1, 2, 3}, index = 0, failed = 0;
    MUmemcpyAttributes attributes{};
    attributes.srcAccessOrder = MU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    CHECK(muMemoryTransferBatchAsync(to, from, sizes, 3, &attributes, &index, 1, &failed, stream));
    CHECK(muStreamSynchronize(stream));
    const auto many = read_values<unsigned char>(target, 24);
    tell("many", many[0] == 49 && many[8] == 50 && many[9] == 51 && many[16] == 51 && many[18] == 53);
    tell("none failed", failed == SIZE_MAX);
    sizes[1] = 4096;
    tell("one is too large", muMemcpyBatchAsync(to, from, sizes, 3, &attributes, &index, 1, &failed, stream));
    tell("which", failed);
    attributes.srcAccessOrder = MU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    tell("no order", muMemcpyBatchAsync(to, from, sizes, 3, &attributes, &index, 1, &failed, stream));
}

void pointers(const char*) {
    const MUcontext context = begin();
    const MUdeviceptr memory = allocate(1000), second = allocate(1000);
    MUdeviceptr base = 0;
    size_t size = 0;
    CHECK(muMemGetAddressRange(&base, &size, memory + 500));
    tell("range", base == memory && size == 1000);
    int here = 0;
    tell("no range", muMemGetAddressRange(&base, &size, reinterpret_cast<MUdeviceptr>(&here)));
    MUcontext of = nullptr;
    unsigned type = 9;
    unsigned long long number = 0, other = 0;
    bool managed = true, mapped = false;
    MUpointer_attribute attributes[] = {MU_POINTER_ATTRIBUTE_CONTEXT, MU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        MU_POINTER_ATTRIBUTE_BUFFER_ID, MU_POINTER_ATTRIBUTE_IS_MANAGED,
                                        MU_POINTER_ATTRIBUTE_MAPPED};
    void* data[] = {&of, &type, &number, &managed, &mapped};
    CHECK(muPointerGetAttributes(5, attributes, data, memory));
    tell("device memory", of == context && type == MU_MEMORYTYPE_DEVICE && !managed && mapped);
    CHECK(muPointerGetAttribute(&other, MU_POINTER_ATTRIBUTE_BUFFER_ID, second));
    tell("numbers differ", number != 0 && other != 0 && number != other);
    void* host = nullptr;
    CHECK(muMemHostAlloc(&host, 64, MU_MEMHOSTALLOC_PORTABLE));
    unsigned flags = 0;
    CHECK(muMemHostGetFlags(&flags, host));
    MUdeviceptr device = 0;
    CHECK(muMemHostGetDevicePointer(&device, host, 0));
    CHECK(muPointerGetAttribute(&type, MU_POINTER_ATTRIBUTE_MEMORY_TYPE, device));
    tell("host memory", flags == MU_MEMHOSTALLOC_PORTABLE && type == MU_MEMORYTYPE_HOST);
    CHECK(muMemFreeHost(host));
    CHECK(muPointerGetAttributes(5, attributes, data, reinterpret_cast<MUdeviceptr>(&here)));
    tell("nothing", of == nullptr && type == 0 && number == 0 && !mapped);
    tell("alone", muPointerGetAttribute(&type, MU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<MUdeviceptr>(&here)));
    std::vector<char> own(4096);
    CHECK(muMemHostRegister(own.data(), own.size(), 0));
    CHECK(muMemHostUnregister(own.data()));
    const bool on = true;
    tell("sync", muPointerSetAttribute(&on, MU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    tell("no setting", muPointerSetAttribute(&on, MU_POINTER_ATTRIBUTE_MAPPED, memory));
}

void devices(const char*) {
    const MUcontext context = begin();
    char id[32];
    MUdevice found = 7;
    CHECK(muDeviceGetPCIBusId(id, sizeof id, 1));
    CHECK(muDeviceGetByPCIBusId(&found, id));
    tell("by id", found);
    tell("no such id", muDeviceGetByPCIBusId(&found, "0000:77:00.0"));
    MUuuid first{}, second{};
    CHECK(muDeviceGetUuid(&first, 0));
    CHECK(muDeviceGetUuid(&second, 1));
    tell("uuids differ", std::memcmp(&first, &second, sizeof first) != 0);
    MUdevprop properties{};
    int value = 0, can = 0;
    CHECK(muDeviceGetProperties(&properties, 0));
    CHECK(muDeviceGetAttribute(&value, MU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
    tell("properties", properties.maxThreadsPerBlock == value && properties.maxThreadsDim[0] == 1024);
    CHECK(muDeviceCanAccessPeer(&can, 0, 1));
    CHECK(muDeviceGetP2PAttribute(&value, MU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
    tell("peers", can && value);
    MUcontext peer = nullptr;
    CHECK(muDevicePrimaryCtxRetain(&peer, 1));
    CHECK(muCtxEnablePeerAccess(peer, 0));
    tell("twice", muCtxEnablePeerAccess(peer, 0));
    CHECK(muCtxDisablePeerAccess(peer));
    // Every number has an answer, or is none.
    int answered = 0, refused = 0;
    for (int i = 1; i < MU_DEVICE_ATTRIBUTE_MAX; ++i) {
        const MUresult result = muDeviceGetAttribute(&value, static_cast<MUdevice_attribute>(i), 0);
        answered += result == MUSA_SUCCESS && value >= 0;
        refused += result != MUSA_SUCCESS;
    }
    tell("answered", answered);
    tell("refused", refused);
    CHECK(muDeviceGetAttribute(&value, MU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 0));
    tell("pitch alignment", value);
    size_t limit = 0;
    CHECK(muCtxSetLimit(MU_LIMIT_STACK_SIZE, 4096));
    CHECK(muCtxGetLimit(&limit, MU_LIMIT_STACK_SIZE));
    tell("limit", limit);
    tell("no limit", muCtxGetLimit(&limit, MU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
    MUfunc_cache cache{};
    CHECK(muCtxSetCacheConfig(MU_FUNC_CACHE_PREFER_L1));
    CHECK(muCtxGetCacheConfig(&cache));
    tell("cache", cache);
    unsigned flags = 0;
    int active = 0;
    CHECK(muDevicePrimaryCtxSetFlags(1, MU_CTX_SCHED_YIELD));
    CHECK(muDevicePrimaryCtxGetState(1, &flags, &active));
    tell("state", flags == (MU_CTX_SCHED_YIELD | MU_CTX_MAP_HOST) && active);
    CHECK(muCtxGetFlags(&flags));
    tell("flags here", flags);
    CHECK(muCtxGetApiVersion(context, &flags));
    tell("version", flags == MUSA_VERSION);
    int least = 0, greatest = 0;
    CHECK(muCtxGetStreamPriorityRange(&least, &greatest));
    tell("priorities", least > greatest);
    MUexecAffinityParam affinity{};
    CHECK(muCtxGetExecAffinity(&affinity, MU_EXEC_AFFINITY_TYPE_SM_COUNT));
    tell("affinity", affinity.param.smCount.val > 0);
}

void callback(MUstream, MUresult status, void* data) { *static_cast<MUresult*>(data) = status; }

void streams(const char*) {
    const MUcontext context = begin();
    MUstream stream = nullptr, other = nullptr;
    CHECK(muStreamCreateWithPriority(&stream, MU_STREAM_NON_BLOCKING, -1));
    CHECK(muStreamCreate(&other, MU_STREAM_DEFAULT));
    int priority = 0;
    unsigned flags = 0;
    unsigned long long first = 0, second = 0;
    CHECK(muStreamGetPriority(stream, &priority));
    CHECK(muStreamGetFlags(stream, &flags));
    tell("priority and flags", priority == -1 && flags == MU_STREAM_NON_BLOCKING);
    CHECK(muStreamGetId(stream, &first));
    CHECK(muStreamGetId(other, &second));
    tell("ids differ", first != second);
    MUcontext of = nullptr;
    CHECK(muStreamGetCtx(stream, &of));
    tell("context", of == context);
    MUstreamAttrValue value{};
    value.accessPolicyWindow.num_bytes = 77;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = MU_ACCESS_PROPERTY_PERSISTING;
    CHECK(muStreamSetAttribute(stream, MU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    CHECK(muStreamCopyAttributes(other, stream));
    value = {};
    CHECK(muStreamGetAttribute(other, MU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    tell("window", value.accessPolicyWindow.num_bytes);
    CHECK(muStreamGetAttribute(other, MU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    tell("policy", value.syncPolicy);
    value.accessPolicyWindow = {};
    value.accessPolicyWindow.hitRatio = 2;
    tell("ratio", muStreamSetAttribute(stream, MU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    MUresult status = MUSA_ERROR_UNKNOWN;
    CHECK(muStreamAddCallback(stream, callback, &status, 0));
    static int called = 0;
    CHECK(muLaunchHostFunc(stream, [](void* count) { ++*static_cast<int*>(count); }, &called));
    CHECK(muStreamSynchronize(stream));
    tell("callback", status);
    tell("host function", called);
    MUdeviceptr managed = 0;
    CHECK(muMemAllocManaged(&managed, 256, MU_MEM_ATTACH_GLOBAL));
    tell("attach", muStreamAttachMemAsync(stream, managed, 0, MU_MEM_ATTACH_SINGLE));
    tell("attach a part", muStreamAttachMemAsync(stream, managed, 128, MU_MEM_ATTACH_SINGLE));
    MUevent event = nullptr;
    CHECK(muEventCreate(&event, MU_EVENT_DEFAULT));
    CHECK(muEventRecordWithFlags(event, stream, MU_EVENT_RECORD_DEFAULT));
    CHECK(muEventSynchronize(event));
    MUmemoryPool pool = nullptr;
    MUmemPoolProps wanted{};
    wanted.allocType = MU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location = {MU_MEM_LOCATION_TYPE_DEVICE, 0};
    CHECK(muMemPoolCreate(&pool, &wanted));
    MUmemAccess_flags access{};
    CHECK(muMemPoolGetAccess(&access, pool, &wanted.location));
    tell("pool", access);
}

// Kernels of modules: occupancy, and graphs of them.
void kernels(const char* path) {
    begin();
    MUmodule module = nullptr, of = nullptr;
    MUfunction reverse = nullptr;
    CHECK(muModuleLoad(&module, path));
    CHECK(muModuleGetFunction(&reverse, module, "reverse"));
    CHECK(muFuncGetModule(&of, reverse));
    tell("its module", of == module);
    int grid = 0, block = 0, blocks = 0;
    CHECK(muOccupancyMaxPotentialBlockSize(&grid, &block, reverse, nullptr, 0, 256));
    CHECK(muOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, reverse, block, 0, MU_OCCUPANCY_DEFAULT));
    tell("block", block);
    tell("blocks", blocks > 0 && grid % blocks == 0);
    size_t shared = 0;
    CHECK(muOccupancyAvailableDynamicSMemPerBlock(&shared, reverse, 2, 64));
    int all = 0;
    CHECK(muDeviceGetAttribute(&all, MU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 0));
    tell("half of the shared memory", 2 * shared == static_cast<size_t>(all));
    CHECK(muFuncSetCacheConfig(reverse, MU_FUNC_CACHE_PREFER_SHARED));

    // x becomes 1 2 3 4 from the host, is reversed, filled at its end and copied back.
    const float values[4] = {1, 2, 3, 4};
    float back[4] = {};
    MUdeviceptr x = allocate(sizeof values);
    MUgraph graph = nullptr, child = nullptr;
    CHECK(muGraphCreate(&graph, 0));
    MUSA_MEMCPY3D in{};
    in.srcMemoryType = MU_MEMORYTYPE_HOST;
    in.srcHost = values;
    in.dstMemoryType = MU_MEMORYTYPE_DEVICE;
    in.dstDevice = x;
    in.WidthInBytes = sizeof values;
    in.Height = in.Depth = 1;
    MUgraphNode copied = nullptr, reversed = nullptr, filled = nullptr, out = nullptr, inside = nullptr;
    CHECK(muGraphAddMemcpyNode(&copied, graph, nullptr, 0, &in, nullptr));
    void* arguments[] = {&x};
    MUSA_KERNEL_NODE_PARAMS kernel{};
    kernel.func = reverse;
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.blockDimX = 4;
    kernel.sharedMemBytes = sizeof values;
    kernel.kernelParams = arguments;
    CHECK(muGraphCreate(&child, 0));
    CHECK(muGraphAddKernelNode(&inside, child, nullptr, 0, &kernel));
    CHECK(muGraphAddChildGraphNode(&reversed, graph, &copied, 1, child));
    const MUSA_MEMSET_NODE_PARAMS ones{x + 12, 0, 0x3f800000, 4, 1, 1};
    CHECK(muGraphAddMemsetNode(&filled, graph, &reversed, 1, &ones, nullptr));
    MUSA_MEMCPY3D to_host{};
    to_host.srcMemoryType = MU_MEMORYTYPE_DEVICE;
    to_host.srcDevice = x;
    to_host.dstMemoryType = MU_MEMORYTYPE_HOST;
    to_host.dstHost = back;
    to_host.WidthInBytes = sizeof values;
    to_host.Height = to_host.Depth = 1;
    CHECK(muGraphAddMemcpyNode(&out, graph, &filled, 1, &to_host, nullptr));
    MUgraphExec exec = nullptr;
    CHECK(muGraphInstantiate_v2(&exec, graph, nullptr, nullptr, 0));
    MUstream stream = nullptr;
    CHECK(muStreamCreate(&stream, MU_STREAM_NON_BLOCKING));
    CHECK(muGraphLaunch(exec, stream));
    CHECK(muStreamSynchronize(stream));
    std::printf("launched=%g %g %g %g\n", back[0], back[1], back[2], back[3]);
    MUSA_MEMCPY3D given{};
    CHECK(muGraphMemcpyNodeGetParams(copied, &given));
    tell("given", given.srcHost == values && given.dstDevice == x && given.WidthInBytes == 16 &&
                      given.srcMemoryType == MU_MEMORYTYPE_HOST);
    MUSA_MEMSET_NODE_PARAMS fill{};
    CHECK(muGraphMemsetNodeGetParams(filled, &fill));
    fill.dst = x;
    CHECK(muGraphExecMemsetNodeSetParams(exec, filled, &fill, nullptr));
    CHECK(muGraphLaunch(exec, stream));
    CHECK(muStreamSynchronize(stream));
    std::printf("changed=%g %g %g %g\n", back[0], back[1], back[2], back[3]);
    MUkernelNodeAttrValue value{};
    CHECK(muGraphKernelNodeGetAttribute(inside, MU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &value));
    tell("cooperative", value.cooperative);
    MUgraph copy = nullptr;
    CHECK(muGraphClone(&copy, graph));
    size_t count = 0;
    CHECK(muGraphGetNodes(copy, nullptr, &count));
    tell("nodes", count);
}

void entry_points(const char*) {
    void *function = nullptr, *same = nullptr;
    CHECK(muGetProcAddress("muMemAlloc_v2", &function, MUSA_VERSION, MU_GET_PROC_ADDRESS_DEFAULT));
    CHECK(muGetProcAddress("muMemAlloc", &same, MUSA_VERSION, 0));
    tell("second version", function == same && function == reinterpret_cast<void*>(&muMemAlloc));
    tell("none", muGetProcAddress("muNothing", &function, MUSA_VERSION, 0));
    tell("malloc", muGetProcAddress("malloc", &function, MUSA_VERSION, 0));
}

void textures(const char*) {
    begin();
    MUarray array = nullptr;
    const MUSA_ARRAY3D_DESCRIPTOR bytes{8, 4, 0, MU_AD_FORMAT_UNSIGNED_INT8, 1, MUSA_ARRAY3D_SURFACE_LDST};
    CHECK(muArray3DCreate(&array, &bytes));
    MUSA_RESOURCE_DESC resource{};
    resource.resType = MU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    MUSA_TEXTURE_DESC reading{};
    reading.filterMode = MU_TR_FILTER_MODE_LINEAR;
    MUtexObject texture = 0;
    MUsurfObject surface = 0;
    CHECK(muTexObjectCreate(&texture, &resource, &reading, nullptr));
    reading.flags = MU_TRSF_READ_AS_INTEGER;
    tell("integers are not filtered", muTexObjectCreate(&texture, &resource, &reading, nullptr));
    MUSA_RESOURCE_DESC given{};
    CHECK(muTexObjectGetResourceDesc(&given, texture));
    tell("given", given.res.array.hArray == array);
    CHECK(muTexObjectDestroy(texture));
    tell("gone", muTexObjectGetResourceDesc(&given, texture));
    CHECK(muSurfObjectCreate(&surface, &resource));
    CHECK(muSurfObjectGetResourceDesc(&given, surface));
    CHECK(muSurfObjectDestroy(surface));
    MUdeviceptr line = allocate(1024);
    resource = {};
    resource.resType = MU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D = {line, MU_AD_FORMAT_FLOAT, 1, 16, 4, 128};
    reading = {};
    CHECK(muTexObjectCreate(&texture, &resource, &reading, nullptr));
    resource.res.pitch2D.pitchInBytes = 96;
    tell("pitch", muTexObjectCreate(&texture, &resource, &reading, nullptr));
}

// An image on its way through the linker; what it refuses is said in the program's own buffer.
void linking(const char* path) {
    begin();
    char errors[256] = "";
    MUjit_option options[] = {MU_JIT_ERROR_LOG_BUFFER, MU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {errors, reinterpret_cast<void*>(sizeof errors)};
    MUlinkState state = nullptr;
    void* image = nullptr;
    size_t size = 0;
    CHECK(muLinkCreate(2, options, values, &state));
    tell("nothing", muLinkComplete(state, &image, &size));
    char text[] = ".version 7.0";
    tell("PTX", muLinkAddData(state, MU_JIT_INPUT_PTX, text, sizeof text, "a.ptx", 0, nullptr, nullptr));
    tell("no image", muLinkAddData(state, MU_JIT_INPUT_MUBIN, text, sizeof text, "text", 0, nullptr, nullptr));
    tell("no file", muLinkAddFile(state, MU_JIT_INPUT_MUBIN, "/nowhere", 0, nullptr, nullptr));
    CHECK(muLinkAddFile(state, MU_JIT_INPUT_PTX, path, 0, nullptr, nullptr));  // MTRTC's result, as for NVRTC's
    tell("second", muLinkAddFile(state, MU_JIT_INPUT_FATBINARY, path, 0, nullptr, nullptr));
    std::printf("said=%s\n", errors + std::strlen(path));
    CHECK(muLinkComplete(state, &image, &size));
    MUmodule module = nullptr;
    MUfunction reverse = nullptr;
    CHECK(muModuleLoadData(&module, image));
    CHECK(muLinkDestroy(state));
    CHECK(muModuleGetFunction(&reverse, module, "reverse"));
    const float numbers[] = {1, 2, 3};
    MUdeviceptr x = allocate(sizeof numbers);
    CHECK(muMemcpyHtoD(x, numbers, sizeof numbers));
    void* arguments[] = {&x};
    CHECK(muLaunchKernel(reverse, 1, 1, 1, 3, 1, 1, sizeof numbers, nullptr, arguments, nullptr));
    CHECK(muCtxSynchronize());
    tell("launched", static_cast<long long>(read_values<float>(x, 3)[0]));
    tell("gone", muLinkDestroy(state));
}

// Memory that two processes write to, by a handle that one gives the other.
void ipc(const char*) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::exit(4);
    constexpr size_t bytes = 8 << 20;
    if (fork() == 0) {
        begin();
        MUipcMemHandle handle;
        if (read(ends[1], &handle, sizeof handle) != sizeof handle) std::_Exit(5);
        MUdeviceptr memory = 0, again = 0;
        if (muIpcOpenMemHandle(&memory, handle, MU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != MUSA_SUCCESS) std::_Exit(6);
        if (muIpcOpenMemHandle(&again, handle, 0) != MUSA_SUCCESS || again != memory) std::_Exit(7);
        const auto seen = read_values<unsigned>(memory, 4);
        if (seen[0] != 5 || seen[3] != 5) std::_Exit(8);
        if (muMemsetD32(memory + 8, 9, 1) != MUSA_SUCCESS || muCtxSynchronize() != MUSA_SUCCESS) std::_Exit(9);
        if (muIpcCloseMemHandle(memory) != MUSA_SUCCESS || muIpcCloseMemHandle(memory) != MUSA_SUCCESS) std::_Exit(10);
        std::_Exit(muIpcCloseMemHandle(memory) == MUSA_ERROR_INVALID_VALUE ? 0 : 11);
    }
    begin();
    const MUdeviceptr memory = allocate(bytes);
    CHECK(muMemsetD32(memory, 5, bytes / 4));
    MUipcMemHandle handle, inside;
    CHECK(muIpcGetMemHandle(&handle, memory));
    CHECK(muIpcGetMemHandle(&inside, memory + 4096));
    tell("one handle", std::memcmp(&handle, &inside, sizeof handle) == 0);
    MUdeviceptr own = 0;
    tell("own handle", muIpcOpenMemHandle(&own, handle, 0));
    if (write(ends[0], &handle, sizeof handle) != sizeof handle) std::exit(4);
    int status = -1;
    wait(&status);
    tell("child", status);
    const auto values = read_values<unsigned>(memory, 4);
    tell("what it wrote", values[2]);
    tell("left alone", values[1]);
    CHECK(muMemFree(memory));
    int here = 0;
    tell("no device memory", muIpcGetMemHandle(&handle, reinterpret_cast<MUdeviceptr>(&here)));
    std::memset(&handle, 7, sizeof handle);
    tell("no handle", muIpcOpenMemHandle(&own, handle, 0));
}

}  // namespace

int main(int, char** arguments) {
    const std::string name = arguments[1];
    for (const auto& known : std::initializer_list<std::pair<const char*, void (*)(const char*)>>{
             {"fills", fills}, {"copies", copies}, {"pointers", pointers}, {"devices", devices}, {"streams", streams},
             {"kernels", kernels}, {"entry_points", entry_points}, {"textures", textures}, {"linking", linking}, {"ipc", ipc}}) {
        if (name == known.first) return known.second(arguments[2]), 0;
    }
    return 1;
}
