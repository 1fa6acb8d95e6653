// driver CASE module-file: the driver API, without the runtime API.
#include <musa.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

const char* name_of(MUresult result) {
    const char* name = "?";
    muGetErrorName(result, &name);
    return name;
}
#define CHECK(call)                                                   \
    if (MUresult result = (call); result != MUSA_SUCCESS) {           \
        std::fprintf(stderr, "%s: %s\n", #call, name_of(result));     \
        std::exit(3);                                                 \
    }

// Floats from stdin, scaled by a __constant__ and reversed in shared memory, to stdout.
void compute(const char* path) {
    constexpr int n = 1000, block = 250;
    std::vector<float> x(n);
    if (std::fread(x.data(), sizeof(float), n, stdin) != n) std::exit(2);
    std::ifstream file(path, std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};

    CHECK(muInit(0));
    MUdevice device;
    MUcontext context;
    MUmodule module, again;
    MUfunction scale, reverse;
    MUstream stream;
    MUdeviceptr in, out, factor, calls;
    size_t size = 0;
    CHECK(muDeviceGet(&device, 0));
    CHECK(muCtxCreate(&context, 0, device));
    CHECK(muModuleLoadData(&module, image.data()));
    CHECK(muModuleLoad(&again, path));
    CHECK(muModuleGetFunction(&scale, module, "scale"));
    CHECK(muModuleGetFunction(&reverse, again, "reverse"));
    CHECK(muStreamCreate(&stream, MU_STREAM_NON_BLOCKING));
    CHECK(muMemAlloc(&in, n * sizeof(float)));
    CHECK(muMemAlloc(&out, n * sizeof(float)));
    CHECK(muModuleGetGlobal(&factor, &size, module, "factor"));
    if (size != 4 * sizeof(float)) std::exit(4);
    const float factors[4] = {1, 2, 3, -0.5f};
    CHECK(muMemcpyHtoD(factor, factors, sizeof factors));
    CHECK(muMemcpyHtoDAsync(in, x.data(), n * sizeof(float), stream));
    CHECK(muMemsetD32Async(out, 0x7fc00000, n, stream));
    int count = n, which = 3;
    void* arguments[] = {&in, &out, &count, &which};
    CHECK(muLaunchKernel(scale, n / block, 1, 1, block, 1, 1, 0, stream, arguments, nullptr));
    void* reversed[] = {&out};
    CHECK(muLaunchKernel(reverse, 1, 1, 1, n, 1, 1, n * sizeof(float), stream, reversed, nullptr));
    CHECK(muMemcpyDtoHAsync(x.data(), out, n * sizeof(float), stream));
    CHECK(muStreamSynchronize(stream));
    int times = 0;
    CHECK(muModuleGetGlobal(&calls, nullptr, module, "calls"));
    CHECK(muMemcpyDtoH(&times, calls, sizeof times));
    if (times != 1) std::exit(5);
    CHECK(muModuleGetGlobal(&calls, nullptr, again, "calls"));
    CHECK(muMemcpyDtoH(&times, calls, sizeof times));
    if (times != 0) std::exit(6);  // a module of its own, with variables of its own
    std::fwrite(x.data(), sizeof(float), n, stdout);
    CHECK(muMemFree(in));
    CHECK(muMemFree(out));
    CHECK(muModuleUnload(module));
    CHECK(muStreamDestroy(stream));
    CHECK(muCtxDestroy(context));
}

void facts(const char* path) {
    auto say = [](const char* what, MUresult result) { std::printf("%s=%s\n", what, name_of(result)); };
    int count = 0, value = 0;
    say("before_init", muDeviceGetCount(&count));
    CHECK(muInit(0));
    MUdevice device;
    MUcontext context, current;
    MUmodule module;
    MUfunction function;
    MUdeviceptr address;
    char name[64];
    CHECK(muDeviceGetCount(&count));
    CHECK(muDeviceGet(&device, 1));
    CHECK(muDevicePrimaryCtxRetain(&context, device));
    CHECK(muCtxPushCurrent(context));
    CHECK(muCtxGetCurrent(&current));
    CHECK(muDeviceGetName(name, sizeof name, device));
    CHECK(muDeviceGetAttribute(&value, MU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
    std::printf("devices=%d\nsame_context=%d\nthreads=%d\nnamed=%d\n", count, context == current, value, name[0] != 0);
    CHECK(muCtxPopCurrent(nullptr));
    CHECK(muCtxGetDevice(&device));
    std::printf("after_pop=%d\n", device);
    say("no_device", muDeviceGet(&device, 7));
    say("no_file", muModuleLoad(&module, "/nowhere"));
    say("no_image", muModuleLoadData(&module, "this is no image, but it is long enough"));
    // A string that ends at the image's first zero byte, with anything behind it.
    std::ifstream file(path, std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (const char byte : {'\0', '\1', '\377'}) {
        const std::string text = std::string(image.c_str()) + std::string(1, '\0') + std::string(100, byte);
        say(byte == 0 ? "text_and_zeros" : byte == 1 ? "text_and_ones" : "text_and_others", muModuleLoadData(&module, text.data()));
    }
    CHECK(muModuleLoad(&module, path));
    say("no_kernel", muModuleGetFunction(&function, module, "missing"));
    say("no_variable", muModuleGetGlobal(&address, nullptr, module, "missing"));
    CHECK(muModuleGetFunction(&function, module, "reverse"));
    say("block_too_large", muLaunchKernel(function, 1, 1, 1, 2000, 1, 1, 0, nullptr, nullptr, nullptr));
    say("block_z_too_large", muLaunchKernel(function, 1, 1, 1, 1, 1, 65, 0, nullptr, nullptr, nullptr));
    say("grid_y_too_large", muLaunchKernel(function, 1, 65536, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    int z = 0;
    CHECK(muDeviceGetAttribute(&z, MU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 0));
    std::printf("most_z=%d\n", z);
    CHECK(muModuleGetFunction(&function, module, "crash"));
    void* null = nullptr;
    void* arguments[] = {&null};
    CHECK(muLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    say("fault", muCtxSynchronize());
    say("unloaded", (muModuleUnload(module), muModuleUnload(module)));
}

// Launches with attributes, pools, managed memory: the runtime API's, by the driver's names.
void newer(const char* path) {
    MUdevice device;
    MUcontext context;
    MUmodule module;
    MUfunction reverse;
    MUstream stream;
    MUmemoryPool pool, same;
    MUdeviceptr x, y, managed;
    CHECK(muInit(0));
    CHECK(muDeviceGet(&device, 0));
    CHECK(muCtxCreate(&context, 0, device));
    CHECK(muModuleLoad(&module, path));
    CHECK(muModuleGetFunction(&reverse, module, "reverse"));
    CHECK(muStreamCreate(&stream, MU_STREAM_NON_BLOCKING));
    const auto tell = [](const char* question, MUresult result) { std::printf("%s=%s\n", question, name_of(result)); };

    CHECK(muMemAllocAsync(&x, 4 * sizeof(float), stream));
    const float values[4] = {1, 2, 3, 4};
    float back[4] = {};
    CHECK(muMemcpyHtoDAsync(x, values, sizeof values, stream));
    MUlaunchAttribute attribute{};
    attribute.id = MU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    MUlaunchConfig config{1, 1, 1, 4, 1, 1, 4 * sizeof(float), stream, &attribute, 1};
    void* parameters[] = {&x};
    tell("launch", muLaunchKernelEx(&config, reverse, parameters, nullptr));
    CHECK(muMemcpyDtoHAsync(back, x, sizeof back, stream));
    CHECK(muStreamSynchronize(stream));
    std::printf("reversed=%g%g%g%g\n", back[0], back[1], back[2], back[3]);
    attribute.id = MU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {2, 1, 1};
    tell("cluster", muLaunchKernelEx(&config, reverse, parameters, nullptr));
    tell("no configuration", muLaunchKernelEx(nullptr, reverse, parameters, nullptr));

    CHECK(muDeviceGetDefaultMemPool(&pool, device));
    CHECK(muDeviceGetMemPool(&same, device));
    unsigned long long threshold = 1 << 20, used = 0;
    CHECK(muMemPoolSetAttribute(pool, MU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    CHECK(muMemAllocFromPoolAsync(&y, 512, pool, stream));
    CHECK(muMemPoolGetAttribute(pool, MU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    std::printf("used=%llu, %d\n", used, pool == same);
    CHECK(muMemFreeAsync(x, stream));
    CHECK(muMemFreeAsync(y, stream));
    CHECK(muStreamSynchronize(stream));
    CHECK(muMemPoolTrimTo(pool, 0));
    tell("set", muDeviceSetMemPool(device, pool));
    tell("destroy the default", muMemPoolDestroy(pool));
    tell("nothing", muMemAllocAsync(&x, 0, stream));
    size_t pitch = 0;
    CHECK(muMemAllocPitch(&x, &pitch, 20, 3, 4));
    std::printf("pitch=%d\n", pitch >= 20);
    tell("elements of 5 bytes", muMemAllocPitch(&y, &pitch, 20, 3, 5));

    CHECK(muMemAllocManaged(&managed, 8192, MU_MEM_ATTACH_GLOBAL));
    tell("prefetch", muMemPrefetchAsync(managed, 8192, MU_DEVICE_CPU, stream));
    tell("advise", muMemAdvise(managed, 8192, MU_MEM_ADVISE_SET_READ_MOSTLY, device));
    int read_mostly = 0, location = 0;
    CHECK(muMemRangeGetAttribute(&read_mostly, sizeof(int), MU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed, 8192));
    CHECK(muMemRangeGetAttribute(&location, sizeof(int), MU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, managed, 8192));
    std::printf("managed=%d %d\n", read_mostly, location);
    tell("no such device", muMemPrefetchAsync(managed, 8192, 9, stream));
    tell("profiler", muProfilerStart());
    tell("profiler stops", muProfilerStop());
}

// The parameters of a graph's kernel, by the driver's names.
void graph(const char* path) {
    MUdevice device;
    MUcontext context;
    MUmodule module;
    MUfunction reverse;
    MUstream stream;
    MUdeviceptr x;
    CHECK(muInit(0));
    CHECK(muDeviceGet(&device, 0));
    CHECK(muCtxCreate(&context, 0, device));
    CHECK(muModuleLoad(&module, path));
    CHECK(muModuleGetFunction(&reverse, module, "reverse"));
    CHECK(muStreamCreate(&stream, MU_STREAM_NON_BLOCKING));
    CHECK(muMemAlloc(&x, 4 * sizeof(float)));
    const auto captured = [&](unsigned threads) {
        MUgraph made;
        void* parameters[] = {&x};
        CHECK(muStreamBeginCapture(stream, MU_STREAM_CAPTURE_MODE_GLOBAL));
        CHECK(muLaunchKernel(reverse, 1, 1, 1, threads, 1, 1, 4 * sizeof(float), stream, parameters, nullptr));
        CHECK(muStreamEndCapture(stream, &made));
        return made;
    };
    const MUgraph first = captured(4);
    MUgraphExec exec;
    CHECK(muGraphInstantiate(&exec, first, 0));
    const auto launch = [&](const char* what) {
        float values[4] = {1, 2, 3, 4};
        CHECK(muMemcpyHtoD(x, values, sizeof values));
        CHECK(muGraphLaunch(exec, stream));
        CHECK(muStreamSynchronize(stream));
        CHECK(muMemcpyDtoH(values, x, sizeof values));
        std::printf("%s=%g%g%g%g\n", what, values[0], values[1], values[2], values[3]);
    };
    launch("as captured");
    size_t count = 1;
    MUgraphNode node, differs = nullptr;
    CHECK(muGraphGetNodes(first, &node, &count));
    MUSA_KERNEL_NODE_PARAMS params;
    CHECK(muGraphKernelNodeGetParams(node, &params));
    std::printf("function=%d %u\n", params.func == reverse, params.blockDimX);
    params.blockDimX = 2;
    CHECK(muGraphExecKernelNodeSetParams(exec, node, &params));
    launch("two threads");
    params.blockDimX = 2000;
    std::printf("too many=%s\n", name_of(muGraphKernelNodeSetParams(node, &params)));
    MUgraphExecUpdateResult outcome;
    CHECK(muGraphExecUpdate(exec, captured(3), &differs, &outcome));
    launch("updated");
    MUgraph empty;
    CHECK(muStreamBeginCapture(stream, MU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(muStreamEndCapture(stream, &empty));
    std::printf("empty=%s %d\n", name_of(muGraphExecUpdate(exec, empty, &differs, &outcome)), outcome);
}

int main(int, char** argv) {
    const std::string which = argv[1];
    if (which == "compute") compute(argv[2]);
    if (which == "facts") facts(argv[2]);
    if (which == "newer") newer(argv[2]);
    if (which == "graph") graph(argv[2]);
}
