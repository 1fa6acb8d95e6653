// graphs_by_hand CASE: graphs that are made node by node. Prints `question=answer` lines.
#include <algorithm>
#include <atomic>
#include <string>
#include <tuple>
#include <utility>

#include "program.h"

namespace {

void tell(const char* question, musaError_t answer) { std::printf("%s=%s\n", question, musaGetErrorName(answer)); }
void tell(const char* question, long long answer) { std::printf("%s=%lld\n", question, answer); }

constexpr unsigned n = 1000;

musaGraph_t new_graph() {
    musaGraph_t graph = nullptr;
    CHECK(musaGraphCreate(&graph, 0));
    return graph;
}

musaStream_t new_stream() {
    musaStream_t stream = nullptr;
    CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
    return stream;
}

musaGraphExec_t instantiate(musaGraph_t graph) {
    musaGraphExec_t exec = nullptr;
    CHECK(musaGraphInstantiate(&exec, graph));
    return exec;
}

void launch(musaGraphExec_t exec, int times = 1) {
    static const musaStream_t stream = new_stream();
    for (int i = 0; i < times; ++i) CHECK(musaGraphLaunch(exec, stream));
    CHECK(musaStreamSynchronize(stream));
}

unsigned value(const unsigned* device, unsigned at = 0) {
    unsigned host = 0;
    CHECK(musaMemcpy(&host, device + at, sizeof host, musaMemcpyDeviceToHost));
    return host;
}

}  // namespace

__device__ unsigned variable[4];

__global__ void multiply(unsigned* x, unsigned factor) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
__global__ void sum(unsigned* to, const unsigned* a, const unsigned* b) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = a[i] + b[i];
}
__global__ void read_variable(unsigned* to) { *to = variable[1] * 10 + variable[2]; }
__global__ void wait_for(volatile unsigned* mine, volatile unsigned* theirs) {
    *mine = 1;
    while (*theirs == 0) {
    }
}

