// graph_conditions CASE: graphs of one structure for all nodes, graphs that depend on a value, and nodes that are disabled.
// Prints `question=answer` lines.
#include <atomic>
#include <string>

#include "program.h"

namespace {

void tell(const char* question, musaError_t answer) { std::printf("%s=%s\n", question, musaGetErrorName(answer)); }
void tell(const char* question, long long answer) { std::printf("%s=%lld\n", question, answer); }

constexpr unsigned n = 100;

musaGraph_t new_graph() {
    musaGraph_t graph = nullptr;
    CHECK(musaGraphCreate(&graph, 0));
    return graph;
}

musaGraphExec_t instantiate(musaGraph_t graph) {
    musaGraphExec_t exec = nullptr;
    CHECK(musaGraphInstantiate(&exec, graph));
    return exec;
}

musaStream_t new_stream() {
    musaStream_t stream = nullptr;
    CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
    return stream;
}

void launch(musaGraphExec_t exec, int times = 1) {
    static const musaStream_t stream = new_stream();
    for (int i = 0; i < times; ++i) CHECK(musaGraphLaunch(exec, stream));
    CHECK(musaStreamSynchronize(stream));
}

unsigned value(const unsigned* device) {
    unsigned host = 0;
    CHECK(musaMemcpy(&host, device, sizeof host, musaMemcpyDeviceToHost));
    return host;
}
void set(unsigned* device, unsigned to) { CHECK(musaMemcpy(device, &to, sizeof to, musaMemcpyHostToDevice)); }

}  // namespace

__global__ void multiply(unsigned* x, unsigned factor) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
__global__ void add_to(unsigned* x, unsigned more) { *x += more; }
// Collatz: the loop runs until x is 1.
__global__ void step(unsigned* x, unsigned* steps, musaGraphConditionalHandle go_on) {
    *x = *x % 2 == 0 ? *x / 2 : 3 * *x + 1;
    ++*steps;
    musaGraphSetConditional(go_on, *x != 1);
}
__global__ void choose(musaGraphConditionalHandle handle, const unsigned* x) { musaGraphSetConditional(handle, *x); }
__global__ void count_down(musaGraphConditionalHandle handle, unsigned* left) { musaGraphSetConditional(handle, --*left != 0); }
__global__ void fill_counter(unsigned* left, unsigned to) { *left = to; }

