// muInit, devices and contexts.
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "driver.h"
#include "base/initialised.h"
#include "base/lifetime.h"

struct MUctx_st {
    MUdevice device;
};

namespace {

std::atomic<bool> initialised{false};

// Return the primary context of a device. Primary contexts live as long as the process.
MUcontext primary_context(MUdevice device) {
    static std::mutex mutex;
    static auto& contexts = musa_sim::leaked<std::deque<MUctx_st>>();
    std::lock_guard<std::mutex> lock(mutex);
    while (contexts.size() <= static_cast<std::size_t>(device)) {
        contexts.push_back({static_cast<MUdevice>(contexts.size())});
    }
    return &contexts[static_cast<std::size_t>(device)];
}

std::vector<MUcontext>& context_stack() { return musa_sim::PerThread<std::vector<MUcontext>>::get(); }

bool is_device(MUdevice device) {
    int count = 0;
    return musaGetDeviceCount(&count) == musaSuccess && device >= 0 && device < count;
}

MUresult check_device(MUdevice device) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    return is_device(device) ? MUSA_SUCCESS : MUSA_ERROR_INVALID_DEVICE;
}

bool is_context(MUcontext context) { return context && is_device(context->device); }

// Make the context on top of the stack the runtime's current device.
MUresult select_top() {
    if (context_stack().empty()) return MUSA_SUCCESS;
    return driver::result_of(musaSetDevice(context_stack().back()->device));
}

// Make a call of the runtime that concerns the current device, for another device.
template <class Call>
MUresult on_device(MUdevice device, Call runtime) {
    const MUresult status = check_device(device);
    if (status != MUSA_SUCCESS) return status;
    return driver::call([&] {
        int before = 0;
        musaError_t error = musaGetDevice(&before);
        if (error == musaSuccess) error = musaSetDevice(device);
        if (error != musaSuccess) return error;
        error = runtime();
        musaSetDevice(before);
        return error;
    });
}

}  // namespace

bool driver::device_of(MUcontext context, MUdevice* device) {
    if (!is_context(context)) return false;
    *device = context->device;
    return true;
}

MUresult driver::primary_context(MUdevice device, MUcontext* context) {
    *context = ::primary_context(device);
    return MUSA_SUCCESS;
}

// As in CUDA, the runtime API initialises the driver as well.
MUresult driver::check_initialised() {
    return initialised || __musa_sim_is_initialised() ? MUSA_SUCCESS : MUSA_ERROR_NOT_INITIALIZED;
}

MUSA_EXPORT MUresult muInit(unsigned int flags) {
    if (flags != 0) return MUSA_ERROR_INVALID_VALUE;
    int count = 0;
    const musaError_t error = musaGetDeviceCount(&count);
    if (error != musaSuccess) return driver::result_of(error);
    initialised = true;
    return MUSA_SUCCESS;
}

MUSA_EXPORT MUresult muDriverGetVersion(int* version) {
    return driver::result_of(musaDriverGetVersion(version));
}

MUSA_EXPORT MUresult muDeviceGetCount(int* count) {
    return driver::call([=] { return musaGetDeviceCount(count); });
}

MUSA_EXPORT MUresult muDeviceGet(MUdevice* device, int ordinal) {
    if (!device) return MUSA_ERROR_INVALID_VALUE;
    const MUresult status = check_device(ordinal);
    if (status == MUSA_SUCCESS) *device = ordinal;
    return status;
}

MUSA_EXPORT MUresult muDeviceGetName(char* name, int length, MUdevice device) {
    if (!name || length <= 0) return MUSA_ERROR_INVALID_VALUE;
    musaDeviceProp properties;
    const MUresult status = driver::call([&] { return musaGetDeviceProperties(&properties, device); });
    if (status != MUSA_SUCCESS) return status;
    std::strncpy(name, properties.name, static_cast<std::size_t>(length));
    name[length - 1] = '\0';
    return MUSA_SUCCESS;
}

MUSA_EXPORT MUresult muDeviceTotalMem(size_t* bytes, MUdevice device) {
    if (!bytes) return MUSA_ERROR_INVALID_VALUE;
    musaDeviceProp properties;
    const MUresult status = driver::call([&] { return musaGetDeviceProperties(&properties, device); });
    if (status == MUSA_SUCCESS) *bytes = properties.totalGlobalMem;
    return status;
}
MUSA_FIRST_NAME(muDeviceTotalMem)