namespace {

// The parameters of a kernel; they point to its arguments, which live as long.
template <class... Arguments>
struct Kernel {
    Kernel(void* function, Arguments... given) : arguments(given...), parameters{} {
        parameters.func = function;
        parameters.gridDim = dim3(8);
        parameters.blockDim = dim3(128);
        fill(std::index_sequence_for<Arguments...>());
        parameters.kernelParams = pointers;
    }
    template <std::size_t... I>
    void fill(std::index_sequence<I...>) {
        (void)std::initializer_list<int>{(pointers[I] = &std::get<I>(arguments), 0)...};
    }
    std::tuple<Arguments...> arguments;
    void* pointers[sizeof...(Arguments)];
    musaKernelNodeParams parameters;
};
template <class... Arguments>
Kernel<Arguments...> kernel(void (*function)(Arguments...), Arguments... given) {
    return Kernel<Arguments...>(reinterpret_cast<void*>(function), given...);
}

template <class K>
musaGraphNode_t add(musaGraph_t graph, K& made, std::vector<musaGraphNode_t> after = {}) {
    musaGraphNode_t node = nullptr;
    CHECK(musaGraphAddKernelNode(&node, graph, after.data(), after.size(), &made.parameters));
    return node;
}

musaGraphNode_t add_fill(musaGraph_t graph, const musaMemsetParams& params, std::vector<musaGraphNode_t> after = {}) {
    musaGraphNode_t node = nullptr;
    CHECK(musaGraphAddMemsetNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

musaGraphNode_t add_copy(musaGraph_t graph, void* to, const void* from, std::size_t bytes,
                         std::vector<musaGraphNode_t> after = {}) {
    musaGraphNode_t node = nullptr;
    CHECK(musaGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), to, from, bytes, musaMemcpyDefault));
    return node;
}

void call(void* count) { ++*static_cast<std::atomic<int>*>(count); }
void call_twice(void* count) { *static_cast<std::atomic<int>*>(count) += 2; }

musaGraphNode_t add_call(musaGraph_t graph, std::atomic<int>& count, std::vector<musaGraphNode_t> after = {}) {
    const musaHostNodeParams params{call, &count};
    musaGraphNode_t node = nullptr;
    CHECK(musaGraphAddHostNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

// A diamond: fill x and y, multiply each, add them, copy the sum to the host, call a function.
void diamond() {
    DeviceArray<unsigned> x(n), y(n), z(n);
    std::vector<unsigned> host(n);
    std::atomic<int> calls{0};
    const musaGraph_t graph = new_graph();
    const auto fill_x = add_fill(graph, {x, 0, 7, 4, n, 1});
    const auto fill_y = add_fill(graph, {y, 0, 0x0102, 2, 2 * n, 1});
    auto times_x = kernel(multiply, static_cast<unsigned*>(x), 3u);
    auto times_y = kernel(multiply, static_cast<unsigned*>(y), 2u);
    auto plus = kernel(sum, static_cast<unsigned*>(z), static_cast<const unsigned*>(x), static_cast<const unsigned*>(y));
    const auto product_x = add(graph, times_x, {fill_x});
    const auto product_y = add(graph, times_y, {fill_y});
    const auto added = add(graph, plus, {product_x, product_y});
    musaGraphNode_t join = nullptr;
    CHECK(musaGraphAddEmptyNode(&join, graph, &added, 1));
    const auto copied = add_copy(graph, host.data(), z, n * sizeof(unsigned), {join});
    add_call(graph, calls, {copied});
    const auto exec = instantiate(graph);
    launch(exec, 3);
    tell("sum", host[n - 1]);
    tell("calls", calls);

    size_t count = 9;
    musaGraphNode_t list[9] = {};
    CHECK(musaGraphNodeGetDependencies(added, list, &count));
    tell("depends on", count == 2 && list[0] == product_x && list[1] == product_y);
    count = 9;
    CHECK(musaGraphNodeGetDependentNodes(added, list, &count));
    tell("dependent", count == 1 && list[0] == join);
    CHECK(musaGraphGetEdges(graph, nullptr, nullptr, &count));
    tell("edges", count);
    CHECK(musaGraphGetRootNodes(graph, nullptr, &count));
    tell("roots", count);
    musaGraphNodeType type{};
    CHECK(musaGraphNodeGetType(join, &type));
    tell("type of empty", type);

    // Change the executable graph, node by node.
    auto times_5 = kernel(multiply, static_cast<unsigned*>(x), 5u);
    CHECK(musaGraphExecKernelNodeSetParams(exec, product_x, &times_5.parameters));
    const musaMemsetParams ones{x, 0, 1, 4, n, 1};
    CHECK(musaGraphExecMemsetNodeSetParams(exec, fill_x, &ones));
    std::vector<unsigned> other(n);
    CHECK(musaGraphExecMemcpyNodeSetParams1D(exec, copied, other.data(), z, sizeof(unsigned) * n, musaMemcpyDefault));
    const auto called = [&] {
        CHECK(musaGraphGetNodes(graph, list, &(count = 9)));
        return list[count - 1];
    }();
    const musaHostNodeParams twice{call_twice, &calls};
    CHECK(musaGraphExecHostNodeSetParams(exec, called, &twice));
    host.assign(n, 0);
    launch(exec);
    tell("changed", other[0]);
    tell("left alone", host[0]);
    tell("calls after", calls);
    // The graph was not changed.
    launch(instantiate(graph));
    tell("graph's own", host[0]);
    tell("calls of both", calls);

    // The graph, changed and taken over.
    CHECK(musaGraphKernelNodeSetParams(product_x, &times_5.parameters));
    CHECK(musaGraphMemsetNodeSetParams(fill_x, &ones));
    musaGraphExecUpdateResult result{};
    musaGraphNode_t differs = nullptr;
    tell("update", musaGraphExecUpdate(exec, graph, &differs, &result));
    launch(exec);
    tell("updated", host[0]);
    // Another edge: an update cannot take it over.
    CHECK(musaGraphAddDependencies(graph, &fill_x, &fill_y, 1));
    tell("another edge", musaGraphExecUpdate(exec, graph, &differs, &result));
    tell("which", result == musaGraphExecUpdateErrorTopologyChanged && differs == fill_y);
    tell("twice the edge", musaGraphAddDependencies(graph, &fill_x, &fill_y, 1));
    CHECK(musaGraphRemoveDependencies(graph, &fill_x, &fill_y, 1));
    tell("no such edge", musaGraphRemoveDependencies(graph, &fill_x, &fill_y, 1));
    tell("as before", musaGraphExecUpdate(exec, graph, &differs, &result));
    // A circle
    CHECK(musaGraphAddDependencies(graph, &copied, &fill_x, 1));
    musaGraphExec_t none = nullptr;
    tell("circle", musaGraphInstantiate(&none, graph));
    CHECK(musaGraphRemoveDependencies(graph, &copied, &fill_x, 1));
    // A node less: z is what it was.
    CHECK(musaGraphDestroyNode(added));
    CHECK(musaMemset(z, 0, n * sizeof(unsigned)));
    CHECK(musaDeviceSynchronize());
    host.assign(n, 1);
    launch(instantiate(graph));
    tell("without the sum", host[0]);
    tell("node is gone", musaGraphNodeGetType(added, &type));
    launch(exec);
    tell("executable keeps it", host[0]);
}

// Nodes that do not wait for each other run at the same time.
void branches() {
    DeviceArray<unsigned> flags(2);
    const musaGraph_t graph = new_graph();
    auto first = kernel(wait_for, static_cast<volatile unsigned*>(flags), static_cast<volatile unsigned*>(flags + 1));
    auto second = kernel(wait_for, static_cast<volatile unsigned*>(flags + 1), static_cast<volatile unsigned*>(flags));
    first.parameters.gridDim = second.parameters.gridDim = dim3(1);
    first.parameters.blockDim = second.parameters.blockDim = dim3(1);
    const auto begin = add_fill(graph, {flags, 0, 0, 1, 2 * sizeof(unsigned), 1});
    add(graph, first, {begin});
    add(graph, second, {begin});
    launch(instantiate(graph), 3);
    tell("met", value(flags) + value(flags + 1));
    // A hundred branches, made in the wrong order.
    DeviceArray<unsigned> x(n);
    const musaGraph_t wide = new_graph();
    auto twice = kernel(multiply, static_cast<unsigned*>(x), 2u);
    std::vector<musaGraphNode_t> chain;
    for (int i = 0; i < 20; ++i) chain.push_back(add(wide, twice));
    const auto ones = add_fill(wide, {x, 0, 1, 4, n, 1});
    CHECK(musaGraphAddDependencies(wide, &ones, &chain.back(), 1));
    for (int i = 19; i > 0; --i) CHECK(musaGraphAddDependencies(wide, &chain[i], &chain[i - 1], 1));
    for (int i = 0; i < 100; ++i) add_copy(wide, flags, x, sizeof(unsigned), {chain.front()});
    launch(instantiate(wide));
    tell("two to the twentieth", value(flags));
}

void rectangles() {
    constexpr unsigned columns = 10, rows = 6;
    std::vector<unsigned> host(columns * rows), back(columns * rows);
    for (unsigned i = 0; i < host.size(); ++i) host[i] = i;
    musaArray_t array = nullptr;
    const musaChannelFormatDesc word = musaCreateChannelDesc<unsigned>();
    CHECK(musaMallocArray(&array, &word, columns, rows));
    void* pitched = nullptr;
    size_t pitch = 0;
    CHECK(musaMallocPitch(&pitched, &pitch, columns * sizeof(unsigned), rows));
    const size_t line = columns * sizeof(unsigned);
    const musaGraph_t graph = new_graph();

    musaMemcpy3DParms params{};
    params.srcPtr = {host.data(), line, columns, rows};
    params.dstArray = array;
    params.extent = {columns, rows, 1};
    params.kind = musaMemcpyHostToDevice;
    musaGraphNode_t in = nullptr, across = nullptr, out = nullptr;
    CHECK(musaGraphAddMemcpyNode(&in, graph, nullptr, 0, &params));
    musaMemcpy3DParms to_pitched{};
    to_pitched.srcArray = array;
    to_pitched.dstPtr = {pitched, pitch, line, rows};
    to_pitched.extent = {columns, rows, 1};
    to_pitched.kind = musaMemcpyDeviceToDevice;
    CHECK(musaGraphAddMemcpyNode(&across, graph, &in, 1, &to_pitched));
    // The corner of 3 columns and 2 rows at (4, 1) becomes 0x0505...
    const auto corner = add_fill(graph, {static_cast<char*>(pitched) + pitch + 16, pitch, 5, 1, 12, 2}, {across});
    musaMemcpy3DParms to_host{};
    to_host.srcPtr = {pitched, pitch, line, rows};
    to_host.dstPtr = {back.data(), line, line, rows};
    to_host.extent = {line, rows, 1};
    to_host.kind = musaMemcpyDeviceToHost;
    CHECK(musaGraphAddMemcpyNode(&out, graph, &corner, 1, &to_host));
    launch(instantiate(graph));
    for (unsigned row = 1; row < 3; ++row) {
        for (unsigned column = 4; column < 7; ++column) host[row * columns + column] = 0x05050505;
    }
    tell("same", host == back);

    musaMemcpy3DParms given{};
    CHECK(musaGraphMemcpyNodeGetParams(across, &given));
    tell("given back", given.srcArray == array && given.dstPtr.pitch == pitch && given.extent.width == columns);
    musaMemsetParams fill{};
    CHECK(musaGraphMemsetNodeGetParams(corner, &fill));
    tell("fill", fill.pitch == pitch && fill.value == 5 && fill.elementSize == 1 && fill.width == 12 && fill.height == 2);
    to_host.extent.height = rows + 1;
    tell("too many rows", musaGraphMemcpyNodeSetParams(out, &to_host));
    fill.elementSize = 3;
    tell("elements of three bytes", musaGraphMemsetNodeSetParams(corner, &fill));
    tell("no copy", musaGraphMemcpyNodeGetParams(corner, &given));

    // A captured copy tells its parameters in the same words.
    const musaStream_t stream = new_stream();
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeRelaxed));
    CHECK(musaMemcpyAsync(pitched, host.data(), 24, musaMemcpyHostToDevice, stream));
    musaGraph_t captured = nullptr;
    CHECK(musaStreamEndCapture(stream, &captured));
    musaGraphNode_t node = nullptr;
    size_t one = 1;
    CHECK(musaGraphGetNodes(captured, &node, &one));
    CHECK(musaGraphMemcpyNodeGetParams(node, &given));
    tell("captured", given.srcPtr.ptr == host.data() && given.dstPtr.ptr == pitched && given.extent.width == 24 &&
                         given.extent.height == 1 && given.extent.depth == 1);
}

void symbols() {
    DeviceArray<unsigned> out(1);
    const unsigned in[2] = {4, 2};
    unsigned back = 0;
    const musaGraph_t graph = new_graph();
    musaGraphNode_t to = nullptr, from = nullptr;
    CHECK(musaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, variable, in, sizeof in, sizeof(unsigned),
                                         musaMemcpyHostToDevice));
    auto read = kernel(read_variable, static_cast<unsigned*>(out));
    read.parameters.gridDim = read.parameters.blockDim = dim3(1);
    add(graph, read, {to});
    CHECK(musaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, &back, variable, sizeof back, 2 * sizeof(unsigned),
                                           musaMemcpyDeviceToHost));
    const auto exec = instantiate(graph);
    launch(exec);
    tell("kernel", value(out));
    tell("from", back);
    const unsigned other[2] = {7, 8};
    CHECK(musaGraphExecMemcpyNodeSetParamsToSymbol(exec, to, variable, other, sizeof other, sizeof(unsigned),
                                                   musaMemcpyHostToDevice));
    CHECK(musaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, &back, variable, sizeof back, sizeof(unsigned),
                                                     musaMemcpyDeviceToHost));
    launch(exec);
    tell("kernel after", value(out));
    tell("from after", back);
    tell("past the end", musaGraphMemcpyNodeSetParamsToSymbol(to, variable, in, sizeof in, 12, musaMemcpyHostToDevice));
    tell("wrong way", musaGraphMemcpyNodeSetParamsFromSymbol(from, &back, variable, 4, 0, musaMemcpyHostToDevice));
}