namespace {

musaGraphNode_t add_any(musaGraph_t graph, musaGraphNodeParams params, std::vector<musaGraphNode_t> after = {}) {
    musaGraphNode_t node = nullptr;
    CHECK(musaGraphAddNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

template <class... Arguments>
musaGraphNodeParams kernel_params(void** pointers, void (*function)(Arguments...), dim3 grid, dim3 block) {
    musaGraphNodeParams params = {musaGraphNodeTypeKernel};
    params.kernel = {reinterpret_cast<void*>(function), grid, block, 0, pointers, nullptr};
    return params;
}

template <class... Arguments>
musaGraphNode_t add_kernel(musaGraph_t graph, std::vector<musaGraphNode_t> after, void (*function)(Arguments...),
                           Arguments... arguments) {
    void* pointers[] = {&arguments...};
    return add_any(graph, kernel_params(pointers, function, dim3(1), dim3(1)), after);
}

// A node that depends on the handle, and its graphs.
musaGraphNode_t add_conditional(musaGraph_t graph, musaGraphConditionalHandle handle, musaGraphConditionalNodeType type,
                                unsigned size, std::vector<musaGraph_t>* graphs, std::vector<musaGraphNode_t> after = {}) {
    musaGraphNodeParams params = {musaGraphNodeTypeConditional};
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    musaGraphNode_t node = nullptr;
    CHECK(musaGraphAddNode(&node, graph, after.data(), after.size(), &params));
    graphs->assign(params.conditional.phGraph_out, params.conditional.phGraph_out + size);
    return node;
}

musaGraphConditionalHandle new_handle(musaGraph_t graph, unsigned initial = 0, unsigned flags = musaGraphCondAssignDefault) {
    musaGraphConditionalHandle handle = 0;
    CHECK(musaGraphConditionalHandleCreate(&handle, graph, initial, flags));
    return handle;
}

void call(void* count) { ++*static_cast<std::atomic<int>*>(count); }

// Every kind of node by the one structure: x = (fill 3) * 5, copied to the host, then a call.
void kinds() {
    DeviceArray<unsigned> x(n);
    std::vector<unsigned> host(n);
    std::atomic<int> calls{0};
    const musaGraph_t graph = new_graph(), inner = new_graph();
    musaEvent_t event = nullptr;
    CHECK(musaEventCreate(&event));

    musaGraphNodeParams fill = {musaGraphNodeTypeMemset};
    fill.memset = {x, 0, 3, 4, n, 1};
    const auto filled = add_any(graph, fill);
    unsigned* at = x;
    unsigned factor = 5;
    void* pointers[] = {&at, &factor};
    const musaGraphNodeParams times = kernel_params(pointers, multiply, dim3(4), dim3(32));
    const auto multiplied = add_any(graph, times, {filled});
    musaGraphNodeParams copy = {musaGraphNodeTypeMemcpy};
    copy.memcpy.copyParams.srcPtr = make_musaPitchedPtr(x, n * 4, n * 4, 1);
    copy.memcpy.copyParams.dstPtr = make_musaPitchedPtr(host.data(), n * 4, n * 4, 1);
    copy.memcpy.copyParams.extent = make_musaExtent(n * 4, 1, 1);
    copy.memcpy.copyParams.kind = musaMemcpyDeviceToHost;
    const auto copied = add_any(graph, copy, {multiplied});
    musaGraphNodeParams called = {musaGraphNodeTypeHost};
    called.host = {call, &calls};
    const auto call_node = add_any(inner, called);
    musaGraphNodeParams child = {musaGraphNodeTypeGraph};
    child.graph.graph = inner;
    const auto nested = add_any(graph, child, {copied});
    musaGraphNodeParams recorded = {musaGraphNodeTypeEventRecord};
    recorded.eventRecord.event = event;
    const auto record = add_any(graph, recorded, {nested});
    musaGraphNodeParams waits = {musaGraphNodeTypeWaitEvent};
    waits.eventWait.event = event;
    const auto wait = add_any(graph, waits, {record});
    add_any(graph, {musaGraphNodeTypeEmpty}, {wait});
    musaGraphNodeParams allocation = {musaGraphNodeTypeMemAlloc};
    allocation.alloc.poolProps.allocType = musaMemAllocationTypePinned;
    allocation.alloc.poolProps.location = {musaMemLocationTypeDevice, 0};
    allocation.alloc.bytesize = 64;
    musaGraphNode_t allocated = nullptr;
    CHECK(musaGraphAddNode(&allocated, graph, &wait, 1, &allocation));
    musaGraphNodeParams freed = {musaGraphNodeTypeMemFree};
    freed.free.dptr = allocation.alloc.dptr;
    add_any(graph, freed, {allocated});
    const auto exec = instantiate(graph);
    launch(exec, 2);
    tell("product", host[n - 1]);
    tell("calls", calls);
    tell("recorded", musaEventQuery(event));

    // Other parameters, for the executable graph and for the graph.
    factor = 7;
    musaGraphNodeParams other = times;
    CHECK(musaGraphExecNodeSetParams(exec, multiplied, &other));
    launch(exec);
    tell("another factor", host[0]);
    launch(instantiate(graph));
    tell("the graph's", host[0]);
    fill.memset.value = 2;
    CHECK(musaGraphNodeSetParams(filled, &fill));
    launch(instantiate(graph));
    tell("another fill", host[0]);
    launch(exec);
    tell("the executable's", host[0]);

    // Disabled nodes do nothing, and stay in the order.
    unsigned is_enabled = 9;
    CHECK(musaGraphNodeGetEnabled(exec, multiplied, &is_enabled));
    tell("enabled", is_enabled);
    CHECK(musaGraphNodeSetEnabled(exec, multiplied, 0));
    CHECK(musaGraphNodeGetEnabled(exec, multiplied, &is_enabled));
    tell("disabled", is_enabled);
    launch(exec);
    tell("without the product", host[0]);
    CHECK(musaGraphExecNodeSetParams(exec, multiplied, &other));
    launch(exec);
    tell("still without", host[0]);
    CHECK(musaGraphNodeSetEnabled(exec, multiplied, 1));
    launch(exec);
    tell("again", host[0]);
    tell("a graph cannot be", musaGraphNodeSetEnabled(exec, nested, 0));
    tell("a call cannot be", musaGraphNodeSetEnabled(exec, call_node, 0));
    tell("of another graph", musaGraphNodeSetEnabled(instantiate(inner), multiplied, 0));

    musaGraphNode_t node = nullptr;
    tell("nothing", musaGraphAddNode(&node, graph, nullptr, 0, nullptr));
    musaGraphNodeParams reserved = {musaGraphNodeTypeEmpty};
    reserved.reserved0[1] = 1;
    tell("reserved", musaGraphAddNode(&node, graph, nullptr, 0, &reserved));
    copy.memcpy.flags = 1;
    tell("flags of a copy", musaGraphAddNode(&node, graph, nullptr, 0, &copy));
    musaGraphNodeParams unknown = {static_cast<musaGraphNodeType>(99)};
    tell("no such kind", musaGraphAddNode(&node, graph, nullptr, 0, &unknown));
    tell("another kind", musaGraphNodeSetParams(filled, &called));
    musaGraphEdgeData edge = {1, 0, 1, {}};
    musaGraphNodeParams empty = {musaGraphNodeTypeEmpty};
    tell("an early edge", musaGraphAddNode_v2(&node, graph, &multiplied, &edge, 1, &empty));
    edge.to_port = 1;
    tell("no such edge", musaGraphAddNode_v2(&node, graph, &multiplied, &edge, 1, &empty));
}

// The loop runs as often as the numbers need, for each launch from the default.
void loop() {
    DeviceArray<unsigned> x(1), steps(1);
    const musaGraph_t graph = new_graph();
    const auto handle = new_handle(graph, 1);
    std::vector<musaGraph_t> bodies;
    const auto node = add_conditional(graph, handle, musaGraphCondTypeWhile, 1, &bodies);
    add_kernel<unsigned*, unsigned*, musaGraphConditionalHandle>(bodies[0], {}, step, x, steps, handle);
    DeviceArray<unsigned> after(1);
    add_kernel<unsigned*, unsigned>(graph, {node}, add_to, after, 1u);
    const auto exec = instantiate(graph);
    for (const unsigned begin : {27u, 97u, 2u}) {
        set(x, begin);
        set(steps, 0);
        launch(exec);
        tell(("steps from " + std::to_string(begin)).c_str(), value(steps));
    }
    tell("after each", value(after));
    musaGraphNodeType type{};
    CHECK(musaGraphNodeGetType(node, &type));
    tell("type", type);
    musaGraph_t clone = nullptr;
    tell("clone", musaGraphClone(&clone, graph));
    musaGraphNode_t child = nullptr;
    tell("child", musaGraphAddChildGraphNode(&child, new_graph(), nullptr, 0, graph));
    tell("destroy the body", musaGraphDestroy(bodies[0]));
    const musaStream_t stream = new_stream();
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeGlobal));
    tell("captured", musaGraphLaunch(exec, stream));
    musaGraph_t none = nullptr;
    tell("and then", musaStreamEndCapture(stream, &none));

    // The executable graph needs neither the graph nor its node.
    CHECK(musaGraphDestroy(graph));
    set(x, 8);
    set(steps, 0);
    launch(exec);
    tell("after its end", value(steps));
    CHECK(musaGraphExecDestroy(exec));
}

// if without and with another graph, switch.
void branches() {
    DeviceArray<unsigned> x(1), one(1), other(1);
    for (const bool has_other : {false, true}) {
        const musaGraph_t graph = new_graph();
        const auto handle = new_handle(graph);
        const auto chosen = add_kernel<musaGraphConditionalHandle, const unsigned*>(graph, {}, choose, handle, x);
        std::vector<musaGraph_t> bodies;
        add_conditional(graph, handle, musaGraphCondTypeIf, has_other ? 2 : 1, &bodies, {chosen});
        add_kernel<unsigned*, unsigned>(bodies[0], {}, add_to, one, 1u);
        if (has_other) add_kernel<unsigned*, unsigned>(bodies[1], {}, add_to, other, 1u);
        const auto exec = instantiate(graph);
        for (const unsigned now : {0u, 1u, 7u, 0u}) {
            set(x, now);
            launch(exec);
        }
    }
    tell("if", value(one));
    tell("else", value(other));

    const musaGraph_t graph = new_graph();
    const auto handle = new_handle(graph);
    const auto chosen = add_kernel<musaGraphConditionalHandle, const unsigned*>(graph, {}, choose, handle, x);
    std::vector<musaGraph_t> bodies;
    add_conditional(graph, handle, musaGraphCondTypeSwitch, 3, &bodies, {chosen});
    DeviceArray<unsigned> total(1);
    for (unsigned i = 0; i < 3; ++i) {
        const unsigned part = i == 0 ? 1 : i == 1 ? 10 : 100;
        add_kernel<unsigned*, unsigned>(bodies[i], {}, add_to, total, part);
    }
    const auto exec = instantiate(graph);
    for (const unsigned now : {0u, 1u, 1u, 2u, 3u, 1000u}) {
        set(x, now);
        launch(exec);
    }
    tell("switch", value(total));
}

// A loop in a loop: 3 times 4 additions. The inner value belongs to the outer body.
void nested() {
    DeviceArray<unsigned> outer_left(1), inner_left(1), total(1);
    const musaGraph_t graph = new_graph();
    const auto outer = new_handle(graph, 1);
    std::vector<musaGraph_t> outer_body, inner_body;
    add_conditional(graph, outer, musaGraphCondTypeWhile, 1, &outer_body);
    const auto inner = new_handle(outer_body[0], 1);
    const auto begun = add_kernel<unsigned*, unsigned>(outer_body[0], {}, fill_counter, inner_left, 4u);
    const auto loop = add_conditional(outer_body[0], inner, musaGraphCondTypeWhile, 1, &inner_body, {begun});
    const auto added = add_kernel<unsigned*, unsigned>(inner_body[0], {}, add_to, total, 1u);
    add_kernel<musaGraphConditionalHandle, unsigned*>(inner_body[0], {added}, count_down, inner, inner_left);
    add_kernel<musaGraphConditionalHandle, unsigned*>(outer_body[0], {loop}, count_down, outer, outer_left);
    const auto exec = instantiate(graph);
    set(outer_left, 3);
    launch(exec);
    tell("additions", value(total));
    // A node of the innermost body, changed in the executable graph.
    unsigned* at = total;
    unsigned hundred = 100;
    void* pointers[] = {&at, &hundred};
    musaGraphNodeParams params = kernel_params(pointers, add_to, dim3(1), dim3(1));
    CHECK(musaGraphExecNodeSetParams(exec, added, &params));
    set(outer_left, 2);
    set(total, 0);
    launch(exec);
    tell("hundreds", value(total));
    CHECK(musaGraphNodeSetEnabled(exec, added, 0));
    set(outer_left, 2);
    launch(exec);
    tell("none added", value(total));
    // The same by an update from the graph.
    CHECK(musaGraphNodeSetEnabled(exec, added, 1));
    unsigned seven = 7;
    pointers[1] = &seven;
    CHECK(musaGraphNodeSetParams(added, &params));
    musaGraphExecUpdateResult result{};
    musaGraphNode_t differs = nullptr;
    tell("update", musaGraphExecUpdate(exec, graph, &differs, &result));
    set(outer_left, 1);
    set(total, 0);
    launch(exec);
    tell("sevens", value(total));
    add_kernel<unsigned*, unsigned>(inner_body[0], {}, add_to, total, 1u);
    tell("a body grew", musaGraphExecUpdate(exec, graph, &differs, &result));
    tell("topology", result == musaGraphExecUpdateErrorTopologyChanged);
}

// The body is captured; so are more nodes of a graph that has some.
void captured() {
    DeviceArray<unsigned> x(1), left(1);
    const musaGraph_t graph = new_graph();
    const auto handle = new_handle(graph, 1);
    std::vector<musaGraph_t> bodies;
    add_conditional(graph, handle, musaGraphCondTypeWhile, 1, &bodies);
    const musaStream_t stream = new_stream();
    CHECK(musaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0, musaStreamCaptureModeGlobal));
    add_to<<<1, 1, 0, stream>>>(x, 2);
    count_down<<<1, 1, 0, stream>>>(handle, left);
    musaGraph_t made = nullptr;
    CHECK(musaStreamEndCapture(stream, &made));
    tell("the same graph", made == bodies[0]);
    set(left, 5);
    launch(instantiate(graph));
    tell("twice five", value(x));

