// MTML: the simulated devices as a management tool sees them. See include/mtml.h.
#include <mtml.h>
#include <musa_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "../exported.h"

struct MtmlLibrary {
    int inits = 0;
};

namespace {

MtmlLibrary the_library;
constexpr char kVersion[] = "2.4.3-simulator";  // of the interface: mthreads-ml-py's

// The handle of a device or of its part is the device's number, counted from 1.
template <class Handle>
int number_of(const Handle* handle) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(handle)) - 1;
}

template <class Handle>
MtmlReturn give(int number, Handle** handle) {
    if (!handle) return MTML_ERROR_INVALID_ARGUMENT;
    *handle = reinterpret_cast<Handle*>(static_cast<std::uintptr_t>(number) + 1);
    return MTML_SUCCESS;
}

int device_count() {
    int count = 0;
    return musaGetDeviceCount(&count) == musaSuccess ? count : 0;
}

template <class Handle>
MtmlReturn properties_of(const Handle* handle, musaDeviceProp& properties) {
    const int number = number_of(handle);
    if (number < 0 || number >= device_count()) return MTML_ERROR_INVALID_ARGUMENT;
    return musaGetDeviceProperties(&properties, number) == musaSuccess ? MTML_SUCCESS : MTML_ERROR_DRIVER_FAILURE;
}

MtmlReturn say(const std::string& text, char* buffer, unsigned int length) {
    if (!buffer) return MTML_ERROR_INVALID_ARGUMENT;
    if (text.size() + 1 > length) return MTML_ERROR_INSUFFICIENT_SIZE;
    std::memcpy(buffer, text.c_str(), text.size() + 1);
    return MTML_SUCCESS;
}

std::string uuid_of(const musaDeviceProp& properties) {
    std::string text;
    for (std::size_t i = 0; i < sizeof properties.uuid.bytes; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(properties.uuid.bytes[i]));
        text += digits;
    }
    return text;
}

std::string sbdf_of(const musaDeviceProp& properties) {
    char text[MTML_DEVICE_PCI_SBDF_BUFFER_SIZE];
    std::snprintf(text, sizeof text, "%08x:%02x:%02x.0", properties.pciDomainID, properties.pciBusID,
                  properties.pciDeviceID);
    return text;
}

// Find the device whose `name_of` is `wanted`.
MtmlReturn find(std::string (*name_of)(const musaDeviceProp&), const char* wanted, MtmlDevice** device) {
    if (!wanted || !device) return MTML_ERROR_INVALID_ARGUMENT;
    for (int number = 0; number < device_count(); ++number) {
        musaDeviceProp properties;
        if (musaGetDeviceProperties(&properties, number) == musaSuccess && name_of(properties) == wanted) {
            return give(number, device);
        }
    }
    return MTML_ERROR_NOT_FOUND;
}

// Read the free and the total memory of a device; restore the thread's current device.
MtmlReturn memory_of(const MtmlMemory* memory, std::size_t& free, std::size_t& total) {
    musaDeviceProp properties;
    const MtmlReturn known = properties_of(memory, properties);
    if (known != MTML_SUCCESS) return known;
    int current = 0;
    bool done = musaGetDevice(&current) == musaSuccess && musaSetDevice(number_of(memory)) == musaSuccess;
    done = done && musaMemGetInfo(&free, &total) == musaSuccess;
    return musaSetDevice(current) == musaSuccess && done ? MTML_SUCCESS : MTML_ERROR_DRIVER_FAILURE;
}

template <class From, class To>
MtmlReturn part_of(const From* device, To** part) {
    musaDeviceProp properties;
    const MtmlReturn known = properties_of(device, properties);
    return known == MTML_SUCCESS ? give(number_of(device), part) : known;
}

}  // namespace

MUSA_EXPORT MtmlReturn mtmlLibraryInit(MtmlLibrary** library) {
    if (!library) return MTML_ERROR_INVALID_ARGUMENT;
    if (device_count() == 0) return MTML_ERROR_DRIVER_NOT_LOADED;
    ++the_library.inits;
    *library = &the_library;
    return MTML_SUCCESS;
}

MUSA_EXPORT MtmlReturn mtmlLibraryShutDown(MtmlLibrary* library) {
    if (library != &the_library || the_library.inits == 0) return MTML_ERROR_INVALID_ARGUMENT;
    --the_library.inits;
    return MTML_SUCCESS;
}

MUSA_EXPORT MtmlReturn mtmlLibraryGetVersion(const MtmlLibrary*, char* version, unsigned int length) {
    return say(kVersion, version, length);
}