// Graphs in graphs, and clones.
void children() {
    DeviceArray<unsigned> x(n);
    auto twice = kernel(multiply, static_cast<unsigned*>(x), 2u);
    auto thrice = kernel(multiply, static_cast<unsigned*>(x), 3u);
    const musaGraph_t child = new_graph();
    const auto inner = add(child, twice);
    add(child, twice, {inner});
    const musaGraph_t graph = new_graph();
    const auto ones = add_fill(graph, {x, 0, 1, 4, n, 1});
    musaGraphNode_t first = nullptr, second = nullptr;
    CHECK(musaGraphAddChildGraphNode(&first, graph, &ones, 1, child));
    CHECK(musaGraphAddChildGraphNode(&second, graph, &first, 1, child));
    add(graph, thrice, {second});
    const auto exec = instantiate(graph);
    launch(exec);
    tell("2*2*2*2*3", value(x));
    // The node has a graph of its own, whose nodes can be changed.
    musaGraph_t own = nullptr;
    CHECK(musaGraphChildGraphNodeGetGraph(first, &own));
    musaGraphNode_t nodes[2] = {};
    size_t count = 2;
    CHECK(musaGraphGetNodes(own, nodes, &count));
    tell("its own", own != child && nodes[0] != inner && count == 2);
    musaGraphNode_t found = nullptr;
    CHECK(musaGraphNodeFindInClone(&found, inner, own));
    tell("found in clone", found == nodes[0]);
    CHECK(musaGraphKernelNodeSetParams(nodes[0], &thrice.parameters));
    tell("destroying it", musaGraphDestroy(own));
    launch(instantiate(graph));
    tell("3*2*2*2*3", value(x));
    // Nodes of the graph inside the executable graph
    CHECK(musaGraphExecKernelNodeSetParams(exec, nodes[1], &thrice.parameters));
    launch(exec);
    tell("2*3*2*2*3", value(x));
    CHECK(musaGraphKernelNodeSetParams(inner, &thrice.parameters));
    CHECK(musaGraphExecChildGraphNodeSetParams(exec, second, child));
    launch(exec);
    tell("2*3*3*2*3", value(x));
    add(child, twice);
    tell("another form", musaGraphExecChildGraphNodeSetParams(exec, second, child));

    musaGraph_t copy = nullptr;
    CHECK(musaGraphClone(&copy, graph));
    CHECK(musaGraphNodeFindInClone(&found, ones, copy));
    const musaMemsetParams tens{x, 0, 10, 4, n, 1};
    CHECK(musaGraphMemsetNodeSetParams(found, &tens));
    tell("not a clone's", musaGraphNodeFindInClone(&found, ones, graph));
    CHECK(musaGraphDestroy(graph));
    launch(instantiate(copy));
    tell("clone", value(x));

    // Launched in a capture, it becomes a graph inside the captured one.
    const musaStream_t stream = new_stream();
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeRelaxed));
    CHECK(musaGraphLaunch(exec, stream));
    musaGraph_t captured = nullptr;
    CHECK(musaStreamEndCapture(stream, &captured));
    CHECK(musaGraphDestroy(child));
    CHECK(musaGraphDestroy(copy));
    CHECK(musaGraphExecDestroy(exec));
    count = 1;
    CHECK(musaGraphGetNodes(captured, nodes, &count));
    CHECK(musaGraphChildGraphNodeGetGraph(nodes[0], &own));
    CHECK(musaGraphGetNodes(own, nullptr, &count));
    tell("captured nodes", count);
    launch(instantiate(captured));
    tell("captured", value(x));
}

