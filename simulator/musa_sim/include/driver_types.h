/* Types of the MUSA runtime API. Plain C.
 *
 * Numbers and layouts equal those of CUDA 11 and 12: error codes, device attributes, copy kinds and, field
 * for field, the device properties. That equality is established for the SDK 3.x headers; the
 * additions of later SDKs (codes and fields of Moore Threads' own) are left out because their
 * numbers are not public.
 */
#ifndef __DRIVER_TYPES_H__
#define __DRIVER_TYPES_H__

#include <stddef.h>
#include <vector_types.h>

enum musaError {
    musaSuccess = 0,
    musaErrorInvalidValue = 1,
    musaErrorMemoryAllocation = 2,
    musaErrorInitializationError = 3,
    musaErrorMusartUnloading = 4,
    musaErrorProfilerDisabled = 5,
    musaErrorProfilerNotInitialized = 6,
    musaErrorProfilerAlreadyStarted = 7,
    musaErrorProfilerAlreadyStopped = 8,
    musaErrorInvalidConfiguration = 9,
    musaErrorInvalidPitchValue = 12,
    musaErrorInvalidSymbol = 13,
    musaErrorInvalidHostPointer = 16,
    musaErrorInvalidDevicePointer = 17,
    musaErrorInvalidTexture = 18,
    musaErrorInvalidTextureBinding = 19,
    musaErrorInvalidChannelDescriptor = 20,
    musaErrorInvalidMemcpyDirection = 21,
    musaErrorAddressOfConstant = 22,
    musaErrorTextureFetchFailed = 23,
    musaErrorTextureNotBound = 24,
    musaErrorSynchronizationError = 25,
    musaErrorInvalidFilterSetting = 26,
    musaErrorInvalidNormSetting = 27,
    musaErrorMixedDeviceExecution = 28,
    musaErrorNotYetImplemented = 31,
    musaErrorMemoryValueTooLarge = 32,
    musaErrorStubLibrary = 34,
    musaErrorInsufficientDriver = 35,
    musaErrorCallRequiresNewerDriver = 36,
    musaErrorInvalidSurface = 37,
    musaErrorDuplicateVariableName = 43,
    musaErrorDuplicateTextureName = 44,
    musaErrorDuplicateSurfaceName = 45,
    musaErrorDevicesUnavailable = 46,
    musaErrorIncompatibleDriverContext = 49,
    musaErrorMissingConfiguration = 52,
    musaErrorPriorLaunchFailure = 53,
    musaErrorLaunchMaxDepthExceeded = 65,
    musaErrorLaunchFileScopedTex = 66,
    musaErrorLaunchFileScopedSurf = 67,
    musaErrorSyncDepthExceeded = 68,
    musaErrorLaunchPendingCountExceeded = 69,
    musaErrorInvalidDeviceFunction = 98,
    musaErrorNoDevice = 100,
    musaErrorInvalidDevice = 101,
    musaErrorDeviceNotLicensed = 102,
    musaErrorSoftwareValidityNotEstablished = 103,
    musaErrorStartupFailure = 127,
    musaErrorInvalidKernelImage = 200,
    musaErrorDeviceUninitialized = 201,
    musaErrorMapBufferObjectFailed = 205,
    musaErrorUnmapBufferObjectFailed = 206,
    musaErrorArrayIsMapped = 207,
    musaErrorAlreadyMapped = 208,
    musaErrorNoKernelImageForDevice = 209,
    musaErrorAlreadyAcquired = 210,
    musaErrorNotMapped = 211,
    musaErrorNotMappedAsArray = 212,
    musaErrorNotMappedAsPointer = 213,
    musaErrorECCUncorrectable = 214,
    musaErrorUnsupportedLimit = 215,
    musaErrorDeviceAlreadyInUse = 216,
    musaErrorPeerAccessUnsupported = 217,
    musaErrorInvalidGraphicsContext = 219,
    musaErrorInvalidPtx = 218,
    musaErrorMtlinkUncorrectable = 220,
    musaErrorJitCompilerNotFound = 221,
    musaErrorUnsupportedPtxVersion = 222,
    musaErrorJitCompilationDisabled = 223,
    musaErrorUnsupportedExecAffinity = 224,
    musaErrorUnsupportedDevSideSync = 225,
    musaErrorInvalidSource = 300,
    musaErrorFileNotFound = 301,
    musaErrorSharedObjectSymbolNotFound = 302,
    musaErrorSharedObjectInitFailed = 303,
    musaErrorOperatingSystem = 304,
    musaErrorInvalidResourceHandle = 400,
    musaErrorIllegalState = 401,
    musaErrorLossyQuery = 402,
    musaErrorSymbolNotFound = 500,
    musaErrorNotReady = 600,
    musaErrorIllegalAddress = 700,
    musaErrorLaunchOutOfResources = 701,
    musaErrorLaunchTimeout = 702,
    musaErrorLaunchIncompatibleTexturing = 703,
    musaErrorPeerAccessAlreadyEnabled = 704,
    musaErrorPeerAccessNotEnabled = 705,
    musaErrorSetOnActiveProcess = 708,
    musaErrorContextIsDestroyed = 709,
    musaErrorAssert = 710,
    musaErrorTooManyPeers = 711,
    musaErrorHostMemoryAlreadyRegistered = 712,
    musaErrorHostMemoryNotRegistered = 713,
    musaErrorHardwareStackError = 714,
    musaErrorIllegalInstruction = 715,
    musaErrorMisalignedAddress = 716,
    musaErrorInvalidAddressSpace = 717,
    musaErrorInvalidPc = 718,
    musaErrorLaunchFailure = 719,
    musaErrorCooperativeLaunchTooLarge = 720,
    musaErrorNotPermitted = 800,
    musaErrorNotSupported = 801,
    musaErrorSystemNotReady = 802,
    musaErrorSystemDriverMismatch = 803,
    musaErrorCompatNotSupportedOnDevice = 804,
    musaErrorMpsConnectionFailed = 805,
    musaErrorMpsRpcFailure = 806,
    musaErrorMpsServerNotReady = 807,
    musaErrorMpsMaxClientsReached = 808,
    musaErrorMpsMaxConnectionsReached = 809,
    musaErrorMpsClientTerminated = 810,
    musaErrorCdpNotSupported = 811,
    musaErrorCdpVersionMismatch = 812,
    musaErrorStreamCaptureUnsupported = 900,
    musaErrorStreamCaptureInvalidated = 901,
    musaErrorStreamCaptureMerge = 902,
    musaErrorStreamCaptureUnmatched = 903,
    musaErrorStreamCaptureUnjoined = 904,
    musaErrorStreamCaptureIsolation = 905,
    musaErrorStreamCaptureImplicit = 906,
    musaErrorCapturedEvent = 907,
    musaErrorStreamCaptureWrongThread = 908,
    musaErrorTimeout = 909,
    musaErrorGraphExecUpdateFailure = 910,
    musaErrorExternalDevice = 911,
    musaErrorInvalidClusterSize = 912,
    musaErrorFunctionNotLoaded = 913,
    musaErrorInvalidResourceType = 914,
    musaErrorInvalidResourceConfiguration = 915,
    musaErrorUnknown = 999,
    musaErrorApiFailureBase = 10000,
};
typedef enum musaError musaError_t;

