// musaGetDevice..., properties and attributes.
//
// Synchronising flushes stdout, because that is when the output of device printf appears on a GPU.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/devices.h"
#include "memory/arrays.h"
#include "memory/memory_pools.h"
#include "memory/peer_access.h"
#include "streams/activity.h"
#include "streams/capture.h"
#include "streams/stream_queues.h"

using musa_sim::api_call;
using musa_sim::Architecture;
using musa_sim::capture_check;
using musa_sim::Captures;
using musa_sim::Device;
using musa_sim::device_call;
using musa_sim::DeviceTable;

namespace {

constexpr int version = MUSART_VERSION;

musaError_t require_device(int device) {
    DeviceTable& table = DeviceTable::instance();
    if (table.status() != musaSuccess) return table.status();
    return table.contains(device) ? musaSuccess : musaErrorInvalidDevice;
}

// Arrays and textures of CUDA's sizes: a guess.
void set_texture_limits(musaDeviceProp& p) {
    using namespace musa_sim;
    p.textureAlignment = texture_alignment;
    p.texturePitchAlignment = texture_pitch_alignment;
    p.surfaceAlignment = texture_alignment;
    p.maxTexture1D = p.maxSurface1D = static_cast<int>(max_array_1d);
    p.maxTexture1DLinear = static_cast<int>(max_texture_linear);
    for (int i = 0; i < 2; ++i) {
        p.maxTexture2D[i] = p.maxSurface2D[i] = static_cast<int>(max_array_2d[i]);
        p.maxTexture2DLinear[i] = static_cast<int>(max_array_2d[i]);
    }
    p.maxTexture2DLinear[2] = 2097120;  // bytes of a row
    for (int i = 0; i < 3; ++i) p.maxTexture3D[i] = p.maxSurface3D[i] = static_cast<int>(max_array_3d);
}

// Fields that are left zero are not known, or have no meaning for a simulated device.
musaDeviceProp properties(int index) {
    const Device& device = DeviceTable::instance()[index];
    const Architecture& arch = *device.architecture;
    musaDeviceProp p{};
    std::snprintf(p.name, sizeof p.name, "MUSA simulator (%s)", arch.name);
    std::snprintf(p.uuid.bytes, sizeof p.uuid.bytes, "musa-sim-%d", device.number);
    p.totalGlobalMem = device.total_memory;
    p.sharedMemPerBlock = arch.shared_per_block;
    p.regsPerBlock = arch.registers_per_block;
    p.warpSize = arch.warp_size;
    p.memPitch = 2147483647;
    p.maxThreadsPerBlock = musa_sim::max_threads_per_block;
    std::copy(std::begin(arch.limits.block), std::end(arch.limits.block), p.maxThreadsDim);
    std::copy(std::begin(arch.limits.grid), std::end(arch.limits.grid), p.maxGridSize);
    p.totalConstMem = arch.constant_memory;
    p.major = arch.major;
    p.minor = arch.minor;
    set_texture_limits(p);
    p.multiProcessorCount = arch.multiprocessors;
    p.canMapHostMemory = 1;
    p.computeMode = musaComputeModeDefault;
    p.pciBusID = device.number + 1;
    p.unifiedAddressing = 1;
    p.l2CacheSize = arch.l2_cache;
    p.maxThreadsPerMultiProcessor = arch.threads_per_multiprocessor;
    p.sharedMemPerMultiprocessor = arch.shared_per_multiprocessor;
    p.regsPerMultiprocessor = arch.registers_per_block;
    p.managedMemory = 1;
    p.concurrentManagedAccess = 1;
    p.pageableMemoryAccess = 1;
    p.canUseHostPointerForRegisteredMem = 1;
    p.cooperativeLaunch = 1;
    p.sharedMemPerBlockOptin = arch.shared_per_block_optin;
    p.maxBlocksPerMultiProcessor = musa_sim::max_blocks_per_multiprocessor;
    return p;
}

// The number of an attribute, or -1 if this runtime does not know it.
int attribute(musaDeviceAttr attr, const musaDeviceProp& p) {
    switch (attr) {
        case musaDevAttrMaxThreadsPerBlock: return p.maxThreadsPerBlock;
        case musaDevAttrMaxBlockDimX: return p.maxThreadsDim[0];
        case musaDevAttrMaxBlockDimY: return p.maxThreadsDim[1];
        case musaDevAttrMaxBlockDimZ: return p.maxThreadsDim[2];
        case musaDevAttrMaxGridDimX: return p.maxGridSize[0];
        case musaDevAttrMaxGridDimY: return p.maxGridSize[1];
        case musaDevAttrMaxGridDimZ: return p.maxGridSize[2];
        case musaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(p.sharedMemPerBlock);
        case musaDevAttrTotalConstantMemory: return static_cast<int>(p.totalConstMem);
        case musaDevAttrWarpSize: return p.warpSize;
        case musaDevAttrMaxPitch: return static_cast<int>(p.memPitch);
        case musaDevAttrMaxRegistersPerBlock: return p.regsPerBlock;
        case musaDevAttrClockRate: return p.clockRate;
        case musaDevAttrTextureAlignment: return static_cast<int>(p.textureAlignment);
        case musaDevAttrGpuOverlap: return p.deviceOverlap;
        case musaDevAttrMultiProcessorCount: return p.multiProcessorCount;
        case musaDevAttrKernelExecTimeout: return p.kernelExecTimeoutEnabled;
        case musaDevAttrIntegrated: return p.integrated;
        case musaDevAttrCanMapHostMemory: return p.canMapHostMemory;
        case musaDevAttrComputeMode: return p.computeMode;
        case musaDevAttrConcurrentKernels: return p.concurrentKernels;
        case musaDevAttrEccEnabled: return p.ECCEnabled;
        case musaDevAttrPciBusId: return p.pciBusID;
        case musaDevAttrPciDeviceId: return p.pciDeviceID;
        case musaDevAttrMemoryClockRate: return p.memoryClockRate;
        case musaDevAttrGlobalMemoryBusWidth: return p.memoryBusWidth;
        case musaDevAttrL2CacheSize: return p.l2CacheSize;
        case musaDevAttrMaxThreadsPerMultiProcessor: return p.maxThreadsPerMultiProcessor;
        case musaDevAttrAsyncEngineCount: return p.asyncEngineCount;
        case musaDevAttrUnifiedAddressing: return p.unifiedAddressing;
        case musaDevAttrPciDomainId: return p.pciDomainID;
        case musaDevAttrComputeCapabilityMajor: return p.major;
        case musaDevAttrComputeCapabilityMinor: return p.minor;
        case musaDevAttrStreamPrioritiesSupported: return p.streamPrioritiesSupported;
        case musaDevAttrMaxSharedMemoryPerMultiprocessor:
            return static_cast<int>(p.sharedMemPerMultiprocessor);
        case musaDevAttrMaxRegistersPerMultiprocessor: return p.regsPerMultiprocessor;
        case musaDevAttrManagedMemory: return p.managedMemory;
        case musaDevAttrPageableMemoryAccess: return p.pageableMemoryAccess;
        case musaDevAttrConcurrentManagedAccess: return p.concurrentManagedAccess;
        case musaDevAttrCooperativeLaunch: return p.cooperativeLaunch;
        case musaDevAttrMaxSharedMemoryPerBlockOptin:
            return static_cast<int>(p.sharedMemPerBlockOptin);
        case musaDevAttrHostRegisterSupported:
        case musaDevAttrHostRegisterReadOnlySupported: return 1;
        case musaDevAttrMaxBlocksPerMultiprocessor: return p.maxBlocksPerMultiProcessor;
        case musaDevAttrReservedSharedMemoryPerBlock:
            return static_cast<int>(p.reservedSharedMemPerBlock);
    }
    return -1;
}

}  // namespace

