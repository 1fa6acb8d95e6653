// driver_versions CASE module-file: CUDA 12's names of the driver. Prints `question=answer` lines.
#include <musa.h>

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

constexpr int n = 8;

MUdeviceptr allocate(const std::vector<float>& values) {
    MUdeviceptr memory = 0;
    CHECK(muMemAlloc(&memory, values.size() * sizeof(float)));
    CHECK(muMemcpyHtoD(memory, values.data(), values.size() * sizeof(float)));
    return memory;
}
std::vector<float> read(MUdeviceptr from) {
    std::vector<float> values(n);
    CHECK(muMemcpyDtoH(values.data(), from, n * sizeof(float)));
    return values;
}
std::vector<float> counted(bool backwards = false) {
    std::vector<float> values(n);
    for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(backwards ? n - 1 - i : i);
    return values;
}

// Kernels of a library, alone and in graphs, by the structure for any node.
void libraries(const char* file) {
    MUlibrary library = nullptr;
    MUkernel kernel = nullptr, none = nullptr;
    MUfunction function = nullptr;
    tell("no file", muLibraryLoadFromFile(&library, "/nowhere", nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(muLibraryLoadFromFile(&library, file, nullptr, nullptr, 0, nullptr, nullptr, 0));
    unsigned count = 0;
    CHECK(muLibraryGetKernelCount(&count, library));
    tell("kernels", count);
    std::vector<MUkernel> all(count);
    CHECK(muLibraryEnumerateKernels(all.data(), count, library));
    std::string names;
    for (const MUkernel one : all) {
        const char* name = nullptr;
        CHECK(muKernelGetName(&name, one));
        names += std::string(names.empty() ? "" : " ") + name;
    }
    for (const char* name : {"scale", "reverse", "crash"}) tell(name, static_cast<long long>(names.find(name) != std::string::npos));
    tell("no such kernel", muLibraryGetKernel(&none, library, "nothing"));
    CHECK(muLibraryGetKernel(&kernel, library, "reverse"));
    CHECK(muKernelGetFunction(&function, kernel));
    const MUdeviceptr values = allocate(counted());
    MUdeviceptr argument = values;
    void* arguments[] = {&argument};
    CHECK(muLaunchKernel(function, 1, 1, 1, n, 1, 1, n * sizeof(float), nullptr, arguments, nullptr));
    tell("reversed", static_cast<long long>(read(values) == counted(true)));

    MUdeviceptr factor = 0;
    size_t bytes = 0;
    CHECK(muLibraryGetGlobal(&factor, &bytes, library, "factor"));
    tell("bytes", static_cast<long long>(bytes));
    int threads = 0;
    CHECK(muKernelSetAttribute(MU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 4096, kernel, 0));
    CHECK(muKernelGetAttribute(&threads, MU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, 0));
    tell("shared", threads);
    tell("no such device", muKernelGetAttribute(&threads, MU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 99));

    MUkernel scale = nullptr;
    CHECK(muLibraryGetKernel(&scale, library, "scale"));
    const size_t offsets[] = {0, 8, 16, 20}, sizes[] = {8, 8, 4, 4};
    long long right = 0;
    for (size_t i = 0; i < 4; ++i) {
        size_t offset = 9, size = 9;
        CHECK(muKernelGetParamInfo(scale, i, &offset, &size));
        right += offset == offsets[i] && size == sizes[i];
    }
    tell("places", right);
    size_t offset = 0;
    tell("beyond", muKernelGetParamInfo(scale, 4, &offset, nullptr));

    MUgraph graph = nullptr;
    MUgraphNode node = nullptr, second = nullptr;
    CHECK(muGraphCreate(&graph, 0));
    MUgraphNodeParams params{};
    params.type = MU_GRAPH_NODE_TYPE_KERNEL;
    params.kernel.kern = kernel;
    params.kernel.gridDimX = params.kernel.gridDimY = params.kernel.gridDimZ = 1;
    params.kernel.blockDimX = n;
    params.kernel.blockDimY = params.kernel.blockDimZ = 1;
    params.kernel.sharedMemBytes = n * sizeof(float);
    params.kernel.kernelParams = arguments;
    CHECK(muGraphAddNode(&node, graph, nullptr, 0, &params));
    CHECK(muGraphAddKernelNode_v2(&second, graph, &node, 1, &params.kernel));
    MUSA_KERNEL_NODE_PARAMS_v2 got{};
    CHECK(muGraphKernelNodeGetParams_v2(second, &got));
    tell("given", got.func == function && got.blockDimX == n && !got.ctx);
    CHECK(muGraphKernelNodeSetParams_v2(second, &got));
    std::vector<float> host(n);
    MUgraphNodeParams copy{};
    copy.type = MU_GRAPH_NODE_TYPE_MEMCPY;
    copy.memcpy.copyParams.srcMemoryType = MU_MEMORYTYPE_DEVICE;
    copy.memcpy.copyParams.srcDevice = values;
    copy.memcpy.copyParams.dstMemoryType = MU_MEMORYTYPE_HOST;
    copy.memcpy.copyParams.dstHost = host.data();
    copy.memcpy.copyParams.WidthInBytes = n * sizeof(float);
    copy.memcpy.copyParams.Height = copy.memcpy.copyParams.Depth = 1;
    MUgraphNode copied = nullptr;
    CHECK(muGraphAddNode(&copied, graph, &second, 1, &copy));
    MUgraphExec exec = nullptr;
    MUSA_GRAPH_INSTANTIATE_PARAMS how{};
    CHECK(muGraphInstantiateWithParams(&exec, graph, &how));
    tell("success", how.result_out);
    muuint64_t flags = 9;
    CHECK(muGraphExecGetFlags(exec, &flags));
    tell("flags", static_cast<long long>(flags));
    const auto launch = [&] {
        CHECK(muGraphLaunch(exec, nullptr));
        CHECK(muCtxSynchronize());
    };
    launch();
    tell("twice reversed", static_cast<long long>(host == counted(true)));
    unsigned enabled = 9;
    CHECK(muGraphNodeSetEnabled(exec, node, 0));
    CHECK(muGraphNodeGetEnabled(exec, node, &enabled));
    tell("enabled", enabled);
    launch();
    tell("once reversed", static_cast<long long>(host == counted()));
    // The other kernel instead, for both
    const std::vector<float> factors(4, 10.0f);
    CHECK(muMemcpyHtoD(factor, factors.data(), sizeof(float) * 4));
    MUdeviceptr from = values, to = values;
    int number = n, which = 1;
    void* of_scale[] = {&from, &to, &number, &which};
    got.func = nullptr;
    got.kern = scale;
    got.kernelParams = of_scale;
    tell("exec", muGraphExecKernelNodeSetParams_v2(exec, second, &got));
    launch();
    tell("times ten", static_cast<long long>(host[n - 1] == 10.0f * (n - 1)));
    copy.memcpy.copyParams.dstHost = nullptr;
    tell("a bad copy", muGraphAddNode(&copied, graph, nullptr, 0, &copy));
    tell("no parameters", muGraphAddNode(&copied, graph, nullptr, 0, nullptr));

    CHECK(muLibraryUnload(library));
    tell("unloaded", muLibraryUnload(library));
}

// A graph that depends on a value which nothing sets, fills and allocations; captures.
void conditions(const char*) {
    const MUdeviceptr memory = allocate(std::vector<float>(n));
    MUgraph graph = nullptr;
    CHECK(muGraphCreate(&graph, 0));
    MUgraphConditionalHandle handle = 0;
    CHECK(muGraphConditionalHandleCreate(&handle, graph, nullptr, 1, MU_GRAPH_COND_ASSIGN_DEFAULT));
    MUgraphNodeParams params{};
    params.type = MU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional.handle = handle;
    params.conditional.type = MU_GRAPH_COND_TYPE_IF;
    params.conditional.size = 2;
    MUgraphNode node = nullptr;
    CHECK(muGraphAddNode(&node, graph, nullptr, 0, &params));
    MUgraphNodeType type{};
    CHECK(muGraphNodeGetType(node, &type));
    tell("type", type);
    MUstream stream = nullptr;
    CHECK(muStreamCreate(&stream, MU_STREAM_NON_BLOCKING));
    MUgraph made = nullptr;
    for (unsigned i = 0; i < 2; ++i) {
        CHECK(muStreamBeginCaptureToGraph(stream, params.conditional.phGraph_out[i], nullptr, nullptr, 0,
                                          MU_STREAM_CAPTURE_MODE_GLOBAL));
        CHECK(muMemsetD8Async(memory, static_cast<unsigned char>(i + 1), 4, stream));
        CHECK(muStreamEndCapture(stream, &made));
        tell("the same", made == params.conditional.phGraph_out[i]);
    }
    MUgraphNodeParams allocation{};
    allocation.type = MU_GRAPH_NODE_TYPE_MEM_ALLOC;
    allocation.alloc.poolProps.allocType = MU_MEM_ALLOCATION_TYPE_PINNED;
    allocation.alloc.poolProps.location = {MU_MEM_LOCATION_TYPE_DEVICE, 0};
    allocation.alloc.bytesize = 16;
    MUgraphNode allocated = nullptr, filled = nullptr, freed = nullptr;
    CHECK(muGraphAddNode(&allocated, graph, nullptr, 0, &allocation));
    tell("allocated", allocation.alloc.dptr != 0);
    MUgraphNodeParams fill{};
    fill.type = MU_GRAPH_NODE_TYPE_MEMSET;
    fill.memset.dst = memory + 8;
    fill.memset.value = 0x0a0b;
    fill.memset.elementSize = 2;
    fill.memset.width = 2;
    fill.memset.height = 1;
    CHECK(muGraphAddNode(&filled, graph, &allocated, 1, &fill));
    MUgraphNodeParams free_it{};
    free_it.type = MU_GRAPH_NODE_TYPE_MEM_FREE;
    free_it.free.dptr = allocation.alloc.dptr;
    CHECK(muGraphAddNode_v2(&freed, graph, &filled, nullptr, 1, &free_it));
    MUgraphExec exec = nullptr;
    CHECK(muGraphInstantiate(&exec, graph, 0));
    CHECK(muGraphLaunch(exec, stream));
    CHECK(muStreamSynchronize(stream));
    unsigned words[3] = {};
    CHECK(muMemcpyDtoH(words, memory, sizeof words));
    std::printf("chosen=%x\nfilled=%x\n", words[0], words[2]);
    MUgraphNodeParams memory_operations{};
    memory_operations.type = MU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    tell("operations", muGraphAddNode(&node, graph, nullptr, 0, &memory_operations));
    MUgraph circle = nullptr;
    CHECK(muGraphCreate(&circle, 0));
    CHECK(muGraphConditionalHandleCreate(&handle, circle, nullptr, 0, 0));
    MUSA_GRAPH_INSTANTIATE_PARAMS how{};
    tell("unused", muGraphInstantiateWithParams(&exec, circle, &how));
    tell("why", how.result_out);
}

// Second names
void names(const char*) {
    const MUdeviceptr word = allocate(std::vector<float>(n));
    MUstream waiting = nullptr, writing = nullptr;
    CHECK(muStreamCreate(&waiting, MU_STREAM_NON_BLOCKING));
    CHECK(muStreamCreate(&writing, MU_STREAM_NON_BLOCKING));
    CHECK(muStreamWaitValue32_v2(waiting, word, 5, MU_STREAM_WAIT_VALUE_EQ));
    CHECK(muStreamWaitValue64_v2(waiting, word + 8, 6, MU_STREAM_WAIT_VALUE_GEQ));
    tell("waits", muStreamQuery(waiting));
    CHECK(muStreamWriteValue32_v2(writing, word, 5, 0));
    MUstreamBatchMemOpParams operation{};
    operation.writeValue.operation = MU_STREAM_MEM_OP_WRITE_VALUE_64;
    operation.writeValue.address = word + 8;
    operation.writeValue.value64 = 6;
    CHECK(muStreamBatchMemOp_v2(writing, 1, &operation, 0));
    tell("passed", muStreamSynchronize(waiting));
    CHECK(muStreamWriteValue64_v2(writing, word + 16, 77, 0));
    CHECK(muStreamSynchronize(writing));
    long long read_back = 0;
    CHECK(muMemcpyDtoH(&read_back, word + 16, 8));
    tell("written", read_back);

    MUevent start = nullptr, end = nullptr;
    CHECK(muEventCreate(&start, 0));
    CHECK(muEventCreate(&end, 0));
    CHECK(muEventRecord(start, writing));
    CHECK(muEventRecord(end, writing));
    CHECK(muStreamSynchronize(writing));
    float first = -1, second = -2;
    CHECK(muEventElapsedTime(&first, start, end));
    CHECK(muEventElapsedTime_v2(&second, start, end));
    tell("the same time", first == second && first >= 0);

    void* function = nullptr;
    MUdriverProcAddressQueryResult status{};
    CHECK(muGetProcAddress_v2("muMemAlloc_v2", &function, 12080, 0, &status));
    tell("function", function != nullptr && status == MU_GET_PROC_ADDRESS_SUCCESS);
    tell("nothing", muGetProcAddress_v2("muNothing", &function, 12080, 0, &status));
    tell("not found", status == MU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND && !function);
    tell("no name", muGetProcAddress_v2(nullptr, &function, 12080, 0, &status));

    MUdeviceptr managed = 0;
    CHECK(muMemAllocManaged(&managed, 4096, MU_MEM_ATTACH_GLOBAL));
    int where = 99;
    CHECK(muMemPrefetchAsync_v2(managed, 4096, {MU_MEM_LOCATION_TYPE_HOST, 0}, 0, writing));
    CHECK(muMemRangeGetAttribute(&where, sizeof where, MU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, managed, 4096));
    tell("prefetched", where);
    CHECK(muMemAdvise_v2(managed, 4096, MU_MEM_ADVISE_SET_PREFERRED_LOCATION, {MU_MEM_LOCATION_TYPE_DEVICE, 0}));
    CHECK(muMemRangeGetAttribute(&where, sizeof where, MU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, managed, 4096));
    tell("preferred", where);

    MUcontext context = nullptr, other = nullptr;
    CHECK(muCtxGetCurrent(&context));
    CHECK(muDevicePrimaryCtxRetain(&other, 1));
    unsigned long long id = 0, now = 0, of_other = 0;
    CHECK(muCtxGetId(context, &id));
    CHECK(muCtxGetId(nullptr, &now));
    CHECK(muCtxGetId(other, &of_other));
    tell("ids", id == now && id != of_other);
    MUdevice device = 99;
    CHECK(muStreamGetDevice(writing, &device));
    tell("device", device);
}

}  // namespace

int main(int, char** argv) {
    MUcontext context = nullptr;
    CHECK(muInit(0));
    CHECK(muCtxCreate(&context, 0, 0));
    const std::string name = argv[1];
    if (name == "libraries") libraries(argv[2]);
    if (name == "conditions") conditions(argv[2]);
    if (name == "names") names(argv[2]);
}