enum musaMemcpyKind {
    musaMemcpyHostToHost = 0,
    musaMemcpyHostToDevice = 1,
    musaMemcpyDeviceToHost = 2,
    musaMemcpyDeviceToDevice = 3,
    musaMemcpyDefault = 4,
};

enum musaMemoryType {
    musaMemoryTypeUnregistered = 0,
    musaMemoryTypeHost = 1,
    musaMemoryTypeDevice = 2,
    musaMemoryTypeManaged = 3,
};

struct musaPointerAttributes {
    enum musaMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
};

enum musaFuncAttribute {
    musaFuncAttributeMaxDynamicSharedMemorySize = 8,
    musaFuncAttributePreferredSharedMemoryCarveout = 9,
    musaFuncAttributeMax
};
enum musaSharedCarveout {
    musaSharedmemCarveoutDefault = -1,
    musaSharedmemCarveoutMaxL1 = 0,
    musaSharedmemCarveoutMaxShared = 100,
};

/* Limits of a device. They are stored, and have no effect */
enum musaLimit {
    musaLimitStackSize = 0,
    musaLimitPrintfFifoSize = 1,
    musaLimitMallocHeapSize = 2,
    musaLimitDevRuntimeSyncDepth = 3,
    musaLimitDevRuntimePendingLaunchCount = 4,
    musaLimitMaxL2FetchGranularity = 5,
    musaLimitPersistingL2CacheSize = 6,
};

enum musaDeviceP2PAttr {
    musaDevP2PAttrPerformanceRank = 1,
    musaDevP2PAttrAccessSupported = 2,
    musaDevP2PAttrNativeAtomicSupported = 3,
    musaDevP2PAttrMusaArrayAccessSupported = 4,
};

struct musaFuncAttributes {
    size_t sharedSizeBytes;
    size_t constSizeBytes;
    size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
};

enum musaFuncCache {
    musaFuncCachePreferNone = 0,
    musaFuncCachePreferShared = 1,
    musaFuncCachePreferL1 = 2,
    musaFuncCachePreferEqual = 3,
};

enum musaSharedMemConfig {
    musaSharedMemBankSizeDefault = 0,
    musaSharedMemBankSizeFourByte = 1,
    musaSharedMemBankSizeEightByte = 2
};

enum musaComputeMode {
    musaComputeModeDefault = 0,
    musaComputeModeExclusive = 1,
    musaComputeModeProhibited = 2,
    musaComputeModeExclusiveProcess = 3,
};

