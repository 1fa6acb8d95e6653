// libraries mccl
// headers mccl.h
// refuted by compile-error
// expect success=0
// expect unhandled=1
// expect float32=7
// expect bfloat16=9
// expect average=4
// expect id_bytes=128
#include <mccl.h>

#include "probe.h"
int main() {
    fact("success", mcclSuccess);
    fact("unhandled", mcclUnhandledMusaError);
    fact("float32", mcclFloat32);
    fact("bfloat16", mcclBfloat16);
    fact("average", mcclAvg);
    fact("id_bytes", sizeof(mcclUniqueId));
    int version = 0;
    mcclGetVersion(&version);
    fact("version", version);
    // one function of each of NCCL's groups must exist, with NCCL's types
    mcclResult_t (*functions[])(mcclComm_t, int*) = {mcclCommCount, mcclCommMuDevice, mcclCommUserRank};
    mcclResult_t (*reduce)(const void*, void*, size_t, mcclDataType_t, mcclRedOp_t, mcclComm_t, musaStream_t) = mcclAllReduce;
    mcclResult_t (*split)(mcclComm_t, int, int, mcclComm_t*, mcclConfig_t*) = mcclCommSplit;
    fact("functions", (functions[0] != nullptr) + (reduce != nullptr) + (split != nullptr));
}
