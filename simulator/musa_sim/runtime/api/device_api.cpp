// musaGetDevice..., properties and attributes.
//
// Synchronising flushes stdout, because that is when the output of device printf appears on a GPU.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "base/device_abi.h"
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
    const int side = static_cast<int>(max_array_layered), layers = static_cast<int>(max_layers);
    const int cubes = layers / 6 * 6;
    for (int* const sizes : {p.maxTexture1DLayered, p.maxSurface1DLayered}) sizes[0] = side, sizes[1] = layers;
    for (int* const sizes : {p.maxTexture2DLayered, p.maxSurface2DLayered})
        sizes[0] = sizes[1] = side, sizes[2] = layers;
    p.maxTextureCubemap = p.maxSurfaceCubemap = side;
    for (int* const sizes : {p.maxTextureCubemapLayered, p.maxSurfaceCubemapLayered})
        sizes[0] = side, sizes[1] = cubes;
    p.maxTexture2DGather[0] = p.maxTexture2DGather[1] = side;
    p.maxTexture1DMipmap = p.maxTexture2DMipmap[0] = p.maxTexture2DMipmap[1] = side;
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
    p.hostRegisterSupported = p.hostRegisterReadOnlySupported = 1;
    p.memoryPoolsSupported = 1;
    p.memoryPoolSupportedHandleTypes = musaMemHandleTypePosixFileDescriptor;
    return p;
}

