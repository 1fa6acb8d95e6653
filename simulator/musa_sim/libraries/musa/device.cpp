// muInit, devices and contexts.
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "driver.h"
#include "base/lifetime.h"

struct MUctx_st {
    MUdevice device;
};

namespace {

std::atomic<bool> initialised{false};

// The primary contexts, one per device; they live as long as the process.
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

// The runtime's current device follows the top of the stack.
MUresult select_top() {
    if (context_stack().empty()) return MUSA_SUCCESS;
    return driver::result_of(musaSetDevice(context_stack().back()->device));
}

}  // namespace

MUresult driver::check_initialised() { return initialised ? MUSA_SUCCESS : MUSA_ERROR_NOT_INITIALIZED; }

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

MUSA_EXPORT MUresult muDeviceGetAttribute(int* value, MUdevice_attribute attribute, MUdevice device) {
    return driver::call([=] {
        musaDeviceAttr same = static_cast<musaDeviceAttr>(attribute);
        // Virtual memory is the driver's alone; all devices have it.
        const bool is_virtual_memory = attribute == MU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ||
                                       attribute == MU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
        if (is_virtual_memory) same = musaDevAttrUnifiedAddressing;
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

MUSA_EXPORT MUresult muCtxCreate(MUcontext* context, unsigned int, MUdevice device) {
    const MUresult status = muDevicePrimaryCtxRetain(context, device);
    return status == MUSA_SUCCESS ? muCtxPushCurrent(*context) : status;
}

MUSA_EXPORT MUresult muCtxDestroy(MUcontext context) {
    if (!is_context(context)) return MUSA_ERROR_INVALID_CONTEXT;
    if (context_stack().empty() || context_stack().back() != context) return MUSA_SUCCESS;
    context_stack().pop_back();
    return select_top();
}

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

MUSA_EXPORT MUresult muCtxPopCurrent(MUcontext* context) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    if (context_stack().empty()) return MUSA_ERROR_INVALID_CONTEXT;
    if (context) *context = context_stack().back();
    context_stack().pop_back();
    return select_top();
}

// The runtime may have changed the device since: it has the last word.
MUSA_EXPORT MUresult muCtxGetDevice(MUdevice* device) {
    return driver::call([=] { return musaGetDevice(device); });
}

MUSA_EXPORT MUresult muCtxSynchronize(void) {
    return driver::call([] { return musaDeviceSynchronize(); });
}
