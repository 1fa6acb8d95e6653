// The callback ids of the calls that libmusart and libmusa report: those that submit work or wait for it.
#include <string_view>
#include <unordered_map>

#include "state.h"

namespace mupti {
namespace {

using Numbers = std::unordered_map<std::string_view, MUpti_CallbackId>;

const Numbers& runtime_numbers() {
#define CALL(name, version) {#name, MUPTI_RUNTIME_TRACE_CBID_##name##_##version}
    static const Numbers& all = musa_sim::leaked<Numbers>(Numbers{
        CALL(musaLaunchKernel, v7000),
        CALL(musaLaunchCooperativeKernel, v9000),
        CALL(musaLaunchKernelExC, v11060),
        CALL(musaLaunchHostFunc, v10000),
        CALL(musaStreamAddCallback, v5000),
        CALL(musaGraphLaunch, v10000),
        CALL(musaStreamSynchronize, v3020),
        CALL(musaDeviceSynchronize, v3020),
        CALL(musaEventSynchronize, v3020),
        CALL(musaMemPrefetchAsync, v8000),
        CALL(musaMemcpy, v3020),
        CALL(musaMemcpyAsync, v3020),
        CALL(musaMemcpy2D, v3020),
        CALL(musaMemcpy2DAsync, v3020),
        CALL(musaMemcpy3D, v3020),
        CALL(musaMemcpy3DAsync, v3020),
        CALL(musaMemcpyBatchAsync, v12080),
        CALL(musaMemcpy3DBatchAsync, v12080),
        CALL(musaMemcpyPeer, v4000),
        CALL(musaMemcpyPeerAsync, v4000),
        CALL(musaMemcpy3DPeer, v4000),
        CALL(musaMemcpy3DPeerAsync, v4000),
        CALL(musaMemcpyToArray, v3020),
        CALL(musaMemcpyToArrayAsync, v3020),
        CALL(musaMemcpyFromArray, v3020),
        CALL(musaMemcpyFromArrayAsync, v3020),
        CALL(musaMemcpy2DToArray, v3020),
        CALL(musaMemcpy2DToArrayAsync, v3020),
        CALL(musaMemcpy2DFromArray, v3020),
        CALL(musaMemcpy2DFromArrayAsync, v3020),
        CALL(musaMemcpyArrayToArray, v3020),
        CALL(musaMemcpy2DArrayToArray, v3020),
        CALL(musaMemcpyToSymbol, v3020),
        CALL(musaMemcpyToSymbolAsync, v3020),
        CALL(musaMemcpyFromSymbol, v3020),
        CALL(musaMemcpyFromSymbolAsync, v3020),
        CALL(musaMemset, v3020),
        CALL(musaMemsetAsync, v3020),
        CALL(musaMemset2D, v3020),
        CALL(musaMemset2DAsync, v3020),
        CALL(musaMemset3D, v3020),
        CALL(musaMemset3DAsync, v3020),
    });
#undef CALL
    return all;
}

// A function with a second version has this one's number: programs import it (musa.h).
const Numbers& driver_numbers() {
#define CALL(name) {#name, MUPTI_DRIVER_TRACE_CBID_##name}
    static const Numbers& all = musa_sim::leaked<Numbers>(Numbers{
        CALL(muMemcpyHtoD_v2),
        CALL(muMemcpyDtoH_v2),
        CALL(muMemcpyDtoD_v2),
        CALL(muMemcpyHtoDAsync_v2),
        CALL(muMemcpyDtoHAsync_v2),
        CALL(muMemcpyDtoDAsync_v2),
        CALL(muMemcpy),
        CALL(muMemcpyAsync),
        CALL(muMemcpyPeer),
        CALL(muMemcpyPeerAsync),
        CALL(muMemcpyBatchAsync),
        CALL(muMemcpyDtoA_v2),
        CALL(muMemcpyAtoD_v2),
        CALL(muMemcpyHtoA_v2),
        CALL(muMemcpyAtoH_v2),
        CALL(muMemcpyAtoA_v2),
        CALL(muMemcpyHtoAAsync_v2),
        CALL(muMemcpyAtoHAsync_v2),
        CALL(muMemsetD8_v2),
        CALL(muMemsetD8Async),
        CALL(muMemsetD16_v2),
        CALL(muMemsetD16Async),
        CALL(muMemsetD32_v2),
        CALL(muMemsetD32Async),
        CALL(muMemsetD2D8_v2),
        CALL(muMemsetD2D8Async),
        CALL(muMemsetD2D16_v2),
        CALL(muMemsetD2D16Async),
        CALL(muMemsetD2D32_v2),
        CALL(muMemsetD2D32Async),
        CALL(muStreamSynchronize),
        CALL(muEventSynchronize),
        CALL(muStreamAddCallback),
        CALL(muLaunchHostFunc),
        CALL(muMemcpy2D_v2),
        CALL(muMemcpy2DUnaligned_v2),
        CALL(muMemcpy2DAsync_v2),
        CALL(muMemcpy3D_v2),
        CALL(muMemcpy3DAsync_v2),
        CALL(muMemcpy3DPeer),
        CALL(muMemcpy3DPeerAsync),
        CALL(muGraphLaunch),
        CALL(muMemPrefetchAsync),
        CALL(muMemPrefetchAsync_v2),
        CALL(muLaunchKernel),
        CALL(muLaunchCooperativeKernel),
        CALL(muLaunchKernelEx),
        CALL(muStreamWaitValue32),
        CALL(muStreamWaitValue64),
        CALL(muStreamWriteValue32),
        CALL(muStreamWriteValue64),
        CALL(muStreamBatchMemOp),
        CALL(muLaunchGridAsync),
        CALL(muLaunchGrid),
        CALL(muLaunch),
        CALL(muCtxSynchronize),
    });
#undef CALL
    return all;
}

const Numbers* numbers_of(MUpti_CallbackDomain domain) {
    if (domain == MUPTI_CB_DOMAIN_RUNTIME_API) return &runtime_numbers();
    return domain == MUPTI_CB_DOMAIN_DRIVER_API ? &driver_numbers() : nullptr;
}

}  // namespace

CallNumber number_of_call(const char* name) {
    for (const MUpti_CallbackDomain domain : {MUPTI_CB_DOMAIN_RUNTIME_API, MUPTI_CB_DOMAIN_DRIVER_API}) {
        const auto found = numbers_of(domain)->find(name);
        if (found != numbers_of(domain)->end()) return {domain, found->second};
    }
    return {MUPTI_CB_DOMAIN_RUNTIME_API, MUPTI_RUNTIME_TRACE_CBID_musaLaunchKernel_v7000};
}

}  // namespace mupti

MUPTI_EXPORT muptiGetCallbackName(MUpti_CallbackDomain domain, uint32_t cbid, const char** name) {
    if (!name) return MUPTI_ERROR_INVALID_PARAMETER;
    const mupti::Numbers* numbers = mupti::numbers_of(domain);
    if (!numbers) return MUPTI_ERROR_NOT_SUPPORTED;
    for (const auto& [text, number] : *numbers) {
        if (number != cbid) continue;
        *name = text.data();
        return MUPTI_SUCCESS;
    }
    return MUPTI_ERROR_INVALID_PARAMETER;
}
