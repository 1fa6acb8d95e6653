// Settings of devices, and the choice of a device by its properties. Sizes and ways to wait are remembered; nothing depends
// on them here.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <map>
#include <string>

#include "base/devices.h"
#include "base/small_tables.h"
#include "memory/arrays.h"

using musa_sim::api_call;
using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::DeviceTable;
using musa_sim::is_device;

namespace {

struct DeviceSettings {
    unsigned flags = musaDeviceScheduleAuto;
    musaFuncCache cache = musaFuncCachePreferNone;
    // CUDA's, by the limits' numbers.
    std::array<std::size_t, 7> limits{1024, std::size_t{1} << 20, std::size_t{8} << 20, 2, 2048, 64, 0};
};

struct AllSettings {
    std::map<int, DeviceSettings> by_device;

    static AllSettings& instance() {
        static auto& settings = musa_sim::leaked<AllSettings>();
        return settings;
    }
};

// body(settings) as an API function, for the current device's.
template <class Body>
musaError_t settings_call(Body&& body) {
    return device_call([&] {
        AllSettings& all = AllSettings::instance();
        std::lock_guard<std::mutex> lock(musa_sim::small_tables());
        return body(all.by_device[current_device()]);
    });
}

// Launches from kernels have none.
musaError_t check_limit(musaLimit limit) {
    if (limit == musaLimitDevRuntimeSyncDepth || limit == musaLimitDevRuntimePendingLaunchCount)
        return musaErrorUnsupportedLimit;
    return limit >= musaLimitStackSize && limit <= musaLimitPersistingL2CacheSize ? musaSuccess
                                                                                  : musaErrorInvalidValue;
}

musaError_t check_flags(unsigned flags) {
    const unsigned schedule = flags & musaDeviceScheduleMask;
    const bool one_at_most = (schedule & (schedule - 1)) == 0;
    return one_at_most && (flags & ~static_cast<unsigned>(musaDeviceMask)) == 0 ? musaSuccess : musaErrorInvalidValue;
}

// How many of the properties that a program may wish for a device has. Zero is no wish.
int matches(const musaDeviceProp& has, const musaDeviceProp& wish) {
    int count = 0;
    count += wish.major > 0 && (has.major > wish.major || (has.major == wish.major && has.minor >= wish.minor));
    count += wish.totalGlobalMem > 0 && has.totalGlobalMem >= wish.totalGlobalMem;
    count += wish.multiProcessorCount > 0 && has.multiProcessorCount >= wish.multiProcessorCount;
    count += wish.sharedMemPerBlock > 0 && has.sharedMemPerBlock >= wish.sharedMemPerBlock;
    count += wish.name[0] != 0 && std::strncmp(has.name, wish.name, sizeof has.name) == 0;
    return count;
}

}  // namespace

musaError_t musaSetDeviceFlags(unsigned int flags) {
    return settings_call([&](DeviceSettings& settings) {
        const musaError_t error = check_flags(flags);
        if (error == musaSuccess) settings.flags = flags;
        return error;
    });
}

// Devices map host memory, whatever the flags are.
musaError_t musaGetDeviceFlags(unsigned int* flags) {
    return settings_call([&](const DeviceSettings& settings) {
        return flags ? (*flags = settings.flags | musaDeviceMapHost, musaSuccess) : musaErrorInvalidValue;
    });
}

musaError_t musaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
    return device_call([&] {
        constexpr unsigned flags_count = 1;
        if (!is_device(device)) return musaErrorInvalidDevice;
        const musaError_t error = check_flags(deviceFlags);
        if (error != musaSuccess || (flags & ~flags_count) != 0) return musaErrorInvalidValue;
        AllSettings& all = AllSettings::instance();
        std::lock_guard<std::mutex> lock(musa_sim::small_tables());
        if (flags & flags_count) all.by_device[device].flags = deviceFlags;
        return musaSuccess;
    });
}

musaError_t musaDeviceSetLimit(musaLimit limit, size_t value) {
    return settings_call([&](DeviceSettings& settings) {
        const musaError_t error = check_limit(limit);
        if (error == musaSuccess) settings.limits[static_cast<std::size_t>(limit)] = value;
        return error;
    });
}

musaError_t musaDeviceGetLimit(size_t* value, musaLimit limit) {
    return settings_call([&](const DeviceSettings& settings) {
        const musaError_t error = value ? check_limit(limit) : musaErrorInvalidValue;
        if (error == musaSuccess) *value = settings.limits[static_cast<std::size_t>(limit)];
        return error;
    });
}

// A preference, which a device without a configurable cache is free to ignore.
musaError_t musaDeviceSetCacheConfig(musaFuncCache cacheConfig) {
    return settings_call([&](DeviceSettings& settings) {
        if (cacheConfig < musaFuncCachePreferNone || cacheConfig > musaFuncCachePreferEqual) return musaErrorInvalidValue;
        settings.cache = cacheConfig;
        return musaSuccess;
    });
}

