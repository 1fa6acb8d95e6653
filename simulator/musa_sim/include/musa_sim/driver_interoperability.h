/* Of what is not simulated: memory, semaphores and resources of other interfaces, views and sparse arrays, launches on
 * several devices. Programs fill these descriptions in, and the functions that take them are refused (driver_refused.h).
 * Numbers and layouts are CUDA's. Included by musa.h alone, which declares what they are made of. */
#ifndef MUSA_SIM_DRIVER_INTEROPERABILITY_H
#define MUSA_SIM_DRIVER_INTEROPERABILITY_H

typedef enum MUexternalMemoryHandleType_enum {
    MU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1, MU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32 = 2,
    MU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3, MU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 4,
    MU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 5, MU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE = 6,
    MU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT = 7, MU_EXTERNAL_MEMORY_HANDLE_TYPE_MTSCIBUF = 8
} MUexternalMemoryHandleType;

#define MUSA_EXTERNAL_MEMORY_DEDICATED 0x1

typedef struct MUSA_EXTERNAL_MEMORY_HANDLE_DESC_st {
    MUexternalMemoryHandleType type;
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
    unsigned int reserved[16];
} MUSA_EXTERNAL_MEMORY_HANDLE_DESC_v1;
typedef MUSA_EXTERNAL_MEMORY_HANDLE_DESC_v1 MUSA_EXTERNAL_MEMORY_HANDLE_DESC;

typedef struct MUSA_EXTERNAL_MEMORY_BUFFER_DESC_st {
    unsigned long long offset;
    unsigned long long size;
    unsigned int flags;
    unsigned int reserved[16];
} MUSA_EXTERNAL_MEMORY_BUFFER_DESC_v1;
typedef MUSA_EXTERNAL_MEMORY_BUFFER_DESC_v1 MUSA_EXTERNAL_MEMORY_BUFFER_DESC;

typedef struct MUSA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st {
    unsigned long long offset;
    MUSA_ARRAY3D_DESCRIPTOR arrayDesc;
    unsigned int numLevels;
    unsigned int reserved[16];
} MUSA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1;
typedef MUSA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1 MUSA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;

typedef enum MUexternalSemaphoreHandleType_enum {
    MU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD = 1, MU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32 = 2,
    MU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3, MU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE = 4,
    MU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE = 5, MU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_MTSCISYNC = 6,
    MU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX = 7,
    MU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT = 8,
    MU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9,
    MU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32 = 10
} MUexternalSemaphoreHandleType;

#define MUSA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_MTSCIBUF_MEMSYNC 0x01
#define MUSA_EXTERNAL_SEMAPHORE_WAIT_SKIP_MTSCIBUF_MEMSYNC 0x02
#define MUSA_MTSCISYNC_ATTR_SIGNAL 0x1
#define MUSA_MTSCISYNC_ATTR_WAIT 0x2

typedef struct MUSA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st {
    MUexternalSemaphoreHandleType type;
    union {
        int fd;
        struct {
            void* handle;
            const void* name;
        } win32;
        const void* nvSciSyncObj;
    } handle;
    unsigned int flags;
    unsigned int reserved[16];
} MUSA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1;
typedef MUSA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1 MUSA_EXTERNAL_SEMAPHORE_HANDLE_DESC;

typedef struct MUSA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st {
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
} MUSA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1;
typedef MUSA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 MUSA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;

typedef struct MUSA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st {
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
} MUSA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1;
typedef MUSA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1 MUSA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

typedef struct MUSA_EXT_SEM_SIGNAL_NODE_PARAMS_st {
    MUexternalSemaphore* extSemArray;
    const MUSA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* paramsArray;
    unsigned int numExtSems;
} MUSA_EXT_SEM_SIGNAL_NODE_PARAMS_v1;
typedef MUSA_EXT_SEM_SIGNAL_NODE_PARAMS_v1 MUSA_EXT_SEM_SIGNAL_NODE_PARAMS;

typedef struct MUSA_EXT_SEM_WAIT_NODE_PARAMS_st {
    MUexternalSemaphore* extSemArray;
    const MUSA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* paramsArray;
    unsigned int numExtSems;
} MUSA_EXT_SEM_WAIT_NODE_PARAMS_v1;
typedef MUSA_EXT_SEM_WAIT_NODE_PARAMS_v1 MUSA_EXT_SEM_WAIT_NODE_PARAMS;

/* Writes of other devices to this memory, and when they are seen */
typedef enum MUflushGPUDirectRDMAWritesOptions_enum {
    MU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST = 1, MU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS = 2
} MUflushGPUDirectRDMAWritesOptions;

