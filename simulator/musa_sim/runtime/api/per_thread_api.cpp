// The functions of musa_sim/runtime_per_thread.h.
#include "base/api.h"
#include "base/per_thread_names.h"

MUSA_SIM_PTDS(musaMemcpy, 4)
MUSA_SIM_PTDS(musaMemcpyToSymbol, 5)
MUSA_SIM_PTDS(musaMemcpyFromSymbol, 5)
MUSA_SIM_PTDS(musaMemcpy2D, 7)
MUSA_SIM_PTDS(musaMemcpyToArray, 6)
MUSA_SIM_PTDS(musaMemcpy2DToArray, 8)
MUSA_SIM_PTDS(musaMemcpyFromArray, 6)
MUSA_SIM_PTDS(musaMemcpy2DFromArray, 8)
MUSA_SIM_PTDS(musaMemcpyArrayToArray, 8)
MUSA_SIM_PTDS(musaMemcpy2DArrayToArray, 9)
MUSA_SIM_PTDS(musaMemcpy3D, 1)
MUSA_SIM_PTDS(musaMemcpy3DPeer, 1)
MUSA_SIM_PTDS(musaMemset, 3)
MUSA_SIM_PTDS(musaMemset2D, 5)
MUSA_SIM_PTDS(musaMemset3D, 3)
MUSA_SIM_PTSZ(musaGraphUpload, 2)
MUSA_SIM_PTSZ(musaGraphLaunch, 2)
MUSA_SIM_PTSZ(musaStreamBeginCapture, 2)
MUSA_SIM_PTSZ(musaStreamEndCapture, 2)
MUSA_SIM_PTSZ(musaStreamGetCaptureInfo, 6)
MUSA_SIM_PTSZ(musaStreamUpdateCaptureDependencies, 4)
MUSA_SIM_PTSZ(musaStreamIsCapturing, 2)
MUSA_SIM_PTSZ(musaMemcpyAsync, 5)
MUSA_SIM_PTSZ(musaMemcpyToSymbolAsync, 6)
MUSA_SIM_PTSZ(musaMemcpyFromSymbolAsync, 6)
MUSA_SIM_PTSZ(musaMemcpy2DAsync, 8)
MUSA_SIM_PTSZ(musaMemcpyToArrayAsync, 7)
MUSA_SIM_PTSZ(musaMemcpy2DToArrayAsync, 9)
MUSA_SIM_PTSZ(musaMemcpyFromArrayAsync, 7)
MUSA_SIM_PTSZ(musaMemcpy2DFromArrayAsync, 9)
MUSA_SIM_PTSZ(musaMemcpy3DAsync, 2)
MUSA_SIM_PTSZ(musaMemcpy3DPeerAsync, 2)
MUSA_SIM_PTSZ(musaMemcpyBatchAsync, 9)
MUSA_SIM_PTSZ(musaMemcpy3DBatchAsync, 5)
MUSA_SIM_PTSZ(musaMemsetAsync, 4)
MUSA_SIM_PTSZ(musaMemset2DAsync, 6)
MUSA_SIM_PTSZ(musaMemset3DAsync, 4)
MUSA_SIM_PTSZ(musaStreamQuery, 1)
MUSA_SIM_PTSZ(musaStreamGetDevice, 2)
MUSA_SIM_PTSZ(musaStreamGetFlags, 2)
MUSA_SIM_PTSZ(musaStreamGetId, 2)
MUSA_SIM_PTSZ(musaStreamGetPriority, 2)
MUSA_SIM_PTSZ(musaEventRecord, 2)
MUSA_SIM_PTSZ(musaEventRecordWithFlags, 3)
MUSA_SIM_PTSZ(musaStreamWaitEvent, 3)
MUSA_SIM_PTSZ(musaStreamAddCallback, 4)
MUSA_SIM_PTSZ(musaStreamAttachMemAsync, 4)
MUSA_SIM_PTSZ(musaStreamSynchronize, 1)
MUSA_SIM_PTSZ(musaLaunchKernel, 6)
MUSA_SIM_PTSZ(musaLaunchKernelExC, 3)
MUSA_SIM_PTSZ(musaLaunchHostFunc, 3)
MUSA_SIM_PTSZ(musaMemPrefetchAsync, 4)
MUSA_SIM_PTSZ(musaLaunchCooperativeKernel, 6)
MUSA_SIM_PTSZ(musaStreamCopyAttributes, 2)
MUSA_SIM_PTSZ(musaStreamGetAttribute, 3)
MUSA_SIM_PTSZ(musaStreamSetAttribute, 3)
MUSA_SIM_PTSZ(musaMallocAsync, 3)
MUSA_SIM_PTSZ(musaFreeAsync, 2)
MUSA_SIM_PTSZ(musaMallocFromPoolAsync, 4)
MUSA_SIM_PTSZ(musaStreamGetCaptureInfo_v2, 6)
MUSA_SIM_PTSZ(musaMemPrefetchAsync_v2, 5)
MUSA_SIM_PTSZ(musaStreamBeginCaptureToGraph, 6)
MUSA_SIM_PTSZ(musaStreamGetCaptureInfo_v3, 7)
MUSA_SIM_PTSZ(musaStreamUpdateCaptureDependencies_v2, 5)

// Without a wish, functions by name are those that the caller's header declares.
extern "C" MUSA_SIM_EXPORT decltype(musaGetDriverEntryPoint) musaGetDriverEntryPoint_ptsz;
musaError_t musaGetDriverEntryPoint_ptsz(const char* symbol, void** funcPtr, unsigned long long flags,
                                         musaDriverEntryPointQueryResult* status) {
    if (flags == musaEnableDefault) flags = musaEnablePerThreadDefaultStream;
    return musaGetDriverEntryPoint(symbol, funcPtr, flags, status);
}

extern "C" MUSA_SIM_EXPORT decltype(musaGetDriverEntryPointByVersion) musaGetDriverEntryPointByVersion_ptsz;
musaError_t musaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** funcPtr, unsigned int musaVersion,
                                                  unsigned long long flags, musaDriverEntryPointQueryResult* status) {
    if (flags == musaEnableDefault) flags = musaEnablePerThreadDefaultStream;
    return musaGetDriverEntryPointByVersion(symbol, funcPtr, musaVersion, flags, status);
}

// The stream is in a structure that the call writes to.
extern "C" MUSA_SIM_EXPORT decltype(musaGraphInstantiateWithParams) musaGraphInstantiateWithParams_ptsz;
musaError_t musaGraphInstantiateWithParams_ptsz(musaGraphExec_t* exec, musaGraph_t graph,
                                                musaGraphInstantiateParams* params) {
    if (!params || params->uploadStream) return musaGraphInstantiateWithParams(exec, graph, params);
    params->uploadStream = musaStreamPerThread;
    const musaError_t error = musaGraphInstantiateWithParams(exec, graph, params);
    params->uploadStream = nullptr;
    return error;
}