enum musaDeviceAttr {
    musaDevAttrMaxThreadsPerBlock = 1,
    musaDevAttrMaxBlockDimX = 2,
    musaDevAttrMaxBlockDimY = 3,
    musaDevAttrMaxBlockDimZ = 4,
    musaDevAttrMaxGridDimX = 5,
    musaDevAttrMaxGridDimY = 6,
    musaDevAttrMaxGridDimZ = 7,
    musaDevAttrMaxSharedMemoryPerBlock = 8,
    musaDevAttrTotalConstantMemory = 9,
    musaDevAttrWarpSize = 10,
    musaDevAttrMaxPitch = 11,
    musaDevAttrMaxRegistersPerBlock = 12,
    musaDevAttrClockRate = 13,
    musaDevAttrTextureAlignment = 14,
    musaDevAttrGpuOverlap = 15,
    musaDevAttrMultiProcessorCount = 16,
    musaDevAttrKernelExecTimeout = 17,
    musaDevAttrIntegrated = 18,
    musaDevAttrCanMapHostMemory = 19,
    musaDevAttrComputeMode = 20,
    musaDevAttrMaxTexture1DWidth = 21,
    musaDevAttrMaxTexture2DWidth = 22,
    musaDevAttrMaxTexture2DHeight = 23,
    musaDevAttrMaxTexture3DWidth = 24,
    musaDevAttrMaxTexture3DHeight = 25,
    musaDevAttrMaxTexture3DDepth = 26,
    musaDevAttrMaxTexture2DLayeredWidth = 27,
    musaDevAttrMaxTexture2DLayeredHeight = 28,
    musaDevAttrMaxTexture2DLayeredLayers = 29,
    musaDevAttrSurfaceAlignment = 30,
    musaDevAttrConcurrentKernels = 31,
    musaDevAttrEccEnabled = 32,
    musaDevAttrPciBusId = 33,
    musaDevAttrPciDeviceId = 34,
    musaDevAttrTccDriver = 35,
    musaDevAttrMemoryClockRate = 36,
    musaDevAttrGlobalMemoryBusWidth = 37,
    musaDevAttrL2CacheSize = 38,
    musaDevAttrMaxThreadsPerMultiProcessor = 39,
    musaDevAttrAsyncEngineCount = 40,
    musaDevAttrUnifiedAddressing = 41,
    musaDevAttrMaxTexture1DLayeredWidth = 42,
    musaDevAttrMaxTexture1DLayeredLayers = 43,
    musaDevAttrMaxTexture2DGatherWidth = 45,
    musaDevAttrMaxTexture2DGatherHeight = 46,
    musaDevAttrMaxTexture3DWidthAlt = 47,
    musaDevAttrMaxTexture3DHeightAlt = 48,
    musaDevAttrMaxTexture3DDepthAlt = 49,
    musaDevAttrPciDomainId = 50,
    musaDevAttrTexturePitchAlignment = 51,
    musaDevAttrMaxTextureCubemapWidth = 52,
    musaDevAttrMaxTextureCubemapLayeredWidth = 53,
    musaDevAttrMaxTextureCubemapLayeredLayers = 54,
    musaDevAttrMaxSurface1DWidth = 55,
    musaDevAttrMaxSurface2DWidth = 56,
    musaDevAttrMaxSurface2DHeight = 57,
    musaDevAttrMaxSurface3DWidth = 58,
    musaDevAttrMaxSurface3DHeight = 59,
    musaDevAttrMaxSurface3DDepth = 60,
    musaDevAttrMaxSurface1DLayeredWidth = 61,
    musaDevAttrMaxSurface1DLayeredLayers = 62,
    musaDevAttrMaxSurface2DLayeredWidth = 63,
    musaDevAttrMaxSurface2DLayeredHeight = 64,
    musaDevAttrMaxSurface2DLayeredLayers = 65,
    musaDevAttrMaxSurfaceCubemapWidth = 66,
    musaDevAttrMaxSurfaceCubemapLayeredWidth = 67,
    musaDevAttrMaxSurfaceCubemapLayeredLayers = 68,
    musaDevAttrMaxTexture1DLinearWidth = 69,
    musaDevAttrMaxTexture2DLinearWidth = 70,
    musaDevAttrMaxTexture2DLinearHeight = 71,
    musaDevAttrMaxTexture2DLinearPitch = 72,
    musaDevAttrMaxTexture2DMipmappedWidth = 73,
    musaDevAttrMaxTexture2DMipmappedHeight = 74,
    musaDevAttrComputeCapabilityMajor = 75,
    musaDevAttrComputeCapabilityMinor = 76,
    musaDevAttrMaxTexture1DMipmappedWidth = 77,
    musaDevAttrStreamPrioritiesSupported = 78,
    musaDevAttrGlobalL1CacheSupported = 79,
    musaDevAttrLocalL1CacheSupported = 80,
    musaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    musaDevAttrMaxRegistersPerMultiprocessor = 82,
    musaDevAttrManagedMemory = 83,
    musaDevAttrIsMultiGpuBoard = 84,
    musaDevAttrMultiGpuBoardGroupID = 85,
    musaDevAttrHostNativeAtomicSupported = 86,
    musaDevAttrSingleToDoublePrecisionPerfRatio = 87,
    musaDevAttrPageableMemoryAccess = 88,
    musaDevAttrConcurrentManagedAccess = 89,
    musaDevAttrComputePreemptionSupported = 90,
    musaDevAttrCanUseHostPointerForRegisteredMem = 91,
    musaDevAttrReserved92 = 92,
    musaDevAttrReserved93 = 93,
    musaDevAttrReserved94 = 94,
    musaDevAttrCooperativeLaunch = 95,
    musaDevAttrCooperativeMultiDeviceLaunch = 96,
    musaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    musaDevAttrCanFlushRemoteWrites = 98,
    musaDevAttrHostRegisterSupported = 99,
    musaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
    musaDevAttrDirectManagedMemAccessFromHost = 101,
    musaDevAttrMaxBlocksPerMultiprocessor = 106,
    musaDevAttrMaxPersistingL2CacheSize = 108,
    musaDevAttrMaxAccessPolicyWindowSize = 109,
    musaDevAttrReservedSharedMemoryPerBlock = 111,
    musaDevAttrSparseMusaArraySupported = 112,
    musaDevAttrHostRegisterReadOnlySupported = 113,
    musaDevAttrTimelineSemaphoreInteropSupported = 114,
    musaDevAttrMemoryPoolsSupported = 115,
    musaDevAttrGPUDirectRDMASupported = 116,
    musaDevAttrGPUDirectRDMAFlushWritesOptions = 117,
    musaDevAttrGPUDirectRDMAWritesOrdering = 118,
    musaDevAttrMemoryPoolSupportedHandleTypes = 119,
    musaDevAttrMax,
    musaDevAttrMaxTimelineSemaphoreInteropSupported = musaDevAttrTimelineSemaphoreInteropSupported
};

#define MU_UUID_HAS_BEEN_DEFINED
struct MUuuid_st {
    char bytes[16];
};
typedef struct MUuuid_st MUuuid;
typedef struct MUuuid_st musaUUID_t;

struct musaDeviceProp {
    char name[256];
    musaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int deviceOverlap;
    int multiProcessorCount;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture1DLinear;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    /* CUDA 12 added these; musaGetDeviceProperties_v2 sets them, and so does musaGetDeviceProperties, its other name */
    int hostRegisterSupported;
    int sparseMusaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingMusaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int reserved[63];
};

/* Boxes of memory, for musaMalloc3D, musaMemcpy3D and musaMemset3D. Layouts are CUDA's. */
struct musaPitchedPtr {
    void* ptr;
    size_t pitch; /* bytes of a row, with its padding */
    size_t xsize; /* bytes of a row, without */
    size_t ysize; /* rows of a slice */
};

struct musaExtent {
    size_t width; /* elements of arrays, bytes of linear memory */
    size_t height;
    size_t depth;
};