typedef enum MUGPUDirectRDMAWritesOrdering_enum {
    MU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE = 0, MU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER = 100,
    MU_GPU_DIRECT_RDMA_WRITES_ORDERING_ALL_DEVICES = 200
} MUGPUDirectRDMAWritesOrdering;

typedef enum MUflushGPUDirectRDMAWritesScope_enum {
    MU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER = 100, MU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES = 200
} MUflushGPUDirectRDMAWritesScope;

typedef enum MUflushGPUDirectRDMAWritesTarget_enum {
    MU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX = 0
} MUflushGPUDirectRDMAWritesTarget;

/* Graphics */
typedef enum MUgraphicsRegisterFlags_enum {
    MU_GRAPHICS_REGISTER_FLAGS_NONE = 0, MU_GRAPHICS_REGISTER_FLAGS_READ_ONLY = 1,
    MU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD = 2, MU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST = 4,
    MU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER = 8
} MUgraphicsRegisterFlags;

typedef enum MUGLDeviceList_enum {
    MU_GL_DEVICE_LIST_ALL = 1, MU_GL_DEVICE_LIST_CURRENT_FRAME = 2, MU_GL_DEVICE_LIST_NEXT_FRAME = 3
} MUGLDeviceList;

typedef enum MUGLmap_flags_enum {
    MU_GL_MAP_RESOURCE_FLAGS_NONE = 0, MU_GL_MAP_RESOURCE_FLAGS_READ_ONLY = 1,
    MU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD = 2
} MUGLmap_flags;

typedef enum MUgraphicsMapResourceFlags_enum {
    MU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE = 0, MU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY = 1,
    MU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD = 2
} MUgraphicsMapResourceFlags;

typedef enum MUarray_cubemap_face_enum {
    MU_CUBEMAP_FACE_POSITIVE_X = 0, MU_CUBEMAP_FACE_NEGATIVE_X = 1, MU_CUBEMAP_FACE_POSITIVE_Y = 2,
    MU_CUBEMAP_FACE_NEGATIVE_Y = 3, MU_CUBEMAP_FACE_POSITIVE_Z = 4, MU_CUBEMAP_FACE_NEGATIVE_Z = 5
} MUarray_cubemap_face;

/* Views of arrays, sparse arrays */
typedef enum MUresourceViewFormat_enum {
    MU_RES_VIEW_FORMAT_NONE = 0, MU_RES_VIEW_FORMAT_UINT_1X8 = 1, MU_RES_VIEW_FORMAT_UINT_2X8 = 2,
    MU_RES_VIEW_FORMAT_UINT_4X8 = 3, MU_RES_VIEW_FORMAT_SINT_1X8 = 4, MU_RES_VIEW_FORMAT_SINT_2X8 = 5,
    MU_RES_VIEW_FORMAT_SINT_4X8 = 6, MU_RES_VIEW_FORMAT_UINT_1X16 = 7, MU_RES_VIEW_FORMAT_UINT_2X16 = 8,
    MU_RES_VIEW_FORMAT_UINT_4X16 = 9, MU_RES_VIEW_FORMAT_SINT_1X16 = 10, MU_RES_VIEW_FORMAT_SINT_2X16 = 11,
    MU_RES_VIEW_FORMAT_SINT_4X16 = 12, MU_RES_VIEW_FORMAT_UINT_1X32 = 13, MU_RES_VIEW_FORMAT_UINT_2X32 = 14,
    MU_RES_VIEW_FORMAT_UINT_4X32 = 15, MU_RES_VIEW_FORMAT_SINT_1X32 = 16, MU_RES_VIEW_FORMAT_SINT_2X32 = 17,
    MU_RES_VIEW_FORMAT_SINT_4X32 = 18, MU_RES_VIEW_FORMAT_FLOAT_1X16 = 19, MU_RES_VIEW_FORMAT_FLOAT_2X16 = 20,
    MU_RES_VIEW_FORMAT_FLOAT_4X16 = 21, MU_RES_VIEW_FORMAT_FLOAT_1X32 = 22, MU_RES_VIEW_FORMAT_FLOAT_2X32 = 23,
    MU_RES_VIEW_FORMAT_FLOAT_4X32 = 24, MU_RES_VIEW_FORMAT_UNSIGNED_BC1 = 25,
    MU_RES_VIEW_FORMAT_UNSIGNED_BC2 = 26, MU_RES_VIEW_FORMAT_UNSIGNED_BC3 = 27,
    MU_RES_VIEW_FORMAT_UNSIGNED_BC4 = 28, MU_RES_VIEW_FORMAT_SIGNED_BC4 = 29,
    MU_RES_VIEW_FORMAT_UNSIGNED_BC5 = 30, MU_RES_VIEW_FORMAT_SIGNED_BC5 = 31,
    MU_RES_VIEW_FORMAT_UNSIGNED_BC6H = 32, MU_RES_VIEW_FORMAT_SIGNED_BC6H = 33,
    MU_RES_VIEW_FORMAT_UNSIGNED_BC7 = 34
} MUresourceViewFormat;

