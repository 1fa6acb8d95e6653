/* Of what is not simulated: memory, semaphores and resources of other interfaces, views and sparse arrays, launches on
 * several devices. Programs fill these descriptions in, and the functions that take them are refused (runtime_refused.h).
 * Numbers and layouts are CUDA's. Included by driver_types.h alone, which declares what they are made of. */
#ifndef MUSA_SIM_RUNTIME_INTEROPERABILITY_H
#define MUSA_SIM_RUNTIME_INTEROPERABILITY_H

typedef struct MUexternalMemory_st* musaExternalMemory_t;
typedef struct MUexternalSemaphore_st* musaExternalSemaphore_t;

enum musaExternalMemoryHandleType {
    musaExternalMemoryHandleTypeOpaqueFd = 1, musaExternalMemoryHandleTypeOpaqueWin32 = 2,
    musaExternalMemoryHandleTypeOpaqueWin32Kmt = 3, musaExternalMemoryHandleTypeD3D12Heap = 4,
    musaExternalMemoryHandleTypeD3D12Resource = 5, musaExternalMemoryHandleTypeD3D11Resource = 6,
    musaExternalMemoryHandleTypeD3D11ResourceKmt = 7, musaExternalMemoryHandleTypeMtSciBuf = 8,
};

#define musaExternalMemoryDedicated 0x1

struct musaExternalMemoryHandleDesc {
    enum musaExternalMemoryHandleType type;
    union {
        int fd;
        struct {
            void* handle;
            const void* name;
        } win32;
        const void* nvSciBufObject;
    } handle;
    unsigned long long size;
    unsigned int flags;
};

struct musaExternalMemoryBufferDesc {
    unsigned long long offset;
    unsigned long long size;
    unsigned int flags;
};

struct musaExternalMemoryMipmappedArrayDesc {
    unsigned long long offset;
    struct musaChannelFormatDesc formatDesc;
    struct musaExtent extent;
    unsigned int flags;
    unsigned int numLevels;
};

enum musaExternalSemaphoreHandleType {
    musaExternalSemaphoreHandleTypeOpaqueFd = 1, musaExternalSemaphoreHandleTypeOpaqueWin32 = 2,
    musaExternalSemaphoreHandleTypeOpaqueWin32Kmt = 3, musaExternalSemaphoreHandleTypeD3D12Fence = 4,
    musaExternalSemaphoreHandleTypeD3D11Fence = 5, musaExternalSemaphoreHandleTypeMtSciSync = 6,
    musaExternalSemaphoreHandleTypeKeyedMutex = 7, musaExternalSemaphoreHandleTypeKeyedMutexKmt = 8,
    musaExternalSemaphoreHandleTypeTimelineSemaphoreFd = 9,
    musaExternalSemaphoreHandleTypeTimelineSemaphoreWin32 = 10,
};

#define musaExternalSemaphoreSignalSkipMtSciBufMemSync 0x01
#define musaExternalSemaphoreWaitSkipMtSciBufMemSync 0x02
#define musaMtSciSyncAttrSignal 0x1
#define musaMtSciSyncAttrWait 0x2

struct musaExternalSemaphoreHandleDesc {
    enum musaExternalSemaphoreHandleType type;
    union {
        int fd;
        struct {
            void* handle;
            const void* name;
        } win32;
        const void* nvSciSyncObj;
    } handle;
    unsigned int flags;
};

struct musaExternalSemaphoreSignalParams_v1 {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void* fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
        } keyedMutex;
    } params;
    unsigned int flags;
};

struct musaExternalSemaphoreWaitParams_v1 {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void* fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
            unsigned int timeoutMs;
        } keyedMutex;
    } params;
    unsigned int flags;
};

struct musaExternalSemaphoreSignalParams {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void* fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
        } keyedMutex;
        unsigned int reserved[12];
    } params;
    unsigned int flags;
    unsigned int reserved[16];
};

struct musaExternalSemaphoreWaitParams {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void* fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
            unsigned int timeoutMs;
        } keyedMutex;
        unsigned int reserved[10];
    } params;
    unsigned int flags;
    unsigned int reserved[16];
};

struct musaExternalSemaphoreSignalNodeParams {
    musaExternalSemaphore_t* extSemArray;
    const struct musaExternalSemaphoreSignalParams* paramsArray;
    unsigned int numExtSems;
};

struct musaExternalSemaphoreWaitNodeParams {
    musaExternalSemaphore_t* extSemArray;
    const struct musaExternalSemaphoreWaitParams* paramsArray;
    unsigned int numExtSems;
};

/* Writes of other devices to this memory, and when they are seen */
enum musaFlushGPUDirectRDMAWritesOptions {
    musaFlushGPUDirectRDMAWritesOptionHost = 1, musaFlushGPUDirectRDMAWritesOptionMemOps = 2,
};

enum musaGPUDirectRDMAWritesOrdering {
    musaGPUDirectRDMAWritesOrderingNone = 0, musaGPUDirectRDMAWritesOrderingOwner = 100,
    musaGPUDirectRDMAWritesOrderingAllDevices = 200,
};

