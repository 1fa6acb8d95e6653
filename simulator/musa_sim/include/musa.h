/* The MUSA driver API, over the same devices, memory, streams and kernels as the runtime
 * API. Link with -lmusa.
 *
 * Numbers are CUDA's. Functions that are not simulated return MUSA_ERROR_NOT_SUPPORTED (musa_sim/driver_refused.h).
 */
#ifndef __musa_musa_h__
#define __musa_musa_h__

#include <stdint.h>
#include <stdlib.h>

#include <driver_types.h>

/* major * 10000 + minor * 100 + patch */
#define MUSA_VERSION 50200

#ifndef MUSAAPI
#define MUSAAPI
#endif
#ifndef MUSA_CB
#define MUSA_CB
#endif

/* A name with a version is the type's ABI since that version; the name without is the newest */
typedef int MUdevice_v1;
typedef MUdevice_v1 MUdevice;
typedef unsigned long long MUdeviceptr_v2;
typedef MUdeviceptr_v2 MUdeviceptr;
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
typedef struct MUmipmappedArray_st* MUmipmappedArray;
typedef struct MUtexref_st* MUtexref;
typedef struct MUsurfref_st* MUsurfref;
typedef struct MUlinkState_st* MUlinkState;
typedef struct MUextMemory_st* MUexternalMemory;
typedef struct MUextSemaphore_st* MUexternalSemaphore;
typedef struct MUgraphicsResource_st* MUgraphicsResource;
typedef struct MUuserObject_st* MUuserObject;
typedef unsigned long long MUtexObject_v1;
typedef MUtexObject_v1 MUtexObject;
typedef unsigned long long MUsurfObject_v1;
typedef MUsurfObject_v1 MUsurfObject;

/* A handle by which another process opens the memory */
#define MU_IPC_HANDLE_SIZE 64
typedef struct MUipcMemHandle_st {
    char reserved[MU_IPC_HANDLE_SIZE];
} MUipcMemHandle_v1;
typedef MUipcMemHandle_v1 MUipcMemHandle;
typedef struct MUipcEventHandle_st {
    char reserved[MU_IPC_HANDLE_SIZE];
} MUipcEventHandle_v1;
typedef MUipcEventHandle_v1 MUipcEventHandle;

typedef void(MUSA_CB* MUhostFn)(void* userData);

typedef enum musaError_enum {
    MUSA_SUCCESS = 0,
    MUSA_ERROR_INVALID_VALUE = 1,
    MUSA_ERROR_OUT_OF_MEMORY = 2,
    MUSA_ERROR_NOT_INITIALIZED = 3,
    MUSA_ERROR_DEINITIALIZED = 4,
    MUSA_ERROR_PROFILER_DISABLED = 5,
    MUSA_ERROR_PROFILER_NOT_INITIALIZED = 6,
    MUSA_ERROR_PROFILER_ALREADY_STARTED = 7,
    MUSA_ERROR_PROFILER_ALREADY_STOPPED = 8,
    MUSA_ERROR_STUB_LIBRARY = 34,
    MUSA_ERROR_DEVICE_UNAVAILABLE = 46,
    MUSA_ERROR_NO_DEVICE = 100,
    MUSA_ERROR_INVALID_DEVICE = 101,
    MUSA_ERROR_DEVICE_NOT_LICENSED = 102,
    MUSA_ERROR_INVALID_IMAGE = 200,
    MUSA_ERROR_INVALID_CONTEXT = 201,
    MUSA_ERROR_CONTEXT_ALREADY_CURRENT = 202,
    MUSA_ERROR_MAP_FAILED = 205,
    MUSA_ERROR_UNMAP_FAILED = 206,
    MUSA_ERROR_ARRAY_IS_MAPPED = 207,
    MUSA_ERROR_ALREADY_MAPPED = 208,
    MUSA_ERROR_NO_BINARY_FOR_GPU = 209,
    MUSA_ERROR_ALREADY_ACQUIRED = 210,
    MUSA_ERROR_NOT_MAPPED = 211,
    MUSA_ERROR_NOT_MAPPED_AS_ARRAY = 212,
    MUSA_ERROR_NOT_MAPPED_AS_POINTER = 213,
    MUSA_ERROR_ECC_UNCORRECTABLE = 214,
    MUSA_ERROR_UNSUPPORTED_LIMIT = 215,
    MUSA_ERROR_CONTEXT_ALREADY_IN_USE = 216,
    MUSA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
    MUSA_ERROR_INVALID_PTX = 218,
    MUSA_ERROR_INVALID_GRAPHICS_CONTEXT = 219,
    MUSA_ERROR_MTLINK_UNCORRECTABLE = 220,
    MUSA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    MUSA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    MUSA_ERROR_JIT_COMPILATION_DISABLED = 223,
    MUSA_ERROR_UNSUPPORTED_EXEC_AFFINITY = 224,
    MUSA_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 225,
    MUSA_ERROR_INVALID_SOURCE = 300,
    MUSA_ERROR_FILE_NOT_FOUND = 301,
    MUSA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
    MUSA_ERROR_SHARED_OBJECT_INIT_FAILED = 303,
    MUSA_ERROR_OPERATING_SYSTEM = 304,
    MUSA_ERROR_INVALID_HANDLE = 400,
    MUSA_ERROR_ILLEGAL_STATE = 401,
    MUSA_ERROR_LOSSY_QUERY = 402,
    MUSA_ERROR_NOT_FOUND = 500,
    MUSA_ERROR_NOT_READY = 600,
    MUSA_ERROR_ILLEGAL_ADDRESS = 700,
    MUSA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    MUSA_ERROR_LAUNCH_TIMEOUT = 702,
    MUSA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING = 703,
    MUSA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    MUSA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
    MUSA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,
    MUSA_ERROR_CONTEXT_IS_DESTROYED = 709,
    MUSA_ERROR_ASSERT = 710,
    MUSA_ERROR_TOO_MANY_PEERS = 711,
    MUSA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    MUSA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    MUSA_ERROR_HARDWARE_STACK_ERROR = 714,
    MUSA_ERROR_ILLEGAL_INSTRUCTION = 715,
    MUSA_ERROR_MISALIGNED_ADDRESS = 716,
    MUSA_ERROR_INVALID_ADDRESS_SPACE = 717,
    MUSA_ERROR_INVALID_PC = 718,
    MUSA_ERROR_LAUNCH_FAILED = 719,
    MUSA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    MUSA_ERROR_NOT_PERMITTED = 800,
    MUSA_ERROR_NOT_SUPPORTED = 801,
    MUSA_ERROR_SYSTEM_NOT_READY = 802,
    MUSA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
    MUSA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
    MUSA_ERROR_MPS_CONNECTION_FAILED = 805,
    MUSA_ERROR_MPS_RPC_FAILURE = 806,
    MUSA_ERROR_MPS_SERVER_NOT_READY = 807,
    MUSA_ERROR_MPS_MAX_CLIENTS_REACHED = 808,
    MUSA_ERROR_MPS_MAX_CONNECTIONS_REACHED = 809,
    MUSA_ERROR_MPS_CLIENT_TERMINATED = 810,
    MUSA_ERROR_CDP_NOT_SUPPORTED = 811,
    MUSA_ERROR_CDP_VERSION_MISMATCH = 812,
    MUSA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
    MUSA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
    MUSA_ERROR_STREAM_CAPTURE_MERGE = 902,
    MUSA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
    MUSA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
    MUSA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
    MUSA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
    MUSA_ERROR_CAPTURED_EVENT = 907,
    MUSA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
    MUSA_ERROR_TIMEOUT = 909,
    MUSA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
    MUSA_ERROR_EXTERNAL_DEVICE = 911,
    MUSA_ERROR_INVALID_CLUSTER_SIZE = 912,
    MUSA_ERROR_FUNCTION_NOT_LOADED = 913,
    MUSA_ERROR_INVALID_RESOURCE_TYPE = 914,
    MUSA_ERROR_INVALID_RESOURCE_CONFIGURATION = 915,
    MUSA_ERROR_UNKNOWN = 999,
} MUresult;

/* The attributes are the runtime API's, and some of the driver's own. */
typedef enum MUdevice_attribute_enum {
    MU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    MU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
    MU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
    MU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
    MU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
    MU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
    MU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
    MU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    MU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK = 8,
    MU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
    MU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    MU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
    MU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
    MU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK = 12,
    MU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
    MU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
    MU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
    MU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    MU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
    MU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
    MU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
    MU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH = 21,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH = 22,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT = 23,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH = 24,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT = 25,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH = 26,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH = 27,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT = 28,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES = 29,
    MU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT = 30,
    MU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
    MU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
    MU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
    MU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
    MU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35,
    MU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
    MU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
    MU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
    MU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    MU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
    MU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43,
    MU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER = 44,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH = 45,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 46,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 47,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 48,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 49,
    MU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
    MU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT = 51,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH = 52,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 53,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 54,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH = 55,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH = 56,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT = 57,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH = 58,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT = 59,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH = 60,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH = 61,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS = 62,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH = 63,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 64,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS = 65,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH = 66,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 67,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 68,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 69,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH = 70,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = 71,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH = 72,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 73,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = 74,
    MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    MU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 77,
    MU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
    MU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED = 79,
    MU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED = 80,
    MU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    MU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
    MU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
    MU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD = 84,
    MU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID = 85,
    MU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
    MU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87,
    MU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
    MU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
    MU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED = 90,
    MU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
    MU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS = 92,
    MU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 93,
    MU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR = 94,
    MU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
    MU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH = 96,
    MU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    MU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES = 98,
    MU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED = 99,
    MU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
    MU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101,
    MU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
    MU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    MU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
    MU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104,
    MU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 105,
    MU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
    MU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED = 107,
    MU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE = 108,
    MU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE = 109,
    MU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_MUSA_VMM_SUPPORTED = 110,
    MU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
    MU_DEVICE_ATTRIBUTE_SPARSE_MUSA_ARRAY_SUPPORTED = 112,
    MU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED = 113,
    MU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 114,
    MU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
    MU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED = 116,
    MU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117,
    MU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING = 118,
    MU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES = 119,
    MU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
    MU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_MUSA_ARRAY_SUPPORTED = 121,
    MU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED = 124,
    MU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED = 125,
    MU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT = 126,
    MU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED = 127,
    MU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED = 128,
    MU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS = 129,
    MU_DEVICE_ATTRIBUTE_NUMA_CONFIG = 130,
    MU_DEVICE_ATTRIBUTE_NUMA_ID = 131,
    MU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED = 132,
    MU_DEVICE_ATTRIBUTE_MAX
} MUdevice_attribute;

