/* The MUSA driver API, over the same devices, memory, streams and kernels as the runtime
 * API. Link with -lmusa.
 *
 * Numbers are those of CUDA's driver API. A function that the simulator does not implement is not declared.
 */
#ifndef __musa_musa_h__
#define __musa_musa_h__

#include <stdint.h>
#include <stdlib.h>

#include <driver_types.h>

/* major * 10000 + minor * 100 + patch */
#define MUSA_VERSION 50100

#ifndef MUSAAPI
#define MUSAAPI
#endif
#ifndef MUSA_CB
#define MUSA_CB
#endif

typedef int MUdevice;
typedef unsigned long long MUdeviceptr;
typedef struct MUctx_st* MUcontext;
typedef struct MUmod_st* MUmodule;
typedef struct MUfunc_st* MUfunction;
typedef struct MUstream_st* MUstream;
typedef struct MUevent_st* MUevent;
typedef struct MUgraph_st* MUgraph;
typedef struct MUgraphNode_st* MUgraphNode;
typedef struct MUgraphExec_st* MUgraphExec;
typedef struct MUmemPoolHandle_st* MUmemoryPool;
typedef struct MUarray_st* MUarray;

typedef enum musaError_enum {
    MUSA_SUCCESS = 0,
    MUSA_ERROR_INVALID_VALUE = 1,
    MUSA_ERROR_OUT_OF_MEMORY = 2,
    MUSA_ERROR_NOT_INITIALIZED = 3,
    MUSA_ERROR_NO_DEVICE = 100,
    MUSA_ERROR_INVALID_DEVICE = 101,
    MUSA_ERROR_INVALID_IMAGE = 200,
    MUSA_ERROR_INVALID_CONTEXT = 201,
    MUSA_ERROR_NO_BINARY_FOR_GPU = 209,
    MUSA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
    MUSA_ERROR_FILE_NOT_FOUND = 301,
    MUSA_ERROR_OPERATING_SYSTEM = 304,
    MUSA_ERROR_INVALID_HANDLE = 400,
    MUSA_ERROR_ILLEGAL_STATE = 401,
    MUSA_ERROR_NOT_FOUND = 500,
    MUSA_ERROR_NOT_READY = 600,
    MUSA_ERROR_ILLEGAL_ADDRESS = 700,
    MUSA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    MUSA_ERROR_LAUNCH_TIMEOUT = 702,
    MUSA_ERROR_ASSERT = 710,
    MUSA_ERROR_ILLEGAL_INSTRUCTION = 715,
    MUSA_ERROR_MISALIGNED_ADDRESS = 716,
    MUSA_ERROR_LAUNCH_FAILED = 719,
    MUSA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    MUSA_ERROR_NOT_PERMITTED = 800,
    MUSA_ERROR_NOT_SUPPORTED = 801,
    MUSA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
    MUSA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
    MUSA_ERROR_STREAM_CAPTURE_MERGE = 902,
    MUSA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
    MUSA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
    MUSA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
    MUSA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
    MUSA_ERROR_CAPTURED_EVENT = 907,
    MUSA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
    MUSA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
    MUSA_ERROR_UNKNOWN = 999,
} MUresult;

/* The attributes are the runtime API's, by these names and any other of its numbers. */
typedef enum MUdevice_attribute_enum {
    MU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    MU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
    MU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
    MU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
    MU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
    MU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
    MU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
    MU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    MU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
    MU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    MU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
    MU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
    MU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    MU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
    MU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
    MU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
    MU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    MU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    MU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    MU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
    MU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
    MU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    MU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
    MU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    MU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
} MUdevice_attribute;

typedef enum MUfunction_attribute_enum {
    MU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    MU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    MU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
    MU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    MU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    MU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
    MU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    MU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
} MUfunction_attribute;

typedef enum MUstreamCaptureMode_enum {
    MU_STREAM_CAPTURE_MODE_GLOBAL = 0,
    MU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
    MU_STREAM_CAPTURE_MODE_RELAXED = 2
} MUstreamCaptureMode;

typedef enum MUstreamCaptureStatus_enum {
    MU_STREAM_CAPTURE_STATUS_NONE = 0,
    MU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
    MU_STREAM_CAPTURE_STATUS_INVALIDATED = 2
} MUstreamCaptureStatus;

