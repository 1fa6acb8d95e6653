/* The MUSA runtime API: prototypes of everything libmusart exports to users. Plain C, readable by
 * gcc, g++ and mcc.
 *
 * Functions that are not simulated return musaErrorNotSupported and say so
 * (musa_sim/runtime_refused.h). What newer versions of CUDA have beyond these is not declared.
 */
#ifndef __MUSA_RUNTIME_API_H__
#define __MUSA_RUNTIME_API_H__

#include <driver_types.h>
#include <host_defines.h>
#include <stddef.h>
#include <vector_types.h>

/* major * 10000 + minor * 100 + patch */
#define MUSART_VERSION 50200
#define __MUSART_API_VERSION MUSART_VERSION

/* Stream 0 is the calling thread's default stream: on mcc's command line for launches as well, or before the header */
#if defined(MUSA_API_PER_THREAD_DEFAULT_STREAM)
#define __MUSART_API_PER_THREAD_DEFAULT_STREAM
#include <musa_sim/runtime_per_thread.h>
#endif

/* Functions that kernels may call as well, where there are kernels */
#if defined(__MUSACC__)
#define MUSART_DEVICE __device__
#else
#define MUSART_DEVICE
#endif

#ifdef __cplusplus
#define MUSA_DEFAULT(value) = value
extern "C" {
#else
#define MUSA_DEFAULT(value)
#endif

/* Versions and errors */
musaError_t musaDriverGetVersion(int* driverVersion);
musaError_t musaRuntimeGetVersion(int* runtimeVersion);
musaError_t musaGetLastError(void);
musaError_t musaPeekAtLastError(void);
const char* musaGetErrorName(musaError_t error);
const char* musaGetErrorString(musaError_t error);

/* Devices */
musaError_t musaGetDeviceCount(int* count);
musaError_t musaSetDevice(int device);
musaError_t musaGetDevice(int* device);
/* The form with CUDA 12's fields, by the name that binaries built with SDK 5.2 import */
#define musaGetDeviceProperties musaGetDeviceProperties_v2
musaError_t musaGetDeviceProperties(struct musaDeviceProp* prop, int device);
musaError_t musaChooseDevice(int* device, const struct musaDeviceProp* prop);
musaError_t musaSetValidDevices(int* devices, int count);
musaError_t musaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
musaError_t musaSetDeviceFlags(unsigned int flags);
musaError_t musaGetDeviceFlags(unsigned int* flags);
musaError_t musaDeviceGetByPCIBusId(int* device, const char* pciBusId);
musaError_t musaDeviceSetLimit(enum musaLimit limit, size_t value);
musaError_t musaDeviceGetLimit(size_t* value, enum musaLimit limit);
musaError_t musaDeviceGetCacheConfig(enum musaFuncCache* cacheConfig);
musaError_t musaDeviceGetP2PAttribute(int* value, enum musaDeviceP2PAttr attr, int srcDevice,
                                      int dstDevice);
musaError_t musaDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements,
                                                 const struct musaChannelFormatDesc* fmtDesc,
                                                 int device);
musaError_t musaCtxResetPersistingL2Cache(void);
musaError_t musaDeviceGetAttribute(int* value, enum musaDeviceAttr attr, int device);
musaError_t musaDeviceGetPCIBusId(char* pciBusId, int length, int device);
musaError_t musaDeviceSynchronize(void);
musaError_t musaDeviceReset(void);
musaError_t musaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice);
musaError_t musaDeviceEnablePeerAccess(int peerDevice, unsigned int flags);
musaError_t musaDeviceDisablePeerAccess(int peerDevice);
musaError_t musaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority);
musaError_t musaDeviceSetCacheConfig(enum musaFuncCache cacheConfig);
musaError_t musaDeviceSetSharedMemConfig(enum musaSharedMemConfig config);
musaError_t musaDeviceGetSharedMemConfig(enum musaSharedMemConfig* config);

/* Memory */
musaError_t musaMalloc(void** devPtr, size_t size);
musaError_t musaFree(void* devPtr);
musaError_t musaMallocAsync(void** devPtr, size_t size, musaStream_t stream);
musaError_t musaFreeAsync(void* devPtr, musaStream_t stream);
musaError_t musaMallocManaged(void** devPtr, size_t size,
                              unsigned int flags MUSA_DEFAULT(musaMemAttachGlobal));
musaError_t musaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height);
musaError_t musaMallocHost(void** ptr, size_t size);
musaError_t musaHostAlloc(void** ptr, size_t size, unsigned int flags);
musaError_t musaFreeHost(void* ptr);
musaError_t musaHostRegister(void* ptr, size_t size, unsigned int flags);
musaError_t musaHostUnregister(void* ptr);
musaError_t musaHostGetDevicePointer(void** devPtr, void* hostPtr, unsigned int flags);
/* Get the flags that musaHostAlloc or musaHostRegister was called with */
musaError_t musaHostGetFlags(unsigned int* flags, void* ptr);
musaError_t musaMemGetInfo(size_t* freeBytes, size_t* totalBytes);
musaError_t musaPointerGetAttributes(struct musaPointerAttributes* attributes, const void* ptr);