void events() {
    DeviceArray<unsigned> x(n);
    musaEvent_t begin = nullptr, end = nullptr, other = nullptr;
    for (musaEvent_t* event : {&begin, &end, &other}) CHECK(musaEventCreate(event));
    const musaGraph_t graph = new_graph();
    musaGraphNode_t recorded = nullptr, ended = nullptr, waits = nullptr;
    CHECK(musaGraphAddEventRecordNode(&recorded, graph, nullptr, 0, begin));
    const auto ones = add_fill(graph, {x, 0, 1, 4, n, 1}, {recorded});
    CHECK(musaGraphAddEventRecordNode(&ended, graph, &ones, 1, end));
    const auto exec = instantiate(graph);
    launch(exec);
    float milliseconds = -1;
    CHECK(musaEventElapsedTime(&milliseconds, begin, end));
    tell("time passes", milliseconds >= 0);
    musaEvent_t event = nullptr;
    CHECK(musaGraphEventRecordNodeGetEvent(ended, &event));
    tell("its event", event == end);
    tell("no wait", musaGraphEventWaitNodeGetEvent(ended, &event));
    tell("before", musaEventElapsedTime(&milliseconds, begin, other));
    CHECK(musaGraphExecEventRecordNodeSetEvent(exec, ended, other));
    launch(exec);
    tell("after", musaEventElapsedTime(&milliseconds, begin, other));

    // The graph waits for what another stream does.
    const musaStream_t stream = new_stream();
    static std::atomic<bool> open{false};
    CHECK(musaLaunchHostFunc(stream, [](void*) { while (!open) {} }, nullptr));
    CHECK(musaMemsetAsync(x, 2, 4, stream));
    CHECK(musaEventRecord(end, stream));
    DeviceArray<unsigned> copied(1);
    const musaGraph_t waiting = new_graph();
    CHECK(musaGraphAddEventWaitNode(&waits, waiting, nullptr, 0, end));
    add_copy(waiting, copied, x, 4, {waits});
    const musaStream_t side = new_stream();
    const auto waiting_exec = instantiate(waiting);
    CHECK(musaGraphLaunch(waiting_exec, side));
    tell("waits", musaStreamQuery(side));
    open = true;
    CHECK(musaStreamSynchronize(side));
    tell("saw", value(copied));

    // The same by a capture: with the flag, events are nodes.
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeRelaxed));
    CHECK(musaStreamWaitEvent(stream, end, musaEventWaitExternal));
    CHECK(musaEventRecordWithFlags(other, stream, musaEventRecordExternal));
    musaGraph_t captured = nullptr;
    CHECK(musaStreamEndCapture(stream, &captured));
    musaGraphNode_t nodes[2] = {};
    size_t count = 2;
    CHECK(musaGraphGetNodes(captured, nodes, &count));
    musaGraphNodeType types[2] = {};
    for (int i = 0; i < 2; ++i) CHECK(musaGraphNodeGetType(nodes[i], &types[i]));
    tell("captured", types[0] * 10 + types[1]);
    tell("outside", musaEventRecordWithFlags(other, stream, musaEventRecordExternal));
}