struct musaPos {
    size_t x;
    size_t y;
    size_t z;
};

/* Arrays, and the description of their elements. */
enum musaChannelFormatKind {
    musaChannelFormatKindSigned = 0,
    musaChannelFormatKindUnsigned = 1,
    musaChannelFormatKindFloat = 2,
    musaChannelFormatKindNone = 3,
    musaChannelFormatKindNV12 = 4, /* two planes of colors; arrays of them are not simulated */
};

struct musaChannelFormatDesc {
    int x; /* bits of each component */
    int y;
    int z;
    int w;
    enum musaChannelFormatKind f;
};

typedef struct musaArray* musaArray_t;
typedef const struct musaArray* musaArray_const_t;
typedef struct musaMipmappedArray* musaMipmappedArray_t;
typedef const struct musaMipmappedArray* musaMipmappedArray_const_t;

#define musaArrayDefault 0x00
#define musaArrayLayered 0x01
#define musaArraySurfaceLoadStore 0x02
#define musaArrayCubemap 0x04
#define musaArrayTextureGather 0x08
#define musaArrayColorAttachment 0x20
#define musaArraySparse 0x40

struct musaMemcpy3DParms {
    musaArray_t srcArray;
    struct musaPos srcPos;
    struct musaPitchedPtr srcPtr;
    musaArray_t dstArray;
    struct musaPos dstPos;
    struct musaPitchedPtr dstPtr;
    struct musaExtent extent;
    enum musaMemcpyKind kind;
};

struct musaMemcpy3DPeerParms {
    musaArray_t srcArray;
    struct musaPos srcPos;
    struct musaPitchedPtr srcPtr;
    int srcDevice;
    musaArray_t dstArray;
    struct musaPos dstPos;
    struct musaPitchedPtr dstPtr;
    int dstDevice;
    struct musaExtent extent;
};

/* Textures and surfaces: views of arrays and of linear memory. */
enum musaResourceType {
    musaResourceTypeArray = 0,
    musaResourceTypeMipmappedArray = 1,
    musaResourceTypeLinear = 2,
    musaResourceTypePitch2D = 3,
};

struct musaResourceDesc {
    enum musaResourceType resType;
    union {
        struct {
            musaArray_t array;
        } array;
        struct {
            musaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void* devPtr;
            struct musaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void* devPtr;
            struct musaChannelFormatDesc desc;
            size_t width;
            size_t height;
            size_t pitchInBytes;
        } pitch2D;
    } res;
};

enum musaTextureAddressMode {
    musaAddressModeWrap = 0,
    musaAddressModeClamp = 1,
    musaAddressModeMirror = 2,
    musaAddressModeBorder = 3,
};

enum musaTextureFilterMode {
    musaFilterModePoint = 0,
    musaFilterModeLinear = 1,
};

enum musaTextureReadMode {
    musaReadModeElementType = 0,
    musaReadModeNormalizedFloat = 1,
};

struct musaTextureDesc {
    enum musaTextureAddressMode addressMode[3];
    enum musaTextureFilterMode filterMode;
    enum musaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum musaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int seamlessCubemap;
};

typedef unsigned long long musaTextureObject_t;
typedef unsigned long long musaSurfaceObject_t;

#define musaTextureType1D 0x01
#define musaTextureType2D 0x02
#define musaTextureType3D 0x03
#define musaTextureTypeCubemap 0x0C
#define musaTextureType1DLayered 0xF1
#define musaTextureType2DLayered 0xF2
#define musaTextureTypeCubemapLayered 0xFC

#define musaSurfaceType1D 0x01
#define musaSurfaceType2D 0x02
#define musaSurfaceType3D 0x03
#define musaSurfaceTypeCubemap 0x0C
#define musaSurfaceType1DLayered 0xF1
#define musaSurfaceType2DLayered 0xF2
#define musaSurfaceTypeCubemapLayered 0xFC

enum musaSurfaceBoundaryMode {
    musaBoundaryModeZero = 0,
    musaBoundaryModeClamp = 1,
    musaBoundaryModeTrap = 2,
};
enum musaSurfaceFormatMode {
    musaFormatModeForced = 0,
    musaFormatModeAuto = 1,
};

/* How the functions of directed rounding round */
enum musaRoundMode {
    musaRoundNearest = 0,
    musaRoundZero = 1,
    musaRoundPosInf = 2,
    musaRoundMinInf = 3,
};

/* The set of blocks that synchronize in a launch */
enum musaCGScope {
    musaCGScopeInvalid = 0,
    musaCGScopeGrid = 1,
    musaCGScopeMultiGrid = 2,
};

/* The preferred location of managed memory. */
enum musaMemoryAdvise {
    musaMemAdviseSetReadMostly = 1,
    musaMemAdviseUnsetReadMostly = 2,
    musaMemAdviseSetPreferredLocation = 3,
    musaMemAdviseUnsetPreferredLocation = 4,
    musaMemAdviseSetAccessedBy = 5,
    musaMemAdviseUnsetAccessedBy = 6,
};

enum musaMemRangeAttribute {
    musaMemRangeAttributeReadMostly = 1,
    musaMemRangeAttributePreferredLocation = 2,
    musaMemRangeAttributeAccessedBy = 3,
    musaMemRangeAttributeLastPrefetchLocation = 4,
};

/* Memory pools. */
typedef struct MUmemPoolHandle_st* musaMemPool_t;

enum musaMemPoolAttr {
    musaMemPoolReuseFollowEventDependencies = 1,
    musaMemPoolReuseAllowOpportunistic = 2,
    musaMemPoolReuseAllowInternalDependencies = 3,
    musaMemPoolAttrReleaseThreshold = 4,
    musaMemPoolAttrReservedMemCurrent = 5,
    musaMemPoolAttrReservedMemHigh = 6,
    musaMemPoolAttrUsedMemCurrent = 7,
    musaMemPoolAttrUsedMemHigh = 8,
};