musaError_t musaMemcpy(void* dst, const void* src, size_t count, enum musaMemcpyKind kind);
musaError_t musaMemcpyAsync(void* dst, const void* src, size_t count, enum musaMemcpyKind kind,
                            musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, enum musaMemcpyKind kind);
musaError_t musaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                              size_t width, size_t height, enum musaMemcpyKind kind,
                              musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count);
musaError_t musaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice,
                                size_t count, musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaMemset(void* devPtr, int value, size_t count);
musaError_t musaMemsetAsync(void* devPtr, int value, size_t count,
                            musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height);
musaError_t musaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                              musaStream_t stream MUSA_DEFAULT(0));

/* Boxes, and arrays: memory in a layout that the device chooses */
musaError_t musaMalloc3D(struct musaPitchedPtr* pitchedDevPtr, struct musaExtent extent);
musaError_t musaMemcpy3D(const struct musaMemcpy3DParms* p);
musaError_t musaMemcpy3DAsync(const struct musaMemcpy3DParms* p,
                              musaStream_t stream MUSA_DEFAULT(0));
/* Many copies; *failIdx is the first that is refused, or SIZE_MAX */
musaError_t musaMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes, size_t count,
                                 struct musaMemcpyAttributes* attrs, size_t* attrsIdxs,
                                 size_t numAttrs, size_t* failIdx, musaStream_t stream);
musaError_t musaMemcpy3DBatchAsync(size_t numOps, struct musaMemcpy3DBatchOp* opList,
                                   size_t* failIdx, unsigned long long flags, musaStream_t stream);
/* Between devices, or within one */
musaError_t musaMemcpy3DPeer(const struct musaMemcpy3DPeerParms* p);
musaError_t musaMemcpy3DPeerAsync(const struct musaMemcpy3DPeerParms* p,
                                  musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaMemset3D(struct musaPitchedPtr pitchedDevPtr, int value, struct musaExtent extent);
musaError_t musaMemset3DAsync(struct musaPitchedPtr pitchedDevPtr, int value,
                              struct musaExtent extent, musaStream_t stream MUSA_DEFAULT(0));
/* The description of an element of arrays and textures: the bits and the kind of its components */
struct musaChannelFormatDesc musaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum musaChannelFormatKind f);
musaError_t musaMallocArray(musaArray_t* array, const struct musaChannelFormatDesc* desc,
                            size_t width, size_t height MUSA_DEFAULT(0),
                            unsigned int flags MUSA_DEFAULT(0));
musaError_t musaMalloc3DArray(musaArray_t* array, const struct musaChannelFormatDesc* desc,
                              struct musaExtent extent, unsigned int flags MUSA_DEFAULT(0));
musaError_t musaFreeArray(musaArray_t array);
/* numLevels: at least one, at most until all sides are one element long. The levels are freed with the array. */
musaError_t musaMallocMipmappedArray(musaMipmappedArray_t* mipmappedArray, const struct musaChannelFormatDesc* desc,
                                     struct musaExtent extent, unsigned int numLevels,
                                     unsigned int flags MUSA_DEFAULT(0));
musaError_t musaGetMipmappedArrayLevel(musaArray_t* levelArray, musaMipmappedArray_const_t mipmappedArray,
                                       unsigned int level);
musaError_t musaFreeMipmappedArray(musaMipmappedArray_t mipmappedArray);
musaError_t musaArrayGetInfo(struct musaChannelFormatDesc* desc, struct musaExtent* extent,
                             unsigned int* flags, musaArray_t array);