musaError_t musaDriverGetVersion(int* driverVersion) {
    return api_call([&] {
        return driverVersion ? (*driverVersion = version, musaSuccess) : musaErrorInvalidValue;
    });
}

musaError_t musaRuntimeGetVersion(int* runtimeVersion) {
    return api_call([&] {
        return runtimeVersion ? (*runtimeVersion = version, musaSuccess) : musaErrorInvalidValue;
    });
}

musaError_t musaGetDeviceCount(int* count) {
    return api_call([&] {
        if (!count) return musaErrorInvalidValue;
        *count = DeviceTable::instance().count();
        return DeviceTable::instance().status();
    });
}

musaError_t musaSetDevice(int device) {
    return api_call([&] {
        musaError_t error = require_device(device);
        if (error == musaSuccess) musa_sim::set_current_device(device);
        return error;
    });
}

musaError_t musaGetDevice(int* device) {
    return api_call([&] {
        if (!device) return musaErrorInvalidValue;
        *device = musa_sim::current_device();
        return DeviceTable::instance().status();
    });
}

musaError_t musaGetDeviceProperties(musaDeviceProp* prop, int device) {
    return api_call([&] {
        if (!prop) return musaErrorInvalidValue;
        musaError_t error = require_device(device);
        if (error == musaSuccess) *prop = properties(device);
        return error;
    });
}

