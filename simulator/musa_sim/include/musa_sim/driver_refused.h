/* The functions of the driver API that are not simulated, as MUSA_SIM_REFUSED(name, parameters): musa.h declares them,
 * libmusa defines them from the same list. No guard: it is read for each meaning of that macro. */
#ifdef MUSA_SIM_REFUSED

/* Memory and semaphores of other interfaces */
MUSA_SIM_REFUSED(muImportExternalMemory, (MUexternalMemory *, const struct MUSA_EXTERNAL_MEMORY_HANDLE_DESC_st *))
MUSA_SIM_REFUSED(muDestroyExternalMemory, (MUexternalMemory))
MUSA_SIM_REFUSED(muExternalMemoryGetMappedBuffer,
                 (MUdeviceptr *, MUexternalMemory, const struct MUSA_EXTERNAL_MEMORY_BUFFER_DESC_st *))
MUSA_SIM_REFUSED(muExternalMemoryGetMappedMipmappedArray,
                 (MUmipmappedArray *, MUexternalMemory, const struct MUSA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st
                  *))
MUSA_SIM_REFUSED(muImportExternalSemaphore,
                 (MUexternalSemaphore *, const struct MUSA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st *))
MUSA_SIM_REFUSED(muDestroyExternalSemaphore, (MUexternalSemaphore))
MUSA_SIM_REFUSED(muSignalExternalSemaphoresAsync,
                 (const MUexternalSemaphore *, const struct MUSA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st *, unsigned
                  int, MUstream))
MUSA_SIM_REFUSED(muWaitExternalSemaphoresAsync,
                 (const MUexternalSemaphore *, const struct MUSA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st *, unsigned int,
                  MUstream))
MUSA_SIM_REFUSED(muGraphAddExternalSemaphoresSignalNode,
                 (MUgraphNode *, MUgraph, const MUgraphNode *, size_t, const struct
                  MUSA_EXT_SEM_SIGNAL_NODE_PARAMS_st *))
MUSA_SIM_REFUSED(muGraphExternalSemaphoresSignalNodeGetParams,
                 (MUgraphNode, struct MUSA_EXT_SEM_SIGNAL_NODE_PARAMS_st *))
MUSA_SIM_REFUSED(muGraphExternalSemaphoresSignalNodeSetParams,
                 (MUgraphNode, const struct MUSA_EXT_SEM_SIGNAL_NODE_PARAMS_st *))
MUSA_SIM_REFUSED(muGraphExecExternalSemaphoresSignalNodeSetParams,
                 (MUgraphExec, MUgraphNode, const struct MUSA_EXT_SEM_SIGNAL_NODE_PARAMS_st *))
MUSA_SIM_REFUSED(muGraphAddExternalSemaphoresWaitNode,
                 (MUgraphNode *, MUgraph, const MUgraphNode *, size_t, const struct MUSA_EXT_SEM_WAIT_NODE_PARAMS_st
                  *))
MUSA_SIM_REFUSED(muGraphExternalSemaphoresWaitNodeGetParams, (MUgraphNode, struct MUSA_EXT_SEM_WAIT_NODE_PARAMS_st *))
MUSA_SIM_REFUSED(muGraphExternalSemaphoresWaitNodeSetParams,
                 (MUgraphNode, const struct MUSA_EXT_SEM_WAIT_NODE_PARAMS_st *))
MUSA_SIM_REFUSED(muGraphExecExternalSemaphoresWaitNodeSetParams,
                 (MUgraphExec, MUgraphNode, const struct MUSA_EXT_SEM_WAIT_NODE_PARAMS_st *))
MUSA_SIM_REFUSED(muDeviceGetMtSciSyncAttributes, (void *, MUdevice, int))
MUSA_SIM_REFUSED(muFlushGPUDirectRDMAWrites, (MUflushGPUDirectRDMAWritesTarget, MUflushGPUDirectRDMAWritesScope))