musaError_t musaGetChannelDesc(struct musaChannelFormatDesc* desc, musaArray_const_t array);
musaError_t musaMemcpyToArray(musaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                              size_t count, enum musaMemcpyKind kind);
musaError_t musaMemcpyToArrayAsync(musaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                   size_t count, enum musaMemcpyKind kind,
                                   musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaMemcpyFromArray(void* dst, musaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, enum musaMemcpyKind kind);
musaError_t musaMemcpyFromArrayAsync(void* dst, musaArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t count, enum musaMemcpyKind kind,
                                     musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaMemcpy2DToArray(musaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                size_t spitch, size_t width, size_t height,
                                enum musaMemcpyKind kind);
musaError_t musaMemcpy2DToArrayAsync(musaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void* src, size_t spitch, size_t width, size_t height,
                                     enum musaMemcpyKind kind, musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaMemcpy2DFromArray(void* dst, size_t dpitch, musaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  enum musaMemcpyKind kind);
musaError_t musaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, musaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       enum musaMemcpyKind kind,
                                       musaStream_t stream MUSA_DEFAULT(0));
/* `count` bytes, row after row */
musaError_t musaMemcpyArrayToArray(musaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   musaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t count,
                                   enum musaMemcpyKind kind MUSA_DEFAULT(musaMemcpyDeviceToDevice));
musaError_t musaMemcpy2DArrayToArray(musaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     musaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height,
                                     enum musaMemcpyKind kind MUSA_DEFAULT(musaMemcpyDeviceToDevice));

/* Textures and surfaces, as objects */
musaError_t musaCreateTextureObject(musaTextureObject_t* texture,
                                    const struct musaResourceDesc* resource,
                                    const struct musaTextureDesc* description,
                                    const struct musaResourceViewDesc* view);
musaError_t musaDestroyTextureObject(musaTextureObject_t texture);
musaError_t musaGetTextureObjectResourceDesc(struct musaResourceDesc* resource,
                                             musaTextureObject_t texture);
musaError_t musaGetTextureObjectTextureDesc(struct musaTextureDesc* description,
                                            musaTextureObject_t texture);
/* musaErrorInvalidValue if the texture was created without one. */
musaError_t musaGetTextureObjectResourceViewDesc(struct musaResourceViewDesc* view, musaTextureObject_t texture);
musaError_t musaCreateSurfaceObject(musaSurfaceObject_t* surface,
                                    const struct musaResourceDesc* resource);
musaError_t musaDestroySurfaceObject(musaSurfaceObject_t surface);
musaError_t musaGetSurfaceObjectResourceDesc(struct musaResourceDesc* resource,
                                             musaSurfaceObject_t surface);

/* Managed memory is one object for the host and all devices: prefetching moves nothing, advice is stored without effect
 * */
musaError_t musaMemPrefetchAsync(const void* devPtr, size_t count, int dstDevice,
                                 musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaMemAdvise(const void* devPtr, size_t count, enum musaMemoryAdvise advice,
                          int device);
/* The location is a device or the host */
musaError_t musaMemPrefetchAsync_v2(const void* devPtr, size_t count, struct musaMemLocation location,
                                    unsigned int flags, musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaMemAdvise_v2(const void* devPtr, size_t count, enum musaMemoryAdvise advice,
                             struct musaMemLocation location);
musaError_t musaMemRangeGetAttribute(void* data, size_t dataSize,
                                     enum musaMemRangeAttribute attribute, const void* devPtr,
                                     size_t count);
musaError_t musaMemRangeGetAttributes(void** data, size_t* dataSizes,
                                      enum musaMemRangeAttribute* attributes, size_t numAttributes,
                                      const void* devPtr, size_t count);

/* Memory pools, from which musaMallocAsync allocates */
musaError_t musaDeviceGetDefaultMemPool(musaMemPool_t* memPool, int device);
musaError_t musaDeviceGetMemPool(musaMemPool_t* memPool, int device);
musaError_t musaDeviceSetMemPool(int device, musaMemPool_t memPool);
musaError_t musaMemPoolCreate(musaMemPool_t* memPool, const struct musaMemPoolProps* poolProps);
musaError_t musaMemPoolDestroy(musaMemPool_t memPool);
musaError_t musaMemPoolTrimTo(musaMemPool_t memPool, size_t minBytesToKeep);
musaError_t musaMemPoolSetAttribute(musaMemPool_t memPool, enum musaMemPoolAttr attr, void* value);
musaError_t musaMemPoolGetAttribute(musaMemPool_t memPool, enum musaMemPoolAttr attr, void* value);
musaError_t musaMemPoolSetAccess(musaMemPool_t memPool, const struct musaMemAccessDesc* descList,
                                 size_t count);
musaError_t musaMemPoolGetAccess(enum musaMemAccessFlags* flags, musaMemPool_t memPool,
                                 struct musaMemLocation* location);
musaError_t musaMallocFromPoolAsync(void** ptr, size_t size, musaMemPool_t memPool,
                                    musaStream_t stream);
/* Pools whose memory other processes use; handles are file descriptors, musaMemHandleTypePosixFileDescriptor */
musaError_t musaMemPoolExportToShareableHandle(void* shareableHandle, musaMemPool_t memPool,
                                               enum musaMemAllocationHandleType handleType, unsigned int flags);
musaError_t musaMemPoolImportFromShareableHandle(musaMemPool_t* memPool, void* shareableHandle,
                                                 enum musaMemAllocationHandleType handleType, unsigned int flags);
musaError_t musaMemPoolExportPointer(struct musaMemPoolPtrExportData* exportData, void* ptr);
musaError_t musaMemPoolImportPointer(void** ptr, musaMemPool_t memPool, struct musaMemPoolPtrExportData* exportData);

/* Start and stop profilers (musa_profiler_api.h) */
musaError_t musaProfilerStart(void);
musaError_t musaProfilerStop(void);

/* Device variables; `symbol` is the address of the host's shadow of a __device__ or __constant__
 * variable */
musaError_t musaMemcpyToSymbol(const void* symbol, const void* src, size_t count,
                               size_t offset MUSA_DEFAULT(0),
                               enum musaMemcpyKind kind MUSA_DEFAULT(musaMemcpyHostToDevice));
musaError_t musaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count,
                                    size_t offset, enum musaMemcpyKind kind,
                                    musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaMemcpyFromSymbol(void* dst, const void* symbol, size_t count,
                                 size_t offset MUSA_DEFAULT(0),
                                 enum musaMemcpyKind kind MUSA_DEFAULT(musaMemcpyDeviceToHost));
musaError_t musaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                      enum musaMemcpyKind kind,
                                      musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaGetSymbolAddress(void** devPtr, const void* symbol);
musaError_t musaGetSymbolSize(size_t* size, const void* symbol);

/* Streams */
musaError_t musaStreamCreate(musaStream_t* stream);
musaError_t musaStreamCreateWithFlags(musaStream_t* stream, unsigned int flags);
musaError_t musaStreamCreateWithPriority(musaStream_t* stream, unsigned int flags, int priority);
musaError_t musaStreamDestroy(musaStream_t stream);
musaError_t musaStreamSynchronize(musaStream_t stream);
musaError_t musaStreamQuery(musaStream_t stream);
musaError_t musaStreamWaitEvent(musaStream_t stream, musaEvent_t event,
                                unsigned int flags MUSA_DEFAULT(0));
musaError_t musaStreamGetFlags(musaStream_t stream, unsigned int* flags);
musaError_t musaStreamGetPriority(musaStream_t stream, int* priority);
musaError_t musaStreamGetId(musaStream_t stream, unsigned long long* streamId);
musaError_t musaStreamGetDevice(musaStream_t stream, int* device);
/* Hints for the cache and for waiting threads. They are stored */
musaError_t musaStreamGetAttribute(musaStream_t stream, musaStreamAttrID attr,
                                   musaStreamAttrValue* value);
musaError_t musaStreamSetAttribute(musaStream_t stream, musaStreamAttrID attr,
                                   const musaStreamAttrValue* value);
musaError_t musaStreamCopyAttributes(musaStream_t dst, musaStream_t src);
/* Managed memory is everybody's, whatever stream it is attached to */
musaError_t musaStreamAttachMemAsync(musaStream_t stream, void* devPtr,
                                     size_t length MUSA_DEFAULT(0),
                                     unsigned int flags MUSA_DEFAULT(musaMemAttachSingle));
musaError_t musaStreamAddCallback(musaStream_t stream, musaStreamCallback_t callback,
                                  void* userData, unsigned int flags);
musaError_t musaLaunchHostFunc(musaStream_t stream, musaHostFn_t function, void* userData);

/* Events */
musaError_t musaEventCreate(musaEvent_t* event);
musaError_t musaEventCreateWithFlags(musaEvent_t* event, unsigned int flags);
musaError_t musaEventDestroy(musaEvent_t event);
musaError_t musaEventRecord(musaEvent_t event, musaStream_t stream MUSA_DEFAULT(0));
musaError_t musaEventRecordWithFlags(musaEvent_t event, musaStream_t stream MUSA_DEFAULT(0),
                                     unsigned int flags MUSA_DEFAULT(0));
musaError_t musaEventSynchronize(musaEvent_t event);
musaError_t musaEventQuery(musaEvent_t event);
musaError_t musaEventElapsedTime(float* milliseconds, musaEvent_t start, musaEvent_t end);
musaError_t musaEventElapsedTime_v2(float* milliseconds, musaEvent_t start, musaEvent_t end);

/* Graphs. Work that is enqueued between musaStreamBeginCapture and musaStreamEndCapture does not run: it becomes a
 * graph, with the work of all streams that wait for events of such a stream */
musaError_t musaStreamBeginCapture(musaStream_t stream, enum musaStreamCaptureMode mode);
/* The captured work is added to a graph that is there, after these nodes of it */
musaError_t musaStreamBeginCaptureToGraph(musaStream_t stream, musaGraph_t graph,
                                          const musaGraphNode_t* dependencies,
                                          const musaGraphEdgeData* dependencyData,
                                          size_t numDependencies, enum musaStreamCaptureMode mode);
musaError_t musaStreamEndCapture(musaStream_t stream, musaGraph_t* graph);
musaError_t musaStreamIsCapturing(musaStream_t stream, enum musaStreamCaptureStatus* status);
/* `dependencies`: the nodes that the stream's next node will depend on; valid until the next call */
musaError_t musaStreamGetCaptureInfo(musaStream_t stream, enum musaStreamCaptureStatus* status,
                                     unsigned long long* id MUSA_DEFAULT(0),
                                     musaGraph_t* graph MUSA_DEFAULT(0),
                                     const musaGraphNode_t** dependencies MUSA_DEFAULT(0),
                                     size_t* numDependencies MUSA_DEFAULT(0));
musaError_t musaStreamGetCaptureInfo_v2(musaStream_t stream, enum musaStreamCaptureStatus* status,
                                        unsigned long long* id MUSA_DEFAULT(0),
                                        musaGraph_t* graph MUSA_DEFAULT(0),
                                        const musaGraphNode_t** dependencies MUSA_DEFAULT(0),
                                        size_t* numDependencies MUSA_DEFAULT(0));
/* With the data of the edges, which are plain ones */
musaError_t musaStreamGetCaptureInfo_v3(musaStream_t stream, enum musaStreamCaptureStatus* status,
                                        unsigned long long* id MUSA_DEFAULT(0),
                                        musaGraph_t* graph MUSA_DEFAULT(0),
                                        const musaGraphNode_t** dependencies MUSA_DEFAULT(0),
                                        const musaGraphEdgeData** edgeData MUSA_DEFAULT(0),
                                        size_t* numDependencies MUSA_DEFAULT(0));
musaError_t musaThreadExchangeStreamCaptureMode(enum musaStreamCaptureMode* mode);
/* Add to the dependencies of the stream's next node, or replace them (flags) */
musaError_t musaStreamUpdateCaptureDependencies(musaStream_t stream, musaGraphNode_t* dependencies,
                                                size_t numDependencies,
                                                unsigned int flags MUSA_DEFAULT(0));
musaError_t musaStreamUpdateCaptureDependencies_v2(musaStream_t stream, musaGraphNode_t* dependencies,
                                                   const musaGraphEdgeData* dependencyData,
                                                   size_t numDependencies,
                                                   unsigned int flags MUSA_DEFAULT(0));

/* Graphs built node by node. A node runs after its dependencies */
musaError_t musaGraphCreate(musaGraph_t* graph, unsigned int flags);
musaError_t musaGraphClone(musaGraph_t* graphClone, musaGraph_t originalGraph);
musaError_t musaGraphNodeFindInClone(musaGraphNode_t* node, musaGraphNode_t originalNode,
                                     musaGraph_t clonedGraph);
musaError_t musaGraphAddDependencies(musaGraph_t graph, const musaGraphNode_t* from,
                                     const musaGraphNode_t* to, size_t numDependencies);
musaError_t musaGraphRemoveDependencies(musaGraph_t graph, const musaGraphNode_t* from,
                                        const musaGraphNode_t* to, size_t numDependencies);
musaError_t musaGraphDestroyNode(musaGraphNode_t node);
musaError_t musaGraphNodeGetDependencies(musaGraphNode_t node, musaGraphNode_t* dependencies,
                                         size_t* numDependencies);
musaError_t musaGraphNodeGetDependentNodes(musaGraphNode_t node, musaGraphNode_t* dependentNodes,
                                           size_t* numDependentNodes);

musaError_t musaGraphAddKernelNode(musaGraphNode_t* node, musaGraph_t graph,
                                   const musaGraphNode_t* dependencies, size_t numDependencies,
                                   const struct musaKernelNodeParams* params);
musaError_t musaGraphAddMemcpyNode(musaGraphNode_t* node, musaGraph_t graph,
                                   const musaGraphNode_t* dependencies, size_t numDependencies,
                                   const struct musaMemcpy3DParms* copyParams);
musaError_t musaGraphAddMemcpyNode1D(musaGraphNode_t* node, musaGraph_t graph,
                                     const musaGraphNode_t* dependencies, size_t numDependencies,
                                     void* dst, const void* src, size_t count,
                                     enum musaMemcpyKind kind);
musaError_t musaGraphAddMemcpyNodeToSymbol(musaGraphNode_t* node, musaGraph_t graph,
                                           const musaGraphNode_t* dependencies,
                                           size_t numDependencies, const void* symbol,
                                           const void* src, size_t count, size_t offset,
                                           enum musaMemcpyKind kind);
musaError_t musaGraphAddMemcpyNodeFromSymbol(musaGraphNode_t* node, musaGraph_t graph,
                                             const musaGraphNode_t* dependencies,
                                             size_t numDependencies, void* dst, const void* symbol,
                                             size_t count, size_t offset, enum musaMemcpyKind kind);
musaError_t musaGraphAddMemsetNode(musaGraphNode_t* node, musaGraph_t graph,
                                   const musaGraphNode_t* dependencies, size_t numDependencies,
                                   const struct musaMemsetParams* params);
musaError_t musaGraphAddHostNode(musaGraphNode_t* node, musaGraph_t graph,
                                 const musaGraphNode_t* dependencies, size_t numDependencies,
                                 const struct musaHostNodeParams* params);
/* The node has a copy of the graph */
musaError_t musaGraphAddChildGraphNode(musaGraphNode_t* node, musaGraph_t graph,
                                       const musaGraphNode_t* dependencies, size_t numDependencies,
                                       musaGraph_t childGraph);
musaError_t musaGraphChildGraphNodeGetGraph(musaGraphNode_t node, musaGraph_t* graph);
musaError_t musaGraphAddEmptyNode(musaGraphNode_t* node, musaGraph_t graph,
                                  const musaGraphNode_t* dependencies, size_t numDependencies);
musaError_t musaGraphAddEventRecordNode(musaGraphNode_t* node, musaGraph_t graph,
                                        const musaGraphNode_t* dependencies, size_t numDependencies,
                                        musaEvent_t event);
musaError_t musaGraphAddEventWaitNode(musaGraphNode_t* node, musaGraph_t graph,
                                      const musaGraphNode_t* dependencies, size_t numDependencies,
                                      musaEvent_t event);
/* Memory of the current device, which the same graph has to free */
musaError_t musaGraphAddMemAllocNode(musaGraphNode_t* node, musaGraph_t graph,
                                     const musaGraphNode_t* dependencies, size_t numDependencies,
                                     struct musaMemAllocNodeParams* nodeParams);
musaError_t musaGraphAddMemFreeNode(musaGraphNode_t* node, musaGraph_t graph,
                                    const musaGraphNode_t* dependencies, size_t numDependencies,
                                    void* dptr);

/* A node of any kind, by the structure that says which. The third form has the data of edges */
musaError_t musaGraphAddNode(musaGraphNode_t* node, musaGraph_t graph,
                             const musaGraphNode_t* dependencies, size_t numDependencies,
                             struct musaGraphNodeParams* nodeParams);
musaError_t musaGraphAddNode_v2(musaGraphNode_t* node, musaGraph_t graph,
                                const musaGraphNode_t* dependencies,
                                const musaGraphEdgeData* dependencyData, size_t numDependencies,
                                struct musaGraphNodeParams* nodeParams);
musaError_t musaGraphNodeSetParams(musaGraphNode_t node, struct musaGraphNodeParams* nodeParams);
musaError_t musaGraphExecNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node,
                                       struct musaGraphNodeParams* nodeParams);
/* A value for a conditional node of the graph, which kernels set by musaGraphSetConditional. With musaGraphCondAssignDefault each
 * launch begins with the default */
musaError_t musaGraphConditionalHandleCreate(musaGraphConditionalHandle* handle, musaGraph_t graph,
                                             unsigned int defaultLaunchValue MUSA_DEFAULT(0),
                                             unsigned int flags MUSA_DEFAULT(0));

/* The work of nodes */
musaError_t musaGraphKernelNodeSetAttribute(musaGraphNode_t node, musaKernelNodeAttrID attr,
                                            const musaKernelNodeAttrValue* value);
musaError_t musaGraphKernelNodeGetAttribute(musaGraphNode_t node, musaKernelNodeAttrID attr,
                                            musaKernelNodeAttrValue* value);
musaError_t musaGraphKernelNodeCopyAttributes(musaGraphNode_t from, musaGraphNode_t to);
musaError_t musaGraphMemcpyNodeGetParams(musaGraphNode_t node, struct musaMemcpy3DParms* params);
musaError_t musaGraphMemcpyNodeSetParams(musaGraphNode_t node,
                                         const struct musaMemcpy3DParms* params);
musaError_t musaGraphMemcpyNodeSetParams1D(musaGraphNode_t node, void* dst, const void* src,
                                           size_t count, enum musaMemcpyKind kind);
musaError_t musaGraphMemcpyNodeSetParamsToSymbol(musaGraphNode_t node, const void* symbol,
                                                 const void* src, size_t count, size_t offset,
                                                 enum musaMemcpyKind kind);
musaError_t musaGraphMemcpyNodeSetParamsFromSymbol(musaGraphNode_t node, void* dst,
                                                   const void* symbol, size_t count, size_t offset,
                                                   enum musaMemcpyKind kind);
musaError_t musaGraphMemsetNodeGetParams(musaGraphNode_t node, struct musaMemsetParams* params);
musaError_t musaGraphMemsetNodeSetParams(musaGraphNode_t node,
                                         const struct musaMemsetParams* params);
musaError_t musaGraphHostNodeGetParams(musaGraphNode_t node, struct musaHostNodeParams* params);
musaError_t musaGraphHostNodeSetParams(musaGraphNode_t node,
                                       const struct musaHostNodeParams* params);
musaError_t musaGraphEventRecordNodeGetEvent(musaGraphNode_t node, musaEvent_t* event);
musaError_t musaGraphEventRecordNodeSetEvent(musaGraphNode_t node, musaEvent_t event);
musaError_t musaGraphEventWaitNodeGetEvent(musaGraphNode_t node, musaEvent_t* event);
musaError_t musaGraphEventWaitNodeSetEvent(musaGraphNode_t node, musaEvent_t event);
musaError_t musaGraphMemAllocNodeGetParams(musaGraphNode_t node,
                                           struct musaMemAllocNodeParams* params);
musaError_t musaGraphMemFreeNodeGetParams(musaGraphNode_t node, void* dptr);

/* Change a node of an executable graph from the next launch on; `node` is the node of the original graph */
musaError_t musaGraphExecMemcpyNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node,
                                             const struct musaMemcpy3DParms* params);
musaError_t musaGraphExecMemcpyNodeSetParams1D(musaGraphExec_t exec, musaGraphNode_t node,
                                               void* dst, const void* src, size_t count,
                                               enum musaMemcpyKind kind);
musaError_t musaGraphExecMemcpyNodeSetParamsToSymbol(musaGraphExec_t exec, musaGraphNode_t node,
                                                     const void* symbol, const void* src,
                                                     size_t count, size_t offset,
                                                     enum musaMemcpyKind kind);
musaError_t musaGraphExecMemcpyNodeSetParamsFromSymbol(musaGraphExec_t exec, musaGraphNode_t node,
                                                       void* dst, const void* symbol, size_t count,
                                                       size_t offset, enum musaMemcpyKind kind);
musaError_t musaGraphExecMemsetNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node,
                                             const struct musaMemsetParams* params);
musaError_t musaGraphExecHostNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node,
                                           const struct musaHostNodeParams* params);
musaError_t musaGraphExecChildGraphNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node,
                                                 musaGraph_t childGraph);
musaError_t musaGraphExecEventRecordNodeSetEvent(musaGraphExec_t exec, musaGraphNode_t node,
                                                 musaEvent_t event);
musaError_t musaGraphExecEventWaitNodeSetEvent(musaGraphExec_t exec, musaGraphNode_t node,
                                               musaEvent_t event);

/* Whether launches do the work of a kernel, a copy or a fill; `node` is the node of the original graph */
musaError_t musaGraphNodeSetEnabled(musaGraphExec_t exec, musaGraphNode_t node,
                                    unsigned int isEnabled);
musaError_t musaGraphNodeGetEnabled(musaGraphExec_t exec, musaGraphNode_t node,
                                    unsigned int* isEnabled);

/* Objects of the program that graphs keep alive. The last reference calls `destroy`, which must not call the API */
musaError_t musaUserObjectCreate(musaUserObject_t* object, void* ptr, musaHostFn_t destroy,
                                 unsigned int initialRefcount, unsigned int flags);
musaError_t musaUserObjectRetain(musaUserObject_t object, unsigned int count MUSA_DEFAULT(1));
musaError_t musaUserObjectRelease(musaUserObject_t object, unsigned int count MUSA_DEFAULT(1));
musaError_t musaGraphRetainUserObject(musaGraph_t graph, musaUserObject_t object,
                                      unsigned int count MUSA_DEFAULT(1),
                                      unsigned int flags MUSA_DEFAULT(0));