MUSA_EXPORT MUresult muDeviceGetAttribute(int* value, MUdevice_attribute attribute, MUdevice device) {
    return driver::call([=] {
        musaDeviceAttr same = static_cast<musaDeviceAttr>(attribute);
        // Attributes of the driver alone, which all devices have.
        const bool is_there = attribute == MU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ||
                              attribute == MU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED ||
                              attribute == MU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED ||
                              (attribute >= MU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS &&
                               attribute <= MU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR);
        if (is_there) same = musaDevAttrUnifiedAddressing;
        // Attributes of the driver alone, which no device has.
        const bool is_lacking = attribute == MU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER ||
                                attribute == MU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED ||
                                attribute == MU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED ||
                                attribute == MU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED ||
                                attribute == MU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_MUSA_VMM_SUPPORTED ||
                                (attribute >= MU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH && attribute < MU_DEVICE_ATTRIBUTE_MAX);
        if (is_lacking && !is_there) same = musaDevAttrReserved92;  // an attribute whose value is 0
        return musaDeviceGetAttribute(value, same, device);
    });
}

MUSA_EXPORT MUresult muDeviceComputeCapability(int* major, int* minor, MUdevice device) {
    const MUresult status =
        muDeviceGetAttribute(major, MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    if (status != MUSA_SUCCESS) return status;
    return muDeviceGetAttribute(minor, MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

MUSA_EXPORT MUresult muDevicePrimaryCtxRetain(MUcontext* context, MUdevice device) {
    if (!context) return MUSA_ERROR_INVALID_VALUE;
    const MUresult status = check_device(device);
    if (status == MUSA_SUCCESS) *context = primary_context(device);
    return status;
}

MUSA_EXPORT MUresult muDevicePrimaryCtxRelease(MUdevice device) { return check_device(device); }
MUSA_FIRST_NAME(muDevicePrimaryCtxRelease)

MUSA_EXPORT MUresult muCtxCreate(MUcontext* context, unsigned int, MUdevice device) {
    const MUresult status = muDevicePrimaryCtxRetain(context, device);
    return status == MUSA_SUCCESS ? muCtxPushCurrent(*context) : status;
}
MUSA_FIRST_NAME(muCtxCreate)

MUSA_EXPORT MUresult muCtxDestroy(MUcontext context) {
    if (!is_context(context)) return MUSA_ERROR_INVALID_CONTEXT;
    if (context_stack().empty() || context_stack().back() != context) return MUSA_SUCCESS;
    context_stack().pop_back();
    return select_top();
}
MUSA_FIRST_NAME(muCtxDestroy)

MUSA_EXPORT MUresult muCtxSetCurrent(MUcontext context) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    if (context && !is_context(context)) return MUSA_ERROR_INVALID_CONTEXT;
    if (!context_stack().empty()) context_stack().pop_back();
    if (context) context_stack().push_back(context);
    return select_top();
}

MUSA_EXPORT MUresult muCtxGetCurrent(MUcontext* context) {
    if (!context) return MUSA_ERROR_INVALID_VALUE;
    MUdevice device = 0;
    const MUresult status = muCtxGetDevice(&device);
    if (status == MUSA_SUCCESS) *context = primary_context(device);
    return status;
}

MUSA_EXPORT MUresult muCtxPushCurrent(MUcontext context) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    if (!is_context(context)) return MUSA_ERROR_INVALID_CONTEXT;
    context_stack().push_back(context);
    return select_top();
}
MUSA_FIRST_NAME(muCtxPushCurrent)

MUSA_EXPORT MUresult muCtxPopCurrent(MUcontext* context) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    if (context_stack().empty()) return MUSA_ERROR_INVALID_CONTEXT;
    if (context) *context = context_stack().back();
    context_stack().pop_back();
    return select_top();
}
MUSA_FIRST_NAME(muCtxPopCurrent)

// The program may have changed the device by the runtime API since: the runtime's answer counts.
MUSA_EXPORT MUresult muCtxGetDevice(MUdevice* device) {
    return driver::call([=] { return musaGetDevice(device); });
}

MUSA_EXPORT MUresult muCtxSynchronize(void) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([] { return musaDeviceSynchronize(); });
}

MUSA_EXPORT MUresult muDeviceGetUuid(MUuuid* uuid, MUdevice device) {
    if (!uuid) return MUSA_ERROR_INVALID_VALUE;
    musaDeviceProp properties;
    const MUresult status = driver::call([&] { return musaGetDeviceProperties(&properties, device); });
    if (status == MUSA_SUCCESS) *uuid = properties.uuid;
    return status;
}
MUSA_FIRST_NAME(muDeviceGetUuid)