void attributes() {
    DeviceArray<unsigned> x(n);
    auto twice = kernel(multiply, static_cast<unsigned*>(x), 2u);
    const musaGraph_t graph = new_graph();
    const auto first = add(graph, twice), second = add(graph, twice);
    musaKernelNodeAttrValue value{};
    CHECK(musaGraphKernelNodeGetAttribute(first, musaKernelNodeAttributeCooperative, &value));
    tell("cooperative", value.cooperative);
    value.cooperative = 1;
    CHECK(musaGraphKernelNodeSetAttribute(first, musaKernelNodeAttributeCooperative, &value));
    value = {};
    value.accessPolicyWindow.base_ptr = x;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = musaAccessPropertyPersisting;
    CHECK(musaGraphKernelNodeSetAttribute(first, musaKernelNodeAttributeAccessPolicyWindow, &value));
    CHECK(musaGraphKernelNodeCopyAttributes(first, second));
    value = {};
    CHECK(musaGraphKernelNodeGetAttribute(second, musaKernelNodeAttributeAccessPolicyWindow, &value));
    tell("window", value.accessPolicyWindow.base_ptr == x &&
                       value.accessPolicyWindow.hitProp == musaAccessPropertyPersisting);
    CHECK(musaGraphKernelNodeGetAttribute(second, musaKernelNodeAttributeCooperative, &value));
    tell("copied", value.cooperative);
    CHECK(musaGraphKernelNodeSetParams(second, &twice.parameters));
    CHECK(musaGraphKernelNodeGetAttribute(second, musaKernelNodeAttributeCooperative, &value));
    tell("kept", value.cooperative);
    tell("no attribute", musaGraphKernelNodeGetAttribute(second, musaLaunchAttributeClusterDimension, &value));
}