/* Graphics: OpenGL, EGL, VDPAU */
MUSA_SIM_REFUSED(muGraphicsUnregisterResource, (MUgraphicsResource))
MUSA_SIM_REFUSED(muGraphicsResourceSetMapFlags, (MUgraphicsResource, unsigned int))
MUSA_SIM_REFUSED(muGraphicsResourceGetMappedPointer, (MUdeviceptr *, size_t *, MUgraphicsResource))
MUSA_SIM_REFUSED(muGraphicsResourceSetMapFlags_v2, (MUgraphicsResource, unsigned int))
MUSA_SIM_REFUSED(muGraphicsResourceGetMappedPointer_v2, (MUdeviceptr *, size_t *, MUgraphicsResource))
MUSA_SIM_REFUSED(muGraphicsMapResources, (unsigned int, MUgraphicsResource *, MUstream))
MUSA_SIM_REFUSED(muGraphicsUnmapResources, (unsigned int, MUgraphicsResource *, MUstream))
MUSA_SIM_REFUSED(muGraphicsSubResourceGetMappedArray, (MUarray *, MUgraphicsResource, unsigned int, unsigned int))
MUSA_SIM_REFUSED(muGraphicsResourceGetMappedMipmappedArray, (MUmipmappedArray *, MUgraphicsResource))
MUSA_SIM_REFUSED(muGraphicsVDPAURegisterVideoSurface, (MUgraphicsResource *, unsigned int, unsigned int))
MUSA_SIM_REFUSED(muGraphicsVDPAURegisterOutputSurface, (MUgraphicsResource *, unsigned int, unsigned int))
MUSA_SIM_REFUSED(muGLGetDevices, (unsigned int *, MUdevice *, unsigned int, MUGLDeviceList))
MUSA_SIM_REFUSED(muGLInit, (void))
MUSA_SIM_REFUSED(muGLCtxCreate, (MUcontext *, unsigned int, MUdevice))
MUSA_SIM_REFUSED(muGLRegisterBufferObject, (unsigned int))
MUSA_SIM_REFUSED(muGLMapBufferObject, (MUdeviceptr *, size_t *, unsigned int))
MUSA_SIM_REFUSED(muGLMapBufferObjectAsync, (MUdeviceptr *, size_t *, unsigned int, MUstream))
MUSA_SIM_REFUSED(muGLUnmapBufferObject, (unsigned int))
MUSA_SIM_REFUSED(muGLUnmapBufferObjectAsync, (unsigned int, MUstream))
MUSA_SIM_REFUSED(muGLUnregisterBufferObject, (unsigned int))
MUSA_SIM_REFUSED(muGLSetBufferObjectMapFlags, (unsigned int, unsigned int))
MUSA_SIM_REFUSED(muGraphicsGLRegisterBuffer, (MUgraphicsResource *, unsigned int, unsigned int))
MUSA_SIM_REFUSED(muGraphicsGLRegisterImage, (MUgraphicsResource *, unsigned int, unsigned int, unsigned int))
MUSA_SIM_REFUSED(muVDPAUGetDevice, (MUdevice *, unsigned int, void *))
MUSA_SIM_REFUSED(muVDPAUCtxCreate, (MUcontext *, unsigned int, MUdevice, unsigned int, void *))
MUSA_SIM_REFUSED(muVDPAUCtxCreate_v2, (MUcontext *, unsigned int, MUdevice, unsigned int, void *))

/* Tensor maps */
MUSA_SIM_REFUSED(muTensorMapEncodeTiled,
                 (MUtensorMap *, MUtensorMapDataType, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                  const uint32_t *, MUtensorMapInterleave, MUtensorMapSwizzle, MUtensorMapL2promotion,
                  MUtensorMapFloatOOBfill))
MUSA_SIM_REFUSED(muTensorMapEncodeIm2col,
                 (MUtensorMap *, MUtensorMapDataType, uint32_t, void *, const uint64_t *, const uint64_t *, const int *,
                  const int *, uint32_t, uint32_t, const uint32_t *, MUtensorMapInterleave, MUtensorMapSwizzle,
                  MUtensorMapL2promotion, MUtensorMapFloatOOBfill))
MUSA_SIM_REFUSED(muTensorMapReplaceAddress, (MUtensorMap *, void *))

/* Sparse arrays, planes of colors */
MUSA_SIM_REFUSED(muMipmappedArrayGetSparseProperties, (struct MUSA_ARRAY_SPARSE_PROPERTIES_st *, MUmipmappedArray))
MUSA_SIM_REFUSED(muArrayGetSparseProperties, (struct MUSA_ARRAY_SPARSE_PROPERTIES_st *, MUarray))
MUSA_SIM_REFUSED(muArrayGetPlane, (MUarray *, MUarray, unsigned int))
MUSA_SIM_REFUSED(muMemMapArrayAsync, (struct MUarrayMapInfo_st *, unsigned int, MUstream))