musaError_t musaDeviceGetCacheConfig(musaFuncCache* cacheConfig) {
    return settings_call([&](const DeviceSettings& settings) {
        return cacheConfig ? (*cacheConfig = settings.cache, musaSuccess) : musaErrorInvalidValue;
    });
}

// No cache keeps anything.
musaError_t musaCtxResetPersistingL2Cache() {
    return device_call([] { return musaSuccess; });
}

// The first of the devices that have most of what is wished for.
musaError_t musaChooseDevice(int* device, const musaDeviceProp* prop) {
    return api_call([&] {
        if (!device || !prop) return musaErrorInvalidValue;
        if (DeviceTable::instance().status() != musaSuccess) return DeviceTable::instance().status();
        int most = -1;
        for (int i = 0; i < DeviceTable::instance().count(); ++i) {
            musaDeviceProp has;
            const musaError_t error = musaGetDeviceProperties(&has, i);
            if (error != musaSuccess) return error;
            if (matches(has, *prop) > most) most = matches(has, *prop), *device = i;
        }
        return musaSuccess;
    });
}

// All devices stay valid; the first of the list is the current one.
musaError_t musaSetValidDevices(int* devices, int count) {
    return api_call([&] {
        if (count < 0 || (count > 0 && !devices)) return musaErrorInvalidValue;
        const bool known = std::all_of(devices, devices + count, is_device);
        if (!known) return musaErrorInvalidDevice;
        if (count > 0) musa_sim::set_current_device(devices[0]);
        return musaSuccess;
    });
}

// As musaDeviceGetPCIBusId writes it; the domain and the function may be missing, letters may be large.
musaError_t musaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
    return api_call([&] {
        if (!device || !pciBusId) return musaErrorInvalidValue;
        std::string wanted = pciBusId;
        std::transform(wanted.begin(), wanted.end(), wanted.begin(), [](unsigned char c) { return std::tolower(c); });
        if (std::count(wanted.begin(), wanted.end(), ':') == 1) wanted = "0000:" + wanted;
        if (wanted.find('.') == std::string::npos) wanted += ".0";
        for (int i = 0; i < DeviceTable::instance().count(); ++i) {
            char name[32];
            if (musaDeviceGetPCIBusId(name, sizeof name, i) != musaSuccess || wanted != name) continue;
            *device = i;
            return musaSuccess;
        }
        return musaErrorInvalidValue;
    });
}

musaError_t musaDeviceGetP2PAttribute(int* value, musaDeviceP2PAttr attr, int srcDevice, int dstDevice) {
    return api_call([&] {
        if (!is_device(srcDevice) || !is_device(dstDevice) || srcDevice == dstDevice) return musaErrorInvalidDevice;
        if (!value) return musaErrorInvalidValue;
        switch (attr) {
            case musaDevP2PAttrPerformanceRank: *value = 0; return musaSuccess;
            case musaDevP2PAttrAccessSupported:
            case musaDevP2PAttrNativeAtomicSupported:
            case musaDevP2PAttrMusaArrayAccessSupported: *value = 1; return musaSuccess;
        }
        return musaErrorInvalidValue;
    });
}

musaError_t musaDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements, const musaChannelFormatDesc* fmtDesc,
                                                 int device) {
    return api_call([&] {
        if (!maxWidthInElements || !fmtDesc) return musaErrorInvalidValue;
        if (!is_device(device)) return musaErrorInvalidDevice;
        if (musa_sim::components_of(*fmtDesc) == 0) return musaErrorInvalidChannelDescriptor;
        *maxWidthInElements = musa_sim::max_texture_linear;
        return musaSuccess;
    });
}

musaError_t musaThreadSynchronize() { return musaDeviceSynchronize(); }
musaError_t musaThreadExit() { return musaDeviceReset(); }
musaError_t musaThreadSetLimit(musaLimit limit, size_t value) { return musaDeviceSetLimit(limit, value); }
musaError_t musaThreadGetLimit(size_t* value, musaLimit limit) { return musaDeviceGetLimit(value, limit); }
musaError_t musaThreadSetCacheConfig(musaFuncCache cacheConfig) { return musaDeviceSetCacheConfig(cacheConfig); }
musaError_t musaThreadGetCacheConfig(musaFuncCache* cacheConfig) { return musaDeviceGetCacheConfig(cacheConfig); }

musaError_t musaSetDoubleForDevice(double* d) {
    return api_call([&] { return d ? musaSuccess : musaErrorInvalidValue; });
}

musaError_t musaSetDoubleForHost(double* d) { return musaSetDoubleForDevice(d); }