// The number of an attribute, or -1 if this runtime does not know it. Zero: not known of the device, or not had by it.
int attribute(musaDeviceAttr attr, const musaDeviceProp& p) {
    const auto size = [](std::size_t bytes) { return static_cast<int>(bytes); };
    switch (attr) {
        case musaDevAttrMaxThreadsPerBlock: return p.maxThreadsPerBlock;
        case musaDevAttrMaxBlockDimX: return p.maxThreadsDim[0];
        case musaDevAttrMaxBlockDimY: return p.maxThreadsDim[1];
        case musaDevAttrMaxBlockDimZ: return p.maxThreadsDim[2];
        case musaDevAttrMaxGridDimX: return p.maxGridSize[0];
        case musaDevAttrMaxGridDimY: return p.maxGridSize[1];
        case musaDevAttrMaxGridDimZ: return p.maxGridSize[2];
        case musaDevAttrMaxSharedMemoryPerBlock: return size(p.sharedMemPerBlock);
        case musaDevAttrTotalConstantMemory: return size(p.totalConstMem);
        case musaDevAttrWarpSize: return p.warpSize;
        case musaDevAttrMaxPitch: return size(p.memPitch);
        case musaDevAttrMaxRegistersPerBlock: return p.regsPerBlock;
        case musaDevAttrClockRate: return p.clockRate;
        case musaDevAttrTextureAlignment: return size(p.textureAlignment);
        case musaDevAttrGpuOverlap: return p.deviceOverlap;
        case musaDevAttrMultiProcessorCount: return p.multiProcessorCount;
        case musaDevAttrKernelExecTimeout: return p.kernelExecTimeoutEnabled;
        case musaDevAttrIntegrated: return p.integrated;
        case musaDevAttrCanMapHostMemory: return p.canMapHostMemory;
        case musaDevAttrComputeMode: return p.computeMode;
        case musaDevAttrMaxTexture1DWidth: return p.maxTexture1D;
        case musaDevAttrMaxTexture2DWidth: return p.maxTexture2D[0];
        case musaDevAttrMaxTexture2DHeight: return p.maxTexture2D[1];
        case musaDevAttrMaxTexture3DWidth: return p.maxTexture3D[0];
        case musaDevAttrMaxTexture3DHeight: return p.maxTexture3D[1];
        case musaDevAttrMaxTexture3DDepth: return p.maxTexture3D[2];
        case musaDevAttrMaxTexture2DLayeredWidth: return p.maxTexture2DLayered[0];
        case musaDevAttrMaxTexture2DLayeredHeight: return p.maxTexture2DLayered[1];
        case musaDevAttrMaxTexture2DLayeredLayers: return p.maxTexture2DLayered[2];
        case musaDevAttrSurfaceAlignment: return size(p.surfaceAlignment);
        case musaDevAttrConcurrentKernels: return p.concurrentKernels;
        case musaDevAttrEccEnabled: return p.ECCEnabled;
        case musaDevAttrPciBusId: return p.pciBusID;
        case musaDevAttrPciDeviceId: return p.pciDeviceID;
        case musaDevAttrTccDriver: return p.tccDriver;
        case musaDevAttrMemoryClockRate: return p.memoryClockRate;
        case musaDevAttrGlobalMemoryBusWidth: return p.memoryBusWidth;
        case musaDevAttrL2CacheSize: return p.l2CacheSize;
        case musaDevAttrMaxThreadsPerMultiProcessor: return p.maxThreadsPerMultiProcessor;
        case musaDevAttrAsyncEngineCount: return p.asyncEngineCount;
        case musaDevAttrUnifiedAddressing: return p.unifiedAddressing;
        case musaDevAttrMaxTexture1DLayeredWidth: return p.maxTexture1DLayered[0];
        case musaDevAttrMaxTexture1DLayeredLayers: return p.maxTexture1DLayered[1];
        case musaDevAttrMaxTexture2DGatherWidth: return p.maxTexture2DGather[0];
        case musaDevAttrMaxTexture2DGatherHeight: return p.maxTexture2DGather[1];
        case musaDevAttrMaxTexture3DWidthAlt: return p.maxTexture3DAlt[0];
        case musaDevAttrMaxTexture3DHeightAlt: return p.maxTexture3DAlt[1];
        case musaDevAttrMaxTexture3DDepthAlt: return p.maxTexture3DAlt[2];
        case musaDevAttrPciDomainId: return p.pciDomainID;
        case musaDevAttrTexturePitchAlignment: return size(p.texturePitchAlignment);
        case musaDevAttrMaxTextureCubemapWidth: return p.maxTextureCubemap;
        case musaDevAttrMaxTextureCubemapLayeredWidth: return p.maxTextureCubemapLayered[0];
        case musaDevAttrMaxTextureCubemapLayeredLayers: return p.maxTextureCubemapLayered[1];
        case musaDevAttrMaxSurface1DWidth: return p.maxSurface1D;
        case musaDevAttrMaxSurface2DWidth: return p.maxSurface2D[0];
        case musaDevAttrMaxSurface2DHeight: return p.maxSurface2D[1];
        case musaDevAttrMaxSurface3DWidth: return p.maxSurface3D[0];
        case musaDevAttrMaxSurface3DHeight: return p.maxSurface3D[1];
        case musaDevAttrMaxSurface3DDepth: return p.maxSurface3D[2];
        case musaDevAttrMaxSurface1DLayeredWidth: return p.maxSurface1DLayered[0];
        case musaDevAttrMaxSurface1DLayeredLayers: return p.maxSurface1DLayered[1];
        case musaDevAttrMaxSurface2DLayeredWidth: return p.maxSurface2DLayered[0];
        case musaDevAttrMaxSurface2DLayeredHeight: return p.maxSurface2DLayered[1];
        case musaDevAttrMaxSurface2DLayeredLayers: return p.maxSurface2DLayered[2];
        case musaDevAttrMaxSurfaceCubemapWidth: return p.maxSurfaceCubemap;
        case musaDevAttrMaxSurfaceCubemapLayeredWidth: return p.maxSurfaceCubemapLayered[0];
        case musaDevAttrMaxSurfaceCubemapLayeredLayers: return p.maxSurfaceCubemapLayered[1];
        case musaDevAttrMaxTexture1DLinearWidth: return p.maxTexture1DLinear;
        case musaDevAttrMaxTexture2DLinearWidth: return p.maxTexture2DLinear[0];
        case musaDevAttrMaxTexture2DLinearHeight: return p.maxTexture2DLinear[1];
        case musaDevAttrMaxTexture2DLinearPitch: return p.maxTexture2DLinear[2];
        case musaDevAttrMaxTexture2DMipmappedWidth: return p.maxTexture2DMipmap[0];
        case musaDevAttrMaxTexture2DMipmappedHeight: return p.maxTexture2DMipmap[1];
        case musaDevAttrComputeCapabilityMajor: return p.major;
        case musaDevAttrComputeCapabilityMinor: return p.minor;
        case musaDevAttrMaxTexture1DMipmappedWidth: return p.maxTexture1DMipmap;
        case musaDevAttrStreamPrioritiesSupported: return p.streamPrioritiesSupported;
        case musaDevAttrGlobalL1CacheSupported: return p.globalL1CacheSupported;
        case musaDevAttrLocalL1CacheSupported: return p.localL1CacheSupported;
        case musaDevAttrMaxSharedMemoryPerMultiprocessor: return size(p.sharedMemPerMultiprocessor);
        case musaDevAttrMaxRegistersPerMultiprocessor: return p.regsPerMultiprocessor;
        case musaDevAttrManagedMemory: return p.managedMemory;
        case musaDevAttrIsMultiGpuBoard: return p.isMultiGpuBoard;
        case musaDevAttrMultiGpuBoardGroupID: return p.multiGpuBoardGroupID;
        case musaDevAttrHostNativeAtomicSupported: return p.hostNativeAtomicSupported;
        case musaDevAttrSingleToDoublePrecisionPerfRatio: return p.singleToDoublePrecisionPerfRatio;
        case musaDevAttrPageableMemoryAccess: return p.pageableMemoryAccess;
        case musaDevAttrConcurrentManagedAccess: return p.concurrentManagedAccess;
        case musaDevAttrComputePreemptionSupported: return p.computePreemptionSupported;
        case musaDevAttrCanUseHostPointerForRegisteredMem: return p.canUseHostPointerForRegisteredMem;
        case musaDevAttrCooperativeLaunch: return p.cooperativeLaunch;
        case musaDevAttrCooperativeMultiDeviceLaunch: return p.cooperativeMultiDeviceLaunch;
        case musaDevAttrMaxSharedMemoryPerBlockOptin: return size(p.sharedMemPerBlockOptin);
        case musaDevAttrHostRegisterSupported: return p.hostRegisterSupported;
        case musaDevAttrPageableMemoryAccessUsesHostPageTables: return p.pageableMemoryAccessUsesHostPageTables;
        case musaDevAttrDirectManagedMemAccessFromHost: return p.directManagedMemAccessFromHost;
        case musaDevAttrMaxBlocksPerMultiprocessor: return p.maxBlocksPerMultiProcessor;
        case musaDevAttrMaxPersistingL2CacheSize: return p.persistingL2CacheMaxSize;
        case musaDevAttrMaxAccessPolicyWindowSize: return p.accessPolicyMaxWindowSize;
        case musaDevAttrReservedSharedMemoryPerBlock: return size(p.reservedSharedMemPerBlock);
        case musaDevAttrSparseMusaArraySupported: return p.sparseMusaArraySupported;
        case musaDevAttrHostRegisterReadOnlySupported: return p.hostRegisterReadOnlySupported;
        case musaDevAttrTimelineSemaphoreInteropSupported: return p.timelineSemaphoreInteropSupported;
        case musaDevAttrMemoryPoolsSupported: return p.memoryPoolsSupported;
        case musaDevAttrGPUDirectRDMASupported: return p.gpuDirectRDMASupported;
        case musaDevAttrGPUDirectRDMAFlushWritesOptions: return static_cast<int>(p.gpuDirectRDMAFlushWritesOptions);
        case musaDevAttrGPUDirectRDMAWritesOrdering: return p.gpuDirectRDMAWritesOrdering;
        case musaDevAttrMemoryPoolSupportedHandleTypes: return static_cast<int>(p.memoryPoolSupportedHandleTypes);
        case musaDevAttrReserved92:
        case musaDevAttrReserved93:
        case musaDevAttrReserved94:
        case musaDevAttrCanFlushRemoteWrites: return 0;
        case musaDevAttrMax: break;
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

// The form of CUDA 11, without the last fields: for binaries that were built with it.
extern "C" MUSA_SIM_EXPORT musaError_t musa_device_properties_v1(void* prop, int device) __asm__("musaGetDeviceProperties");
musaError_t musa_device_properties_v1(void* prop, int device) {
    musaDeviceProp whole;
    const musaError_t error = musaGetDeviceProperties(&whole, device);
    if (error != musaSuccess) return error;
    if (!prop) return api_call([] { return musaErrorInvalidValue; });
    std::memcpy(prop, &whole, offsetof(musaDeviceProp, hostRegisterSupported));
    return musaSuccess;
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