typedef enum MUfunction_attribute_enum {
    MU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    MU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    MU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
    MU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    MU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    MU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
    MU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
    MU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
    MU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    MU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
    MU_FUNC_ATTRIBUTE_MAX
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
    MU_GRAPH_NODE_TYPE_EMPTY = 5,
    MU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
    MU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
    MU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL = 8,
    MU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT = 9,
    MU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
    MU_GRAPH_NODE_TYPE_MEM_FREE = 11,
    MU_GRAPH_NODE_TYPE_BATCH_MEM_OP = 12, /* not simulated */
    MU_GRAPH_NODE_TYPE_CONDITIONAL = 13
} MUgraphNodeType;

/* The result of muGraphExecUpdate. */
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

typedef enum MUaccessProperty_enum {
    MU_ACCESS_PROPERTY_NORMAL = 0,
    MU_ACCESS_PROPERTY_STREAMING = 1,
    MU_ACCESS_PROPERTY_PERSISTING = 2
} MUaccessProperty;
typedef struct MUaccessPolicyWindow_st {
    void* base_ptr;
    size_t num_bytes;
    float hitRatio;
    MUaccessProperty hitProp;
    MUaccessProperty missProp;
} MUaccessPolicyWindow;
typedef enum MUsynchronizationPolicy_enum {
    MU_SYNC_POLICY_AUTO = 1,
    MU_SYNC_POLICY_SPIN = 2,
    MU_SYNC_POLICY_YIELD = 3,
    MU_SYNC_POLICY_BLOCKING_SYNC = 4
} MUsynchronizationPolicy;

typedef union MUlaunchAttributeValue_union {
    char pad[64];
    MUaccessPolicyWindow accessPolicyWindow;
    MUsynchronizationPolicy syncPolicy;
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

#define MUstreamAttrID MUlaunchAttributeID
#define MUstreamAttrID_enum MUlaunchAttributeID_enum
#define MUstreamAttrValue MUlaunchAttributeValue
#define MUstreamAttrValue_union MUlaunchAttributeValue_union
#define MU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW MU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
#define MU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY MU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY
#define MU_STREAM_ATTRIBUTE_PRIORITY MU_LAUNCH_ATTRIBUTE_PRIORITY
#define MUkernelNodeAttrID MUlaunchAttributeID
#define MUkernelNodeAttrID_enum MUlaunchAttributeID_enum
#define MUkernelNodeAttrValue MUlaunchAttributeValue
#define MUkernelNodeAttrValue_union MUlaunchAttributeValue_union
#define MU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW MU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
#define MU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE MU_LAUNCH_ATTRIBUTE_COOPERATIVE
#define MU_KERNEL_NODE_ATTRIBUTE_PRIORITY MU_LAUNCH_ATTRIBUTE_PRIORITY

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
typedef unsigned long long MUmemGenericAllocationHandle_v1;
typedef MUmemGenericAllocationHandle_v1 MUmemGenericAllocationHandle;

typedef enum MUmemAllocationType_enum {
    MU_MEM_ALLOCATION_TYPE_INVALID = 0,
    MU_MEM_ALLOCATION_TYPE_PINNED = 1,
    MU_MEM_ALLOCATION_TYPE_MAX = 0x7FFFFFFF
} MUmemAllocationType;

typedef enum MUmemAllocationHandleType_enum {
    MU_MEM_HANDLE_TYPE_NONE = 0,
    MU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
    MU_MEM_HANDLE_TYPE_WIN32 = 2,
    MU_MEM_HANDLE_TYPE_WIN32_KMT = 4,
    MU_MEM_HANDLE_TYPE_FABRIC = 8,
    MU_MEM_HANDLE_TYPE_MAX = 0x7FFFFFFF
} MUmemAllocationHandleType;

typedef enum MUmemLocationType_enum {
    MU_MEM_LOCATION_TYPE_INVALID = 0,
    MU_MEM_LOCATION_TYPE_DEVICE = 1,
    MU_MEM_LOCATION_TYPE_HOST = 2,
    MU_MEM_LOCATION_TYPE_HOST_NUMA = 3,
    MU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 4,
    MU_MEM_LOCATION_TYPE_MAX = 0x7FFFFFFF
} MUmemLocationType;

typedef enum MUmemAccess_flags_enum {
    MU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
    MU_MEM_ACCESS_FLAGS_PROT_READ = 1,
    MU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
    MU_MEM_ACCESS_FLAGS_PROT_MAX = 0x7FFFFFFF
} MUmemAccess_flags;

typedef enum MUmemAllocationGranularity_flags_enum {
    MU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    MU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
} MUmemAllocationGranularity_flags;
typedef enum MUmemAllocationCompType_enum {
    MU_MEM_ALLOCATION_COMP_NONE = 0, MU_MEM_ALLOCATION_COMP_GENERIC = 1
} MUmemAllocationCompType;

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
    MU_AD_FORMAT_FLOAT = 0x20,
    MU_AD_FORMAT_NV12 = 0xb0 /* two planes of colors, not simulated */
} MUarray_format;

#define MUSA_ARRAY3D_LAYERED 0x01
#define MUSA_ARRAY3D_2DARRAY 0x01
#define MUSA_ARRAY3D_SURFACE_LDST 0x02
#define MUSA_ARRAY3D_CUBEMAP 0x04
#define MUSA_ARRAY3D_TEXTURE_GATHER 0x08
#define MUSA_ARRAY3D_DEPTH_TEXTURE 0x10
#define MUSA_ARRAY3D_COLOR_ATTACHMENT 0x20
#define MUSA_ARRAY3D_SPARSE 0x40

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

/* Nodes of graphs, textures and the rest. Layouts and numbers are CUDA's. */
typedef struct MUSA_MEMSET_NODE_PARAMS_st {
    MUdeviceptr dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
} MUSA_MEMSET_NODE_PARAMS;

typedef struct MUSA_HOST_NODE_PARAMS_st {
    MUhostFn fn;
    void* userData;
} MUSA_HOST_NODE_PARAMS;

typedef struct MUmemPoolProps_st {
    MUmemAllocationType allocType;
    MUmemAllocationHandleType handleTypes;
    MUmemLocation location;
    void* win32SecurityAttributes;
    unsigned char reserved[64];
} MUmemPoolProps;

typedef struct MUSA_MEM_ALLOC_NODE_PARAMS_st {
    MUmemPoolProps poolProps;
    const MUmemAccessDesc* accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    MUdeviceptr dptr;
} MUSA_MEM_ALLOC_NODE_PARAMS;

typedef enum MUgraphMem_attribute_enum {
    MU_GRAPH_MEM_ATTR_USED_MEM_CURRENT = 0,
    MU_GRAPH_MEM_ATTR_USED_MEM_HIGH = 1,
    MU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT = 2,
    MU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH = 3
} MUgraphMem_attribute;

typedef enum MUuserObject_flags_enum { MU_USER_OBJECT_NO_DESTRUCTOR_SYNC = 1 } MUuserObject_flags;
typedef enum MUuserObjectRetain_flags_enum { MU_GRAPH_USER_OBJECT_MOVE = 1 } MUuserObjectRetain_flags;
typedef enum MUstreamUpdateCaptureDependencies_flags_enum {
    MU_STREAM_ADD_CAPTURE_DEPENDENCIES = 0,
    MU_STREAM_SET_CAPTURE_DEPENDENCIES = 1
} MUstreamUpdateCaptureDependencies_flags;

typedef enum MUlimit_enum {
    MU_LIMIT_STACK_SIZE = 0,
    MU_LIMIT_PRINTF_FIFO_SIZE = 1,
    MU_LIMIT_MALLOC_HEAP_SIZE = 2,
    MU_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 3,
    MU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4,
    MU_LIMIT_MAX_L2_FETCH_GRANULARITY = 5,
    MU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6,
    MU_LIMIT_MAX
} MUlimit;

typedef enum MUfunc_cache_enum {
    MU_FUNC_CACHE_PREFER_NONE = 0,
    MU_FUNC_CACHE_PREFER_SHARED = 1,
    MU_FUNC_CACHE_PREFER_L1 = 2,
    MU_FUNC_CACHE_PREFER_EQUAL = 3
} MUfunc_cache;

typedef enum MUsharedconfig_enum {
    MU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE = 0,
    MU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE = 1,
    MU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE = 2
} MUsharedconfig;
typedef enum MUshared_carveout_enum {
    MU_SHAREDMEM_CARVEOUT_DEFAULT = -1, MU_SHAREDMEM_CARVEOUT_MAX_SHARED = 100, MU_SHAREDMEM_CARVEOUT_MAX_L1 = 0
} MUshared_carveout;
typedef enum MUcomputemode_enum {
    MU_COMPUTEMODE_DEFAULT = 0, MU_COMPUTEMODE_PROHIBITED = 2, MU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3
} MUcomputemode;