musaError_t musaGraphReleaseUserObject(musaGraph_t graph, musaUserObject_t object,
                                       unsigned int count MUSA_DEFAULT(1));

/* The memory that graphs allocate */
musaError_t musaDeviceGetGraphMemAttribute(int device, enum musaGraphMemAttributeType attr,
                                           void* value);
musaError_t musaDeviceSetGraphMemAttribute(int device, enum musaGraphMemAttributeType attr,
                                           void* value);
musaError_t musaDeviceGraphMemTrim(int device);

musaError_t musaGraphGetNodes(musaGraph_t graph, musaGraphNode_t* nodes, size_t* numNodes);
musaError_t musaGraphGetRootNodes(musaGraph_t graph, musaGraphNode_t* nodes, size_t* numNodes);
musaError_t musaGraphGetEdges(musaGraph_t graph, musaGraphNode_t* from, musaGraphNode_t* to,
                              size_t* numEdges);
musaError_t musaGraphNodeGetType(musaGraphNode_t node, enum musaGraphNodeType* type);
/* Kernels of a graph. The node owns the arguments that it returns, until its parameters are set. Changing a graph's
 * node does not change executable graphs; `extra` has to be null */
musaError_t musaGraphKernelNodeGetParams(musaGraphNode_t node, struct musaKernelNodeParams* params);
musaError_t musaGraphKernelNodeSetParams(musaGraphNode_t node,
                                         const struct musaKernelNodeParams* params);