void memory() {
    size_t before = 0, total = 0;
    CHECK(musaMemGetInfo(&before, &total));
    const musaGraph_t graph = new_graph();
    musaMemAllocNodeParams params{};
    params.poolProps.allocType = musaMemAllocationTypePinned;
    params.poolProps.location = {musaMemLocationTypeDevice, 0};
    params.bytesize = n * sizeof(unsigned);
    musaGraphNode_t allocated = nullptr, freed = nullptr;
    CHECK(musaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &params));
    auto* x = static_cast<unsigned*>(params.dptr);
    musaGraphExec_t exec = nullptr;
    tell("never freed", musaGraphInstantiate(&exec, graph));
    CHECK(musaGraphExecDestroy(exec));
    unsigned host = 0;
    const auto nines = add_fill(graph, {x, 0, 9, 4, n, 1}, {allocated});
    auto twice = kernel(multiply, x, 2u);
    const auto doubled = add(graph, twice, {nines});
    const auto copied = add_copy(graph, &host, x, sizeof host, {doubled});
    CHECK(musaGraphAddMemFreeNode(&freed, graph, &copied, 1, x));
    tell("freed twice", musaGraphAddMemFreeNode(&freed, graph, &copied, 1, x));
    exec = instantiate(graph);
    launch(exec, 2);
    tell("result", host);
    musaMemAllocNodeParams given{};
    CHECK(musaGraphMemAllocNodeGetParams(allocated, &given));
    size_t count = 9;
    musaGraphNode_t nodes[9];
    CHECK(musaGraphGetNodes(graph, nodes, &count));
    void* pointer = nullptr;
    CHECK(musaGraphMemFreeNodeGetParams(nodes[4], &pointer));
    tell("given", given.dptr == x && given.bytesize == params.bytesize && pointer == x);
    unsigned long long used = 0, high = 0;
    CHECK(musaDeviceGetGraphMemAttribute(0, musaGraphMemAttrUsedMemCurrent, &used));
    tell("used", used);
    musaGraph_t copy = nullptr;
    tell("clone", musaGraphClone(&copy, graph));
    tell("destroy node", musaGraphDestroyNode(allocated));
    CHECK(musaGraphExecDestroy(exec));
    CHECK(musaGraphDestroy(graph));
    CHECK(musaDeviceGraphMemTrim(0));
    CHECK(musaDeviceGetGraphMemAttribute(0, musaGraphMemAttrUsedMemCurrent, &used));
    CHECK(musaDeviceGetGraphMemAttribute(0, musaGraphMemAttrUsedMemHigh, &high));
    tell("used after", used);
    tell("high", high);
    high = 0;
    CHECK(musaDeviceSetGraphMemAttribute(0, musaGraphMemAttrUsedMemHigh, &high));
    CHECK(musaDeviceGetGraphMemAttribute(0, musaGraphMemAttrReservedMemHigh, &high));
    tell("high after", high);
    size_t after = 0;
    CHECK(musaMemGetInfo(&after, &total));
    tell("comes back", after == before);
}