typedef enum MUdevice_P2PAttribute_enum {
    MU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 1,
    MU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 2,
    MU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3,
    MU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED = 4,
    MU_DEVICE_P2P_ATTRIBUTE_MUSA_ARRAY_ACCESS_SUPPORTED = 4
} MUdevice_P2PAttribute;

typedef enum MUexecAffinityType_enum {
    MU_EXEC_AFFINITY_TYPE_SM_COUNT = 0,
    MU_EXEC_AFFINITY_TYPE_MAX
} MUexecAffinityType;
typedef struct MUexecAffinitySmCount_st {
    unsigned int val;
} MUexecAffinitySmCount_v1;
typedef MUexecAffinitySmCount_v1 MUexecAffinitySmCount;
typedef struct MUexecAffinityParam_st {
    MUexecAffinityType type;
    union {
        MUexecAffinitySmCount smCount;
    } param;
} MUexecAffinityParam;

typedef struct MUdevprop_st {
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int sharedMemPerBlock;
    int totalConstantMemory;
    int SIMDWidth;
    int memPitch;
    int regsPerBlock;
    int clockRate;
    int textureAlign;
} MUdevprop;

typedef enum MUpointer_attribute_enum {
    MU_POINTER_ATTRIBUTE_CONTEXT = 1,
    MU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    MU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
    MU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
    MU_POINTER_ATTRIBUTE_P2P_TOKENS = 5,
    MU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
    MU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
    MU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
    MU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
    MU_POINTER_ATTRIBUTE_IS_LEGACY_MUSA_IPC_CAPABLE = 10,
    MU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
    MU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
    MU_POINTER_ATTRIBUTE_MAPPED = 13,
    MU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
    MU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
    MU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
    MU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17
} MUpointer_attribute;
typedef enum MUSA_POINTER_ATTRIBUTE_ACCESS_FLAGS_enum {
    MU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE = 0, MU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ = 1,
    MU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE = 3
} MUSA_POINTER_ATTRIBUTE_ACCESS_FLAGS;

typedef enum MUresourcetype_enum {
    MU_RESOURCE_TYPE_ARRAY = 0,
    MU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
    MU_RESOURCE_TYPE_LINEAR = 2,
    MU_RESOURCE_TYPE_PITCH2D = 3
} MUresourcetype;
typedef enum MUaddress_mode_enum {
    MU_TR_ADDRESS_MODE_WRAP = 0,
    MU_TR_ADDRESS_MODE_CLAMP = 1,
    MU_TR_ADDRESS_MODE_MIRROR = 2,
    MU_TR_ADDRESS_MODE_BORDER = 3
} MUaddress_mode;
typedef enum MUfilter_mode_enum { MU_TR_FILTER_MODE_POINT = 0, MU_TR_FILTER_MODE_LINEAR = 1 } MUfilter_mode;
#define MU_TRSA_OVERRIDE_FORMAT 0x01
#define MU_TRSF_READ_AS_INTEGER 0x01
#define MU_TRSF_NORMALIZED_COORDINATES 0x02
#define MU_TRSF_SRGB 0x10
#define MU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION 0x20

