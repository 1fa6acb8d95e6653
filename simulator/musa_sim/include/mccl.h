/* MCCL: collectives and messages between devices, in the order of streams.
 *
 * The functions, types and numbers are NCCL's, with its names changed as porting changes them. Ranks are threads of one
 * process or processes of one machine. What is missing of NCCL is not declared.
 */
#ifndef MCCL_H_
#define MCCL_H_

#include <limits.h>
#include <musa_runtime.h>
#if defined(__cplusplus)
#include <musa_bf16.h>
#include <musa_fp16.h>
#endif
#include <stddef.h>

/* The NCCL release that torch.musa.mccl.version() reports. The header also has newer functions of NCCL. */
#define MCCL_MAJOR 2
#define MCCL_MINOR 11
#define MCCL_PATCH 4
#define MCCL_SUFFIX ""
#define MCCL_VERSION(X, Y, Z) (((X) <= 2 && (Y) <= 8) ? (X) * 1000 + (Y) * 100 + (Z) : (X) * 10000 + (Y) * 100 + (Z))
#define MCCL_VERSION_CODE MCCL_VERSION(MCCL_MAJOR, MCCL_MINOR, MCCL_PATCH)

#define MCCL_UNIQUE_ID_BYTES 128
#define MCCL_CONFIG_UNDEF_INT INT_MIN
#define MCCL_CONFIG_UNDEF_PTR NULL
#define MCCL_SPLIT_NOCOLOR (-1)

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcclComm* mcclComm_t;
typedef struct {
    char internal[MCCL_UNIQUE_ID_BYTES];
} mcclUniqueId;

typedef enum {
    mcclSuccess = 0,
    mcclUnhandledMusaError = 1,
    mcclSystemError = 2,
    mcclInternalError = 3,
    mcclInvalidArgument = 4,
    mcclInvalidUsage = 5,
    mcclRemoteError = 6,
    mcclInProgress = 7,
    mcclNumResults = 8
} mcclResult_t;
/* ncclUnhandledCudaError, where only the prefix is replaced. */
#define mcclUnhandledCudaError mcclUnhandledMusaError

typedef enum {
    mcclInt8 = 0,
    mcclChar = 0,
    mcclUint8 = 1,
    mcclInt32 = 2,
    mcclInt = 2,
    mcclUint32 = 3,
    mcclInt64 = 4,
    mcclUint64 = 5,
    mcclFloat16 = 6,
    mcclHalf = 6,
    mcclFloat32 = 7,
    mcclFloat = 7,
    mcclFloat64 = 8,
    mcclDouble = 8,
    mcclBfloat16 = 9,
    mcclNumTypes = 10,
    /* torch_musa names them; numbered as NCCL's. No function takes them: mcclInvalidArgument */
    mcclFp8E4M3 = 10,
    mcclFp8E5M2 = 11
} mcclDataType_t;

/* Others are made by mcclRedOpCreatePreMulSum. */
typedef enum {
    mcclSum = 0,
    mcclProd = 1,
    mcclMax = 2,
    mcclMin = 3,
    mcclAvg = 4,
    mcclNumOps = 5,
    mcclMaxRedOp = 0x7fffffff
} mcclRedOp_t;

/* The memory of the factor of mcclRedOpCreatePreMulSum, and the time at which it is read. */
typedef enum {
    mcclScalarDevice = 0,       /* memory of the device, whenever an operation runs */
    mcclScalarHostImmediate = 1 /* memory of the host, at once */
} mcclScalarResidence_t;

typedef struct mcclConfig_v21700 {
    /* as MCCL_CONFIG_INITIALIZER sets them */
    size_t size;
    unsigned int magic;
    unsigned int version;
    /* 0: a call that would wait for other ranks returns mcclInProgress; mcclCommGetAsyncError reports its end. */
    int blocking;
    /* without an effect */
    int cgaClusterSize;
    int minCTAs;
    int maxCTAs;
    const char* netName;
    int splitShare;
} mcclConfig_t;
#define MCCL_CONFIG_MAGIC 0xcafebeefu
#define MCCL_CONFIG_INITIALIZER                                                                     \
    {                                                                                               \
        sizeof(mcclConfig_t), MCCL_CONFIG_MAGIC, MCCL_VERSION_CODE, MCCL_CONFIG_UNDEF_INT,          \
            MCCL_CONFIG_UNDEF_INT, MCCL_CONFIG_UNDEF_INT, MCCL_CONFIG_UNDEF_INT,                    \
            MCCL_CONFIG_UNDEF_PTR, MCCL_CONFIG_UNDEF_INT                                            \
    }