typedef struct MUSA_RESOURCE_VIEW_DESC_st {
    MUresourceViewFormat format;
    size_t width;
    size_t height;
    size_t depth;
    unsigned int firstMipmapLevel;
    unsigned int lastMipmapLevel;
    unsigned int firstLayer;
    unsigned int lastLayer;
    unsigned int reserved[16];
} MUSA_RESOURCE_VIEW_DESC_v1;
typedef MUSA_RESOURCE_VIEW_DESC_v1 MUSA_RESOURCE_VIEW_DESC;

#define MU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL 0x1
#define MU_MEM_CREATE_USAGE_TILE_POOL 0x1

typedef struct MUSA_ARRAY_SPARSE_PROPERTIES_st {
    struct {
        unsigned int width;
        unsigned int height;
        unsigned int depth;
    } tileExtent;
    unsigned int miptailFirstLevel;
    unsigned long long miptailSize;
    unsigned int flags;
    unsigned int reserved[4];
} MUSA_ARRAY_SPARSE_PROPERTIES_v1;
typedef MUSA_ARRAY_SPARSE_PROPERTIES_v1 MUSA_ARRAY_SPARSE_PROPERTIES;

typedef enum MUarraySparseSubresourceType_enum {
    MU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL = 0, MU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL = 1
} MUarraySparseSubresourceType;

typedef enum MUmemOperationType_enum {
    MU_MEM_OPERATION_TYPE_MAP = 1, MU_MEM_OPERATION_TYPE_UNMAP = 2
} MUmemOperationType;

typedef enum MUmemHandleType_enum {
    MU_MEM_HANDLE_TYPE_GENERIC = 0
} MUmemHandleType;

typedef struct MUarrayMapInfo_st {
    MUresourcetype resourceType;
    union {
        MUmipmappedArray mipmap;
        MUarray array;
    } resource;
    MUarraySparseSubresourceType subresourceType;
    union {
        struct {
            unsigned int level;
            unsigned int layer;
            unsigned int offsetX;
            unsigned int offsetY;
            unsigned int offsetZ;
            unsigned int extentWidth;
            unsigned int extentHeight;
            unsigned int extentDepth;
        } sparseLevel;
        struct {
            unsigned int layer;
            unsigned long long offset;
            unsigned long long size;
        } miptail;
    } subresource;
    MUmemOperationType memOperationType;
    MUmemHandleType memHandleType;
    union {
        MUmemGenericAllocationHandle memHandle;
    } memHandle;
    unsigned long long offset;
    unsigned int deviceBitMask;
    unsigned int flags;
    unsigned int reserved[2];
} MUarrayMapInfo_v1;
typedef MUarrayMapInfo_v1 MUarrayMapInfo;

/* Pools and memory of other processes and devices, launches on several devices */
typedef struct MUmemPoolPtrExportData_st {
    unsigned char reserved[64];
} MUmemPoolPtrExportData_v1;
typedef MUmemPoolPtrExportData_v1 MUmemPoolPtrExportData;

typedef struct MUSA_POINTER_ATTRIBUTE_P2P_TOKENS_st {
    unsigned long long p2pToken;
    unsigned int vaSpaceToken;
} MUSA_POINTER_ATTRIBUTE_P2P_TOKENS_v1;
typedef MUSA_POINTER_ATTRIBUTE_P2P_TOKENS_v1 MUSA_POINTER_ATTRIBUTE_P2P_TOKENS;

typedef struct MUSA_LAUNCH_PARAMS_st {
    MUfunction function;
    unsigned int gridDimX;
    unsigned int gridDimY;
    unsigned int gridDimZ;
    unsigned int blockDimX;
    unsigned int blockDimY;
    unsigned int blockDimZ;
    unsigned int sharedMemBytes;
    MUstream hStream;
    void** kernelParams;
} MUSA_LAUNCH_PARAMS_v1;
typedef MUSA_LAUNCH_PARAMS_v1 MUSA_LAUNCH_PARAMS;

#define MUSA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC 0x01
#define MUSA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC 0x02

#endif
