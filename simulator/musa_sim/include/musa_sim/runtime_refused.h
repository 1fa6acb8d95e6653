/* The functions of the runtime API that are not simulated, as MUSA_SIM_REFUSED(name, parameters): musa_runtime_api.h
 * declares them, libmusart defines them from the same list. No guard: it is read for each meaning of that macro. */
#ifdef MUSA_SIM_REFUSED

/* Of libraries that are loaded at run time: managed variables, and functions for both sides */
MUSA_SIM_REFUSED(musaLibraryGetManaged, (void **, size_t *, musaLibrary_t, const char *))
MUSA_SIM_REFUSED(musaLibraryGetUnifiedFunction, (void **, musaLibrary_t, const char *))

/* Memory and semaphores of other interfaces */
MUSA_SIM_REFUSED(musaImportExternalMemory,
                 (musaExternalMemory_t *, const struct musaExternalMemoryHandleDesc *))
MUSA_SIM_REFUSED(musaDestroyExternalMemory, (musaExternalMemory_t))
MUSA_SIM_REFUSED(musaExternalMemoryGetMappedBuffer,
                 (void **, musaExternalMemory_t, const struct musaExternalMemoryBufferDesc *))
MUSA_SIM_REFUSED(musaExternalMemoryGetMappedMipmappedArray,
                 (musaMipmappedArray_t *, musaExternalMemory_t,
                  const struct musaExternalMemoryMipmappedArrayDesc *))
MUSA_SIM_REFUSED(musaImportExternalSemaphore,
                 (musaExternalSemaphore_t *, const struct musaExternalSemaphoreHandleDesc *))
MUSA_SIM_REFUSED(musaDestroyExternalSemaphore, (musaExternalSemaphore_t))
MUSA_SIM_REFUSED(musaSignalExternalSemaphoresAsync,
                 (const musaExternalSemaphore_t *, const struct musaExternalSemaphoreSignalParams *,
                  unsigned int, musaStream_t))
MUSA_SIM_REFUSED(musaSignalExternalSemaphoresAsync_v2,
                 (const musaExternalSemaphore_t *, const struct musaExternalSemaphoreSignalParams *,
                  unsigned int, musaStream_t))
MUSA_SIM_REFUSED(musaWaitExternalSemaphoresAsync,
                 (const musaExternalSemaphore_t *, const struct musaExternalSemaphoreWaitParams *,
                  unsigned int, musaStream_t))
MUSA_SIM_REFUSED(musaWaitExternalSemaphoresAsync_v2,
                 (const musaExternalSemaphore_t *, const struct musaExternalSemaphoreWaitParams *,
                  unsigned int, musaStream_t))
MUSA_SIM_REFUSED(musaGraphAddExternalSemaphoresSignalNode,
                 (musaGraphNode_t *, musaGraph_t, const musaGraphNode_t *, size_t,
                  const struct musaExternalSemaphoreSignalNodeParams *))
MUSA_SIM_REFUSED(musaGraphExternalSemaphoresSignalNodeGetParams,
                 (musaGraphNode_t, struct musaExternalSemaphoreSignalNodeParams *))
MUSA_SIM_REFUSED(musaGraphExternalSemaphoresSignalNodeSetParams,
                 (musaGraphNode_t, const struct musaExternalSemaphoreSignalNodeParams *))
MUSA_SIM_REFUSED(musaGraphExecExternalSemaphoresSignalNodeSetParams,
                 (musaGraphExec_t, musaGraphNode_t, const struct musaExternalSemaphoreSignalNodeParams *))
MUSA_SIM_REFUSED(musaGraphAddExternalSemaphoresWaitNode,
                 (musaGraphNode_t *, musaGraph_t, const musaGraphNode_t *, size_t,
                  const struct musaExternalSemaphoreWaitNodeParams *))
MUSA_SIM_REFUSED(musaGraphExternalSemaphoresWaitNodeGetParams,
                 (musaGraphNode_t, struct musaExternalSemaphoreWaitNodeParams *))
MUSA_SIM_REFUSED(musaGraphExternalSemaphoresWaitNodeSetParams,
                 (musaGraphNode_t, const struct musaExternalSemaphoreWaitNodeParams *))
MUSA_SIM_REFUSED(musaGraphExecExternalSemaphoresWaitNodeSetParams,
                 (musaGraphExec_t, musaGraphNode_t, const struct musaExternalSemaphoreWaitNodeParams *))
MUSA_SIM_REFUSED(musaDeviceGetMtSciSyncAttributes, (void *, int, int))
MUSA_SIM_REFUSED(musaDeviceFlushGPUDirectRDMAWrites,
                 (enum musaFlushGPUDirectRDMAWritesTarget, enum musaFlushGPUDirectRDMAWritesScope))