enum musaMemLocationType {
    musaMemLocationTypeInvalid = 0,
    musaMemLocationTypeDevice = 1,
    musaMemLocationTypeHost = 2,
    musaMemLocationTypeHostNuma = 3,
    musaMemLocationTypeHostNumaCurrent = 4,
};

struct musaMemLocation {
    enum musaMemLocationType type;
    int id;
};

/* Many copies in one call, of CUDA 12.8. They read their sources in the order of the stream, which every order allows */
enum musaMemcpyFlags {
    musaMemcpyFlagDefault = 0,
    musaMemcpyFlagPreferOverlapWithCompute = 1,
};

enum musaMemcpySrcAccessOrder {
    musaMemcpySrcAccessOrderInvalid = 0,
    musaMemcpySrcAccessOrderStream = 1,
    musaMemcpySrcAccessOrderDuringApiCall = 2,
    musaMemcpySrcAccessOrderAny = 3,
    musaMemcpySrcAccessOrderMax = 0x7FFFFFFF,
};

struct musaMemcpyAttributes {
    enum musaMemcpySrcAccessOrder srcAccessOrder;
    struct musaMemLocation srcLocHint;
    struct musaMemLocation dstLocHint;
    unsigned int flags;
};

enum musaMemcpy3DOperandType {
    musaMemcpyOperandTypePointer = 1,
    musaMemcpyOperandTypeArray = 2,
    musaMemcpyOperandTypeMax = 0x7FFFFFFF,
};

struct musaOffset3D {
    size_t x;
    size_t y;
    size_t z;
};

/* rowLength and layerHeight count elements: an array's, or bytes between two pointers; 0 means the copy's extent */
struct musaMemcpy3DOperand {
    enum musaMemcpy3DOperandType type;
    union {
        struct {
            void* ptr;
            size_t rowLength;
            size_t layerHeight;
            struct musaMemLocation locHint;
        } ptr;
        struct {
            musaArray_t array;
            struct musaOffset3D offset;
        } array;
    } op;
};

struct musaMemcpy3DBatchOp {
    struct musaMemcpy3DOperand src;
    struct musaMemcpy3DOperand dst;
    struct musaExtent extent;
    enum musaMemcpySrcAccessOrder srcAccessOrder;
    unsigned int flags;
};

enum musaMemAccessFlags {
    musaMemAccessFlagsProtNone = 0,
    musaMemAccessFlagsProtRead = 1,
    musaMemAccessFlagsProtReadWrite = 3,
};

struct musaMemAccessDesc {
    struct musaMemLocation location;
    enum musaMemAccessFlags flags;
};

enum musaMemAllocationType {
    musaMemAllocationTypeInvalid = 0,
    musaMemAllocationTypePinned = 1,
    musaMemAllocationTypeMax = 0x7FFFFFFF,
};

enum musaMemAllocationHandleType {
    musaMemHandleTypeNone = 0,
    musaMemHandleTypePosixFileDescriptor = 1,
    musaMemHandleTypeWin32 = 2,
    musaMemHandleTypeWin32Kmt = 4,
};

struct musaMemPoolProps {
    enum musaMemAllocationType allocType;
    enum musaMemAllocationHandleType handleTypes;
    struct musaMemLocation location;
    void* win32SecurityAttributes;
    unsigned char reserved[64];
};

/* Graphs, and the capture of streams into them. The numbers are CUDA's. */
enum musaStreamCaptureMode {
    musaStreamCaptureModeGlobal = 0,
    musaStreamCaptureModeThreadLocal = 1,
    musaStreamCaptureModeRelaxed = 2,
};

enum musaStreamCaptureStatus {
    musaStreamCaptureStatusNone = 0,
    musaStreamCaptureStatusActive = 1,
    musaStreamCaptureStatusInvalidated = 2,
};

enum musaStreamUpdateCaptureDependenciesFlags {
    musaStreamAddCaptureDependencies = 0,
    musaStreamSetCaptureDependencies = 1,
};

/* Graphs with semaphores of other interfaces are not simulated. */
enum musaGraphNodeType {
    musaGraphNodeTypeKernel = 0,
    musaGraphNodeTypeMemcpy = 1,
    musaGraphNodeTypeMemset = 2,
    musaGraphNodeTypeHost = 3,
    musaGraphNodeTypeGraph = 4,
    musaGraphNodeTypeEmpty = 5,
    musaGraphNodeTypeWaitEvent = 6,
    musaGraphNodeTypeEventRecord = 7,
    musaGraphNodeTypeExtSemaphoreSignal = 8,
    musaGraphNodeTypeExtSemaphoreWait = 9,
    musaGraphNodeTypeMemAlloc = 10,
    musaGraphNodeTypeMemFree = 11,
    musaGraphNodeTypeConditional = 13,
    musaGraphNodeTypeCount
};

enum musaGraphMemAttributeType {
    musaGraphMemAttrUsedMemCurrent = 0,
    musaGraphMemAttrUsedMemHigh = 1,
    musaGraphMemAttrReservedMemCurrent = 2,
    musaGraphMemAttrReservedMemHigh = 3,
};

enum musaUserObjectFlags {
    musaUserObjectNoDestructorSync = 1,
};
enum musaUserObjectRetainFlags {
    musaGraphUserObjectMove = 1,
};

/* The result of musaGraphExecUpdate. */
enum musaGraphExecUpdateResult {
    musaGraphExecUpdateSuccess = 0,
    musaGraphExecUpdateError = 1,
    musaGraphExecUpdateErrorTopologyChanged = 2,
    musaGraphExecUpdateErrorNodeTypeChanged = 3,
    musaGraphExecUpdateErrorFunctionChanged = 4,
    musaGraphExecUpdateErrorParametersChanged = 5,
    musaGraphExecUpdateErrorNotSupported = 6,
    musaGraphExecUpdateErrorUnsupportedFunctionChange = 7,
};