typedef struct MUSA_RESOURCE_DESC_st {
    MUresourcetype resType;
    union {
        struct {
            MUarray hArray;
        } array;
        struct {
            MUmipmappedArray hMipmappedArray;
        } mipmap;
        struct {
            MUdeviceptr devPtr;
            MUarray_format format;
            unsigned int numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            MUdeviceptr devPtr;
            MUarray_format format;
            unsigned int numChannels;
            size_t width;
            size_t height;
            size_t pitchInBytes;
        } pitch2D;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned int flags;
} MUSA_RESOURCE_DESC;

typedef struct MUSA_TEXTURE_DESC_st {
    MUaddress_mode addressMode[3];
    MUfilter_mode filterMode;
    unsigned int flags;
    unsigned int maxAnisotropy;
    MUfilter_mode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
    float borderColor[4];
    int reserved[12];
} MUSA_TEXTURE_DESC;

typedef struct MUSA_MEMCPY3D_PEER_st {
    size_t srcXInBytes;
    size_t srcY;
    size_t srcZ;
    size_t srcLOD;
    MUmemorytype srcMemoryType;
    const void* srcHost;
    MUdeviceptr srcDevice;
    MUarray srcArray;
    MUcontext srcContext;
    size_t srcPitch;
    size_t srcHeight;
    size_t dstXInBytes;
    size_t dstY;
    size_t dstZ;
    size_t dstLOD;
    MUmemorytype dstMemoryType;
    void* dstHost;
    MUdeviceptr dstDevice;
    MUarray dstArray;
    MUcontext dstContext;
    size_t dstPitch;
    size_t dstHeight;
    size_t WidthInBytes;
    size_t Height;
    size_t Depth;
} MUSA_MEMCPY3D_PEER;

/* When copies of one call read their sources: the simulator always reads in the order of the stream, which satisfies every value. */
typedef enum MUmemcpySrcAccessOrder_enum {
    MU_MEMCPY_SRC_ACCESS_ORDER_INVALID = 0,
    MU_MEMCPY_SRC_ACCESS_ORDER_STREAM = 1,
    MU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL = 2,
    MU_MEMCPY_SRC_ACCESS_ORDER_ANY = 3
} MUmemcpySrcAccessOrder;
typedef struct MUmemcpyAttributes_st {
    MUmemcpySrcAccessOrder srcAccessOrder;
    MUmemLocation srcLocHint;
    MUmemLocation dstLocHint;
    unsigned int flags;
} MUmemcpyAttributes;

typedef enum MUjit_option_enum {
    MU_JIT_MAX_REGISTERS = 0,
    MU_JIT_THREADS_PER_BLOCK = 1,
    MU_JIT_WALL_TIME = 2,
    MU_JIT_INFO_LOG_BUFFER = 3,
    MU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
    MU_JIT_ERROR_LOG_BUFFER = 5,
    MU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    MU_JIT_OPTIMIZATION_LEVEL = 7,
    MU_JIT_TARGET_FROM_MUCONTEXT = 8,
    MU_JIT_TARGET = 9,
    MU_JIT_FALLBACK_STRATEGY = 10,
    MU_JIT_GENERATE_DEBUG_INFO = 11,
    MU_JIT_LOG_VERBOSE = 12,
    MU_JIT_GENERATE_LINE_INFO = 13,
    MU_JIT_CACHE_MODE = 14,
    MU_JIT_NEW_SM3X_OPT = 15,
    MU_JIT_FAST_COMPILE = 16,
    MU_JIT_GLOBAL_SYMBOL_NAMES = 17,
    MU_JIT_GLOBAL_SYMBOL_ADDRESSES = 18,
    MU_JIT_GLOBAL_SYMBOL_COUNT = 19,
    MU_JIT_LTO = 20,
    MU_JIT_FTZ = 21,
    MU_JIT_PREC_DIV = 22,
    MU_JIT_PREC_SQRT = 23,
    MU_JIT_FMA = 24,
    MU_JIT_NUM_OPTIONS
} MUjit_option;
typedef enum MUjitInputType_enum {
    MU_JIT_INPUT_MUBIN = 0,
    MU_JIT_INPUT_PTX = 1,
    MU_JIT_INPUT_FATBINARY = 2,
    MU_JIT_INPUT_OBJECT = 3,
    MU_JIT_INPUT_LIBRARY = 4,
    MU_JIT_INPUT_MTVM = 5,
    MU_JIT_NUM_INPUT_TYPES
} MUjitInputType;
typedef enum MUjit_target_enum {
    MU_TARGET_COMPUTE_20 = 20, MU_TARGET_COMPUTE_21 = 21, MU_TARGET_COMPUTE_30 = 30, MU_TARGET_COMPUTE_32 = 32, MU_TARGET_COMPUTE_35 = 35, MU_TARGET_COMPUTE_37 = 37,
    MU_TARGET_COMPUTE_50 = 50, MU_TARGET_COMPUTE_52 = 52, MU_TARGET_COMPUTE_53 = 53, MU_TARGET_COMPUTE_60 = 60,
    MU_TARGET_COMPUTE_61 = 61, MU_TARGET_COMPUTE_62 = 62, MU_TARGET_COMPUTE_70 = 70, MU_TARGET_COMPUTE_72 = 72,
    MU_TARGET_COMPUTE_75 = 75, MU_TARGET_COMPUTE_80 = 80, MU_TARGET_COMPUTE_86 = 86
} MUjit_target;
typedef enum MUjit_fallback_enum { MU_PREFER_PTX = 0, MU_PREFER_BINARY = 1 } MUjit_fallback;
typedef enum MUjit_cacheMode_enum {
    MU_JIT_CACHE_OPTION_NONE = 0, MU_JIT_CACHE_OPTION_CG = 1, MU_JIT_CACHE_OPTION_CA = 2
} MUjit_cacheMode;

typedef uint32_t muuint32_t;
typedef uint64_t muuint64_t;

/* The condition that a stream waits for: the word is at least as large (as a signed difference), equal, has a bit of
 * the value, or is not all ones with it */
typedef enum MUstreamWaitValue_flags_enum {
    MU_STREAM_WAIT_VALUE_GEQ = 0x0,
    MU_STREAM_WAIT_VALUE_EQ = 0x1,
    MU_STREAM_WAIT_VALUE_AND = 0x2,
    MU_STREAM_WAIT_VALUE_NOR = 0x3,
    MU_STREAM_WAIT_VALUE_FLUSH = 1 << 30
} MUstreamWaitValue_flags;

typedef enum MUstreamWriteValue_flags_enum {
    MU_STREAM_WRITE_VALUE_DEFAULT = 0x0,
    MU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER = 0x1
} MUstreamWriteValue_flags;

typedef enum MUstreamBatchMemOpType_enum {
    MU_STREAM_MEM_OP_WAIT_VALUE_32 = 1,
    MU_STREAM_MEM_OP_WRITE_VALUE_32 = 2,
    MU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES = 3,
    MU_STREAM_MEM_OP_WAIT_VALUE_64 = 4,
    MU_STREAM_MEM_OP_WRITE_VALUE_64 = 5,
    MU_STREAM_MEM_OP_BARRIER = 6
} MUstreamBatchMemOpType;

typedef union MUstreamBatchMemOpParams_union {
    MUstreamBatchMemOpType operation;
    struct MUstreamMemOpWaitValueParams_st {
        MUstreamBatchMemOpType operation;
        MUdeviceptr address;
        union {
            muuint32_t value;
            muuint64_t value64;
        };
        unsigned int flags;
        MUdeviceptr alias;
    } waitValue;
    struct MUstreamMemOpWriteValueParams_st {
        MUstreamBatchMemOpType operation;
        MUdeviceptr address;
        union {
            muuint32_t value;
            muuint64_t value64;
        };
        unsigned int flags;
        MUdeviceptr alias;
    } writeValue;
    struct MUstreamMemOpFlushRemoteWritesParams_st {
        MUstreamBatchMemOpType operation;
        unsigned int flags;
    } flushRemoteWrites;
    struct MUstreamMemOpMemoryBarrierParams_st {
        MUstreamBatchMemOpType operation;
        unsigned int flags;
    } memoryBarrier;
    muuint64_t pad[6];
} MUstreamBatchMemOpParams;

#include <musa_sim/driver_interoperability.h>

/* The same, by their versioned names */
typedef MUstreamBatchMemOpParams MUstreamBatchMemOpParams_v1;
typedef MUdevprop MUdevprop_v1;
typedef MUaccessPolicyWindow MUaccessPolicyWindow_v1;
typedef MUSA_KERNEL_NODE_PARAMS MUSA_KERNEL_NODE_PARAMS_v1;
typedef MUSA_MEMSET_NODE_PARAMS MUSA_MEMSET_NODE_PARAMS_v1;
typedef MUSA_HOST_NODE_PARAMS MUSA_HOST_NODE_PARAMS_v1;
typedef MUkernelNodeAttrValue MUkernelNodeAttrValue_v1;
typedef MUstreamAttrValue MUstreamAttrValue_v1;
typedef MUexecAffinityParam MUexecAffinityParam_v1;
typedef MUSA_MEMCPY2D MUSA_MEMCPY2D_v2;
typedef MUSA_MEMCPY3D MUSA_MEMCPY3D_v2;
typedef MUSA_MEMCPY3D_PEER MUSA_MEMCPY3D_PEER_v1;
typedef MUSA_ARRAY_DESCRIPTOR MUSA_ARRAY_DESCRIPTOR_v2;
typedef MUSA_ARRAY3D_DESCRIPTOR MUSA_ARRAY3D_DESCRIPTOR_v2;
typedef MUSA_RESOURCE_DESC MUSA_RESOURCE_DESC_v1;
typedef MUSA_TEXTURE_DESC MUSA_TEXTURE_DESC_v1;
typedef MUmemLocation MUmemLocation_v1;
typedef MUmemAllocationProp MUmemAllocationProp_v1;
typedef MUmemAccessDesc MUmemAccessDesc_v1;
typedef MUmemPoolProps MUmemPoolProps_v1;

typedef size_t(MUSA_CB* MUoccupancyB2DSize)(int blockSize);
typedef void(MUSA_CB* MUstreamCallback)(MUstream stream, MUresult status, void* userData);

/* The words of `extra`: a buffer in which the arguments lie as the members of a structure */
#define MU_LAUNCH_PARAM_END ((void*)0x00)
#define MU_LAUNCH_PARAM_BUFFER_POINTER ((void*)0x01)
#define MU_LAUNCH_PARAM_BUFFER_SIZE ((void*)0x02)

/* The parameter of a texture reference, for muParamSetTexRef */
#define MU_PARAM_TR_DEFAULT -1

#define MU_STREAM_LEGACY ((MUstream)0x1)
#define MU_STREAM_PER_THREAD ((MUstream)0x2)

#define MU_DEVICE_CPU ((MUdevice)-1)
#define MU_DEVICE_INVALID ((MUdevice)-2)

typedef enum MUstream_flags_enum { MU_STREAM_DEFAULT = 0, MU_STREAM_NON_BLOCKING = 1 } MUstream_flags;
typedef enum MUevent_flags_enum {
    MU_EVENT_DEFAULT = 0, MU_EVENT_BLOCKING_SYNC = 1, MU_EVENT_DISABLE_TIMING = 2, MU_EVENT_INTERPROCESS = 4
} MUevent_flags;
typedef enum MUevent_record_flags_enum {
    MU_EVENT_RECORD_DEFAULT = 0, MU_EVENT_RECORD_EXTERNAL = 1
} MUevent_record_flags;
typedef enum MUevent_wait_flags_enum { MU_EVENT_WAIT_DEFAULT = 0, MU_EVENT_WAIT_EXTERNAL = 1 } MUevent_wait_flags;
typedef enum MUctx_flags_enum {
    MU_CTX_SCHED_AUTO = 0, MU_CTX_SCHED_SPIN = 1, MU_CTX_SCHED_YIELD = 2, MU_CTX_SCHED_BLOCKING_SYNC = 4,
    MU_CTX_BLOCKING_SYNC = 4, MU_CTX_SCHED_MASK = 7, MU_CTX_MAP_HOST = 8, MU_CTX_LMEM_RESIZE_TO_MAX = 16,
    MU_CTX_FLAGS_MASK = 255
} MUctx_flags;
typedef enum MUmemAttach_flags_enum {
    MU_MEM_ATTACH_GLOBAL = 1, MU_MEM_ATTACH_HOST = 2, MU_MEM_ATTACH_SINGLE = 4
} MUmemAttach_flags;
typedef enum MUoccupancy_flags_enum {
    MU_OCCUPANCY_DEFAULT = 0, MU_OCCUPANCY_DISABLE_CACHING_OVERRIDE = 1
} MUoccupancy_flags;
typedef enum MUipcMem_flags_enum { MU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1 } MUipcMem_flags;
typedef enum MUgraphDebugDot_flags_enum {
    MU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE = 1, MU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES = 2,
    MU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS = 4, MU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS = 8,
    MU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS = 16, MU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS = 32,
    MU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS = 64,
    MU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS = 128,
    MU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS = 256,
    MU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES = 512, MU_GRAPH_DEBUG_DOT_FLAGS_HANDLES = 1024,
    MU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS = 2048, MU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS = 4096
} MUgraphDebugDot_flags;
typedef enum MUgraphInstantiate_flags_enum {
    MUSA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH = 1,
    MUSA_GRAPH_INSTANTIATE_FLAG_UPLOAD = 2,
    MUSA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH = 4,
    MUSA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY = 8
} MUgraphInstantiate_flags;
typedef enum MUgraphInstantiateResult_enum {
    MUSA_GRAPH_INSTANTIATE_SUCCESS = 0,
    MUSA_GRAPH_INSTANTIATE_ERROR = 1,
    MUSA_GRAPH_INSTANTIATE_INVALID_STRUCTURE = 2,
    MUSA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED = 3,
    MUSA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED = 4,
    MUSA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED = 5
} MUgraphInstantiateResult;
typedef struct MUSA_GRAPH_INSTANTIATE_PARAMS_st {
    muuint64_t flags;
    MUstream hUploadStream;
    MUgraphNode hErrNode_out;
    MUgraphInstantiateResult result_out;
} MUSA_GRAPH_INSTANTIATE_PARAMS;

/* Kernels and libraries that belong to no context. A kernel is one for all devices */
typedef struct MUkern_st* MUkernel;
typedef struct MUlib_st* MUlibrary;
typedef enum MUlibraryOption_enum {
    MU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
    MU_LIBRARY_BINARY_IS_PRESERVED = 1,
    MU_LIBRARY_NUM_OPTIONS
} MUlibraryOption;
typedef enum MUdriverProcAddressQueryResult_enum {
    MU_GET_PROC_ADDRESS_SUCCESS = 0,
    MU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
    MU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2
} MUdriverProcAddressQueryResult;

/* Nodes of graphs by one structure (muGraphAddNode), and graphs that depend on a value. What is reserved has to be 0 */
typedef muuint64_t MUgraphConditionalHandle;
typedef enum MUgraphConditionalNodeType_enum {
    MU_GRAPH_COND_TYPE_IF = 0, MU_GRAPH_COND_TYPE_WHILE = 1, MU_GRAPH_COND_TYPE_SWITCH = 2
} MUgraphConditionalNodeType;
#define MU_GRAPH_COND_ASSIGN_DEFAULT 0x1
typedef struct MUSA_KERNEL_NODE_PARAMS_v2_st {
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
    MUkernel kern; /* if there is no func */
    MUcontext ctx;
} MUSA_KERNEL_NODE_PARAMS_v2;
typedef MUSA_KERNEL_NODE_PARAMS_v2 MUSA_KERNEL_NODE_PARAMS_v3;
typedef struct MUgraphNodeParams_st {
    MUgraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        MUSA_KERNEL_NODE_PARAMS_v3 kernel;
        struct {
            int flags;
            int reserved;
            MUcontext copyCtx;
            MUSA_MEMCPY3D copyParams;
        } memcpy;
        struct {
            MUdeviceptr dst;
            size_t pitch;
            unsigned int value;
            unsigned int elementSize;
            size_t width;
            size_t height;
            MUcontext ctx;
        } memset;
        struct {
            MUhostFn fn;
            void* userData;
        } host;
        struct {
            MUgraph graph;
        } graph;
        struct {
            MUevent event;
        } eventWait, eventRecord;
        struct {
            MUmemPoolProps poolProps;
            const MUmemAccessDesc* accessDescs;
            size_t accessDescCount;
            size_t bytesize;
            MUdeviceptr dptr; /* set by muGraphAddNode */
        } alloc;
        struct {
            MUdeviceptr dptr;
        } free;
        struct {
            MUgraphConditionalHandle handle;
            MUgraphConditionalNodeType type;
            unsigned int size;
            MUgraph* phGraph_out; /* set by muGraphAddNode */
            MUcontext ctx;
        } conditional;
    };
    long long reserved2;
} MUgraphNodeParams;
typedef enum MUgraphDependencyType_enum {
    MU_GRAPH_DEPENDENCY_TYPE_DEFAULT = 0, MU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC = 1
} MUgraphDependencyType;
typedef struct MUgraphEdgeData_st {
    unsigned char from_port;
    unsigned char to_port;
    unsigned char type;
    unsigned char reserved[5];
} MUgraphEdgeData;
#define MU_GRAPH_KERNEL_NODE_PORT_DEFAULT 0
#define MU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC 1
#define MU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER 2
typedef enum MUdriverProcAddress_flags_enum {
    MU_GET_PROC_ADDRESS_DEFAULT = 0, MU_GET_PROC_ADDRESS_LEGACY_STREAM = 1,
    MU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM = 2
} MUdriverProcAddress_flags;
typedef enum MUoutput_mode_enum { MU_OUT_KEY_VALUE_PAIR = 0, MU_OUT_CSV = 1 } MUoutput_mode;
#define MU_MEMHOSTALLOC_PORTABLE 0x01
#define MU_MEMHOSTALLOC_DEVICEMAP 0x02
#define MU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define MU_MEMHOSTREGISTER_PORTABLE 0x01
#define MU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define MU_MEMHOSTREGISTER_IOMEMORY 0x04
#define MU_MEMHOSTREGISTER_READ_ONLY 0x08