// Launches leave the memory allocated.
void left_memory() {
    size_t before = 0, after = 0, total = 0;
    CHECK(musaMemGetInfo(&before, &total));
    const musaGraph_t graph = new_graph(), freeing = new_graph();
    musaMemAllocNodeParams params{};
    params.poolProps.allocType = musaMemAllocationTypePinned;
    params.poolProps.location = {musaMemLocationTypeDevice, 0};
    params.bytesize = n * sizeof(unsigned);
    musaGraphNode_t allocated = nullptr, freed = nullptr;
    CHECK(musaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &params));
    auto* x = static_cast<unsigned*>(params.dptr);
    const auto nines = add_fill(graph, {x, 0, 9, 4, n, 1}, {allocated});
    auto twice = kernel(multiply, x, 2u);
    add(graph, twice, {nines});
    CHECK(musaGraphAddMemFreeNode(&freed, freeing, nullptr, 0, x));
    musaGraphExec_t exec = instantiate(graph), frees = instantiate(freeing), frees_first = nullptr;
    CHECK(musaGraphInstantiateWithFlags(&frees_first, graph, musaGraphInstantiateFlagAutoFreeOnLaunch));
    musaStream_t stream = nullptr;
    CHECK(musaStreamCreate(&stream));
    const auto launched = [&](musaGraphExec_t one) {
        const musaError_t error = musaGraphLaunch(one, stream);
        CHECK(musaStreamSynchronize(stream));
        musaGetLastError();
        return error;
    };
    const auto value = [&] {
        unsigned host = 0;
        CHECK(musaMemcpy(&host, x + n - 1, sizeof host, musaMemcpyDeviceToHost));
        return host;
    };
    tell("free before", musaFree(x));
    tell("freeing graph before", launched(frees));
    tell("launch", launched(exec));
    tell("value", value());
    tell("launch again", launched(exec));
    tell("free", musaFree(x));
    tell("free twice", musaFree(x));
    tell("launch after free", launched(exec));
    tell("free in stream", musaFreeAsync(x, stream));
    tell("free in stream twice", musaFreeAsync(x, stream));
    tell("launch after that", launched(exec));
    tell("freeing graph", launched(frees));
    tell("freeing graph twice", launched(frees));
    tell("first launch that frees", launched(frees_first));
    tell("second launch that frees", launched(frees_first));
    tell("launch that does not", launched(exec));
    for (const musaGraphExec_t one : {exec, frees, frees_first}) CHECK(musaGraphExecDestroy(one));
    for (const musaGraph_t one : {graph, freeing}) CHECK(musaGraphDestroy(one));
    tell("value without the graph", value());
    tell("free without the graph", musaFree(x));
    tell("free that twice", musaFree(x));
    CHECK(musaMemGetInfo(&after, &total));
    tell("comes back", after == before);
}