enum musaGraphDebugDotFlags {
    musaGraphDebugDotFlagsVerbose = 1 << 0,
    musaGraphDebugDotFlagsKernelNodeParams = 1 << 2,
    musaGraphDebugDotFlagsMemcpyNodeParams = 1 << 3,
    musaGraphDebugDotFlagsMemsetNodeParams = 1 << 4,
    musaGraphDebugDotFlagsHostNodeParams = 1 << 5,
    musaGraphDebugDotFlagsEventNodeParams = 1 << 6,
    musaGraphDebugDotFlagsExtSemasSignalNodeParams = 1 << 7,
    musaGraphDebugDotFlagsExtSemasWaitNodeParams = 1 << 8,
    musaGraphDebugDotFlagsKernelNodeAttributes = 1 << 9,
    musaGraphDebugDotFlagsHandles = 1 << 10,
    musaGraphDebugDotFlagsConditionalNodeParams = 1 << 15,
};

/* Graphs inside a graph that run if a value is not 0, as long as it is not 0, or by its number. */
typedef unsigned long long musaGraphConditionalHandle;
enum musaGraphConditionalHandleFlags {
    musaGraphCondAssignDefault = 1,
};
enum musaGraphConditionalNodeType {
    musaGraphCondTypeIf = 0,
    musaGraphCondTypeWhile = 1,
    musaGraphCondTypeSwitch = 2,
};

enum musaGraphInstantiateFlags {
    musaGraphInstantiateFlagAutoFreeOnLaunch = 1,
    musaGraphInstantiateFlagUpload = 2,
    musaGraphInstantiateFlagDeviceLaunch = 4, /* launches from kernels are not simulated */
    musaGraphInstantiateFlagUseNodePriority = 8,
};

#ifndef __cplusplus
typedef struct musaDeviceProp musaDeviceProp;
typedef struct musaPointerAttributes musaPointerAttributes;
typedef struct musaFuncAttributes musaFuncAttributes;
typedef enum musaMemcpyKind musaMemcpyKind;
typedef struct musaPitchedPtr musaPitchedPtr;
typedef struct musaExtent musaExtent;
typedef struct musaPos musaPos;
typedef struct musaChannelFormatDesc musaChannelFormatDesc;
typedef struct musaMemcpy3DParms musaMemcpy3DParms;
typedef struct musaMemcpy3DPeerParms musaMemcpy3DPeerParms;
typedef struct musaResourceDesc musaResourceDesc;
typedef struct musaTextureDesc musaTextureDesc;
typedef struct musaMemAccessDesc musaMemAccessDesc;
typedef struct musaMemPoolProps musaMemPoolProps;
typedef struct musaMemLocation musaMemLocation;
typedef struct musaMemcpyAttributes musaMemcpyAttributes;
typedef struct musaOffset3D musaOffset3D;
typedef struct musaMemcpy3DOperand musaMemcpy3DOperand;
typedef struct musaMemcpy3DBatchOp musaMemcpy3DBatchOp;
typedef enum musaMemcpySrcAccessOrder musaMemcpySrcAccessOrder;
typedef enum musaMemcpy3DOperandType musaMemcpy3DOperandType;
typedef enum musaChannelFormatKind musaChannelFormatKind;
typedef enum musaMemoryAdvise musaMemoryAdvise;
typedef enum musaMemRangeAttribute musaMemRangeAttribute;
typedef enum musaMemPoolAttr musaMemPoolAttr;
typedef enum musaMemAccessFlags musaMemAccessFlags;
typedef enum musaMemoryType musaMemoryType;
typedef enum musaFuncAttribute musaFuncAttribute;
typedef enum musaFuncCache musaFuncCache;
typedef enum musaSharedMemConfig musaSharedMemConfig;
typedef enum musaDeviceAttr musaDeviceAttr;
typedef enum musaStreamCaptureMode musaStreamCaptureMode;
typedef enum musaStreamCaptureStatus musaStreamCaptureStatus;
typedef enum musaGraphNodeType musaGraphNodeType;
typedef enum musaGraphExecUpdateResult musaGraphExecUpdateResult;
#endif

typedef void (*musaHostFn_t)(void* userData);
struct musaHostNodeParams {
    musaHostFn_t fn;
    void* userData;
};
struct musaMemAllocNodeParams {
    struct musaMemPoolProps poolProps;
    const struct musaMemAccessDesc* accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void* dptr; /* set by musaGraphAddMemAllocNode */
};
#ifndef __cplusplus
typedef struct musaHostNodeParams musaHostNodeParams;
typedef struct musaMemAllocNodeParams musaMemAllocNodeParams;
#endif

typedef struct MUstream_st* musaStream_t;
typedef struct MUevent_st* musaEvent_t;
typedef struct MUgraph_st* musaGraph_t;
typedef struct MUgraphNode_st* musaGraphNode_t;
typedef struct MUgraphExec_st* musaGraphExec_t;
typedef struct MUuserObject_st* musaUserObject_t;
typedef struct MUfunc_st* musaFunction_t;
typedef struct MUkern_st* musaKernel_t;
typedef struct MUlib_st* musaLibrary_t;

/* Options of musaLibraryLoadData. Those of a compiler change nothing: an image is compiled already */
typedef enum musaJitOption {
    musaJitMaxRegisters = 0,
    musaJitThreadsPerBlock = 1,
    musaJitWallTime = 2,
    musaJitInfoLogBuffer = 3,
    musaJitInfoLogBufferSizeBytes = 4,
    musaJitErrorLogBuffer = 5,
    musaJitErrorLogBufferSizeBytes = 6,
    musaJitOptimizationLevel = 7,
    musaJitFallbackStrategy = 10,
    musaJitGenerateDebugInfo = 11,
    musaJitLogVerbose = 12,
    musaJitGenerateLineInfo = 13,
    musaJitCacheMode = 14,
    musaJitPositionIndependentCode = 30,
    musaJitMinCtaPerSm = 31,
    musaJitMaxThreadsPerBlock = 32,
    musaJitOverrideDirectiveValues = 33
} musaJitOption;
typedef enum musaLibraryOption {
    musaLibraryHostUniversalFunctionAndDataTable = 0,
    musaLibraryBinaryIsPreserved = 1
} musaLibraryOption;
typedef enum musaOutputMode { musaKeyValuePair = 0, musaCSV = 1 } musaOutputMode_t;