musaError_t musaGraphExecKernelNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node,
                                             const struct musaKernelNodeParams* params);
/* Update an executable graph from one that differs only in the parameters of its nodes; musaErrorGraphExecUpdateFailure
 * if it differs otherwise */
musaError_t musaGraphExecUpdate(musaGraphExec_t exec, musaGraph_t graph,
                                musaGraphNode_t* error_node,
                                enum musaGraphExecUpdateResult* result);
musaError_t musaGraphDebugDotPrint(musaGraph_t graph, const char* path, unsigned int flags);
/* The form of CUDA 11, with five arguments, is an overload for C++, below */
musaError_t musaGraphInstantiate(musaGraphExec_t* exec, musaGraph_t graph,
                                 unsigned long long flags MUSA_DEFAULT(0));
musaError_t musaGraphInstantiateWithFlags(musaGraphExec_t* exec, musaGraph_t graph,
                                          unsigned long long flags MUSA_DEFAULT(0));
/* The same; it says why a graph is refused, and which node is the reason */
musaError_t musaGraphInstantiateWithParams(musaGraphExec_t* exec, musaGraph_t graph,
                                           musaGraphInstantiateParams* params);
musaError_t musaGraphExecGetFlags(musaGraphExec_t exec, unsigned long long* flags);
musaError_t musaGraphUpload(musaGraphExec_t exec, musaStream_t stream);
musaError_t musaGraphLaunch(musaGraphExec_t exec, musaStream_t stream);
musaError_t musaGraphExecDestroy(musaGraphExec_t exec);
musaError_t musaGraphDestroy(musaGraph_t graph);