    const musaGraph_t simple = new_graph();
    const auto first = add_kernel<unsigned*, unsigned>(simple, {}, fill_counter, x, 10u);
    add_any(simple, {musaGraphNodeTypeEmpty});
    CHECK(musaStreamBeginCaptureToGraph(stream, simple, &first, nullptr, 1, musaStreamCaptureModeGlobal));
    musaStreamCaptureStatus status{};
    musaGraph_t of_stream = nullptr;
    const musaGraphNode_t* depends = nullptr;
    const musaGraphEdgeData* edges = reinterpret_cast<const musaGraphEdgeData*>(&status);
    size_t count = 0;
    CHECK(musaStreamGetCaptureInfo_v3(stream, &status, nullptr, &of_stream, &depends, &edges, &count));
    tell("depends on", status == musaStreamCaptureStatusActive && of_stream == simple && count == 1 && *depends == first && !edges);
    musaGraphExec_t early = nullptr;
    tell("too early", musaGraphInstantiate(&early, simple));
    tell("twice", musaStreamBeginCaptureToGraph(new_stream(), simple, nullptr, nullptr, 0, musaStreamCaptureModeGlobal));
    multiply<<<1, 1, 0, stream>>>(x, 3);
    CHECK(musaStreamEndCapture(stream, &made));
    launch(instantiate(simple));
    tell("ten times three", value(x));
    CHECK(musaGraphGetNodes(simple, nullptr, &count));
    tell("nodes", count);