musaError_t musaDeviceGetAttribute(int* value, musaDeviceAttr attr, int device) {
    return api_call([&] {
        if (!value) return musaErrorInvalidValue;
        musaError_t error = require_device(device);
        if (error != musaSuccess) return error;
        int found = attribute(attr, properties(device));
        if (found < 0) return musaErrorInvalidValue;
        *value = found;
        return musaSuccess;
    });
}

musaError_t musaDeviceGetPCIBusId(char* pciBusId, int length, int device) {
    return api_call([&] {
        musaError_t error = require_device(device);
        if (error != musaSuccess) return error;
        char text[16];
        musaDeviceProp p = properties(device);
        int size = std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", p.pciDomainID, p.pciBusID,
                                 p.pciDeviceID);
        if (!pciBusId || length <= size) return musaErrorInvalidValue;
        std::memcpy(pciBusId, text, static_cast<std::size_t>(size) + 1);
        return musaSuccess;
    });
}

musaError_t musaDeviceSynchronize() {
    const musa_sim::ActivityCall call(__func__);
    return device_call([] {
        const int device = musa_sim::current_device();
        const musaError_t forbidden = capture_check(&Captures::check_wait_for_device, device);
        if (forbidden != musaSuccess) return forbidden;
        musa_sim::StreamQueues::instance().synchronize_device(device);
        musa_sim::Executable::sweep();
        musa_sim::MemoryPools::instance().synchronized();
        std::fflush(stdout);
        return musa_sim::device_error(device);
    });
}

// Wait for the device, clear its error and its access to other devices. Memory and streams stay: on a GPU they would be gone,
// but then every framework that resets a device by mistake would crash here instead of showing the
// error it made.
musaError_t musaDeviceReset() {
    return api_call([] {
        DeviceTable& table = DeviceTable::instance();
        if (table.status() != musaSuccess) return table.status();
        if (musa_sim::in_host_function()) return musaErrorNotPermitted;
        const musaError_t forbidden =
            capture_check(&Captures::check_wait_for_device, musa_sim::current_device());
        if (forbidden != musaSuccess) return forbidden;
        musa_sim::StreamQueues::instance().synchronize_device(musa_sim::current_device());
        musa_sim::PeerAccess::instance().disable_all(musa_sim::current_device());
        musa_sim::current().error = musaSuccess;
        musa_sim::clear_last_error();
        return musaSuccess;
    });
}

// Each device can be enabled to access each other one.
musaError_t musaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
    return api_call([&] {
        if (!canAccessPeer) return musaErrorInvalidValue;
        musaError_t error = require_device(device);
        if (error == musaSuccess) error = require_device(peerDevice);
        if (error == musaSuccess) *canAccessPeer = device != peerDevice;
        return error;
    });
}

musaError_t musaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
    return device_call([&] {
        if (leastPriority) *leastPriority = musa_sim::least_stream_priority;
        if (greatestPriority) *greatestPriority = musa_sim::greatest_stream_priority;
        return musaSuccess;
    });
}

// A preference, which a device without a configurable cache is free to ignore.
musaError_t musaDeviceSetCacheConfig(musaFuncCache cacheConfig) {
    return device_call([&] {
        return cacheConfig >= musaFuncCachePreferNone && cacheConfig <= musaFuncCachePreferEqual
                   ? musaSuccess
                   : musaErrorInvalidValue;
    });
}

musaError_t musaDeviceSetSharedMemConfig(musaSharedMemConfig config) {
    return device_call([&] {
        return config >= musaSharedMemBankSizeDefault && config <= musaSharedMemBankSizeEightByte
                   ? musaSuccess
                   : musaErrorInvalidValue;
    });
}

// Banks of another width do not exist, whatever was preferred.
musaError_t musaDeviceGetSharedMemConfig(musaSharedMemConfig* config) {
    return device_call([&] {
        return config ? (*config = musaSharedMemBankSizeFourByte, musaSuccess)
                      : musaErrorInvalidValue;
    });
}

// Without effect: torch's profiler starts its own recording (musa_sim_activity.h).
musaError_t musaProfilerStart() {
    return device_call([] { return musaSuccess; });
}

musaError_t musaProfilerStop() {
    return device_call([] { return musaSuccess; });
}