/* Share device memory between processes: allocations of musaMalloc, if they are large (usually 128 KiB and more) */
musaError_t musaIpcGetMemHandle(musaIpcMemHandle_t* handle, void* devPtr);
musaError_t musaIpcOpenMemHandle(void** devPtr, musaIpcMemHandle_t handle, unsigned int flags);
musaError_t musaIpcCloseMemHandle(void* devPtr);
musaError_t musaIpcGetEventHandle(musaIpcEventHandle_t* handle, musaEvent_t event);
musaError_t musaIpcOpenEventHandle(musaEvent_t* event, musaIpcEventHandle_t handle);

/* Kernels; `func` is the launch stub, which the name of a __global__ function means in host code */
musaError_t musaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                             size_t sharedMem, musaStream_t stream);
/* All blocks run at the same time and may wait for each other (cooperative_groups' grid_group).
 * More blocks than the device holds at a time are musaErrorCooperativeLaunchTooLarge. */
musaError_t musaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                        size_t sharedMem, musaStream_t stream);
/* Attributes: cooperative launches. Clusters of more than one block are refused; hints are taken */
musaError_t musaLaunchKernelExC(const musaLaunchConfig_t* config, const void* func, void** args);
musaError_t musaFuncSetAttribute(const void* func, enum musaFuncAttribute attr, int value);
musaError_t musaFuncGetAttributes(struct musaFuncAttributes* attr, const void* func);
/* The mangled name */
musaError_t musaFuncGetName(const char** name, const void* func);
/* Where a parameter lies among a kernel's, and its size; musaErrorInvalidValue beyond the last */
musaError_t musaFuncGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset,
                                 size_t* paramSize);