#include <musa_sim/runtime_interoperability.h>
struct textureReference;
struct surfaceReference;

/* A kernel node of a graph: the kernel and its launch parameters. */
struct musaKernelNodeParams {
    void* func;
    dim3 gridDim;
    dim3 blockDim;
    unsigned int sharedMemBytes;
    void** kernelParams;
    void** extra;
};
#ifndef __cplusplus
typedef struct musaKernelNodeParams musaKernelNodeParams;
#endif

/* Other nodes of graphs. */
struct musaMemsetParams {
    void* dst;
    size_t pitch;             /* bytes; unused if there is one row */
    unsigned int value;
    unsigned int elementSize; /* bytes: 1, 2 or 4 */
    size_t width;             /* elements */
    size_t height;
};
#ifndef __cplusplus
typedef struct musaMemsetParams musaMemsetParams;
#endif

/* The parameters of any node (musaGraphAddNode). What is reserved has to be 0. */
struct musaKernelNodeParamsV2 {
    void* func;
#if !defined(__cplusplus) || __cplusplus >= 201103L
    dim3 gridDim;
    dim3 blockDim;
#else
    uint3 gridDim;
    uint3 blockDim;
#endif
    unsigned int sharedMemBytes;
    void** kernelParams;
    void** extra;
};
struct musaMemcpyNodeParams {
    int flags;
    int reserved[3];
    struct musaMemcpy3DParms copyParams;
};
struct musaMemsetParamsV2 {
    void* dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
};
struct musaHostNodeParamsV2 {
    musaHostFn_t fn;
    void* userData;
};
struct musaChildGraphNodeParams {
    musaGraph_t graph; /* the node has a copy */
};
struct musaEventRecordNodeParams {
    musaEvent_t event;
};
struct musaEventWaitNodeParams {
    musaEvent_t event;
};
struct musaExternalSemaphoreSignalNodeParamsV2 {
    musaExternalSemaphore_t* extSemArray;
    const struct musaExternalSemaphoreSignalParams* paramsArray;
    unsigned int numExtSems;
};
struct musaExternalSemaphoreWaitNodeParamsV2 {
    musaExternalSemaphore_t* extSemArray;
    const struct musaExternalSemaphoreWaitParams* paramsArray;
    unsigned int numExtSems;
};
struct musaMemAllocNodeParamsV2 {
    struct musaMemPoolProps poolProps;
    const struct musaMemAccessDesc* accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void* dptr; /* set by musaGraphAddNode */
};
struct musaMemFreeNodeParams {
    void* dptr;
};
struct musaConditionalNodeParams {
    musaGraphConditionalHandle handle;
    enum musaGraphConditionalNodeType type;
    unsigned int size;        /* the number of graphs: if 1 or 2, while 1, switch 1 or more */
    musaGraph_t* phGraph_out; /* set by musaGraphAddNode: the graphs, which belong to the node */
};
struct musaGraphNodeParams {
    enum musaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct musaKernelNodeParamsV2 kernel;
        struct musaMemcpyNodeParams memcpy;
        struct musaMemsetParamsV2 memset;
        struct musaHostNodeParamsV2 host;
        struct musaChildGraphNodeParams graph;
        struct musaEventWaitNodeParams eventWait;
        struct musaEventRecordNodeParams eventRecord;
        struct musaExternalSemaphoreSignalNodeParamsV2 extSemSignal;
        struct musaExternalSemaphoreWaitNodeParamsV2 extSemWait;
        struct musaMemAllocNodeParamsV2 alloc;
        struct musaMemFreeNodeParams free;
        struct musaConditionalNodeParams conditional;
    };
    long long reserved2;
};

/* How much of a node comes before another. A kernel that may begin earlier begins at the same time as one that may not. */
typedef enum musaGraphDependencyType_enum {
    musaGraphDependencyTypeDefault = 0,
    musaGraphDependencyTypeProgrammatic = 1
} musaGraphDependencyType;
typedef struct musaGraphEdgeData_st {
    unsigned char from_port;
    unsigned char to_port;
    unsigned char type;
    unsigned char reserved[5];
} musaGraphEdgeData;
#define musaGraphKernelNodePortDefault 0
#define musaGraphKernelNodePortProgrammatic 1
#define musaGraphKernelNodePortLaunchCompletion 2

typedef enum musaGraphInstantiateResult {
    musaGraphInstantiateSuccess = 0,
    musaGraphInstantiateError = 1,
    musaGraphInstantiateInvalidStructure = 2,
    musaGraphInstantiateNodeOperationNotSupported = 3,
    musaGraphInstantiateMultipleDevicesNotSupported = 4,
    musaGraphInstantiateConditionalHandleUnused = 5
} musaGraphInstantiateResult;
typedef struct musaGraphInstantiateParams_st {
    unsigned long long flags;
    musaStream_t uploadStream;
    musaGraphNode_t errNode_out;
    musaGraphInstantiateResult result_out;
} musaGraphInstantiateParams;
#ifndef __cplusplus
typedef struct musaGraphNodeParams musaGraphNodeParams;
typedef enum musaGraphConditionalNodeType musaGraphConditionalNodeType;
typedef struct musaKernelNodeParamsV2 musaKernelNodeParamsV2;
typedef struct musaConditionalNodeParams musaConditionalNodeParams;
#endif