MUSA_EXPORT MtmlReturn mtmlLibraryInitSystem(const MtmlLibrary*, MtmlSystem** system) { return give(0, system); }
MUSA_EXPORT MtmlReturn mtmlLibraryFreeSystem(MtmlSystem*) { return MTML_SUCCESS; }

MUSA_EXPORT MtmlReturn mtmlLibraryCountDevice(const MtmlLibrary*, unsigned int* count) {
    if (!count) return MTML_ERROR_INVALID_ARGUMENT;
    *count = static_cast<unsigned int>(device_count());
    return MTML_SUCCESS;
}

MUSA_EXPORT MtmlReturn mtmlLibraryInitDeviceByIndex(const MtmlLibrary*, unsigned int index, MtmlDevice** device) {
    if (index >= static_cast<unsigned int>(device_count())) return MTML_ERROR_INVALID_ARGUMENT;
    return give(static_cast<int>(index), device);
}

MUSA_EXPORT MtmlReturn mtmlLibraryInitDeviceByUuid(const MtmlLibrary*, const char* uuid, MtmlDevice** device) {
    return find(&uuid_of, uuid, device);
}

MUSA_EXPORT MtmlReturn mtmlLibraryInitDeviceByPciSbdf(const MtmlLibrary*, const char* sbdf, MtmlDevice** device) {
    return find(&sbdf_of, sbdf, device);
}

MUSA_EXPORT MtmlReturn mtmlLibraryFreeDevice(MtmlDevice*) { return MTML_SUCCESS; }

MUSA_EXPORT const char* mtmlErrorString(MtmlReturn result) {
    static const char* const texts[] = {
        "success",           "driver not loaded",   "driver failure",    "invalid argument",
        "not supported",     "no permission",       "insufficient size", "not found",
        "insufficient memory", "driver too old",    "driver too new",    "timeout",
        "resource is busy",
    };
    const bool known = result >= 0 && static_cast<std::size_t>(result) < sizeof texts / sizeof *texts;
    return known ? texts[result] : "unknown error";
}

MUSA_EXPORT MtmlReturn mtmlSystemGetDriverVersion(const MtmlSystem*, char* version, unsigned int length) {
    char text[MTML_DRIVER_VERSION_BUFFER_SIZE];
    std::snprintf(text, sizeof text, "%d.%d.%d-simulator", MUSART_VERSION / 10000, MUSART_VERSION / 100 % 100,
                  MUSART_VERSION % 100);
    return say(text, version, length);
}

MUSA_EXPORT MtmlReturn mtmlDeviceInitGpu(const MtmlDevice* device, MtmlGpu** gpu) { return part_of(device, gpu); }
MUSA_EXPORT MtmlReturn mtmlDeviceFreeGpu(MtmlGpu*) { return MTML_SUCCESS; }
MUSA_EXPORT MtmlReturn mtmlDeviceInitMemory(const MtmlDevice* device, MtmlMemory** memory) {
    return part_of(device, memory);
}
MUSA_EXPORT MtmlReturn mtmlDeviceFreeMemory(MtmlMemory*) { return MTML_SUCCESS; }
MUSA_EXPORT MtmlReturn mtmlDeviceInitVpu(const MtmlDevice* device, MtmlVpu** vpu) { return part_of(device, vpu); }
MUSA_EXPORT MtmlReturn mtmlDeviceFreeVpu(MtmlVpu*) { return MTML_SUCCESS; }

MUSA_EXPORT MtmlReturn mtmlDeviceGetIndex(const MtmlDevice* device, unsigned int* index) {
    musaDeviceProp properties;
    const MtmlReturn known = properties_of(device, properties);
    if (known != MTML_SUCCESS || !index) return known != MTML_SUCCESS ? known : MTML_ERROR_INVALID_ARGUMENT;
    *index = static_cast<unsigned int>(number_of(device));
    return MTML_SUCCESS;
}

MUSA_EXPORT MtmlReturn mtmlDeviceGetName(const MtmlDevice* device, char* name, unsigned int length) {
    musaDeviceProp properties;
    const MtmlReturn known = properties_of(device, properties);
    return known == MTML_SUCCESS ? say(properties.name, name, length) : known;
}

MUSA_EXPORT MtmlReturn mtmlDeviceGetUUID(const MtmlDevice* device, char* uuid, unsigned int length) {
    musaDeviceProp properties;
    const MtmlReturn known = properties_of(device, properties);
    return known == MTML_SUCCESS ? say(uuid_of(properties), uuid, length) : known;
}