/* Graphics: OpenGL, EGL, VDPAU */
MUSA_SIM_REFUSED(musaGraphicsUnregisterResource, (musaGraphicsResource_t))
MUSA_SIM_REFUSED(musaGraphicsResourceSetMapFlags, (musaGraphicsResource_t, unsigned int))
MUSA_SIM_REFUSED(musaGraphicsMapResources, (int, musaGraphicsResource_t *, musaStream_t))
MUSA_SIM_REFUSED(musaGraphicsUnmapResources, (int, musaGraphicsResource_t *, musaStream_t))
MUSA_SIM_REFUSED(musaGraphicsResourceGetMappedPointer, (void **, size_t *, musaGraphicsResource_t))
MUSA_SIM_REFUSED(musaGraphicsSubResourceGetMappedArray,
                 (musaArray_t *, musaGraphicsResource_t, unsigned int, unsigned int))
MUSA_SIM_REFUSED(musaGraphicsResourceGetMappedMipmappedArray, (musaMipmappedArray_t *, musaGraphicsResource_t))
MUSA_SIM_REFUSED(musaGraphicsVDPAURegisterVideoSurface, (musaGraphicsResource_t *, unsigned int, unsigned int))
MUSA_SIM_REFUSED(musaGraphicsVDPAURegisterOutputSurface, (musaGraphicsResource_t *, unsigned int, unsigned int))
MUSA_SIM_REFUSED(musaGLGetDevices, (unsigned int *, int *, unsigned int, enum musaGLDeviceList))
MUSA_SIM_REFUSED(musaGLSetGLDevice, (int))
MUSA_SIM_REFUSED(musaGLRegisterBufferObject, (unsigned int))
MUSA_SIM_REFUSED(musaGLMapBufferObject, (void **, unsigned int))
MUSA_SIM_REFUSED(musaGLMapBufferObjectAsync, (void **, unsigned int, musaStream_t))
MUSA_SIM_REFUSED(musaGLUnmapBufferObject, (unsigned int))
MUSA_SIM_REFUSED(musaGLUnmapBufferObjectAsync, (unsigned int, musaStream_t))
MUSA_SIM_REFUSED(musaGLUnregisterBufferObject, (unsigned int))
MUSA_SIM_REFUSED(musaGLSetBufferObjectMapFlags, (unsigned int, unsigned int))
MUSA_SIM_REFUSED(musaGraphicsGLRegisterBuffer, (musaGraphicsResource_t *, unsigned int, unsigned int))
MUSA_SIM_REFUSED(musaGraphicsGLRegisterImage, (musaGraphicsResource_t *, unsigned int, unsigned int, unsigned int))
MUSA_SIM_REFUSED(musaVDPAUGetDevice, (int *, unsigned int, void *))
MUSA_SIM_REFUSED(musaVDPAUSetVDPAUDevice, (int, unsigned int, void *))

/* Sparse arrays, planes of colors; references to textures and surfaces */
MUSA_SIM_REFUSED(musaMipmappedArrayGetSparseProperties,
                 (struct musaArraySparseProperties *, musaMipmappedArray_t))
MUSA_SIM_REFUSED(musaArrayGetSparseProperties, (struct musaArraySparseProperties *, musaArray_t))
MUSA_SIM_REFUSED(musaArrayGetPlane, (musaArray_t *, musaArray_t, unsigned int))
MUSA_SIM_REFUSED(musaBindTexture,
                 (size_t *, const struct textureReference *, const void *, const struct musaChannelFormatDesc *, size_t))
MUSA_SIM_REFUSED(musaBindTexture2D,
                 (size_t *, const struct textureReference *, const void *, const struct musaChannelFormatDesc *, size_t,
                  size_t, size_t))
MUSA_SIM_REFUSED(musaBindTextureToArray,
                 (const struct textureReference *, musaArray_const_t, const struct musaChannelFormatDesc *))
MUSA_SIM_REFUSED(musaUnbindTexture, (const struct textureReference *))
MUSA_SIM_REFUSED(musaBindTextureToMipmappedArray,
                 (const struct textureReference *, musaMipmappedArray_const_t,
                  const struct musaChannelFormatDesc *))
MUSA_SIM_REFUSED(musaGetTextureAlignmentOffset, (size_t *, const struct textureReference *))
MUSA_SIM_REFUSED(musaGetTextureReference, (const struct textureReference **, const void *))
MUSA_SIM_REFUSED(musaBindSurfaceToArray,
                 (const struct surfaceReference *, musaArray_const_t, const struct musaChannelFormatDesc *))
MUSA_SIM_REFUSED(musaGetSurfaceReference, (const struct surfaceReference **, const void *))

/* One launch on several devices; an older profiler; tables of a vendor's own functions */
MUSA_SIM_REFUSED(musaLaunchCooperativeKernelMultiDevice, (struct musaLaunchParams *, unsigned int, unsigned int))
MUSA_SIM_REFUSED(musaProfilerInitialize, (const char *, const char *, enum musaOutputMode))
MUSA_SIM_REFUSED(musaGetExportTable, (const void **, const musaUUID_t *))

#endif
