// The functions of musa_sim/driver_per_thread.h.
#include "base/per_thread_names.h"
#include "driver.h"

namespace musa_sim {

inline ConfigurationOfThread<MUlaunchConfig, &MUlaunchConfig::hStream> of_thread(const MUlaunchConfig* configuration) {
    return ConfigurationOfThread<MUlaunchConfig, &MUlaunchConfig::hStream>(configuration);
}

}  // namespace musa_sim

MUSA_SIM_PTDS(muMemcpyHtoD_v2, 3)
MUSA_SIM_PTDS(muMemcpyDtoH_v2, 3)
MUSA_SIM_PTDS(muMemcpyDtoD_v2, 3)
MUSA_SIM_PTDS(muMemcpyDtoA_v2, 4)
MUSA_SIM_PTDS(muMemcpyAtoD_v2, 4)
MUSA_SIM_PTDS(muMemcpyHtoA_v2, 4)
MUSA_SIM_PTDS(muMemcpyAtoH_v2, 4)
MUSA_SIM_PTDS(muMemcpyAtoA_v2, 5)
MUSA_SIM_PTDS(muMemcpy2D_v2, 1)
MUSA_SIM_PTDS(muMemcpy2DUnaligned_v2, 1)
MUSA_SIM_PTDS(muMemcpy3D_v2, 1)
MUSA_SIM_PTDS(muMemsetD8_v2, 3)
MUSA_SIM_PTDS(muMemsetD16_v2, 3)
MUSA_SIM_PTDS(muMemsetD32_v2, 3)
MUSA_SIM_PTDS(muMemsetD2D8_v2, 5)
MUSA_SIM_PTDS(muMemsetD2D16_v2, 5)
MUSA_SIM_PTDS(muMemsetD2D32_v2, 5)
MUSA_SIM_PTDS(muMemcpy, 3)
MUSA_SIM_PTDS(muMemcpyPeer, 5)
MUSA_SIM_PTDS(muMemcpy3DPeer, 1)
MUSA_SIM_PTSZ(muMemPrefetchAsync, 4)
MUSA_SIM_PTSZ(muMemcpyHtoAAsync_v2, 5)
MUSA_SIM_PTSZ(muMemcpyAtoHAsync_v2, 5)
MUSA_SIM_PTSZ(muMemcpyHtoDAsync_v2, 4)
MUSA_SIM_PTSZ(muMemcpyDtoHAsync_v2, 4)
MUSA_SIM_PTSZ(muMemcpyDtoDAsync_v2, 4)
MUSA_SIM_PTSZ(muMemcpy2DAsync_v2, 2)
MUSA_SIM_PTSZ(muMemcpy3DAsync_v2, 2)
MUSA_SIM_PTSZ(muMemcpyBatchAsync, 9)
MUSA_SIM_PTSZ(muStreamBeginCapture_v2, 2)
MUSA_SIM_PTSZ(muStreamWriteValue32, 4)
MUSA_SIM_PTSZ(muStreamWaitValue32, 4)
MUSA_SIM_PTSZ(muStreamWriteValue64, 4)
MUSA_SIM_PTSZ(muStreamWaitValue64, 4)
MUSA_SIM_PTSZ(muStreamBatchMemOp, 4)
MUSA_SIM_PTSZ(muStreamGetCaptureInfo_v2, 6)
MUSA_SIM_PTSZ(muStreamUpdateCaptureDependencies, 4)
MUSA_SIM_PTSZ(muMemcpyAsync, 4)
MUSA_SIM_PTSZ(muMemcpyPeerAsync, 6)
MUSA_SIM_PTSZ(muMemcpy3DPeerAsync, 2)
MUSA_SIM_PTSZ(muMemsetD8Async, 4)
MUSA_SIM_PTSZ(muMemsetD16Async, 4)
MUSA_SIM_PTSZ(muMemsetD32Async, 4)
MUSA_SIM_PTSZ(muMemsetD2D8Async, 6)
MUSA_SIM_PTSZ(muMemsetD2D16Async, 6)
MUSA_SIM_PTSZ(muMemsetD2D32Async, 6)
MUSA_SIM_PTSZ(muStreamGetPriority, 2)
MUSA_SIM_PTSZ(muStreamGetId, 2)
MUSA_SIM_PTSZ(muStreamGetFlags, 2)
MUSA_SIM_PTSZ(muStreamGetCtx, 2)
MUSA_SIM_PTSZ(muStreamWaitEvent, 3)
MUSA_SIM_PTSZ(muStreamEndCapture, 2)
MUSA_SIM_PTSZ(muStreamIsCapturing, 2)
MUSA_SIM_PTSZ(muStreamAddCallback, 4)
MUSA_SIM_PTSZ(muStreamAttachMemAsync, 4)
MUSA_SIM_PTSZ(muStreamQuery, 1)
MUSA_SIM_PTSZ(muStreamSynchronize, 1)
MUSA_SIM_PTSZ(muEventRecord, 2)
MUSA_SIM_PTSZ(muEventRecordWithFlags, 3)
MUSA_SIM_PTSZ(muLaunchKernel, 11)
MUSA_SIM_PTSZ(muLaunchKernelEx, 4)
MUSA_SIM_PTSZ(muLaunchHostFunc, 3)
MUSA_SIM_PTSZ(muLaunchCooperativeKernel, 10)
MUSA_SIM_PTSZ(muGraphUpload, 2)
MUSA_SIM_PTSZ(muGraphLaunch, 2)
MUSA_SIM_PTSZ(muStreamCopyAttributes, 2)
MUSA_SIM_PTSZ(muStreamGetAttribute, 3)
MUSA_SIM_PTSZ(muStreamSetAttribute, 3)
MUSA_SIM_PTSZ(muMemFreeAsync, 2)
MUSA_SIM_PTSZ(muMemAllocAsync, 3)
MUSA_SIM_PTSZ(muMemAllocFromPoolAsync, 4)
MUSA_SIM_PTSZ(muMemPrefetchAsync_v2, 5)
MUSA_SIM_PTSZ(muStreamBatchMemOp_v2, 4)
MUSA_SIM_PTSZ(muStreamBeginCaptureToGraph, 6)
MUSA_SIM_PTSZ(muStreamGetDevice, 2)
MUSA_SIM_PTSZ(muStreamWaitValue32_v2, 4)
MUSA_SIM_PTSZ(muStreamWaitValue64_v2, 4)
MUSA_SIM_PTSZ(muStreamWriteValue32_v2, 4)
MUSA_SIM_PTSZ(muStreamWriteValue64_v2, 4)
// Without a wish, functions by name are those that the caller's header declares.
MUSA_EXPORT MUresult muGetProcAddress_ptsz(const char* name, void** function, int version, uint64_t flags) {
    if (flags == MU_GET_PROC_ADDRESS_DEFAULT) flags = MU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    return muGetProcAddress(name, function, version, flags);
}

MUSA_EXPORT MUresult muGetProcAddress_v2_ptsz(const char* name, void** function, int version, uint64_t flags,
                                              MUdriverProcAddressQueryResult* status) {
    if (flags == MU_GET_PROC_ADDRESS_DEFAULT) flags = MU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    return muGetProcAddress_v2(name, function, version, flags, status);
}

// The stream is in a structure that the call writes to.
MUSA_EXPORT MUresult muGraphInstantiateWithParams_ptsz(MUgraphExec* exec, MUgraph graph,
                                                       MUSA_GRAPH_INSTANTIATE_PARAMS* params) {
    if (!params || params->hUploadStream) return muGraphInstantiateWithParams(exec, graph, params);
    params->hUploadStream = MU_STREAM_PER_THREAD;
    const MUresult result = muGraphInstantiateWithParams(exec, graph, params);
    params->hUploadStream = nullptr;
    return result;
}