typedef enum MUgraphNodeType_enum {
    MU_GRAPH_NODE_TYPE_KERNEL = 0,
    MU_GRAPH_NODE_TYPE_MEMCPY = 1,
    MU_GRAPH_NODE_TYPE_MEMSET = 2,
    MU_GRAPH_NODE_TYPE_HOST = 3,
    MU_GRAPH_NODE_TYPE_GRAPH = 4,
    MU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
    MU_GRAPH_NODE_TYPE_MEM_FREE = 11
} MUgraphNodeType;

/* What muGraphExecUpdate found. */
typedef enum MUgraphExecUpdateResult_enum {
    MU_GRAPH_EXEC_UPDATE_SUCCESS = 0,
    MU_GRAPH_EXEC_UPDATE_ERROR = 1,
    MU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED = 2,
    MU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED = 3,
    MU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED = 4,
    MU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED = 5,
    MU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED = 6,
    MU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE = 7
} MUgraphExecUpdateResult;

typedef struct MUSA_KERNEL_NODE_PARAMS_st {
    MUfunction func;
    unsigned int gridDimX;
    unsigned int gridDimY;
    unsigned int gridDimZ;
    unsigned int blockDimX;
    unsigned int blockDimY;
    unsigned int blockDimZ;
    unsigned int sharedMemBytes;
    void** kernelParams;
    void** extra;
} MUSA_KERNEL_NODE_PARAMS;

/* Attributes of launches, pools and ranges of managed memory have the runtime API's layout and numbers. */
typedef enum MUlaunchAttributeID_enum {
    MU_LAUNCH_ATTRIBUTE_IGNORE = 0,
    MU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
    MU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
    MU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
    MU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
    MU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
    MU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
    MU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
    MU_LAUNCH_ATTRIBUTE_PRIORITY = 8
} MUlaunchAttributeID;

typedef union MUlaunchAttributeValue_union {
    char pad[64];
    int cooperative;
    int priority;
    int programmaticStreamSerializationAllowed;
    struct {
        unsigned int x;
        unsigned int y;
        unsigned int z;
    } clusterDim;
} MUlaunchAttributeValue;

typedef struct MUlaunchAttribute_st {
    MUlaunchAttributeID id;
    char pad[8 - sizeof(MUlaunchAttributeID)];
    MUlaunchAttributeValue value;
} MUlaunchAttribute;

typedef struct MUlaunchConfig_st {
    unsigned int gridDimX;
    unsigned int gridDimY;
    unsigned int gridDimZ;
    unsigned int blockDimX;
    unsigned int blockDimY;
    unsigned int blockDimZ;
    unsigned int sharedMemBytes;
    MUstream hStream;
    MUlaunchAttribute* attrs;
    unsigned int numAttrs;
} MUlaunchConfig;

typedef enum MUmemPool_attribute_enum {
    MU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
    MU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC = 2,
    MU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
    MU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
    MU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
    MU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6,
    MU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
    MU_MEMPOOL_ATTR_USED_MEM_HIGH = 8
} MUmemPool_attribute;

typedef enum MUmem_advise_enum {
    MU_MEM_ADVISE_SET_READ_MOSTLY = 1,
    MU_MEM_ADVISE_UNSET_READ_MOSTLY = 2,
    MU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
    MU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
    MU_MEM_ADVISE_SET_ACCESSED_BY = 5,
    MU_MEM_ADVISE_UNSET_ACCESSED_BY = 6
} MUmem_advise;

typedef enum MUmem_range_attribute_enum {
    MU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
    MU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
    MU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
    MU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 4
} MUmem_range_attribute;

/* Virtual memory: a device's memory, and addresses that it is mapped at. */
typedef unsigned long long MUmemGenericAllocationHandle;

typedef enum MUmemAllocationType_enum {
    MU_MEM_ALLOCATION_TYPE_INVALID = 0,
    MU_MEM_ALLOCATION_TYPE_PINNED = 1
} MUmemAllocationType;

typedef enum MUmemAllocationHandleType_enum {
    MU_MEM_HANDLE_TYPE_NONE = 0,
    MU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1
} MUmemAllocationHandleType;