MUSA_EXPORT MtmlReturn mtmlDeviceGetBrand(const MtmlDevice* device, MtmlBrandType* brand) {
    musaDeviceProp properties;
    const MtmlReturn known = properties_of(device, properties);
    if (known != MTML_SUCCESS || !brand) return known != MTML_SUCCESS ? known : MTML_ERROR_INVALID_ARGUMENT;
    *brand = MTML_BRAND_MTT;
    return MTML_SUCCESS;
}

MUSA_EXPORT MtmlReturn mtmlDeviceGetPciInfo(const MtmlDevice* device, MtmlPciInfo* pci) {
    musaDeviceProp properties;
    const MtmlReturn known = properties_of(device, properties);
    if (known != MTML_SUCCESS || !pci) return known != MTML_SUCCESS ? known : MTML_ERROR_INVALID_ARGUMENT;
    *pci = {};
    pci->segment = static_cast<unsigned int>(properties.pciDomainID);
    pci->bus = static_cast<unsigned int>(properties.pciBusID);
    pci->device = static_cast<unsigned int>(properties.pciDeviceID);
    return say(sbdf_of(properties), pci->sbdf, sizeof pci->sbdf);
}

MUSA_EXPORT MtmlReturn mtmlDeviceGetProperty(const MtmlDevice* device, MtmlDeviceProperty* property) {
    musaDeviceProp properties;
    const MtmlReturn known = properties_of(device, properties);
    if (known != MTML_SUCCESS || !property) return known != MTML_SUCCESS ? known : MTML_ERROR_INVALID_ARGUMENT;
    *property = {};  // neither virtual devices nor instances nor links
    return MTML_SUCCESS;
}

MUSA_EXPORT MtmlReturn mtmlDeviceGetP2PStatus(const MtmlDevice* from, const MtmlDevice* to, MtmlDeviceP2PCaps,
                                              MtmlDeviceP2PStatus* status) {
    int can = 0;
    if (!status || musaDeviceCanAccessPeer(&can, number_of(from), number_of(to)) != musaSuccess) {
        return MTML_ERROR_INVALID_ARGUMENT;
    }
    *status = can ? MTML_P2P_STATUS_OK : MTML_P2P_STATUS_GPU_NOT_SUPPORTED;
    return MTML_SUCCESS;
}

MUSA_EXPORT MtmlReturn mtmlMemoryGetTotal(const MtmlMemory* memory, unsigned long long* total) {
    std::size_t free = 0, all = 0;
    const MtmlReturn known = memory_of(memory, free, all);
    if (known != MTML_SUCCESS || !total) return known != MTML_SUCCESS ? known : MTML_ERROR_INVALID_ARGUMENT;
    *total = all;
    return MTML_SUCCESS;
}

MUSA_EXPORT MtmlReturn mtmlMemoryGetUsed(const MtmlMemory* memory, unsigned long long* used) {
    std::size_t free = 0, all = 0;
    const MtmlReturn known = memory_of(memory, free, all);
    if (known != MTML_SUCCESS || !used) return known != MTML_SUCCESS ? known : MTML_ERROR_INVALID_ARGUMENT;
    *used = all - free;
    return MTML_SUCCESS;
}

MUSA_EXPORT MtmlReturn mtmlMemoryGetEccMode(const MtmlMemory* memory, MtmlEccMode* current, MtmlEccMode* pending) {
    musaDeviceProp properties;
    const MtmlReturn known = properties_of(memory, properties);
    if (known != MTML_SUCCESS || !current || !pending) return MTML_ERROR_INVALID_ARGUMENT;
    *current = *pending = properties.ECCEnabled ? MTML_MEMORY_ECC_ENABLE : MTML_MEMORY_ECC_DISABLE;
    return MTML_SUCCESS;
}

// Components that a simulated device does not have.
#define MTML_NONE(name)                                                                \
    MUSA_EXPORT MtmlReturn mtml##name(const MtmlDevice* device, unsigned int* count) { \
        musaDeviceProp properties;                                                     \
        const MtmlReturn known = properties_of(device, properties);                    \
        if (known != MTML_SUCCESS || !count) return MTML_ERROR_INVALID_ARGUMENT;       \
        *count = 0;                                                                    \
        return MTML_SUCCESS;                                                           \
    }
MTML_NONE(DeviceCountFan) MTML_NONE(DeviceCountDisplayInterface) MTML_NONE(DeviceCountSupportedVirtTypes)
MTML_NONE(DeviceCountAvailVirtTypes) MTML_NONE(DeviceCountActiveVirtDevices) MTML_NONE(DeviceCountMpcInstances)
MTML_NONE(DeviceCountSupportedMpcProfiles) MTML_NONE(DeviceCountSupportedMpcConfigurations)