MUSA_EXPORT MUresult muDeviceGetLuid(char* luid, unsigned int* node_mask, MUdevice device) {
    if (!luid || !node_mask) return MUSA_ERROR_INVALID_VALUE;
    musaDeviceProp properties;
    const MUresult status = driver::call([&] { return musaGetDeviceProperties(&properties, device); });
    if (status != MUSA_SUCCESS) return status;
    std::memcpy(luid, properties.luid, sizeof properties.luid);
    *node_mask = properties.luidDeviceNodeMask;
    return status;
}

MUSA_EXPORT MUresult muDeviceGetProperties(MUdevprop* properties, MUdevice device) {
    if (!properties) return MUSA_ERROR_INVALID_VALUE;
    musaDeviceProp all;
    const MUresult status = driver::call([&] { return musaGetDeviceProperties(&all, device); });
    if (status != MUSA_SUCCESS) return status;
    *properties = {};
    properties->maxThreadsPerBlock = all.maxThreadsPerBlock;
    std::memcpy(properties->maxThreadsDim, all.maxThreadsDim, sizeof all.maxThreadsDim);
    std::memcpy(properties->maxGridSize, all.maxGridSize, sizeof all.maxGridSize);
    properties->sharedMemPerBlock = static_cast<int>(all.sharedMemPerBlock);
    properties->totalConstantMemory = static_cast<int>(all.totalConstMem);
    properties->SIMDWidth = all.warpSize;
    properties->memPitch = static_cast<int>(all.memPitch);
    properties->regsPerBlock = all.regsPerBlock;
    properties->clockRate = all.clockRate;
    properties->textureAlign = static_cast<int>(all.textureAlignment);
    return status;
}

MUSA_EXPORT MUresult muDeviceGetPCIBusId(char* id, int length, MUdevice device) {
    return driver::call([=] { return musaDeviceGetPCIBusId(id, length, device); });
}

MUSA_EXPORT MUresult muDeviceGetByPCIBusId(MUdevice* device, const char* id) {
    return driver::call([=] { return musaDeviceGetByPCIBusId(device, id); });
}

MUSA_EXPORT MUresult muDeviceCanAccessPeer(int* can, MUdevice device, MUdevice peer) {
    return driver::call([=] { return musaDeviceCanAccessPeer(can, device, peer); });
}

MUSA_EXPORT MUresult muDeviceGetP2PAttribute(int* value, MUdevice_P2PAttribute attribute, MUdevice from, MUdevice to) {
    return driver::call(
        [=] { return musaDeviceGetP2PAttribute(value, static_cast<musaDeviceP2PAttr>(attribute), from, to); });
}

MUSA_EXPORT MUresult muDeviceGetTexture1DLinearMaxWidth(size_t* width, MUarray_format format, unsigned int channels,
                                                        MUdevice device) {
    musaChannelFormatDesc element{};
    if (!driver::describe(format, channels, &element)) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([&] { return musaDeviceGetTexture1DLinearMaxWidth(width, &element, device); });
}

MUSA_EXPORT MUresult muDeviceGetExecAffinitySupport(int* supported, MUexecAffinityType type, MUdevice device) {
    if (!supported || type != MU_EXEC_AFFINITY_TYPE_SM_COUNT) return MUSA_ERROR_INVALID_VALUE;
    const MUresult status = check_device(device);
    if (status == MUSA_SUCCESS) *supported = 0;
    return status;
}

MUSA_EXPORT MUresult muDevicePrimaryCtxReset(MUdevice device) {
    return on_device(device, [] { return musaDeviceReset(); });
}
MUSA_FIRST_NAME(muDevicePrimaryCtxReset)

// Primary contexts are always active.
MUSA_EXPORT MUresult muDevicePrimaryCtxGetState(MUdevice device, unsigned int* flags, int* active) {
    if (!flags || !active) return MUSA_ERROR_INVALID_VALUE;
    *active = 1;
    return on_device(device, [=] { return musaGetDeviceFlags(flags); });
}

MUSA_EXPORT MUresult muDevicePrimaryCtxSetFlags(MUdevice device, unsigned int flags) {
    return on_device(device, [=] { return musaSetDeviceFlags(flags); });
}
MUSA_FIRST_NAME(muDevicePrimaryCtxSetFlags)

MUSA_EXPORT MUresult muCtxAttach(MUcontext* context, unsigned int flags) {
    return flags == 0 ? muCtxGetCurrent(context) : MUSA_ERROR_INVALID_VALUE;
}