/* Programs import these functions by the names of their second versions, as the SDK's header makes them do
 * (docs/known.md). The first names exist as well, and mean the same */
#define muArray3DCreate muArray3DCreate_v2
#define muArray3DGetDescriptor muArray3DGetDescriptor_v2
#define muArrayCreate muArrayCreate_v2
#define muArrayGetDescriptor muArrayGetDescriptor_v2
#define muCtxCreate muCtxCreate_v2
#define muCtxDestroy muCtxDestroy_v2
#define muCtxPopCurrent muCtxPopCurrent_v2
#define muCtxPushCurrent muCtxPushCurrent_v2
#define muDeviceGetUuid muDeviceGetUuid_v2
#define muDevicePrimaryCtxRelease muDevicePrimaryCtxRelease_v2
#define muDevicePrimaryCtxReset muDevicePrimaryCtxReset_v2
#define muDevicePrimaryCtxSetFlags muDevicePrimaryCtxSetFlags_v2
#define muDeviceTotalMem muDeviceTotalMem_v2
#define muEventDestroy muEventDestroy_v2
#define muIpcOpenMemHandle muIpcOpenMemHandle_v2
#define muLinkAddData muLinkAddData_v2
#define muLinkAddFile muLinkAddFile_v2
#define muLinkCreate muLinkCreate_v2
#define muMemAlloc muMemAlloc_v2
#define muMemAllocHost muMemAllocHost_v2
#define muMemAllocPitch muMemAllocPitch_v2
#define muMemFree muMemFree_v2
#define muMemGetAddressRange muMemGetAddressRange_v2
#define muMemGetInfo muMemGetInfo_v2
#define muMemHostGetDevicePointer muMemHostGetDevicePointer_v2
#define muMemHostRegister muMemHostRegister_v2
#define muMemcpy2D muMemcpy2D_v2
#define muMemcpy2DAsync muMemcpy2DAsync_v2
#define muMemcpy2DUnaligned muMemcpy2DUnaligned_v2
#define muMemcpy3D muMemcpy3D_v2
#define muMemcpy3DAsync muMemcpy3DAsync_v2
#define muMemcpyAtoA muMemcpyAtoA_v2
#define muMemcpyAtoD muMemcpyAtoD_v2
#define muMemcpyAtoH muMemcpyAtoH_v2
#define muMemcpyAtoHAsync muMemcpyAtoHAsync_v2
#define muMemcpyDtoA muMemcpyDtoA_v2
#define muMemcpyDtoD muMemcpyDtoD_v2
#define muMemcpyDtoDAsync muMemcpyDtoDAsync_v2
#define muMemcpyDtoH muMemcpyDtoH_v2
#define muMemcpyDtoHAsync muMemcpyDtoHAsync_v2
#define muMemcpyHtoA muMemcpyHtoA_v2
#define muMemcpyHtoAAsync muMemcpyHtoAAsync_v2
#define muMemcpyHtoD muMemcpyHtoD_v2
#define muMemcpyHtoDAsync muMemcpyHtoDAsync_v2
#define muMemsetD16 muMemsetD16_v2
#define muMemsetD2D16 muMemsetD2D16_v2
#define muMemsetD2D32 muMemsetD2D32_v2
#define muMemsetD2D8 muMemsetD2D8_v2
#define muMemsetD32 muMemsetD32_v2
#define muMemsetD8 muMemsetD8_v2
#define muModuleGetGlobal muModuleGetGlobal_v2
#define muStreamBeginCapture muStreamBeginCapture_v2
#define muStreamDestroy muStreamDestroy_v2
#define muStreamGetCaptureInfo muStreamGetCaptureInfo_v2

/* Stream 0 is the calling thread's default stream */
#if defined(MUSA_API_PER_THREAD_DEFAULT_STREAM)
#define __MUSA_API_PER_THREAD_DEFAULT_STREAM
#include <musa_sim/driver_per_thread.h>
#endif

/* Tensor maps describe an array to a copy by hardware. They are declared, and refused. */
typedef struct MUtensorMap_st {
#ifdef __cplusplus
    alignas(64)
#else
    _Alignas(64)
#endif
    unsigned long long opaque[16];
} MUtensorMap;
typedef enum MUtensorMapDataType_enum {
    MU_TENSOR_MAP_DATA_TYPE_UINT8 = 0, MU_TENSOR_MAP_DATA_TYPE_UINT16, MU_TENSOR_MAP_DATA_TYPE_UINT32,
    MU_TENSOR_MAP_DATA_TYPE_INT32, MU_TENSOR_MAP_DATA_TYPE_UINT64, MU_TENSOR_MAP_DATA_TYPE_INT64,
    MU_TENSOR_MAP_DATA_TYPE_FLOAT16, MU_TENSOR_MAP_DATA_TYPE_FLOAT32, MU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    MU_TENSOR_MAP_DATA_TYPE_BFLOAT16, MU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, MU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
    MU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, MU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, MU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
    MU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B
} MUtensorMapDataType;
typedef enum MUtensorMapInterleave_enum {
    MU_TENSOR_MAP_INTERLEAVE_NONE = 0, MU_TENSOR_MAP_INTERLEAVE_16B, MU_TENSOR_MAP_INTERLEAVE_32B
} MUtensorMapInterleave;
typedef enum MUtensorMapSwizzle_enum {
    MU_TENSOR_MAP_SWIZZLE_NONE = 0, MU_TENSOR_MAP_SWIZZLE_32B, MU_TENSOR_MAP_SWIZZLE_64B, MU_TENSOR_MAP_SWIZZLE_128B,
    MU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, MU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    MU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B
} MUtensorMapSwizzle;
typedef enum MUtensorMapL2promotion_enum {
    MU_TENSOR_MAP_L2_PROMOTION_NONE = 0, MU_TENSOR_MAP_L2_PROMOTION_L2_64B, MU_TENSOR_MAP_L2_PROMOTION_L2_128B,
    MU_TENSOR_MAP_L2_PROMOTION_L2_256B
} MUtensorMapL2promotion;
typedef enum MUtensorMapFloatOOBfill_enum {
    MU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0, MU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
} MUtensorMapFloatOOBfill;

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
MUresult muDeviceGetUuid(MUuuid* uuid, MUdevice device);
MUresult muDeviceGetLuid(char* luid, unsigned int* node_mask, MUdevice device);
MUresult muDeviceGetProperties(MUdevprop* properties, MUdevice device);
MUresult muDeviceGetPCIBusId(char* id, int length, MUdevice device);
MUresult muDeviceGetByPCIBusId(MUdevice* device, const char* id);
MUresult muDeviceCanAccessPeer(int* can, MUdevice device, MUdevice peer);
MUresult muDeviceGetP2PAttribute(int* value, MUdevice_P2PAttribute attribute, MUdevice from, MUdevice to);
MUresult muDeviceGetTexture1DLinearMaxWidth(size_t* width, MUarray_format format, unsigned int channels,
                                            MUdevice device);
MUresult muDeviceGetExecAffinitySupport(int* supported, MUexecAffinityType type, MUdevice device);