// Queries that only a card can answer, whatever their arguments. Sensors (temperature, power, utilization, clocks) have
// no function at all: after pymtml's error "function not found", nvitop-musa shows N/A.
#define MTML_REFUSED(name) \
    MUSA_EXPORT MtmlReturn mtml##name() { return MTML_ERROR_NOT_SUPPORTED; }
MTML_REFUSED(DeviceCountAvailVirtDevices) MTML_REFUSED(DeviceCountDeviceByTopologyLevel)
MTML_REFUSED(DeviceCountGpuCores) MTML_REFUSED(DeviceCountMaxVirtDevices)
MTML_REFUSED(DeviceCountMpcInstancesByProfileId) MTML_REFUSED(DeviceCountMtLinkLayouts)
MTML_REFUSED(DeviceCountMtLinkShortestPaths) MTML_REFUSED(DeviceFreeVirtDevice)
MTML_REFUSED(DeviceGetActiveVirtDeviceUuids) MTML_REFUSED(DeviceGetAvailVirtTypes)
MTML_REFUSED(DeviceGetCpuAffinityWithinNode) MTML_REFUSED(DeviceGetDeviceByTopologyLevel)
MTML_REFUSED(DeviceGetDisplayInterfaceSpec) MTML_REFUSED(DeviceGetFanRpm) MTML_REFUSED(DeviceGetFanSpeed)
MTML_REFUSED(DeviceGetGpuPath) MTML_REFUSED(DeviceGetMemoryAffinityWithinNode) MTML_REFUSED(DeviceGetMpcConfiguration)
MTML_REFUSED(DeviceGetMpcConfigurationByName) MTML_REFUSED(DeviceGetMpcInstanceByIndex)
MTML_REFUSED(DeviceGetMpcInstanceIndex) MTML_REFUSED(DeviceGetMpcInstances)
MTML_REFUSED(DeviceGetMpcInstancesByProfileId) MTML_REFUSED(DeviceGetMpcMode) MTML_REFUSED(DeviceGetMpcParentDevice)
MTML_REFUSED(DeviceGetMpcProfileInfo) MTML_REFUSED(DeviceGetMtBiosVersion) MTML_REFUSED(DeviceGetMtLinkCapStatus)
MTML_REFUSED(DeviceGetMtLinkLayouts) MTML_REFUSED(DeviceGetMtLinkRemoteDevice)
MTML_REFUSED(DeviceGetMtLinkShortestPaths) MTML_REFUSED(DeviceGetMtLinkSpec) MTML_REFUSED(DeviceGetMtLinkState)
MTML_REFUSED(DeviceGetPcieSlotInfo) MTML_REFUSED(DeviceGetPhyDeviceUuid) MTML_REFUSED(DeviceGetPrimaryPath)
MTML_REFUSED(DeviceGetRenderPath) MTML_REFUSED(DeviceGetSerialNumber) MTML_REFUSED(DeviceGetSupportedMpcConfigurations)
MTML_REFUSED(DeviceGetSupportedMpcProfiles) MTML_REFUSED(DeviceGetSupportedVirtTypes)
MTML_REFUSED(DeviceGetTopologyLevel) MTML_REFUSED(DeviceGetVbiosVersion) MTML_REFUSED(DeviceGetVirtType)
MTML_REFUSED(DeviceInitVirtDevice) MTML_REFUSED(DeviceReset) MTML_REFUSED(DeviceSetMpcConfiguration)
MTML_REFUSED(DeviceSetMpcMode) MTML_REFUSED(LibrarySetMpcConfigurationInBatch) MTML_REFUSED(LogGetConfiguration)
MTML_REFUSED(LogSetConfiguration) MTML_REFUSED(MemoryClearEccErrorCounts) MTML_REFUSED(MemoryGetBandwidth)
MTML_REFUSED(MemoryGetBusWidth) MTML_REFUSED(MemoryGetEccErrorCounter) MTML_REFUSED(MemoryGetRetiredPages)
MTML_REFUSED(MemoryGetRetiredPagesCount) MTML_REFUSED(MemoryGetRetiredPagesPendingStatus) MTML_REFUSED(MemoryGetSpeed)
MTML_REFUSED(MemoryGetType) MTML_REFUSED(MemoryGetUsedSystem) MTML_REFUSED(MemoryGetVendor)
MTML_REFUSED(VpuGetCodecCapacity) MTML_REFUSED(VpuGetDecoderSessionMetrics) MTML_REFUSED(VpuGetDecoderSessionStates)
MTML_REFUSED(VpuGetEncoderSessionMetrics) MTML_REFUSED(VpuGetEncoderSessionStates)