MUSA_EXPORT MUresult muCtxDetach(MUcontext context) {
    return is_context(context) ? MUSA_SUCCESS : MUSA_ERROR_INVALID_CONTEXT;
}

// Each device has one context. Null means the current one.
MUSA_EXPORT MUresult muCtxGetId(MUcontext context, unsigned long long* id) {
    if (!id) return MUSA_ERROR_INVALID_VALUE;
    MUcontext meant = context;
    const MUresult status = meant ? driver::check_initialised() : muCtxGetCurrent(&meant);
    if (status != MUSA_SUCCESS) return status;
    if (!is_context(meant)) return MUSA_ERROR_INVALID_CONTEXT;
    *id = static_cast<unsigned long long>(meant->device) + 1;
    return MUSA_SUCCESS;
}

MUSA_EXPORT MUresult muCtxGetApiVersion(MUcontext context, unsigned int* version) {
    if (!version) return MUSA_ERROR_INVALID_VALUE;
    if (context && !is_context(context)) return MUSA_ERROR_INVALID_CONTEXT;
    *version = MUSA_VERSION;
    return MUSA_SUCCESS;
}

MUSA_EXPORT MUresult muCtxGetFlags(unsigned int* flags) {
    return driver::call([=] { return musaGetDeviceFlags(flags); });
}

MUSA_EXPORT MUresult muCtxGetLimit(size_t* value, MUlimit limit) {
    return driver::call([=] { return musaDeviceGetLimit(value, static_cast<musaLimit>(limit)); });
}

MUSA_EXPORT MUresult muCtxSetLimit(MUlimit limit, size_t value) {
    return driver::call([=] { return musaDeviceSetLimit(static_cast<musaLimit>(limit), value); });
}

MUSA_EXPORT MUresult muCtxGetCacheConfig(MUfunc_cache* config) {
    return driver::call([=] { return musaDeviceGetCacheConfig(reinterpret_cast<musaFuncCache*>(config)); });
}

MUSA_EXPORT MUresult muCtxSetCacheConfig(MUfunc_cache config) {
    return driver::call([=] { return musaDeviceSetCacheConfig(static_cast<musaFuncCache>(config)); });
}

MUSA_EXPORT MUresult muCtxGetSharedMemConfig(MUsharedconfig* config) {
    return driver::call([=] { return musaDeviceGetSharedMemConfig(reinterpret_cast<musaSharedMemConfig*>(config)); });
}

MUSA_EXPORT MUresult muCtxSetSharedMemConfig(MUsharedconfig config) {
    return driver::call([=] { return musaDeviceSetSharedMemConfig(static_cast<musaSharedMemConfig>(config)); });
}

MUSA_EXPORT MUresult muCtxGetStreamPriorityRange(int* least, int* greatest) {
    return driver::call([=] { return musaDeviceGetStreamPriorityRange(least, greatest); });
}

MUSA_EXPORT MUresult muCtxEnablePeerAccess(MUcontext peer, unsigned int flags) {
    if (!is_context(peer)) return MUSA_ERROR_INVALID_CONTEXT;
    return driver::call([=] { return musaDeviceEnablePeerAccess(peer->device, flags); });
}

MUSA_EXPORT MUresult muCtxDisablePeerAccess(MUcontext peer) {
    if (!is_context(peer)) return MUSA_ERROR_INVALID_CONTEXT;
    return driver::call([=] { return musaDeviceDisablePeerAccess(peer->device); });
}

MUSA_EXPORT MUresult muCtxResetPersistingL2Cache(void) {
    return driver::call([] { return musaCtxResetPersistingL2Cache(); });
}

MUSA_EXPORT MUresult muCtxCreate_v3(MUcontext* context, MUexecAffinityParam*, int count, unsigned int flags,
                                    MUdevice device) {
    return count == 0 ? muCtxCreate(context, flags, device) : MUSA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
}

MUSA_EXPORT MUresult muCtxGetExecAffinity(MUexecAffinityParam* affinity, MUexecAffinityType type) {
    if (!affinity || type != MU_EXEC_AFFINITY_TYPE_SM_COUNT) return MUSA_ERROR_INVALID_VALUE;
    MUdevice device = 0;
    int count = 0;
    MUresult status = muCtxGetDevice(&device);
    if (status == MUSA_SUCCESS)
        status = muDeviceGetAttribute(&count, MU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    if (status != MUSA_SUCCESS) return status;
    affinity->type = type;
    affinity->param.smCount.val = static_cast<unsigned>(count);
    return status;
}