/* Contexts. A device has one, its primary context, which is the runtime API's too: muCtxCreate
 * gives it, and destroying it only takes it off the thread's stack. Where no context was made
 * current, that of the runtime's current device is */
MUresult muDevicePrimaryCtxRetain(MUcontext* context, MUdevice device);
MUresult muDevicePrimaryCtxRelease(MUdevice device);
MUresult muDevicePrimaryCtxReset(MUdevice device);
MUresult muDevicePrimaryCtxGetState(MUdevice device, unsigned int* flags, int* active);
MUresult muDevicePrimaryCtxSetFlags(MUdevice device, unsigned int flags);
MUresult muCtxAttach(MUcontext* context, unsigned int flags);
MUresult muCtxDetach(MUcontext context);
MUresult muCtxGetApiVersion(MUcontext context, unsigned int* version);
MUresult muCtxGetFlags(unsigned int* flags);
MUresult muCtxGetLimit(size_t* value, MUlimit limit);
MUresult muCtxSetLimit(MUlimit limit, size_t value);
MUresult muCtxGetCacheConfig(MUfunc_cache* config);
MUresult muCtxSetCacheConfig(MUfunc_cache config);
MUresult muCtxGetSharedMemConfig(MUsharedconfig* config);
MUresult muCtxSetSharedMemConfig(MUsharedconfig config);
MUresult muCtxGetStreamPriorityRange(int* least, int* greatest);
MUresult muCtxEnablePeerAccess(MUcontext peer, unsigned int flags);
MUresult muCtxDisablePeerAccess(MUcontext peer);
MUresult muCtxResetPersistingL2Cache(void);
/* A context always has all multiprocessors. */
MUresult muCtxCreate_v3(MUcontext* context, MUexecAffinityParam* affinities, int count, unsigned int flags,
                        MUdevice device);
MUresult muCtxGetExecAffinity(MUexecAffinityParam* affinity, MUexecAffinityType type);
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
MUresult muMemHostAlloc(void** memory, size_t bytes, unsigned int flags);
MUresult muMemHostRegister(void* memory, size_t bytes, unsigned int flags);
MUresult muMemHostUnregister(void* memory);
MUresult muMemHostGetDevicePointer(MUdeviceptr* device, void* memory, unsigned int flags);
MUresult muMemHostGetFlags(unsigned int* flags, void* memory);
/* The allocation that the address lies in */
MUresult muMemGetAddressRange(MUdeviceptr* base, size_t* size, MUdeviceptr address);
MUresult muPointerGetAttribute(void* data, MUpointer_attribute attribute, MUdeviceptr address);
MUresult muPointerGetAttributes(unsigned int count, MUpointer_attribute* attributes, void** data,
                                MUdeviceptr address);
MUresult muIpcGetMemHandle(MUipcMemHandle* handle, MUdeviceptr memory);
MUresult muIpcOpenMemHandle(MUdeviceptr* memory, MUipcMemHandle handle, unsigned int flags);
MUresult muIpcCloseMemHandle(MUdeviceptr memory);
MUresult muIpcGetEventHandle(MUipcEventHandle* handle, MUevent event);
MUresult muIpcOpenEventHandle(MUevent* event, MUipcEventHandle handle);
MUresult muPointerSetAttribute(const void* value, MUpointer_attribute attribute, MUdeviceptr address);
MUresult muMemcpy(MUdeviceptr to, MUdeviceptr from, size_t bytes);
MUresult muMemcpyAsync(MUdeviceptr to, MUdeviceptr from, size_t bytes, MUstream stream);
MUresult muMemcpyPeer(MUdeviceptr to, MUcontext to_context, MUdeviceptr from, MUcontext from_context, size_t bytes);
MUresult muMemcpyPeerAsync(MUdeviceptr to, MUcontext to_context, MUdeviceptr from, MUcontext from_context,
                           size_t bytes, MUstream stream);
/* Many copies; *failed is the first that is refused. muMemoryTransferBatchAsync is MUSA's own name */
MUresult muMemcpyBatchAsync(MUdeviceptr* to, MUdeviceptr* from, size_t* bytes, size_t count,
                            MUmemcpyAttributes* attributes, size_t* attribute_indices, size_t attribute_count,
                            size_t* failed, MUstream stream);
MUresult muMemoryTransferBatchAsync(MUdeviceptr* to, MUdeviceptr* from, size_t* bytes, size_t count,
                                    MUmemcpyAttributes* attributes, size_t* attribute_indices,
                                    size_t attribute_count, size_t* failed, MUstream stream);
/* Bytes of an array, row after row */
MUresult muMemcpyDtoA(MUarray to, size_t to_offset, MUdeviceptr from, size_t bytes);
MUresult muMemcpyAtoD(MUdeviceptr to, MUarray from, size_t from_offset, size_t bytes);
MUresult muMemcpyHtoA(MUarray to, size_t to_offset, const void* from, size_t bytes);
MUresult muMemcpyAtoH(void* to, MUarray from, size_t from_offset, size_t bytes);
MUresult muMemcpyAtoA(MUarray to, size_t to_offset, MUarray from, size_t from_offset, size_t bytes);
MUresult muMemcpyHtoAAsync(MUarray to, size_t to_offset, const void* from, size_t bytes, MUstream stream);
MUresult muMemcpyAtoHAsync(void* to, MUarray from, size_t from_offset, size_t bytes, MUstream stream);
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
MUresult muMemcpy3DPeer(const MUSA_MEMCPY3D_PEER* copy);
MUresult muMemcpy3DPeerAsync(const MUSA_MEMCPY3D_PEER* copy, MUstream stream);
MUresult muArrayCreate(MUarray* array, const MUSA_ARRAY_DESCRIPTOR* description);
MUresult muArray3DCreate(MUarray* array, const MUSA_ARRAY3D_DESCRIPTOR* description);
MUresult muMipmappedArrayCreate(MUmipmappedArray* mipmapped, const MUSA_ARRAY3D_DESCRIPTOR* description,
                                unsigned int levels);
MUresult muMipmappedArrayGetLevel(MUarray* array, MUmipmappedArray mipmapped, unsigned int level);
MUresult muMipmappedArrayDestroy(MUmipmappedArray mipmapped);
MUresult muArrayGetDescriptor(MUSA_ARRAY_DESCRIPTOR* description, MUarray array);
MUresult muArray3DGetDescriptor(MUSA_ARRAY3D_DESCRIPTOR* description, MUarray array);
MUresult muArrayDestroy(MUarray array);
MUresult muMemsetD8(MUdeviceptr to, unsigned char value, size_t count);
MUresult muMemsetD8Async(MUdeviceptr to, unsigned char value, size_t count, MUstream stream);
MUresult muMemsetD32(MUdeviceptr to, unsigned int value, size_t count);
MUresult muMemsetD32Async(MUdeviceptr to, unsigned int value, size_t count, MUstream stream);
MUresult muMemsetD16(MUdeviceptr to, unsigned short value, size_t count);
MUresult muMemsetD16Async(MUdeviceptr to, unsigned short value, size_t count, MUstream stream);
MUresult muMemsetD2D8(MUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height);
MUresult muMemsetD2D8Async(MUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, MUstream stream);
MUresult muMemsetD2D16(MUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height);
MUresult muMemsetD2D16Async(MUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, MUstream stream);
MUresult muMemsetD2D32(MUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height);
MUresult muMemsetD2D32Async(MUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height, MUstream stream);
MUresult muMemAllocPitch(MUdeviceptr* memory, size_t* pitch, size_t width, size_t height,
                         unsigned int element_bytes);
MUresult muMemAllocAsync(MUdeviceptr* memory, size_t bytes, MUstream stream);
MUresult muMemAllocFromPoolAsync(MUdeviceptr* memory, size_t bytes, MUmemoryPool pool,
                                 MUstream stream);
MUresult muMemFreeAsync(MUdeviceptr memory, MUstream stream);
MUresult muDeviceGetDefaultMemPool(MUmemoryPool* pool, MUdevice device);
MUresult muDeviceGetMemPool(MUmemoryPool* pool, MUdevice device);
MUresult muDeviceSetMemPool(MUdevice device, MUmemoryPool pool);
MUresult muMemPoolCreate(MUmemoryPool* pool, const MUmemPoolProps* properties);
MUresult muMemPoolSetAccess(MUmemoryPool pool, const MUmemAccessDesc* descriptions, size_t count);
MUresult muMemPoolGetAccess(MUmemAccess_flags* flags, MUmemoryPool pool, MUmemLocation* location);
MUresult muMemPoolDestroy(MUmemoryPool pool);
MUresult muMemPoolTrimTo(MUmemoryPool pool, size_t bytes_to_keep);
MUresult muMemPoolSetAttribute(MUmemoryPool pool, MUmemPool_attribute attribute, void* value);
MUresult muMemPoolGetAttribute(MUmemoryPool pool, MUmemPool_attribute attribute, void* value);
MUresult muMemPoolExportToShareableHandle(void* handle, MUmemoryPool pool, MUmemAllocationHandleType type,
                                          unsigned long long flags);
MUresult muMemPoolImportFromShareableHandle(MUmemoryPool* pool, void* handle, MUmemAllocationHandleType type,
                                            unsigned long long flags);
MUresult muMemPoolExportPointer(struct MUmemPoolPtrExportData_st* data, MUdeviceptr pointer);
MUresult muMemPoolImportPointer(MUdeviceptr* pointer, MUmemoryPool pool, struct MUmemPoolPtrExportData_st* data);
MUresult muMemPrefetchAsync(MUdeviceptr memory, size_t count, MUdevice device, MUstream stream);
MUresult muMemAdvise(MUdeviceptr memory, size_t count, MUmem_advise advice, MUdevice device);
MUresult muMemRangeGetAttribute(void* data, size_t size, MUmem_range_attribute attribute,
                                MUdeviceptr memory, size_t count);
