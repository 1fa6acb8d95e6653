// mupti CASE: what a program that uses MUPTI gets. Prints one JSON object per line: records, and facts of the program.
#include <mupti.h>
#include <mupti_profiler_target.h>
#include <mupti_target.h>
#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <thread>

#include "program.h"

#define MUPTI(call)                                                                                        \
    do {                                                                                                   \
        const MUptiResult result = call;                                                                   \
        if (result != MUPTI_SUCCESS) std::printf("{\"failed\": \"%s\", \"with\": %d}\n", #call, result); \
    } while (0)

inline void check(MUresult result, const char* what) {
    if (result != MUSA_SUCCESS) check(musaErrorUnknown, what);
}

__global__ void add_one(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void reverse(float* x) {
    __shared__ float tile[64];
    extern __shared__ float more[];
    more[threadIdx.x] = tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

namespace {

std::size_t buffer_size = 1 << 20;
std::size_t most_records = 0;

void show(const MUpti_ActivityKernel6& r) {
    std::printf(
        "{\"kind\": \"kernel\", \"name\": \"%s\", \"start\": %" PRIu64 ", \"end\": %" PRIu64
        ", \"correlation\": %u, \"device\": %u, \"context\": %u, \"stream\": %u, \"grid\": [%d, %d, %d], "
        "\"block\": [%d, %d, %d], \"static\": %d, \"dynamic\": %d}\n",
        r.name, r.start, r.end, r.correlationId, r.deviceId, r.contextId, r.streamId, r.gridX, r.gridY, r.gridZ, r.blockX,
        r.blockY, r.blockZ, r.staticSharedMemory, r.dynamicSharedMemory);
}

void show(const MUpti_ActivityMemcpy& r) {
    std::printf("{\"kind\": \"copy\", \"ends\": [%d, %d, %d], \"bytes\": %" PRIu64 ", \"start\": %" PRIu64
                ", \"end\": %" PRIu64 ", \"correlation\": %u, \"device\": %u, \"stream\": %u}\n",
                r.copyKind, r.srcKind, r.dstKind, r.bytes, r.start, r.end, r.correlationId, r.deviceId, r.streamId);
}

void show(const MUpti_ActivityMemcpy2& r) {
    std::printf("{\"kind\": \"peer copy\", \"ends\": [%d, %d, %d], \"bytes\": %" PRIu64
                ", \"devices\": [%u, %u], \"contexts\": [%u, %u], \"correlation\": %u}\n",
                r.copyKind, r.srcKind, r.dstKind, r.bytes, r.srcDeviceId, r.dstDeviceId, r.srcContextId, r.dstContextId,
                r.correlationId);
}

void show(const MUpti_ActivityMemset& r) {
    std::printf("{\"kind\": \"fill\", \"value\": %u, \"memory\": %d, \"bytes\": %" PRIu64 ", \"start\": %" PRIu64
                ", \"end\": %" PRIu64 ", \"correlation\": %u, \"stream\": %u}\n",
                r.value, r.memoryKind, r.bytes, r.start, r.end, r.correlationId, r.streamId);
}

void show(const MUpti_ActivityAPI& r) {
    const bool of_driver = r.kind == MUPTI_ACTIVITY_KIND_DRIVER;
    const char* name = nullptr;
    MUPTI(muptiGetCallbackName(of_driver ? MUPTI_CB_DOMAIN_DRIVER_API : MUPTI_CB_DOMAIN_RUNTIME_API, r.cbid, &name));
    std::printf("{\"kind\": \"%s\", \"name\": \"%s\", \"start\": %" PRIu64 ", \"end\": %" PRIu64
                ", \"correlation\": %u, \"process\": %u, \"thread\": %u}\n",
                of_driver ? "driver call" : "call", name, r.start, r.end, r.correlationId, r.processId, r.threadId);
}

void show(const MUpti_ActivitySynchronization& r) {
    std::printf("{\"kind\": \"wait\", \"type\": %d, \"start\": %" PRIu64 ", \"end\": %" PRIu64
                ", \"correlation\": %u, \"context\": %u, \"stream\": %d, \"event\": %d}\n",
                r.type, r.start, r.end, r.correlationId, r.contextId, static_cast<int>(r.streamId),
                static_cast<int>(r.musaEventId));
}

void show(const MUpti_ActivityExternalCorrelation& r) {
    std::printf("{\"kind\": \"external\", \"of\": %d, \"id\": %" PRIu64 ", \"correlation\": %u}\n", r.externalKind,
                r.externalId, r.correlationId);
}

template <class T>
void show_as(const MUpti_Activity* record) {
    show(*reinterpret_cast<const T*>(record));
}

void show_any(const MUpti_Activity* record) {
    switch (record->kind) {
        case MUPTI_ACTIVITY_KIND_KERNEL:
        case MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return show_as<MUpti_ActivityKernel6>(record);
        case MUPTI_ACTIVITY_KIND_MEMCPY: return show_as<MUpti_ActivityMemcpy>(record);
        case MUPTI_ACTIVITY_KIND_MEMCPY2: return show_as<MUpti_ActivityMemcpy2>(record);
        case MUPTI_ACTIVITY_KIND_MEMSET: return show_as<MUpti_ActivityMemset>(record);
        case MUPTI_ACTIVITY_KIND_RUNTIME:
        case MUPTI_ACTIVITY_KIND_DRIVER: return show_as<MUpti_ActivityAPI>(record);
        case MUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return show_as<MUpti_ActivitySynchronization>(record);
        case MUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: return show_as<MUpti_ActivityExternalCorrelation>(record);
        default: std::printf("{\"kind\": %d}\n", record->kind);
    }
}

void MUPTIAPI requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
    *buffer = buffer_size == 0 ? nullptr : static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_size));
    *size = buffer_size;
    *most = most_records;
}

void MUPTIAPI completed(MUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t size, std::size_t valid) {
    std::size_t records = 0;
    MUpti_Activity* record = nullptr;
    while (muptiActivityGetNextRecord(buffer, valid, &record) == MUPTI_SUCCESS) {
        show_any(record);
        ++records;
    }
    std::printf("{\"buffer\": %zu, \"valid\": %zu, \"records\": %zu}\n", size, valid, records);
    std::free(buffer);
}

void enable(std::initializer_list<MUpti_ActivityKind> kinds) {
    MUPTI(muptiActivityRegisterCallbacks(requested, completed));
    for (const MUpti_ActivityKind kind : kinds) MUPTI(muptiActivityEnable(kind));
}

constexpr MUpti_ActivityKind work_and_calls[] = {
    MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, MUPTI_ACTIVITY_KIND_MEMCPY,  MUPTI_ACTIVITY_KIND_MEMCPY2,
    MUPTI_ACTIVITY_KIND_MEMSET,            MUPTI_ACTIVITY_KIND_RUNTIME, MUPTI_ACTIVITY_KIND_SYNCHRONIZATION};

void flush() { MUPTI(muptiActivityFlushAll(MUPTI_ACTIVITY_FLAG_FLUSH_FORCED)); }

void show_dropped() {
    std::size_t dropped = 0;
    MUPTI(muptiActivityGetNumDroppedRecords(nullptr, 0, &dropped));
    std::printf("{\"dropped\": %zu}\n", dropped);
}

struct Memory {
    Memory() {
        CHECK(musaMalloc(&device, 4096));
        CHECK(musaMalloc(&other, 4096));
        CHECK(musaMallocHost(&pinned, 4096));
        CHECK(musaMallocManaged(&managed, 4096));
        CHECK(musaMemset(device, 0, 4096));
        for (musaStream_t& stream : streams) CHECK(musaStreamCreate(&stream));
        CHECK(musaDeviceSynchronize());
    }
    float *device = nullptr, *other = nullptr, *pinned = nullptr, *managed = nullptr;
    std::vector<float> pageable = std::vector<float>(1024);
    musaStream_t streams[2]{};
};

// Kernels on two streams, all kinds of copies, a fill, and calls that wait.
void trace() {
    Memory m;
    std::uint64_t begin = 0, end = 0;
    std::uint32_t numbers[3]{}, device = 99, context = 99;
    MUPTI(muptiGetTimestamp(&begin));
    for (const MUpti_ActivityKind kind : work_and_calls) enable({kind});
    add_one<<<dim3(4, 2, 1), 32, 0, m.streams[0]>>>(m.device);
    reverse<<<1, 64, 512, m.streams[1]>>>(m.other);
    CHECK(musaDeviceSynchronize());
    CHECK(musaMemcpy(m.device, m.pageable.data(), 4096, musaMemcpyHostToDevice));
    CHECK(musaMemcpyAsync(m.pinned, m.device, 4000, musaMemcpyDeviceToHost, m.streams[0]));
    CHECK(musaMemcpyAsync(m.other, m.device, 400, musaMemcpyDeviceToDevice, m.streams[0]));
    CHECK(musaMemcpy(m.pageable.data(), m.pinned, 40, musaMemcpyHostToHost));
    CHECK(musaMemcpyAsync(m.managed, m.device, 20, musaMemcpyDefault, m.streams[1]));
    CHECK(musaMemsetAsync(m.device, 7, 96, m.streams[1]));
    CHECK(musaStreamSynchronize(m.streams[1]));
    musaEvent_t event = nullptr;
    CHECK(musaEventCreate(&event));
    CHECK(musaEventRecord(event, m.streams[0]));
    CHECK(musaEventSynchronize(event));
    CHECK(musaDeviceSynchronize());
    flush();
    MUPTI(muptiGetTimestamp(&end));
    MUPTI(muptiGetStreamId(nullptr, nullptr, &numbers[0]));
    for (int i = 0; i < 2; ++i)
        MUPTI(muptiGetStreamId(nullptr, reinterpret_cast<MUstream>(m.streams[i]), &numbers[i + 1]));
    MUPTI(muptiGetDeviceId(nullptr, &device));
    MUPTI(muptiGetContextId(nullptr, &context));
    std::printf("{\"begin\": %" PRIu64 ", \"end\": %" PRIu64
                ", \"streams\": [%u, %u, %u], \"process\": %d, \"thread\": %d, \"device\": %u, \"context\": %u}\n",
                begin, end, numbers[0], numbers[1], numbers[2], getpid(), gettid(), device, context);
    show_dropped();
}

// Between devices (MUSA_SIM_DEVICES=2).
void peers() {
    float *here = nullptr, *there = nullptr;
    CHECK(musaMalloc(&here, 64));
    CHECK(musaSetDevice(1));
    CHECK(musaMalloc(&there, 64));
    for (const MUpti_ActivityKind kind : work_and_calls) enable({kind});
    CHECK(musaMemcpyPeer(there, 1, here, 0, 64));
    add_one<<<1, 16>>>(there);
    CHECK(musaDeviceSynchronize());
    flush();
}

void external() {
    Memory m;
    enable({MUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
    add_one<<<1, 1>>>(m.device);
    MUPTI(muptiActivityPushExternalCorrelationId(MUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 70));
    MUPTI(muptiActivityPushExternalCorrelationId(MUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 71));
    MUPTI(muptiActivityPushExternalCorrelationId(MUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 1ull << 40));
    add_one<<<2, 1>>>(m.device);
    std::thread([&] { add_one<<<3, 1>>>(m.device); }).join();
    std::uint64_t last = 0;
    MUPTI(muptiActivityPopExternalCorrelationId(MUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last));
    MUPTI(muptiActivityPopExternalCorrelationId(MUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, nullptr));
    add_one<<<4, 1>>>(m.device);
    MUPTI(muptiActivityPopExternalCorrelationId(MUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, nullptr));
    add_one<<<5, 1>>>(m.device);
    CHECK(musaDeviceSynchronize());
    flush();
    std::printf("{\"last\": %" PRIu64 ", \"empty\": %d}\n", last,
                muptiActivityPopExternalCorrelationId(MUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, nullptr));
}

void three_kernels(float* x) {
    for (unsigned i = 1; i <= 3; ++i) add_one<<<i, 1>>>(x);
    CHECK(musaDeviceSynchronize());
}

// Buffers for one record, for none, and no buffers; a limit of records.
void buffers() {
    Memory m;
    enable({MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
    const auto pass = [&](std::size_t size, std::size_t most) {
        buffer_size = size;
        most_records = most;
        three_kernels(m.device);
        flush();
        show_dropped();
    };
    pass(sizeof(MUpti_ActivityKernel6) + 8, 0);
    pass(64, 0);
    pass(0, 0);
    pass(1 << 12, 2);
    show_dropped();
}

// Kinds are enabled and disabled while the program continues.
void kinds() {
    Memory m;
    enable({MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, MUPTI_ACTIVITY_KIND_MEMSET});
    add_one<<<1, 1>>>(m.device);
    CHECK(musaMemset(m.device, 1, 16));
    CHECK(musaDeviceSynchronize());
    flush();
    add_one<<<2, 1>>>(m.device);
    CHECK(musaMemset(m.device, 1, 32));
    CHECK(musaDeviceSynchronize());
    MUPTI(muptiActivityDisable(MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    add_one<<<3, 1>>>(m.device);
    CHECK(musaMemset(m.device, 1, 48));
    CHECK(musaDeviceSynchronize());
    MUPTI(muptiActivityDisable(MUPTI_ACTIVITY_KIND_MEMSET));
    CHECK(musaMemset(m.device, 1, 64));
    CHECK(musaDeviceSynchronize());
    flush();
    flush();
    MUPTI(muptiActivityEnable(MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    add_one<<<5, 1>>>(m.device);
    CHECK(musaDeviceSynchronize());
    MUPTI(muptiFinalize());
    MUPTI(muptiActivityEnable(MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    add_one<<<6, 1>>>(m.device);
    CHECK(musaDeviceSynchronize());
    flush();
}

void MUPTIAPI called(void* data, MUpti_CallbackDomain domain, MUpti_CallbackId, const void* facts) {
    const auto& call = *static_cast<const MUpti_CallbackData*>(facts);
    if (call.callbackSite == MUPTI_API_ENTER) *call.correlationData = call.correlationId + 5;
    std::printf("{\"call\": \"%s\", \"site\": %d, \"domain\": %d, \"data\": %d, \"kept\": %" PRIu64
                ", \"correlation\": %u}\n",
                call.functionName, call.callbackSite, domain, *static_cast<int*>(data), *call.correlationData,
                call.correlationId);
}

void callbacks() {
    Memory m;
    int data = 42;
    MUpti_SubscriberHandle subscriber = nullptr, second = nullptr;
    MUPTI(muptiSubscribe(&subscriber, called, &data));
    std::printf("{\"second\": %d}\n", muptiSubscribe(&second, called, &data));
    add_one<<<1, 1>>>(m.device);  // nothing is enabled
    MUPTI(muptiEnableCallback(1, subscriber, MUPTI_CB_DOMAIN_RUNTIME_API, MUPTI_RUNTIME_TRACE_CBID_musaLaunchKernel_v7000));
    add_one<<<1, 1>>>(m.device);
    CHECK(musaDeviceSynchronize());
    MUPTI(muptiEnableDomain(1, subscriber, MUPTI_CB_DOMAIN_RUNTIME_API));
    enable({MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
    add_one<<<2, 1>>>(m.device);
    CHECK(musaDeviceSynchronize());
    MUPTI(muptiEnableDomain(0, subscriber, MUPTI_CB_DOMAIN_RUNTIME_API));
    add_one<<<3, 1>>>(m.device);
    CHECK(musaDeviceSynchronize());
    flush();
    std::printf("{\"state\": %d}\n", muptiEnableDomain(1, subscriber, MUPTI_CB_DOMAIN_STATE));
    MUPTI(muptiUnsubscribe(subscriber));
    std::printf("{\"again\": %d}\n", muptiUnsubscribe(subscriber));
}

MUfunction function_of(const void* kernel) {
    MUfunction function = nullptr;
    CHECK(musaGetFuncBySymbol(&function, kernel));
    return function;
}

void launch_by_driver(MUfunction function, float* x, MUstream stream) {
    void* arguments[] = {&x};
    CHECK(muLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
}

// Calls of the driver of each kind, and two of the runtime.
void driver() {
    Memory m;
    const MUfunction function = function_of(reinterpret_cast<const void*>(add_one));
    const auto stream = reinterpret_cast<MUstream>(m.streams[0]);
    const auto to = reinterpret_cast<MUdeviceptr>(m.device);
    MUevent event = nullptr;
    CHECK(muEventCreate(&event, 0));
    for (const MUpti_ActivityKind kind : work_and_calls) enable({kind});
    MUPTI(muptiActivityEnable(MUPTI_ACTIVITY_KIND_DRIVER));
    CHECK(muMemsetD32(to, 7, 24));
    CHECK(muMemcpyHtoD(to, m.pageable.data(), 4096));
    CHECK(muMemcpyDtoHAsync(m.pinned, to, 4000, stream));
    launch_by_driver(function, m.device, stream);
    MUlaunchConfig config{};
    config.gridDimX = 3;
    config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    void* arguments[] = {&m.device};
    CHECK(muLaunchKernelEx(&config, function, arguments, nullptr));
    CHECK(muStreamSynchronize(stream));
    CHECK(muEventRecord(event, stream));
    CHECK(muEventSynchronize(event));
    CHECK(muCtxSynchronize());
    MUdeviceptr targets[] = {to, to + 64}, sources[] = {to + 512, to + 1024};
    std::size_t bytes[] = {16, 32}, index = 0, failed = 0;
    MUmemcpyAttributes attributes{};
    attributes.srcAccessOrder = MU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    CHECK(muMemcpyBatchAsync(targets, sources, bytes, 2, &attributes, &index, 1, &failed, stream));
    add_one<<<4, 1, 0, m.streams[0]>>>(m.device);
    CHECK(musaDeviceSynchronize());
    flush();
    std::uint32_t number = 0;
    MUPTI(muptiGetStreamId(nullptr, stream, &number));
    std::printf("{\"stream\": %u}\n", number);
}

void MUPTIAPI created(void* data, MUpti_CallbackDomain domain, MUpti_CallbackId number, const void* facts) {
    if (domain != MUPTI_CB_DOMAIN_RESOURCE) return called(data, domain, number, facts);
    MUdevice device = -1;
    CHECK(muCtxPushCurrent(static_cast<const MUpti_ResourceData*>(facts)->context));
    CHECK(muCtxGetDevice(&device));
    CHECK(muCtxPopCurrent(nullptr));
    std::printf("{\"resource\": %u, \"device\": %d}\n", number, device);
}

// Callbacks of contexts and of the driver (MUSA_SIM_DEVICES=2).
void driver_callbacks() {
    Memory m;
    const MUfunction function = function_of(reinterpret_cast<const void*>(add_one));
    MUpti_SubscriberHandle subscriber = nullptr;
    int data = 7;
    MUPTI(muptiSubscribe(&subscriber, created, &data));
    MUPTI(muptiEnableCallback(1, subscriber, MUPTI_CB_DOMAIN_RESOURCE, MUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING));
    CHECK(musaDeviceSynchronize());  // no callback
    MUPTI(muptiEnableCallback(1, subscriber, MUPTI_CB_DOMAIN_RESOURCE, MUPTI_CBID_RESOURCE_CONTEXT_CREATED));
    MUPTI(muptiEnableCallback(1, subscriber, MUPTI_CB_DOMAIN_DRIVER_API, MUPTI_DRIVER_TRACE_CBID_muLaunchKernel));
    for (int i = 0; i < 2; ++i) launch_by_driver(function, m.device, nullptr);
    CHECK(musaDeviceSynchronize());
    CHECK(musaSetDevice(1));
    CHECK(muCtxSynchronize());
    MUPTI(muptiUnsubscribe(subscriber));
}

// kineto flushes only if a buffer was requested before.
std::atomic<int> requests{0};
void MUPTIAPI counted(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
    ++requests;
    requested(buffer, size, most);
}

void early_buffer() {
    Memory m;
    const auto show_requests = [] { std::printf("{\"requests\": %d}\n", requests.load()); };
    MUPTI(muptiActivityRegisterCallbacks(counted, completed));
    MUPTI(muptiActivityEnable(MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    show_requests();
    std::vector<std::thread> threads;
    for (unsigned i = 1; i <= 4; ++i) threads.emplace_back([&, i] { add_one<<<i, 1>>>(m.device); });
    for (std::thread& thread : threads) thread.join();
    CHECK(musaDeviceSynchronize());
    show_requests();
    flush();
    flush();
    show_requests();
}

void refused() {
    std::uint32_t version = 0;
    const char* text = nullptr;
    MUPTI(muptiGetVersion(&version));
    MUPTI(muptiGetResultString(MUPTI_ERROR_MAX_LIMIT_REACHED, &text));
    std::printf("{\"version\": %d, \"text\": \"%s\"}\n", version == MUPTI_API_VERSION, text);
    std::printf("{\"kind\": [%d, %d, %d]}\n", muptiActivityEnable(MUPTI_ACTIVITY_KIND_INVALID),
                muptiActivityEnable(MUPTI_ACTIVITY_KIND_PC_SAMPLING),
                muptiActivityDisable(static_cast<MUpti_ActivityKind>(1000)));
    std::printf("{\"callbacks\": %d, \"no text\": %d, \"next\": %d}\n", muptiActivityRegisterCallbacks(nullptr, completed),
                muptiGetResultString(static_cast<MUptiResult>(998), &text), muptiActivityGetNextRecord(nullptr, 0, nullptr));
    MUpti_EventGroupSets* sets = nullptr;
    MUpti_EventID event = 0;
    MUpti_MetricID metric = 0;
    MUpti_Profiler_Initialize_Params parameters{MUpti_Profiler_Initialize_Params_STRUCT_SIZE, nullptr};
    MUpti_Device_GetChipName_Params chip{MUpti_Device_GetChipName_Params_STRUCT_SIZE, nullptr, 0, nullptr};
    std::printf("{\"counters\": [%d, %d, %d, %d, %d]}\n", muptiEventGroupSetsCreate(nullptr, sizeof event, &event, &sets),
                muptiEventGetIdFromName(0, "elapsed_cycles_sm", &event), muptiMetricGetIdFromName(0, "ipc", &metric),
                muptiProfilerInitialize(&parameters), muptiDeviceGetChipName(&chip));
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    if (name == "trace") trace();
    if (name == "peers") peers();
    if (name == "external") external();
    if (name == "buffers") buffers();
    if (name == "kinds") kinds();
    if (name == "callbacks") callbacks();
    if (name == "driver") driver();
    if (name == "driver callbacks") driver_callbacks();
    if (name == "early buffer") early_buffer();
    if (name == "refused") refused();
    return 0;
}