/* The kernel as the driver knows it: muLaunchKernel takes it */
musaError_t musaGetFuncBySymbol(musaFunction_t* function, const void* symbol);
musaError_t musaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func,
                                                      int numBlocks, int blockSize);
musaError_t musaFuncSetCacheConfig(const void* func, enum musaFuncCache cacheConfig);
musaError_t musaFuncSetSharedMemConfig(const void* func, enum musaSharedMemConfig config);
musaError_t musaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func,
                                                          int blockSize,
                                                          size_t dynamicSharedMemSize);
musaError_t musaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func,
                                                                   int blockSize,
                                                                   size_t dynamicSharedMemSize,
                                                                   unsigned int flags);

/* Clusters have one block: devices have no larger ones */
musaError_t musaOccupancyMaxPotentialClusterSize(int* clusterSize, const void* func,
                                                 const musaLaunchConfig_t* config);
musaError_t musaOccupancyMaxActiveClusters(int* numClusters, const void* func,
                                           const musaLaunchConfig_t* config);

/* Find a function of the driver API by name, as muGetProcAddress does; null, and musaSuccess, without such a function
 * */
musaError_t musaGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                                    enum musaDriverEntryPointQueryResult* status MUSA_DEFAULT(0));
/* The same, in the form that it has in a version. There is one form of each function */
musaError_t musaGetDriverEntryPointByVersion(
    const char* symbol, void** funcPtr, unsigned int musaVersion, unsigned long long flags,
    enum musaDriverEntryPointQueryResult* status MUSA_DEFAULT(0));

/* An image of mcc (--cuda-device-only) or of MTRTC, loaded at run time. A kernel of it is launched as the program's own */
musaError_t musaLibraryLoadData(musaLibrary_t* library, const void* code, musaJitOption* jitOptions,
                                void** jitOptionsValues, unsigned int numJitOptions,
                                musaLibraryOption* libraryOptions, void** libraryOptionValues,
                                unsigned int numLibraryOptions);
musaError_t musaLibraryLoadFromFile(musaLibrary_t* library, const char* fileName,
                                    musaJitOption* jitOptions, void** jitOptionsValues,
                                    unsigned int numJitOptions, musaLibraryOption* libraryOptions,
                                    void** libraryOptionValues, unsigned int numLibraryOptions);
musaError_t musaLibraryUnload(musaLibrary_t library);
musaError_t musaLibraryGetKernel(musaKernel_t* pKernel, musaLibrary_t library, const char* name);
musaError_t musaLibraryGetKernelCount(unsigned int* count, musaLibrary_t lib);
musaError_t musaLibraryEnumerateKernels(musaKernel_t* kernels, unsigned int numKernels,
                                        musaLibrary_t lib);
musaError_t musaLibraryGetGlobal(void** dptr, size_t* bytes, musaLibrary_t library,
                                 const char* name);
musaError_t musaKernelSetAttributeForDevice(musaKernel_t kernel, enum musaFuncAttribute attr,
                                            int value, int device);
/* A kernel of the program by its host function */
musaError_t musaGetKernel(musaKernel_t* kernelPtr, const void* entryFuncAddr);

/* Older names of functions above */
musaError_t musaThreadSynchronize(void);
musaError_t musaThreadExit(void);
musaError_t musaThreadSetLimit(enum musaLimit limit, size_t value);
musaError_t musaThreadGetLimit(size_t* value, enum musaLimit limit);
musaError_t musaThreadSetCacheConfig(enum musaFuncCache cacheConfig);
musaError_t musaThreadGetCacheConfig(enum musaFuncCache* cacheConfig);
/* For devices without double precision: there are none */
musaError_t musaSetDoubleForDevice(double* d);
musaError_t musaSetDoubleForHost(double* d);

/* Functions that are not simulated: they return musaErrorNotSupported */
#define MUSA_SIM_REFUSED(name, parameters) musaError_t name parameters;
#include <musa_sim/runtime_refused.h>
#undef MUSA_SIM_REFUSED

#ifdef __cplusplus
}

/* CUDA 11's form, which torch_musa and torchada call. It names no wrong node. */
inline musaError_t musaGraphInstantiate(musaGraphExec_t* exec, musaGraph_t graph,
                                        musaGraphNode_t* errorNode, char* logBuffer,
                                        size_t bufferSize) {
    if (errorNode) *errorNode = nullptr;
    if (logBuffer && bufferSize > 0) *logBuffer = 0;
    return musaGraphInstantiateWithFlags(exec, graph, 0);
}
#endif

#undef MUSA_DEFAULT

#endif