/* The attributes of a launch besides its sizes (musaLaunchKernelExC). The numbers are CUDA's. */
typedef enum musaLaunchAttributeID {
    musaLaunchAttributeIgnore = 0,
    musaLaunchAttributeAccessPolicyWindow = 1,
    musaLaunchAttributeCooperative = 2,
    musaLaunchAttributeSynchronizationPolicy = 3,
    musaLaunchAttributeClusterDimension = 4,
    musaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    musaLaunchAttributeProgrammaticStreamSerialization = 6,
    musaLaunchAttributeProgrammaticEvent = 7,
    musaLaunchAttributePriority = 8,
} musaLaunchAttributeID;

/* Memory that a cache should keep: a hint without effect. */
enum musaAccessProperty {
    musaAccessPropertyNormal = 0,
    musaAccessPropertyStreaming = 1,
    musaAccessPropertyPersisting = 2,
};
struct musaAccessPolicyWindow {
    void* base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum musaAccessProperty hitProp;
    enum musaAccessProperty missProp; /* normal or streaming */
};

enum musaSynchronizationPolicy {
    musaSyncPolicyAuto = 1,
    musaSyncPolicySpin = 2,
    musaSyncPolicyYield = 3,
    musaSyncPolicyBlockingSync = 4,
};

typedef union musaLaunchAttributeValue {
    char pad[64];
    struct musaAccessPolicyWindow accessPolicyWindow;
    enum musaSynchronizationPolicy syncPolicy;
    int cooperative;
    int priority;
    int programmaticStreamSerializationAllowed;
    struct {
        unsigned int x;
        unsigned int y;
        unsigned int z;
    } clusterDim;
} musaLaunchAttributeValue;

typedef struct musaLaunchAttribute_st {
    musaLaunchAttributeID id;
    char pad[8 - sizeof(musaLaunchAttributeID)];
    musaLaunchAttributeValue val;
} musaLaunchAttribute;

/* Attributes of streams and of the kernels of graphs are some of those of launches. */
#define musaStreamAttrID musaLaunchAttributeID
#define musaStreamAttrValue musaLaunchAttributeValue
#define musaStreamAttributeAccessPolicyWindow musaLaunchAttributeAccessPolicyWindow
#define musaStreamAttributeSynchronizationPolicy musaLaunchAttributeSynchronizationPolicy
#define musaStreamAttributePriority musaLaunchAttributePriority
#define musaKernelNodeAttrID musaLaunchAttributeID
#define musaKernelNodeAttrValue musaLaunchAttributeValue
#define musaKernelNodeAttributeAccessPolicyWindow musaLaunchAttributeAccessPolicyWindow
#define musaKernelNodeAttributeCooperative musaLaunchAttributeCooperative
#define musaKernelNodeAttributePriority musaLaunchAttributePriority

typedef struct musaLaunchConfig_st {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    musaStream_t stream;
    musaLaunchAttribute* attrs;
    unsigned int numAttrs;
} musaLaunchConfig_t;

/* Handles by which another process opens memory or an event. */
#define MUSA_IPC_HANDLE_SIZE 64
typedef struct musaIpcEventHandle_st {
    char reserved[MUSA_IPC_HANDLE_SIZE];
} musaIpcEventHandle_t;
typedef struct musaIpcMemHandle_st {
    char reserved[MUSA_IPC_HANDLE_SIZE];
} musaIpcMemHandle_t;
#define musaIpcMemLazyEnablePeerAccess 0x01

typedef void (*musaStreamCallback_t)(musaStream_t stream, musaError_t status, void* userData);

/* Named handles of the default stream: the legacy stream, which a null handle means, and the calling thread's. */
#define musaStreamLegacy ((musaStream_t)0x1)
#define musaStreamPerThread ((musaStream_t)0x2)

/* Flags and results of a query for a driver function. */
enum musaGetDriverEntryPointFlags {
    musaEnableDefault = 0,
    musaEnableLegacyStream = 1,
    musaEnablePerThreadDefaultStream = 2,
};
enum musaDriverEntryPointQueryResult {
    musaDriverEntryPointSuccess = 0,
    musaDriverEntryPointSymbolNotFound = 1,
    musaDriverEntryPointVersionNotSufficent = 2,
};

/* For launches of graphs from kernels, which are not simulated: musaErrorInvalidResourceHandle */
#define musaStreamFireAndForget ((musaStream_t)0x4)

/* How a thread waits for a device: hints */
#define musaDeviceScheduleAuto 0x00
#define musaDeviceScheduleSpin 0x01
#define musaDeviceScheduleYield 0x02
#define musaDeviceScheduleBlockingSync 0x04
#define musaDeviceBlockingSync 0x04
#define musaDeviceScheduleMask 0x07
#define musaDeviceMapHost 0x08
#define musaDeviceLmemResizeToMax 0x10
#define musaDeviceSyncMemops 0x80
#define musaDeviceMask 0xff

#define musaPeerAccessDefault 0x00
#define musaStreamDefault 0x00
#define musaStreamNonBlocking 0x01

#define musaEventDefault 0x00
#define musaEventBlockingSync 0x01
#define musaEventDisableTiming 0x02
#define musaEventInterprocess 0x04

/* External: during a capture, a node that records or waits for the event as each launch finds it */
#define musaEventRecordDefault 0x00
#define musaEventRecordExternal 0x01
#define musaEventWaitDefault 0x00
#define musaEventWaitExternal 0x01

#define musaHostAllocDefault 0x00
#define musaHostAllocPortable 0x01
#define musaHostAllocMapped 0x02
#define musaHostAllocWriteCombined 0x04

#define musaHostRegisterDefault 0x00
#define musaHostRegisterPortable 0x01
#define musaHostRegisterMapped 0x02
#define musaHostRegisterIoMemory 0x04
#define musaHostRegisterReadOnly 0x08

#define musaOccupancyDefault 0x00
#define musaOccupancyDisableCachingOverride 0x01

#define musaMemAttachGlobal 0x01
#define musaMemAttachHost 0x02
#define musaMemAttachSingle 0x04

#define musaCpuDeviceId ((int)-1)
#define musaInvalidDeviceId ((int)-2)

#endif