void objects() {
    static std::atomic<int> destroyed{0};
    static musaError_t inside = musaSuccess;
    const auto destroy = [](void* data) {
        destroyed += *static_cast<int*>(data);
        inside = musaDeviceSynchronize();
    };
    int one = 1, ten = 10;
    musaUserObject_t object = nullptr, other = nullptr;
    tell("without the flag", musaUserObjectCreate(&object, &one, destroy, 1, 0));
    CHECK(musaUserObjectCreate(&object, &one, destroy, 1, musaUserObjectNoDestructorSync));
    CHECK(musaUserObjectCreate(&other, &ten, destroy, 2, musaUserObjectNoDestructorSync));
    const musaGraph_t graph = new_graph();
    std::atomic<int> calls{0};
    add_call(graph, calls);
    CHECK(musaGraphRetainUserObject(graph, object, 1, musaGraphUserObjectMove));
    CHECK(musaGraphRetainUserObject(graph, other));
    CHECK(musaUserObjectRetain(other));
    CHECK(musaUserObjectRelease(other, 3));
    tell("alive", destroyed);
    const auto exec = instantiate(graph);
    CHECK(musaGraphDestroy(graph));
    launch(exec);
    tell("executable keeps them", destroyed);
    CHECK(musaGraphExecDestroy(exec));
    tell("gone", destroyed);
    tell("calls inside", inside);
    musaGetLastError();
    tell("stale", musaUserObjectRetain(object));

    CHECK(musaUserObjectCreate(&object, &one, destroy, 1, musaUserObjectNoDestructorSync));
    const musaGraph_t second = new_graph();
    CHECK(musaGraphRetainUserObject(second, object, 2));
    tell("more than it has", musaGraphReleaseUserObject(second, object, 3));
    CHECK(musaGraphReleaseUserObject(second, object, 2));
    tell("own reference is left", destroyed);
    CHECK(musaUserObjectRelease(object));
    tell("last", destroyed);
}

void capture() {
    DeviceArray<unsigned> x(n);
    const musaStream_t stream = new_stream();
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeRelaxed));
    CHECK(musaMemsetAsync(x, 0, n * 4, stream));
    musaStreamCaptureStatus status{};
    unsigned long long id = 0;
    musaGraph_t graph = nullptr;
    const musaGraphNode_t* last = nullptr;
    size_t count = 0;
    CHECK(musaStreamGetCaptureInfo(stream, &status, &id, &graph, &last, &count));
    // A node made by hand becomes part of the capture.
    auto fill = add_fill(graph, {x, 0, 5, 4, n, 1}, {last[0]});
    CHECK(musaStreamUpdateCaptureDependencies(stream, &fill, 1, musaStreamSetCaptureDependencies));
    multiply<<<8, 128, 0, stream>>>(x, 4);
    CHECK(musaStreamEndCapture(stream, &graph));
    launch(instantiate(graph));
    tell("mixed", value(x));
    size_t edges = 0;
    CHECK(musaGraphGetEdges(graph, nullptr, nullptr, &edges));
    tell("edges", edges);
    tell("not captured", musaStreamUpdateCaptureDependencies(stream, &fill, 1, 0));
}

void refused() {
    DeviceArray<unsigned> x(n);
    auto twice = kernel(multiply, static_cast<unsigned*>(x), 2u);
    const musaGraph_t graph = new_graph(), other = new_graph();
    const auto node = add(graph, twice);
    musaGraphNode_t made = nullptr;
    tell("flags", musaGraphCreate(nullptr, 0));
    tell("node of another graph", musaGraphAddKernelNode(&made, other, &node, 1, &twice.parameters));
    const musaGraphNode_t both[2] = {node, node};
    tell("dependency twice", musaGraphAddKernelNode(&made, graph, both, 2, &twice.parameters));
    tell("no dependencies", musaGraphAddKernelNode(&made, graph, nullptr, 1, &twice.parameters));
    tell("no parameters", musaGraphAddKernelNode(&made, graph, nullptr, 0, nullptr));
    twice.parameters.blockDim = dim3(4096);
    tell("too many threads", musaGraphAddKernelNode(&made, graph, nullptr, 0, &twice.parameters));
    tell("itself", musaGraphAddDependencies(graph, &node, &node, 1));
    musaHostNodeParams nothing{};
    tell("no function", musaGraphAddHostNode(&made, graph, nullptr, 0, &nothing));
    tell("no event", musaGraphAddEventRecordNode(&made, graph, nullptr, 0, nullptr));
    tell("no graph", musaGraphAddChildGraphNode(&made, graph, nullptr, 0, nullptr));
    tell("not the graph's memory", musaGraphAddMemFreeNode(&made, graph, nullptr, 0, x));
    CHECK(musaGraphDestroy(other));
    tell("destroyed", musaGraphAddEmptyNode(&made, other, nullptr, 0));
}

}  // namespace

int main(int, char** arguments) {
    const std::string name = arguments[1];
    for (const auto& known : std::initializer_list<std::pair<const char*, void (*)()>>{
             {"diamond", diamond}, {"branches", branches}, {"rectangles", rectangles}, {"symbols", symbols},
             {"children", children}, {"events", events}, {"attributes", attributes}, {"memory", memory}, {"left memory", left_memory},
             {"objects", objects}, {"capture", capture}, {"refused", refused}}) {
        if (name == known.first) return known.second(), 0;
    }
    return 1;
}