MUresult muMemRangeGetAttributes(void** data, size_t* sizes, MUmem_range_attribute* attributes, size_t attribute_count,
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
MUresult muStreamCreateWithPriority(MUstream* stream, unsigned int flags, int priority);
MUresult muStreamGetPriority(MUstream stream, int* priority);
MUresult muStreamGetFlags(MUstream stream, unsigned int* flags);
MUresult muStreamGetId(MUstream stream, unsigned long long* id);
MUresult muStreamGetCtx(MUstream stream, MUcontext* context);
MUresult muStreamGetAttribute(MUstream stream, MUstreamAttrID attribute, MUstreamAttrValue* value);
MUresult muStreamSetAttribute(MUstream stream, MUstreamAttrID attribute, const MUstreamAttrValue* value);
MUresult muStreamCopyAttributes(MUstream to, MUstream from);
/* Make a stream wait for a word of memory, or write one */
MUresult muStreamWaitValue32(MUstream stream, MUdeviceptr word, muuint32_t value, unsigned int flags);
MUresult muStreamWaitValue64(MUstream stream, MUdeviceptr word, muuint64_t value, unsigned int flags);
MUresult muStreamWriteValue32(MUstream stream, MUdeviceptr word, muuint32_t value, unsigned int flags);
MUresult muStreamWriteValue64(MUstream stream, MUdeviceptr word, muuint64_t value, unsigned int flags);
MUresult muStreamBatchMemOp(MUstream stream, unsigned int count, MUstreamBatchMemOpParams* operations,
                            unsigned int flags);
MUresult muStreamAttachMemAsync(MUstream stream, MUdeviceptr memory, size_t length, unsigned int flags);
MUresult muStreamAddCallback(MUstream stream, MUstreamCallback callback, void* data, unsigned int flags);
MUresult muLaunchHostFunc(MUstream stream, MUhostFn function, void* data);
MUresult muStreamDestroy(MUstream stream);
MUresult muStreamSynchronize(MUstream stream);
MUresult muStreamQuery(MUstream stream);
MUresult muStreamWaitEvent(MUstream stream, MUevent event, unsigned int flags);
MUresult muEventCreate(MUevent* event, unsigned int flags);
MUresult muEventDestroy(MUevent event);
MUresult muEventRecord(MUevent event, MUstream stream);
MUresult muEventRecordWithFlags(MUevent event, MUstream stream, unsigned int flags);
MUresult muEventSynchronize(MUevent event);
MUresult muEventQuery(MUevent event);
MUresult muEventElapsedTime(float* milliseconds, MUevent start, MUevent end);

/* Graphs, which are the runtime API's */
MUresult muStreamBeginCapture(MUstream stream, MUstreamCaptureMode mode);
MUresult muStreamEndCapture(MUstream stream, MUgraph* graph);
MUresult muStreamIsCapturing(MUstream stream, MUstreamCaptureStatus* status);
MUresult muStreamGetCaptureInfo(MUstream stream, MUstreamCaptureStatus* status,
                                unsigned long long* id, MUgraph* graph,
                                const MUgraphNode** dependencies, size_t* count);
MUresult muThreadExchangeStreamCaptureMode(MUstreamCaptureMode* mode);
MUresult muStreamUpdateCaptureDependencies(MUstream stream, MUgraphNode* dependencies, size_t count,
                                           unsigned int flags);
MUresult muGraphCreate(MUgraph* graph, unsigned int flags);
MUresult muGraphClone(MUgraph* clone, MUgraph original);
MUresult muGraphNodeFindInClone(MUgraphNode* node, MUgraphNode original, MUgraph clone);
MUresult muGraphAddDependencies(MUgraph graph, const MUgraphNode* from, const MUgraphNode* to, size_t count);
MUresult muGraphRemoveDependencies(MUgraph graph, const MUgraphNode* from, const MUgraphNode* to, size_t count);
MUresult muGraphDestroyNode(MUgraphNode node);
MUresult muGraphNodeGetDependencies(MUgraphNode node, MUgraphNode* dependencies, size_t* count);
MUresult muGraphNodeGetDependentNodes(MUgraphNode node, MUgraphNode* dependents, size_t* count);
MUresult muGraphGetRootNodes(MUgraph graph, MUgraphNode* nodes, size_t* count);
MUresult muGraphGetEdges(MUgraph graph, MUgraphNode* from, MUgraphNode* to, size_t* count);
MUresult muGraphAddKernelNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                              const MUSA_KERNEL_NODE_PARAMS* params);
MUresult muGraphAddMemcpyNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                              const MUSA_MEMCPY3D* params, MUcontext context);
MUresult muGraphAddMemsetNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                              const MUSA_MEMSET_NODE_PARAMS* params, MUcontext context);
MUresult muGraphAddHostNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                            const MUSA_HOST_NODE_PARAMS* params);
MUresult muGraphAddChildGraphNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                                  MUgraph child);
MUresult muGraphAddEmptyNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count);
MUresult muGraphAddEventRecordNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                                   MUevent event);
MUresult muGraphAddEventWaitNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                                 MUevent event);
MUresult muGraphAddMemAllocNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                                MUSA_MEM_ALLOC_NODE_PARAMS* params);
MUresult muGraphAddMemFreeNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                               MUdeviceptr memory);
MUresult muGraphKernelNodeGetAttribute(MUgraphNode node, MUkernelNodeAttrID attribute, MUkernelNodeAttrValue* value);
MUresult muGraphKernelNodeSetAttribute(MUgraphNode node, MUkernelNodeAttrID attribute,
                                       const MUkernelNodeAttrValue* value);
MUresult muGraphKernelNodeCopyAttributes(MUgraphNode to, MUgraphNode from);
MUresult muGraphMemcpyNodeGetParams(MUgraphNode node, MUSA_MEMCPY3D* params);
MUresult muGraphMemcpyNodeSetParams(MUgraphNode node, const MUSA_MEMCPY3D* params);
MUresult muGraphExecMemcpyNodeSetParams(MUgraphExec exec, MUgraphNode node, const MUSA_MEMCPY3D* params,
                                        MUcontext context);
MUresult muGraphMemsetNodeGetParams(MUgraphNode node, MUSA_MEMSET_NODE_PARAMS* params);
MUresult muGraphMemsetNodeSetParams(MUgraphNode node, const MUSA_MEMSET_NODE_PARAMS* params);
MUresult muGraphExecMemsetNodeSetParams(MUgraphExec exec, MUgraphNode node, const MUSA_MEMSET_NODE_PARAMS* params,
                                        MUcontext context);
MUresult muGraphHostNodeGetParams(MUgraphNode node, MUSA_HOST_NODE_PARAMS* params);
MUresult muGraphHostNodeSetParams(MUgraphNode node, const MUSA_HOST_NODE_PARAMS* params);
MUresult muGraphExecHostNodeSetParams(MUgraphExec exec, MUgraphNode node, const MUSA_HOST_NODE_PARAMS* params);
MUresult muGraphChildGraphNodeGetGraph(MUgraphNode node, MUgraph* graph);
MUresult muGraphExecChildGraphNodeSetParams(MUgraphExec exec, MUgraphNode node, MUgraph child);
MUresult muGraphEventRecordNodeGetEvent(MUgraphNode node, MUevent* event);
MUresult muGraphEventRecordNodeSetEvent(MUgraphNode node, MUevent event);
MUresult muGraphExecEventRecordNodeSetEvent(MUgraphExec exec, MUgraphNode node, MUevent event);
MUresult muGraphEventWaitNodeGetEvent(MUgraphNode node, MUevent* event);
MUresult muGraphEventWaitNodeSetEvent(MUgraphNode node, MUevent event);
MUresult muGraphExecEventWaitNodeSetEvent(MUgraphExec exec, MUgraphNode node, MUevent event);
MUresult muGraphMemAllocNodeGetParams(MUgraphNode node, MUSA_MEM_ALLOC_NODE_PARAMS* params);
MUresult muGraphMemFreeNodeGetParams(MUgraphNode node, MUdeviceptr* memory);
MUresult muDeviceGetGraphMemAttribute(MUdevice device, MUgraphMem_attribute attribute, void* value);
MUresult muDeviceSetGraphMemAttribute(MUdevice device, MUgraphMem_attribute attribute, void* value);
MUresult muDeviceGraphMemTrim(MUdevice device);
MUresult muUserObjectCreate(MUuserObject* object, void* data, MUhostFn destroy, unsigned int references,
                            unsigned int flags);
MUresult muUserObjectRetain(MUuserObject object, unsigned int count);
MUresult muUserObjectRelease(MUuserObject object, unsigned int count);
MUresult muGraphRetainUserObject(MUgraph graph, MUuserObject object, unsigned int count, unsigned int flags);
MUresult muGraphReleaseUserObject(MUgraph graph, MUuserObject object, unsigned int count);
/* CUDA 11's, which writes no reason of a failure */
MUresult muGraphInstantiate_v2(MUgraphExec* exec, MUgraph graph, MUgraphNode* error_node, char* log, size_t log_bytes);
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
MUresult muGraphAddNode(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                        MUgraphNodeParams* params);
MUresult muGraphAddNode_v2(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies,
                           const MUgraphEdgeData* data, size_t count, MUgraphNodeParams* params);
MUresult muGraphNodeSetParams(MUgraphNode node, MUgraphNodeParams* params);
MUresult muGraphExecNodeSetParams(MUgraphExec exec, MUgraphNode node, MUgraphNodeParams* params);
MUresult muGraphConditionalHandleCreate(MUgraphConditionalHandle* handle, MUgraph graph, MUcontext context,
                                        unsigned int initial, unsigned int flags);