    // Ended wrongly, it leaves the graph to the program.
    CHECK(musaStreamBeginCaptureToGraph(stream, simple, nullptr, nullptr, 0, musaStreamCaptureModeGlobal));
    const musaStream_t side = new_stream();
    musaEvent_t event = nullptr;
    CHECK(musaEventCreate(&event));
    CHECK(musaEventRecord(event, stream));
    CHECK(musaStreamWaitEvent(side, event));
    add_to<<<1, 1, 0, side>>>(x, 1);
    tell("unjoined", musaStreamEndCapture(stream, &made));
    tell("no graph", made == nullptr);
    tell("still there", musaGraphDestroy(simple));
    musaGraphNode_t stranger = first;
    tell("of another graph",
         musaStreamBeginCaptureToGraph(stream, graph, &stranger, nullptr, 1, musaStreamCaptureModeGlobal));
}

void refused() {
    DeviceArray<unsigned> x(1);
    musaGraphConditionalHandle handle = 0;
    const musaGraph_t graph = new_graph();
    tell("no graph", musaGraphConditionalHandleCreate(&handle, nullptr, 0, 0));
    tell("no such flag", musaGraphConditionalHandleCreate(&handle, graph, 0, 2));
    handle = new_handle(graph);
    musaGraphExec_t exec = nullptr;
    musaGraphInstantiateParams params{};
    tell("unused", musaGraphInstantiateWithParams(&exec, graph, &params));
    tell("why", params.result_out == musaGraphInstantiateConditionalHandleUnused && !params.errNode_out);
    musaGraphNodeParams any = {musaGraphNodeTypeConditional};
    any.conditional.handle = handle;
    any.conditional.type = musaGraphCondTypeWhile;
    any.conditional.size = 2;
    musaGraphNode_t node = nullptr;
    tell("two loops", musaGraphAddNode(&node, graph, nullptr, 0, &any));
    any.conditional.size = 1;
    tell("of another graph", musaGraphAddNode(&node, new_graph(), nullptr, 0, &any));
    any.conditional.handle = 4096;
    tell("no handle", musaGraphAddNode(&node, graph, nullptr, 0, &any));

    std::vector<musaGraph_t> bodies;
    std::atomic<int> calls{0};
    add_conditional(graph, handle, musaGraphCondTypeIf, 1, &bodies);
    musaGraphNodeParams called = {musaGraphNodeTypeHost};
    called.host = {call, &calls};
    const auto wrong = add_any(bodies[0], called);
    params = {};
    tell("a call inside", musaGraphInstantiateWithParams(&exec, graph, &params));
    tell("which", params.result_out == musaGraphInstantiateInvalidStructure && params.errNode_out == wrong);
    CHECK(musaGraphDestroyNode(wrong));

    // A circle, flags
    const musaGraph_t circle = new_graph();
    const auto a = add_any(circle, {musaGraphNodeTypeEmpty}), b = add_any(circle, {musaGraphNodeTypeEmpty}, {a});
    CHECK(musaGraphAddDependencies(circle, &b, &a, 1));
    params = {};
    tell("circle", musaGraphInstantiateWithParams(&exec, circle, &params));
    tell("in the circle", params.result_out == musaGraphInstantiateInvalidStructure && (params.errNode_out == a || params.errNode_out == b));
    params = {};
    params.flags = musaGraphInstantiateFlagUpload | musaGraphInstantiateFlagAutoFreeOnLaunch;
    params.uploadStream = new_stream();
    tell("with flags", musaGraphInstantiateWithParams(&exec, graph, &params));
    tell("success", params.result_out == musaGraphInstantiateSuccess);
    unsigned long long flags = 0;
    CHECK(musaGraphExecGetFlags(exec, &flags));
    tell("flags", flags);
    tell("upload alone", musaGraphInstantiate(&exec, graph, musaGraphInstantiateFlagUpload));
    params.flags = musaGraphInstantiateFlagDeviceLaunch;
    tell("from kernels", musaGraphInstantiateWithParams(&exec, graph, &params));
    tell("of nothing", musaGraphExecGetFlags(nullptr, &flags));
}

