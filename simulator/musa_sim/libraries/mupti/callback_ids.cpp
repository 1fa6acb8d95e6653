// The callback ids of the calls that libmusart reports: those that submit work or wait for it.
#include <string_view>
#include <unordered_map>

#include "state.h"

namespace mupti {
namespace {

using Numbers = std::unordered_map<std::string_view, MUpti_CallbackId>;

const Numbers& numbers() {
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

}  // namespace

MUpti_CallbackId number_of_call(const char* name) {
    const auto found = numbers().find(name);
    if (found == numbers().end()) return MUPTI_RUNTIME_TRACE_CBID_musaLaunchKernel_v7000;
    return found->second;
}

}  // namespace mupti

MUPTI_EXPORT muptiGetCallbackName(MUpti_CallbackDomain domain, uint32_t cbid, const char** name) {
    if (!name) return MUPTI_ERROR_INVALID_PARAMETER;
    if (domain != MUPTI_CB_DOMAIN_RUNTIME_API) return MUPTI_ERROR_NOT_SUPPORTED;
    for (const auto& [text, number] : mupti::numbers()) {
        if (number != cbid) continue;
        *name = text.data();
        return MUPTI_SUCCESS;
    }
    return MUPTI_ERROR_INVALID_PARAMETER;
}