MUresult muGraphNodeSetEnabled(MUgraphExec exec, MUgraphNode node, unsigned int enabled);
MUresult muGraphNodeGetEnabled(MUgraphExec exec, MUgraphNode node, unsigned int* enabled);
MUresult muGraphExecGetFlags(MUgraphExec exec, muuint64_t* flags);
MUresult muGraphInstantiateWithParams(MUgraphExec* exec, MUgraph graph, MUSA_GRAPH_INSTANTIATE_PARAMS* params);
MUresult muStreamBeginCaptureToGraph(MUstream stream, MUgraph graph, const MUgraphNode* dependencies,
                                     const MUgraphEdgeData* data, size_t count, MUstreamCaptureMode mode);
MUresult muGraphAddKernelNode_v2(MUgraphNode* node, MUgraph graph, const MUgraphNode* dependencies, size_t count,
                                 const MUSA_KERNEL_NODE_PARAMS_v2* params);
MUresult muGraphKernelNodeGetParams_v2(MUgraphNode node, MUSA_KERNEL_NODE_PARAMS_v2* params);
MUresult muGraphKernelNodeSetParams_v2(MUgraphNode node, const MUSA_KERNEL_NODE_PARAMS_v2* params);
MUresult muGraphExecKernelNodeSetParams_v2(MUgraphExec exec, MUgraphNode node,
                                           const MUSA_KERNEL_NODE_PARAMS_v2* params);

/* Second names of functions, with the same meaning */
MUresult muStreamWaitValue32_v2(MUstream stream, MUdeviceptr word, muuint32_t value, unsigned int flags);
MUresult muStreamWaitValue64_v2(MUstream stream, MUdeviceptr word, muuint64_t value, unsigned int flags);
MUresult muStreamWriteValue32_v2(MUstream stream, MUdeviceptr word, muuint32_t value, unsigned int flags);
MUresult muStreamWriteValue64_v2(MUstream stream, MUdeviceptr word, muuint64_t value, unsigned int flags);
MUresult muStreamBatchMemOp_v2(MUstream stream, unsigned int count, MUstreamBatchMemOpParams* operations,
                               unsigned int flags);
MUresult muEventElapsedTime_v2(float* milliseconds, MUevent start, MUevent end);
/* The location is a device or the host */
MUresult muMemPrefetchAsync_v2(MUdeviceptr memory, size_t count, MUmemLocation location, unsigned int flags,
                               MUstream stream);
MUresult muMemAdvise_v2(MUdeviceptr memory, size_t count, MUmem_advise advice, MUmemLocation location);
MUresult muStreamGetDevice(MUstream stream, MUdevice* device);
MUresult muCtxGetId(MUcontext context, unsigned long long* id);

/* Modules: what `mcc --cuda-device-only` writes. Names are the mangled ones, or those that
 * extern "C" gave */
MUresult muModuleLoad(MUmodule* module, const char* path);
MUresult muModuleLoadData(MUmodule* module, const void* image);
MUresult muModuleLoadFatBinary(MUmodule* module, const void* image);
/* Options for a compiler are accepted and ignored */
MUresult muModuleLoadDataEx(MUmodule* module, const void* image, unsigned int option_count, MUjit_option* options,
                            void** values);
MUresult muModuleUnload(MUmodule module);
MUresult muModuleGetFunction(MUfunction* function, MUmodule module, const char* name);
MUresult muModuleGetGlobal(MUdeviceptr* memory, size_t* bytes, MUmodule module, const char* name);

/* Kernels. `parameters` are the addresses of the arguments; `extra`, the other way to pass them, points to a buffer */
MUresult muLaunchKernel(MUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes, MUstream stream,
                        void** parameters, void** extra);
/* The oldest way to launch: the function has a buffer, in which each argument is at its offset */
MUresult muFuncSetBlockShape(MUfunction function, int x, int y, int z);
MUresult muFuncSetSharedSize(MUfunction function, unsigned int bytes);
MUresult muParamSetSize(MUfunction function, unsigned int bytes);
MUresult muParamSeti(MUfunction function, int offset, unsigned int value);
MUresult muParamSetf(MUfunction function, int offset, float value);
MUresult muParamSetv(MUfunction function, int offset, void* value, unsigned int bytes);
MUresult muLaunch(MUfunction function);
MUresult muLaunchGrid(MUfunction function, int grid_width, int grid_height);
MUresult muLaunchGridAsync(MUfunction function, int grid_width, int grid_height, MUstream stream);
/* Pass an image that mcc or MTRTC made on to muModuleLoadData. */
MUresult muLinkCreate(unsigned int count, MUjit_option* options, void** values, MUlinkState* state);
MUresult muLinkAddData(MUlinkState state, MUjitInputType type, void* data, size_t size, const char* name,
                       unsigned int count, MUjit_option* options, void** values);
MUresult muLinkAddFile(MUlinkState state, MUjitInputType type, const char* path, unsigned int count,
                       MUjit_option* options, void** values);
MUresult muLinkComplete(MUlinkState state, void** image, size_t* size);
MUresult muLinkDestroy(MUlinkState state);
MUresult muLaunchCooperativeKernel(MUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes,
                                   MUstream stream, void** parameters);
MUresult muLaunchKernelEx(const MUlaunchConfig* config, MUfunction function, void** parameters,
                          void** extra);
MUresult muFuncSetAttribute(MUfunction function, MUfunction_attribute attribute, int value);
MUresult muFuncGetAttribute(int* value, MUfunction_attribute attribute, MUfunction function);
MUresult muFuncGetModule(MUmodule* module, MUfunction function);
MUresult muFuncGetName(const char** name, MUfunction function);
MUresult muFuncGetParamInfo(MUfunction function, size_t index, size_t* offset, size_t* size);
MUresult muFuncSetCacheConfig(MUfunction function, MUfunc_cache config);
MUresult muFuncSetSharedMemConfig(MUfunction function, MUsharedconfig config);
MUresult muOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, MUfunction function, int block_size,
                                                              size_t shared_bytes, unsigned int flags);
MUresult muOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, MUfunction function,
                                          MUoccupancyB2DSize shared_of, size_t shared_bytes, int block_size_limit);
MUresult muOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size, MUfunction function,
                                                   MUoccupancyB2DSize shared_of, size_t shared_bytes,
                                                   int block_size_limit, unsigned int flags);
MUresult muOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, MUfunction function, int blocks, int block_size);

/* Textures and surfaces, which are the runtime API's */
MUresult muTexObjectCreate(MUtexObject* texture, const MUSA_RESOURCE_DESC* resource, const MUSA_TEXTURE_DESC* description,
                           const MUSA_RESOURCE_VIEW_DESC* view);
MUresult muTexObjectDestroy(MUtexObject texture);
MUresult muTexObjectGetResourceDesc(MUSA_RESOURCE_DESC* resource, MUtexObject texture);
MUresult muTexObjectGetTextureDesc(MUSA_TEXTURE_DESC* description, MUtexObject texture);
MUresult muTexObjectGetResourceViewDesc(MUSA_RESOURCE_VIEW_DESC* view, MUtexObject texture);
MUresult muSurfObjectCreate(MUsurfObject* surface, const MUSA_RESOURCE_DESC* resource);
MUresult muSurfObjectDestroy(MUsurfObject surface);
MUresult muSurfObjectGetResourceDesc(MUSA_RESOURCE_DESC* resource, MUsurfObject surface);

/* Functions by name; functions with a second version return that */
MUresult muGetProcAddress(const char* name, void** function, int version, uint64_t flags);
MUresult muGetProcAddress_v2(const char* name, void** function, int version, uint64_t flags,
                             MUdriverProcAddressQueryResult* status);

/* Libraries of kernels, which are the runtime API's */
MUresult muLibraryLoadData(MUlibrary* library, const void* code, MUjit_option* jit_options, void** jit_values,
                           unsigned int jit_count, MUlibraryOption* options, void** values, unsigned int count);
MUresult muLibraryLoadFromFile(MUlibrary* library, const char* path, MUjit_option* jit_options, void** jit_values,
                               unsigned int jit_count, MUlibraryOption* options, void** values, unsigned int count);
MUresult muLibraryUnload(MUlibrary library);
MUresult muLibraryGetKernel(MUkernel* kernel, MUlibrary library, const char* name);
MUresult muLibraryGetKernelCount(unsigned int* count, MUlibrary library);
MUresult muLibraryEnumerateKernels(MUkernel* kernels, unsigned int count, MUlibrary library);
MUresult muLibraryGetGlobal(MUdeviceptr* memory, size_t* bytes, MUlibrary library, const char* name);
MUresult muKernelGetFunction(MUfunction* function, MUkernel kernel);
MUresult muKernelGetAttribute(int* value, MUfunction_attribute attribute, MUkernel kernel, MUdevice device);
MUresult muKernelSetAttribute(MUfunction_attribute attribute, int value, MUkernel kernel, MUdevice device);
MUresult muKernelGetName(const char** name, MUkernel kernel);
MUresult muKernelGetParamInfo(MUkernel kernel, size_t index, size_t* offset, size_t* size);

/* Functions that are not simulated: they return MUSA_ERROR_NOT_SUPPORTED */
#define MUSA_SIM_REFUSED(name, parameters) MUresult name parameters;
#include <musa_sim/driver_refused.h>
#undef MUSA_SIM_REFUSED
MUresult muOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, MUfunction function,
                                                     int block_size, size_t shared_bytes);

#ifdef __cplusplus
}
#endif

#endif