// A kernel that fails ends the loop.
__global__ void fail(unsigned* x) { *reinterpret_cast<unsigned*>(8) = *x; }
void failure() {
    DeviceArray<unsigned> x(1);
    const musaGraph_t graph = new_graph();
    const auto handle = new_handle(graph, 1);
    std::vector<musaGraph_t> bodies;
    add_conditional(graph, handle, musaGraphCondTypeWhile, 1, &bodies);
    add_kernel<unsigned*>(bodies[0], {}, fail, x);
    const auto exec = instantiate(graph);
    const musaStream_t stream = new_stream();
    CHECK(musaGraphLaunch(exec, stream));
    tell("ends", musaStreamSynchronize(stream));
}

struct Eight { double a; char b; };
__global__ void takes(char c, const unsigned* p, short s, double d, float4 f, Eight e, int last) {
    if (p && c && s) *const_cast<unsigned*>(p) = static_cast<unsigned>(d + f.x + e.a + last);
}
// Where parameters lie, as a structure of them shows.
void parameters() {
    struct All { char c; const unsigned* p; short s; double d; float4 f; Eight e; int last; };
    const size_t offsets[] = {offsetof(All, c), offsetof(All, p), offsetof(All, s), offsetof(All, d),
                              offsetof(All, f), offsetof(All, e), offsetof(All, last)};
    const size_t sizes[] = {1, 8, 2, 8, 16, 16, 4};
    const auto* const function = reinterpret_cast<const void*>(takes);
    long long right = 0;
    for (size_t i = 0; i < 7; ++i) {
        size_t offset = 0, size = 0;
        CHECK(musaFuncGetParamInfo(function, i, &offset, &size));
        right += offset == offsets[i] && size == sizes[i];
    }
    tell("places", right);
    size_t offset = 0;
    tell("beyond", musaFuncGetParamInfo(function, 7, &offset, nullptr));
    tell("no size wanted", musaFuncGetParamInfo(function, 3, &offset, nullptr));
    tell("no place wanted", musaFuncGetParamInfo(function, 3, nullptr, nullptr));
    tell("no kernel", musaFuncGetParamInfo(&offset, 0, &offset, nullptr));

    musaLaunchConfig_t config{};
    config.gridDim = dim3(100);
    config.blockDim = dim3(256);
    int blocks = 0, clusters = 0, multiprocessors = 0, size = 0;
    CHECK(musaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 0));
    CHECK(musaDeviceGetAttribute(&multiprocessors, musaDevAttrMultiProcessorCount, 0));
    CHECK(musaOccupancyMaxActiveClusters(&clusters, function, &config));
    tell("clusters of one", clusters == blocks * multiprocessors && clusters > 0);
    CHECK(musaOccupancyMaxPotentialClusterSize(&size, function, &config));
    tell("largest", size);
    musaLaunchAttribute two{};
    two.id = musaLaunchAttributeClusterDimension;
    two.val.clusterDim = {2, 1, 1};
    config.attrs = &two;
    config.numAttrs = 1;
    tell("clusters of two", musaOccupancyMaxActiveClusters(&clusters, function, &config));

    void* found = nullptr;
    musaDriverEntryPointQueryResult status{};
    CHECK(musaGetDriverEntryPointByVersion("muInit", &found, 12000, musaEnableDefault, &status));
    tell("found", found != nullptr && status == musaDriverEntryPointSuccess);
    CHECK(musaGetDriverEntryPointByVersion("muNothing", &found, 12000, musaEnableDefault, &status));
    tell("not found", found == nullptr && status == musaDriverEntryPointSymbolNotFound);

    // Locations of managed memory
    unsigned* managed = nullptr;
    CHECK(musaMallocManaged(&managed, 4096));
    const auto asked = [&](musaMemRangeAttribute attribute) {
        int number = 99;
        CHECK(musaMemRangeGetAttribute(&number, sizeof number, attribute, managed, 4096));
        return number;
    };
    CHECK(musaMemPrefetchAsync_v2(managed, 4096, {musaMemLocationTypeDevice, 0}, 0, nullptr));
    tell("to the device", asked(musaMemRangeAttributeLastPrefetchLocation));
    CHECK(musaMemPrefetchAsync_v2(managed, 4096, {musaMemLocationTypeHost, 0}, 0, nullptr));
    tell("to the host", asked(musaMemRangeAttributeLastPrefetchLocation));
    CHECK(musaMemAdvise_v2(managed, 4096, musaMemAdviseSetPreferredLocation, {musaMemLocationTypeHostNumaCurrent, 0}));
    tell("prefers the host", asked(musaMemRangeAttributePreferredLocation));
    tell("nowhere", musaMemPrefetchAsync_v2(managed, 4096, {musaMemLocationTypeInvalid, 0}, 0, nullptr));
    tell("flags", musaMemPrefetchAsync_v2(managed, 4096, {musaMemLocationTypeDevice, 0}, 1, nullptr));
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    if (name == "kinds") kinds();
    if (name == "loop") loop();
    if (name == "branches") branches();
    if (name == "nested") nested();
    if (name == "captured") captured();
    if (name == "refused") refused();
    if (name == "failure") failure();
    if (name == "parameters") parameters();
}