mcclResult_t mcclGetVersion(int* version);
const char* mcclGetErrorString(mcclResult_t result);
/* The last error message of this process, "" without an error. `comm` may be NULL. */
const char* mcclGetLastError(mcclComm_t comm);

/* Memory that the exchange uses has no name, and is gone with the last process that uses it. The process that makes the
 * id must not end before all ranks have joined. */
mcclResult_t mcclGetUniqueId(mcclUniqueId* uniqueId);
mcclResult_t mcclCommInitRank(mcclComm_t* comm, int nranks, mcclUniqueId commId, int rank);
mcclResult_t mcclCommInitRankConfig(mcclComm_t* comm, int nranks, mcclUniqueId commId, int rank, mcclConfig_t* config);
mcclResult_t mcclCommInitAll(mcclComm_t* comm, int ndev, const int* devlist);
mcclResult_t mcclCommSplit(mcclComm_t comm, int color, int key, mcclComm_t* newcomm, mcclConfig_t* config);
mcclResult_t mcclCommFinalize(mcclComm_t comm);
mcclResult_t mcclCommDestroy(mcclComm_t comm);
mcclResult_t mcclCommAbort(mcclComm_t comm);
mcclResult_t mcclCommGetAsyncError(mcclComm_t comm, mcclResult_t* asyncError);
mcclResult_t mcclCommCount(const mcclComm_t comm, int* count);
mcclResult_t mcclCommMuDevice(const mcclComm_t comm, int* device);
/* ncclCommCuDevice, where only the prefix is replaced. */
mcclResult_t mcclCommCuDevice(const mcclComm_t comm, int* device);
mcclResult_t mcclCommUserRank(const mcclComm_t comm, int* rank);

mcclResult_t mcclMemAlloc(void** ptr, size_t size);
mcclResult_t mcclMemFree(void* ptr);
mcclResult_t mcclCommRegister(const mcclComm_t comm, void* buff, size_t size, void** handle);
mcclResult_t mcclCommDeregister(const mcclComm_t comm, void* handle);

mcclResult_t mcclRedOpCreatePreMulSum(mcclRedOp_t* op, void* scalar, mcclDataType_t datatype,
                                      mcclScalarResidence_t residence, mcclComm_t comm);
mcclResult_t mcclRedOpDestroy(mcclRedOp_t op, mcclComm_t comm);

mcclResult_t mcclReduce(const void* sendbuff, void* recvbuff, size_t count, mcclDataType_t datatype, mcclRedOp_t op,
                        int root, mcclComm_t comm, musaStream_t stream);
mcclResult_t mcclBcast(void* buff, size_t count, mcclDataType_t datatype, int root, mcclComm_t comm,
                       musaStream_t stream);
mcclResult_t mcclBroadcast(const void* sendbuff, void* recvbuff, size_t count, mcclDataType_t datatype, int root,
                           mcclComm_t comm, musaStream_t stream);
mcclResult_t mcclAllReduce(const void* sendbuff, void* recvbuff, size_t count, mcclDataType_t datatype, mcclRedOp_t op,
                           mcclComm_t comm, musaStream_t stream);
mcclResult_t mcclReduceScatter(const void* sendbuff, void* recvbuff, size_t recvcount, mcclDataType_t datatype,
                               mcclRedOp_t op, mcclComm_t comm, musaStream_t stream);
mcclResult_t mcclAllGather(const void* sendbuff, void* recvbuff, size_t sendcount, mcclDataType_t datatype,
                           mcclComm_t comm, musaStream_t stream);
mcclResult_t mcclSend(const void* sendbuff, size_t count, mcclDataType_t datatype, int peer, mcclComm_t comm,
                      musaStream_t stream);
mcclResult_t mcclRecv(void* recvbuff, size_t count, mcclDataType_t datatype, int peer, mcclComm_t comm,
                      musaStream_t stream);

mcclResult_t mcclGroupStart(void);
mcclResult_t mcclGroupEnd(void);

#ifdef __cplusplus
}
#endif

#endif