enum musaFlushGPUDirectRDMAWritesScope {
    musaFlushGPUDirectRDMAWritesToOwner = 100, musaFlushGPUDirectRDMAWritesToAllDevices = 200,
};

enum musaFlushGPUDirectRDMAWritesTarget {
    musaFlushGPUDirectRDMAWritesTargetCurrentDevice = 0,
};

/* Graphics */
typedef struct musaGraphicsResource* musaGraphicsResource_t;
enum musaGraphicsRegisterFlags {
    musaGraphicsRegisterFlagsNone = 0, musaGraphicsRegisterFlagsReadOnly = 1,
    musaGraphicsRegisterFlagsWriteDiscard = 2, musaGraphicsRegisterFlagsSurfaceLoadStore = 4,
    musaGraphicsRegisterFlagsTextureGather = 8,
};

enum musaGraphicsMapFlags {
    musaGraphicsMapFlagsNone = 0, musaGraphicsMapFlagsReadOnly = 1, musaGraphicsMapFlagsWriteDiscard = 2,
};

enum musaGraphicsCubeFace {
    musaGraphicsCubeFacePositiveX = 0, musaGraphicsCubeFaceNegativeX = 1, musaGraphicsCubeFacePositiveY = 2,
    musaGraphicsCubeFaceNegativeY = 3, musaGraphicsCubeFacePositiveZ = 4, musaGraphicsCubeFaceNegativeZ = 5,
};

enum musaGLDeviceList {
    musaGLDeviceListAll = 1, musaGLDeviceListCurrentFrame = 2, musaGLDeviceListNextFrame = 3,
};

enum musaGLMapFlags {
    musaGLMapFlagsNone = 0, musaGLMapFlagsReadOnly = 1, musaGLMapFlagsWriteDiscard = 2,
};

/* Views of arrays, sparse arrays */
enum musaResourceViewFormat {
    musaResViewFormatNone = 0, musaResViewFormatUnsignedChar1 = 1, musaResViewFormatUnsignedChar2 = 2,
    musaResViewFormatUnsignedChar4 = 3, musaResViewFormatSignedChar1 = 4, musaResViewFormatSignedChar2 = 5,
    musaResViewFormatSignedChar4 = 6, musaResViewFormatUnsignedShort1 = 7, musaResViewFormatUnsignedShort2 = 8,
    musaResViewFormatUnsignedShort4 = 9, musaResViewFormatSignedShort1 = 10, musaResViewFormatSignedShort2 = 11,
    musaResViewFormatSignedShort4 = 12, musaResViewFormatUnsignedInt1 = 13, musaResViewFormatUnsignedInt2 = 14,
    musaResViewFormatUnsignedInt4 = 15, musaResViewFormatSignedInt1 = 16, musaResViewFormatSignedInt2 = 17,
    musaResViewFormatSignedInt4 = 18, musaResViewFormatHalf1 = 19, musaResViewFormatHalf2 = 20,
    musaResViewFormatHalf4 = 21, musaResViewFormatFloat1 = 22, musaResViewFormatFloat2 = 23,
    musaResViewFormatFloat4 = 24, musaResViewFormatUnsignedBlockCompressed1 = 25,
    musaResViewFormatUnsignedBlockCompressed2 = 26, musaResViewFormatUnsignedBlockCompressed3 = 27,
    musaResViewFormatUnsignedBlockCompressed4 = 28, musaResViewFormatSignedBlockCompressed4 = 29,
    musaResViewFormatUnsignedBlockCompressed5 = 30, musaResViewFormatSignedBlockCompressed5 = 31,
    musaResViewFormatUnsignedBlockCompressed6H = 32, musaResViewFormatSignedBlockCompressed6H = 33,
    musaResViewFormatUnsignedBlockCompressed7 = 34,
};

struct musaResourceViewDesc {
    enum musaResourceViewFormat format;
    size_t width;
    size_t height;
    size_t depth;
    unsigned int firstMipmapLevel;
    unsigned int lastMipmapLevel;
    unsigned int firstLayer;
    unsigned int lastLayer;
};

#define musaArraySparsePropertiesSingleMipTail 0x1

struct musaArraySparseProperties {
    struct {
        unsigned int width;
        unsigned int height;
        unsigned int depth;
    } tileExtent;
    unsigned int miptailFirstLevel;
    unsigned long long miptailSize;
    unsigned int flags;
    unsigned int reserved[4];
};

/* Pools of other processes, launches on several devices */
struct musaMemPoolPtrExportData {
    unsigned char reserved[64];
};

struct musaLaunchParams {
    void* func;
    dim3 gridDim;
    dim3 blockDim;
    void** args;
    size_t sharedMem;
    musaStream_t stream;
};

#define musaCooperativeLaunchMultiDeviceNoPreSync 0x01
#define musaCooperativeLaunchMultiDeviceNoPostSync 0x02

#endif
