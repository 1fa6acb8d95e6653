/* MTML: what a management tool asks of the cards. NVML's counterpart; on cards it belongs to the driver.
 *
 * The functions, numbers and structures are those that mthreads-ml-py 2.4.3 (PyPI) calls. Here a card is a simulated
 * device of the process that asks: its memory, its numbers and its peers are known. It has no fans, displays, links,
 * instances or virtual devices, and their counts are 0. The library has no function for what a sensor measures
 * (temperature, power, utilization, clocks). All other functions of MTML return MTML_ERROR_NOT_SUPPORTED.
 */
#ifndef _MTML_H_
#define _MTML_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MTML_LIBRARY_VERSION_BUFFER_SIZE 32
#define MTML_DRIVER_VERSION_BUFFER_SIZE 80
#define MTML_DEVICE_NAME_BUFFER_SIZE 32
#define MTML_DEVICE_UUID_BUFFER_SIZE 48
#define MTML_DEVICE_PCI_SBDF_BUFFER_SIZE 32

typedef enum {
    MTML_SUCCESS = 0,
    MTML_ERROR_DRIVER_NOT_LOADED = 1,
    MTML_ERROR_DRIVER_FAILURE = 2,
    MTML_ERROR_INVALID_ARGUMENT = 3,
    MTML_ERROR_NOT_SUPPORTED = 4,
    MTML_ERROR_NO_PERMISSION = 5,
    MTML_ERROR_INSUFFICIENT_SIZE = 6,
    MTML_ERROR_NOT_FOUND = 7,
    MTML_ERROR_INSUFFICIENT_MEMORY = 8,
    MTML_ERROR_DRIVER_TOO_OLD = 9,
    MTML_ERROR_DRIVER_TOO_NEW = 10,
    MTML_ERROR_TIMEOUT = 11,
    MTML_ERROR_RESOURCE_IS_BUSY = 12,
    MTML_ERROR_UNKNOWN = 999
} MtmlReturn;

typedef enum { MTML_BRAND_MTT = 0, MTML_BRAND_UNKNOWN = 1, MTML_BRAND_COUNT = 2 } MtmlBrandType;
typedef enum { MTML_MEMORY_ECC_DISABLE = 0, MTML_MEMORY_ECC_ENABLE = 1 } MtmlEccMode;
typedef enum { MTML_P2P_CAPS_READ = 0, MTML_P2P_CAPS_WRITE = 1 } MtmlDeviceP2PCaps;
typedef enum {
    MTML_P2P_STATUS_OK = 0,
    MTML_P2P_STATUS_CHIPSET_NOT_SUPPORTED = 1,
    MTML_P2P_STATUS_GPU_NOT_SUPPORTED = 2,
    MTML_P2P_STATUS_UNKNOWN = 3
} MtmlDeviceP2PStatus;

typedef struct MtmlLibrary MtmlLibrary;
typedef struct MtmlSystem MtmlSystem;
typedef struct MtmlDevice MtmlDevice;
typedef struct MtmlGpu MtmlGpu;
typedef struct MtmlMemory MtmlMemory;
typedef struct MtmlVpu MtmlVpu;

typedef struct {
    char sbdf[MTML_DEVICE_PCI_SBDF_BUFFER_SIZE];
    unsigned int segment;
    unsigned int bus;
    unsigned int device;
    unsigned int pciDeviceId;
    unsigned int pciSubsystemId;
    unsigned int busWidth;
    float pciMaxSpeed;
    float pciCurSpeed;
    unsigned int pciMaxWidth;
    unsigned int pciCurWidth;
    unsigned int pciMaxGen;
    unsigned int pciCurGen;
    int rsvd[6];
} MtmlPciInfo;

typedef struct {
    unsigned int virtCap : 1;
    unsigned int virtRole : 3;
    unsigned int mpcCap : 1;
    unsigned int mpcType : 3;
    unsigned int mtLinkCap : 1;
    unsigned int rsvd : 23;
    unsigned int rsvd2 : 32;
} MtmlDeviceProperty;

MtmlReturn mtmlLibraryInit(MtmlLibrary **library);
MtmlReturn mtmlLibraryShutDown(MtmlLibrary *library);
MtmlReturn mtmlLibraryGetVersion(const MtmlLibrary *library, char *version, unsigned int length);
MtmlReturn mtmlLibraryInitSystem(const MtmlLibrary *library, MtmlSystem **system);
MtmlReturn mtmlLibraryFreeSystem(MtmlSystem *system);
MtmlReturn mtmlLibraryCountDevice(const MtmlLibrary *library, unsigned int *count);
MtmlReturn mtmlLibraryInitDeviceByIndex(const MtmlLibrary *library, unsigned int index, MtmlDevice **device);
MtmlReturn mtmlLibraryInitDeviceByUuid(const MtmlLibrary *library, const char *uuid, MtmlDevice **device);
MtmlReturn mtmlLibraryInitDeviceByPciSbdf(const MtmlLibrary *library, const char *sbdf, MtmlDevice **device);
MtmlReturn mtmlLibraryFreeDevice(MtmlDevice *device);
const char *mtmlErrorString(MtmlReturn result);

MtmlReturn mtmlSystemGetDriverVersion(const MtmlSystem *system, char *version, unsigned int length);

MtmlReturn mtmlDeviceInitGpu(const MtmlDevice *device, MtmlGpu **gpu);
MtmlReturn mtmlDeviceFreeGpu(MtmlGpu *gpu);
MtmlReturn mtmlDeviceInitMemory(const MtmlDevice *device, MtmlMemory **memory);
MtmlReturn mtmlDeviceFreeMemory(MtmlMemory *memory);
MtmlReturn mtmlDeviceInitVpu(const MtmlDevice *device, MtmlVpu **vpu);
MtmlReturn mtmlDeviceFreeVpu(MtmlVpu *vpu);
MtmlReturn mtmlDeviceGetIndex(const MtmlDevice *device, unsigned int *index);
MtmlReturn mtmlDeviceGetName(const MtmlDevice *device, char *name, unsigned int length);
MtmlReturn mtmlDeviceGetUUID(const MtmlDevice *device, char *uuid, unsigned int length);
MtmlReturn mtmlDeviceGetBrand(const MtmlDevice *device, MtmlBrandType *brand);
MtmlReturn mtmlDeviceGetPciInfo(const MtmlDevice *device, MtmlPciInfo *pci);
MtmlReturn mtmlDeviceGetProperty(const MtmlDevice *device, MtmlDeviceProperty *property);
MtmlReturn mtmlDeviceGetP2PStatus(const MtmlDevice *from, const MtmlDevice *to, MtmlDeviceP2PCaps capability,
                                  MtmlDeviceP2PStatus *status);

/* Sizes in bytes; the used memory is that of the calling process. */
MtmlReturn mtmlMemoryGetTotal(const MtmlMemory *memory, unsigned long long *total);
MtmlReturn mtmlMemoryGetUsed(const MtmlMemory *memory, unsigned long long *used);
MtmlReturn mtmlMemoryGetEccMode(const MtmlMemory *memory, MtmlEccMode *current, MtmlEccMode *pending);

#ifdef __cplusplus
}
#endif

#endif