typedef enum MUmemLocationType_enum {
    MU_MEM_LOCATION_TYPE_INVALID = 0,
    MU_MEM_LOCATION_TYPE_DEVICE = 1
} MUmemLocationType;

typedef enum MUmemAccess_flags_enum {
    MU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
    MU_MEM_ACCESS_FLAGS_PROT_READ = 1,
    MU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
} MUmemAccess_flags;

typedef enum MUmemAllocationGranularity_flags_enum {
    MU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    MU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
} MUmemAllocationGranularity_flags;

typedef struct MUmemLocation_st {
    MUmemLocationType type;
    int id;
} MUmemLocation;

typedef struct MUmemAllocationProp_st {
    MUmemAllocationType type;
    MUmemAllocationHandleType requestedHandleTypes;
    MUmemLocation location;
    void* win32HandleMetaData;
    struct {
        unsigned char compressionType;
        unsigned char gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} MUmemAllocationProp;

typedef struct MUmemAccessDesc_st {
    MUmemLocation location;
    MUmemAccess_flags flags;
} MUmemAccessDesc;

/* Arrays, and copies of rectangles and boxes. Layouts and numbers are CUDA's. */
typedef enum MUmemorytype_enum {
    MU_MEMORYTYPE_HOST = 1,
    MU_MEMORYTYPE_DEVICE = 2,
    MU_MEMORYTYPE_ARRAY = 3,
    MU_MEMORYTYPE_UNIFIED = 4
} MUmemorytype;

typedef enum MUarray_format_enum {
    MU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
    MU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
    MU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
    MU_AD_FORMAT_SIGNED_INT8 = 0x08,
    MU_AD_FORMAT_SIGNED_INT16 = 0x09,
    MU_AD_FORMAT_SIGNED_INT32 = 0x0a,
    MU_AD_FORMAT_HALF = 0x10,
    MU_AD_FORMAT_FLOAT = 0x20
} MUarray_format;

#define MUSA_ARRAY3D_LAYERED 0x01
#define MUSA_ARRAY3D_SURFACE_LDST 0x02
#define MUSA_ARRAY3D_CUBEMAP 0x04
#define MUSA_ARRAY3D_TEXTURE_GATHER 0x08

typedef struct MUSA_ARRAY_DESCRIPTOR_st {
    size_t Width;
    size_t Height;
    MUarray_format Format;
    unsigned int NumChannels;
} MUSA_ARRAY_DESCRIPTOR;

typedef struct MUSA_ARRAY3D_DESCRIPTOR_st {
    size_t Width;
    size_t Height;
    size_t Depth;
    MUarray_format Format;
    unsigned int NumChannels;
    unsigned int Flags;
} MUSA_ARRAY3D_DESCRIPTOR;

typedef struct MUSA_MEMCPY2D_st {
    size_t srcXInBytes;
    size_t srcY;
    MUmemorytype srcMemoryType;
    const void* srcHost;
    MUdeviceptr srcDevice;
    MUarray srcArray;
    size_t srcPitch;
    size_t dstXInBytes;
    size_t dstY;
    MUmemorytype dstMemoryType;
    void* dstHost;
    MUdeviceptr dstDevice;
    MUarray dstArray;
    size_t dstPitch;
    size_t WidthInBytes;
    size_t Height;
} MUSA_MEMCPY2D;

typedef struct MUSA_MEMCPY3D_st {
    size_t srcXInBytes;
    size_t srcY;
    size_t srcZ;
    size_t srcLOD; /* must be 0 */
    MUmemorytype srcMemoryType;
    const void* srcHost;
    MUdeviceptr srcDevice;
    MUarray srcArray;
    void* reserved0;
    size_t srcPitch;
    size_t srcHeight;
    size_t dstXInBytes;
    size_t dstY;
    size_t dstZ;
    size_t dstLOD; /* must be 0 */
    MUmemorytype dstMemoryType;
    void* dstHost;
    MUdeviceptr dstDevice;
    MUarray dstArray;
    void* reserved1;
    size_t dstPitch;
    size_t dstHeight;
    size_t WidthInBytes;
    size_t Height;
    size_t Depth;
} MUSA_MEMCPY3D;

/* The words of `extra`, which is refused: nobody says where in a buffer the arguments lie */
#define MU_LAUNCH_PARAM_END ((void*)0x00)
#define MU_LAUNCH_PARAM_BUFFER_POINTER ((void*)0x01)
#define MU_LAUNCH_PARAM_BUFFER_SIZE ((void*)0x02)

#define MU_STREAM_LEGACY ((MUstream)0x1)
#define MU_STREAM_PER_THREAD ((MUstream)0x2)

#define MU_DEVICE_CPU ((MUdevice)-1)
#define MU_DEVICE_INVALID ((MUdevice)-2)

enum { MU_STREAM_DEFAULT = 0, MU_STREAM_NON_BLOCKING = 1 };
enum { MU_EVENT_DEFAULT = 0, MU_EVENT_BLOCKING_SYNC = 1, MU_EVENT_DISABLE_TIMING = 2 };
enum { MU_CTX_SCHED_AUTO = 0 };
enum { MU_MEM_ATTACH_GLOBAL = 1, MU_MEM_ATTACH_HOST = 2 };

#ifdef __cplusplus
extern "C" {
#endif

/* Starting, errors */
MUresult muInit(unsigned int flags);
MUresult muDriverGetVersion(int* version);
MUresult muGetErrorName(MUresult error, const char** name);
MUresult muGetErrorString(MUresult error, const char** text);

/* Devices */
MUresult muDeviceGetCount(int* count);
MUresult muDeviceGet(MUdevice* device, int ordinal);
MUresult muDeviceGetName(char* name, int length, MUdevice device);
MUresult muDeviceTotalMem(size_t* bytes, MUdevice device);
MUresult muDeviceGetAttribute(int* value, MUdevice_attribute attribute, MUdevice device);
MUresult muDeviceComputeCapability(int* major, int* minor, MUdevice device);

/* Contexts. A device has one, its primary context, which is the runtime API's too: muCtxCreate
 * gives it, and destroying it only takes it off the thread's stack. Where no context was made
 * current, that of the runtime's current device is */
MUresult muDevicePrimaryCtxRetain(MUcontext* context, MUdevice device);
MUresult muDevicePrimaryCtxRelease(MUdevice device);
MUresult muCtxCreate(MUcontext* context, unsigned int flags, MUdevice device);
MUresult muCtxDestroy(MUcontext context);
MUresult muCtxSetCurrent(MUcontext context);
MUresult muCtxGetCurrent(MUcontext* context);
MUresult muCtxPushCurrent(MUcontext context);
MUresult muCtxPopCurrent(MUcontext* context);
MUresult muCtxGetDevice(MUdevice* device);
MUresult muCtxSynchronize(void);

/* Memory */
MUresult muMemGetInfo(size_t* free_bytes, size_t* total_bytes);
MUresult muMemAlloc(MUdeviceptr* memory, size_t bytes);
MUresult muMemFree(MUdeviceptr memory);
MUresult muMemAllocHost(void** memory, size_t bytes);
MUresult muMemFreeHost(void* memory);
MUresult muMemAllocManaged(MUdeviceptr* memory, size_t bytes, unsigned int flags);
MUresult muMemcpyHtoD(MUdeviceptr to, const void* from, size_t bytes);
MUresult muMemcpyDtoH(void* to, MUdeviceptr from, size_t bytes);
MUresult muMemcpyDtoD(MUdeviceptr to, MUdeviceptr from, size_t bytes);
MUresult muMemcpyHtoDAsync(MUdeviceptr to, const void* from, size_t bytes, MUstream stream);
MUresult muMemcpyDtoHAsync(void* to, MUdeviceptr from, size_t bytes, MUstream stream);
MUresult muMemcpyDtoDAsync(MUdeviceptr to, MUdeviceptr from, size_t bytes, MUstream stream);
MUresult muMemcpy2D(const MUSA_MEMCPY2D* copy);
MUresult muMemcpy2DUnaligned(const MUSA_MEMCPY2D* copy);
MUresult muMemcpy2DAsync(const MUSA_MEMCPY2D* copy, MUstream stream);
MUresult muMemcpy3D(const MUSA_MEMCPY3D* copy);
MUresult muMemcpy3DAsync(const MUSA_MEMCPY3D* copy, MUstream stream);
MUresult muArrayCreate(MUarray* array, const MUSA_ARRAY_DESCRIPTOR* description);
MUresult muArray3DCreate(MUarray* array, const MUSA_ARRAY3D_DESCRIPTOR* description);
MUresult muArrayGetDescriptor(MUSA_ARRAY_DESCRIPTOR* description, MUarray array);
MUresult muArray3DGetDescriptor(MUSA_ARRAY3D_DESCRIPTOR* description, MUarray array);
MUresult muArrayDestroy(MUarray array);
MUresult muMemsetD8(MUdeviceptr to, unsigned char value, size_t count);
MUresult muMemsetD8Async(MUdeviceptr to, unsigned char value, size_t count, MUstream stream);
MUresult muMemsetD32(MUdeviceptr to, unsigned int value, size_t count);
MUresult muMemsetD32Async(MUdeviceptr to, unsigned int value, size_t count, MUstream stream);
MUresult muMemAllocPitch(MUdeviceptr* memory, size_t* pitch, size_t width, size_t height,
                         unsigned int element_bytes);
MUresult muMemAllocAsync(MUdeviceptr* memory, size_t bytes, MUstream stream);
MUresult muMemAllocFromPoolAsync(MUdeviceptr* memory, size_t bytes, MUmemoryPool pool,
                                 MUstream stream);
MUresult muMemFreeAsync(MUdeviceptr memory, MUstream stream);
MUresult muDeviceGetDefaultMemPool(MUmemoryPool* pool, MUdevice device);
MUresult muDeviceGetMemPool(MUmemoryPool* pool, MUdevice device);
MUresult muDeviceSetMemPool(MUdevice device, MUmemoryPool pool);
MUresult muMemPoolDestroy(MUmemoryPool pool);
MUresult muMemPoolTrimTo(MUmemoryPool pool, size_t bytes_to_keep);
MUresult muMemPoolSetAttribute(MUmemoryPool pool, MUmemPool_attribute attribute, void* value);
MUresult muMemPoolGetAttribute(MUmemoryPool pool, MUmemPool_attribute attribute, void* value);
MUresult muMemPrefetchAsync(MUdeviceptr memory, size_t count, MUdevice device, MUstream stream);
MUresult muMemAdvise(MUdeviceptr memory, size_t count, MUmem_advise advice, MUdevice device);
MUresult muMemRangeGetAttribute(void* data, size_t size, MUmem_range_attribute attribute,
                                MUdeviceptr memory, size_t count);
MUresult muProfilerStart(void);
MUresult muProfilerStop(void);

/* Virtual memory. Sizes are multiples of the granularity, offsets zero. Several mappings that follow each other may hold
 * one array. What is mapped may be accessed after muMemSetAccess */
MUresult muMemGetAllocationGranularity(size_t* granularity, const MUmemAllocationProp* prop,
                                       MUmemAllocationGranularity_flags option);
MUresult muMemCreate(MUmemGenericAllocationHandle* handle, size_t size,
                     const MUmemAllocationProp* prop, unsigned long long flags);
MUresult muMemRelease(MUmemGenericAllocationHandle handle);
MUresult muMemRetainAllocationHandle(MUmemGenericAllocationHandle* handle, void* address);
MUresult muMemGetAllocationPropertiesFromHandle(MUmemAllocationProp* prop,
                                                MUmemGenericAllocationHandle handle);
MUresult muMemExportToShareableHandle(void* shareable, MUmemGenericAllocationHandle handle,
                                      MUmemAllocationHandleType type, unsigned long long flags);
MUresult muMemImportFromShareableHandle(MUmemGenericAllocationHandle* handle, void* shareable,
                                        MUmemAllocationHandleType type);
MUresult muMemAddressReserve(MUdeviceptr* address, size_t size, size_t alignment, MUdeviceptr hint,
                             unsigned long long flags);
MUresult muMemAddressFree(MUdeviceptr address, size_t size);
MUresult muMemMap(MUdeviceptr address, size_t size, size_t offset,
                  MUmemGenericAllocationHandle handle, unsigned long long flags);
MUresult muMemUnmap(MUdeviceptr address, size_t size);
MUresult muMemSetAccess(MUdeviceptr address, size_t size, const MUmemAccessDesc* descriptions,
                        size_t count);
MUresult muMemGetAccess(unsigned long long* flags, const MUmemLocation* location,
                        MUdeviceptr address);

/* Streams and events, which are the runtime API's */
MUresult muStreamCreate(MUstream* stream, unsigned int flags);
MUresult muStreamDestroy(MUstream stream);
MUresult muStreamSynchronize(MUstream stream);
MUresult muStreamQuery(MUstream stream);
MUresult muStreamWaitEvent(MUstream stream, MUevent event, unsigned int flags);
MUresult muEventCreate(MUevent* event, unsigned int flags);
MUresult muEventDestroy(MUevent event);
MUresult muEventRecord(MUevent event, MUstream stream);
MUresult muEventSynchronize(MUevent event);
MUresult muEventQuery(MUevent event);
MUresult muEventElapsedTime(float* milliseconds, MUevent start, MUevent end);

/* Graphs, which are the runtime API's: streams are captured into them */
MUresult muStreamBeginCapture(MUstream stream, MUstreamCaptureMode mode);
MUresult muStreamEndCapture(MUstream stream, MUgraph* graph);
MUresult muStreamIsCapturing(MUstream stream, MUstreamCaptureStatus* status);
MUresult muStreamGetCaptureInfo(MUstream stream, MUstreamCaptureStatus* status,
                                unsigned long long* id, MUgraph* graph,
                                const MUgraphNode** dependencies, size_t* count);
MUresult muThreadExchangeStreamCaptureMode(MUstreamCaptureMode* mode);
MUresult muGraphGetNodes(MUgraph graph, MUgraphNode* nodes, size_t* count);
MUresult muGraphNodeGetType(MUgraphNode node, MUgraphNodeType* type);
MUresult muGraphKernelNodeGetParams(MUgraphNode node, MUSA_KERNEL_NODE_PARAMS* params);
MUresult muGraphKernelNodeSetParams(MUgraphNode node, const MUSA_KERNEL_NODE_PARAMS* params);
MUresult muGraphExecKernelNodeSetParams(MUgraphExec exec, MUgraphNode node,
                                        const MUSA_KERNEL_NODE_PARAMS* params);
MUresult muGraphExecUpdate(MUgraphExec exec, MUgraph graph, MUgraphNode* error_node,
                           MUgraphExecUpdateResult* result);
MUresult muGraphDebugDotPrint(MUgraph graph, const char* path, unsigned int flags);
MUresult muGraphInstantiate(MUgraphExec* exec, MUgraph graph, unsigned long long flags);
MUresult muGraphInstantiateWithFlags(MUgraphExec* exec, MUgraph graph, unsigned long long flags);
MUresult muGraphUpload(MUgraphExec exec, MUstream stream);
MUresult muGraphLaunch(MUgraphExec exec, MUstream stream);
MUresult muGraphExecDestroy(MUgraphExec exec);
MUresult muGraphDestroy(MUgraph graph);

/* Modules: what `mcc --cuda-device-only` writes. Names are the mangled ones, or those that
 * extern "C" gave */
MUresult muModuleLoad(MUmodule* module, const char* path);
MUresult muModuleLoadData(MUmodule* module, const void* image);
MUresult muModuleLoadFatBinary(MUmodule* module, const void* image);
MUresult muModuleUnload(MUmodule module);
MUresult muModuleGetFunction(MUfunction* function, MUmodule module, const char* name);
MUresult muModuleGetGlobal(MUdeviceptr* memory, size_t* bytes, MUmodule module, const char* name);

/* Kernels. `parameters` are the addresses of the arguments; `extra`, the other way to pass them,
 * is MUSA_ERROR_NOT_SUPPORTED */
MUresult muLaunchKernel(MUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes, MUstream stream,
                        void** parameters, void** extra);
MUresult muLaunchCooperativeKernel(MUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes,
                                   MUstream stream, void** parameters);
MUresult muLaunchKernelEx(const MUlaunchConfig* config, MUfunction function, void** parameters,
                          void** extra);
MUresult muFuncSetAttribute(MUfunction function, MUfunction_attribute attribute, int value);
MUresult muFuncGetAttribute(int* value, MUfunction_attribute attribute, MUfunction function);
MUresult muOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, MUfunction function,
                                                     int block_size, size_t shared_bytes);

#ifdef __cplusplus
}
#endif

#endif