/* References to textures and surfaces */
MUSA_SIM_REFUSED(muModuleGetTexRef, (MUtexref *, MUmodule, const char *))
MUSA_SIM_REFUSED(muModuleGetSurfRef, (MUsurfref *, MUmodule, const char *))
MUSA_SIM_REFUSED(muSurfRefSetArray, (MUsurfref, MUarray, unsigned int))
MUSA_SIM_REFUSED(muSurfRefGetArray, (MUarray *, MUsurfref))
MUSA_SIM_REFUSED(muTexRefCreate, (MUtexref *))
MUSA_SIM_REFUSED(muTexRefDestroy, (MUtexref))
MUSA_SIM_REFUSED(muTexRefGetAddress, (MUdeviceptr *, MUtexref))
MUSA_SIM_REFUSED(muTexRefGetAddress_v2, (MUdeviceptr *, MUtexref))
MUSA_SIM_REFUSED(muTexRefGetAddressMode, (MUaddress_mode *, MUtexref, int))
MUSA_SIM_REFUSED(muTexRefGetArray, (MUarray *, MUtexref))
MUSA_SIM_REFUSED(muTexRefGetBorderColor, (float *, MUtexref))
MUSA_SIM_REFUSED(muTexRefGetFilterMode, (MUfilter_mode *, MUtexref))
MUSA_SIM_REFUSED(muTexRefGetFlags, (unsigned int *, MUtexref))
MUSA_SIM_REFUSED(muTexRefGetFormat, (MUarray_format *, int *, MUtexref))
MUSA_SIM_REFUSED(muTexRefGetMaxAnisotropy, (int *, MUtexref))
MUSA_SIM_REFUSED(muTexRefGetMipmapFilterMode, (MUfilter_mode *, MUtexref))
MUSA_SIM_REFUSED(muTexRefGetMipmapLevelBias, (float *, MUtexref))
MUSA_SIM_REFUSED(muTexRefGetMipmapLevelClamp, (float *, float *, MUtexref))
MUSA_SIM_REFUSED(muTexRefGetMipmappedArray, (MUmipmappedArray *, MUtexref))
MUSA_SIM_REFUSED(muTexRefSetAddress, (size_t *, MUtexref, MUdeviceptr, size_t))
MUSA_SIM_REFUSED(muTexRefSetAddress_v2, (size_t *, MUtexref, MUdeviceptr, size_t))
MUSA_SIM_REFUSED(muTexRefSetAddress2D, (MUtexref, const MUSA_ARRAY_DESCRIPTOR *, MUdeviceptr, size_t))
MUSA_SIM_REFUSED(muTexRefSetAddress2D_v2, (MUtexref, const MUSA_ARRAY_DESCRIPTOR *, MUdeviceptr, size_t))
MUSA_SIM_REFUSED(muTexRefSetAddress2D_v3, (MUtexref, const MUSA_ARRAY_DESCRIPTOR *, MUdeviceptr, size_t))
MUSA_SIM_REFUSED(muTexRefSetAddressMode, (MUtexref, int, MUaddress_mode))
MUSA_SIM_REFUSED(muTexRefSetArray, (MUtexref, MUarray, unsigned int))
MUSA_SIM_REFUSED(muTexRefSetBorderColor, (MUtexref, float *))
MUSA_SIM_REFUSED(muTexRefSetFilterMode, (MUtexref, MUfilter_mode))
MUSA_SIM_REFUSED(muTexRefSetFlags, (MUtexref, unsigned int))
MUSA_SIM_REFUSED(muTexRefSetFormat, (MUtexref, MUarray_format, int))
MUSA_SIM_REFUSED(muTexRefSetMaxAnisotropy, (MUtexref, unsigned int))
MUSA_SIM_REFUSED(muTexRefSetMipmapFilterMode, (MUtexref, MUfilter_mode))
MUSA_SIM_REFUSED(muTexRefSetMipmapLevelBias, (MUtexref, float))
MUSA_SIM_REFUSED(muTexRefSetMipmapLevelClamp, (MUtexref, float, float))
MUSA_SIM_REFUSED(muTexRefSetMipmappedArray, (MUtexref, MUmipmappedArray, unsigned int))

/* Texture references as arguments; one launch on several devices */
MUSA_SIM_REFUSED(muParamSetTexRef, (MUfunction, int, MUtexref))
MUSA_SIM_REFUSED(muLaunchCooperativeKernelMultiDevice, (struct MUSA_LAUNCH_PARAMS_st *, unsigned int, unsigned int))

/* An older profiler; tables of a vendor's own functions */
MUSA_SIM_REFUSED(muProfilerInitialize, (const char *, const char *, MUoutput_mode))
MUSA_SIM_REFUSED(muGetExportTable, (const void **, const MUuuid *))

#endif
