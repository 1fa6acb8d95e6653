/* muDNN's C interface, which SDK 5.1 has here; then its C++ classes (mudnncxx/mudnn.h), which older SDKs have here, for code
 * of C++ that does not define TORCH_MUSA_USE_MUDNN_C_API. With that macro torch_musa says that it makes classes of its own
 * in musa::dnn from the C interface. Link with -lmudnn.
 *
 * Moore Threads publishes no documentation. Names and the order of arguments are those that torch_musa and xLLM use
 * (docs/known.md). The numbers of all enumerators and of MUDNN_DIM_MAX, the statuses beside SUCCESS and NOT_SUPPORTED, and
 * types that a call does not show are our assumptions (docs/unverified.md, mudnn-c-interface). Each function does what the
 * class of the same name does. No operation needs a workspace: each size is 0. Null where a descriptor, a tensor or an
 * address is needed, and a descriptor that was not set, are MUDNN_STATUS_INVALID_PARAMETER; modes that the classes do not
 * compute are MUDNN_STATUS_NOT_SUPPORTED when they are set.
 */
#ifndef MUDNN_H
#define MUDNN_H

#include <mudnn_version.h>
#include <musa_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As many dimensions as a tensor may have. */
#define MUDNN_DIM_MAX 8

typedef enum {
    MUDNN_STATUS_SUCCESS = 0,
    MUDNN_STATUS_INVALID_PARAMETER = 1,
    MUDNN_STATUS_NOT_INITIALIZED = 2,
    MUDNN_STATUS_ALLOC_FAILED = 3,
    MUDNN_STATUS_NOT_SUPPORTED = 4,
    MUDNN_STATUS_INTERNAL_ERROR = 5,
    MUDNN_STATUS_ARCH_MISMATCH = 6,
    MUDNN_STATUS_EXECUTION_FAILED = 7
} mudnnStatus_t;

typedef enum {
    MUDNN_DATA_FLOAT,
    MUDNN_DATA_DOUBLE,
    MUDNN_DATA_HALF,
    MUDNN_DATA_BFLOAT16,
    MUDNN_DATA_BOOLEAN,
    MUDNN_DATA_INT8,
    MUDNN_DATA_INT16,
    MUDNN_DATA_INT32,
    MUDNN_DATA_INT64,
    MUDNN_DATA_UINT8,
    MUDNN_DATA_UINT16,
    MUDNN_DATA_UINT32,
    MUDNN_DATA_UINT64,
    MUDNN_DATA_QINT8,
    MUDNN_DATA_FP8_E5M2,
    MUDNN_DATA_FP8_E4M3
} mudnnDataType_t;

typedef enum {
    MUDNN_TENSOR_NCW,
    MUDNN_TENSOR_NWC,
    MUDNN_TENSOR_NCHW,
    MUDNN_TENSOR_NHWC,
    MUDNN_TENSOR_HWCN,
    MUDNN_TENSOR_NCDHW,
    MUDNN_TENSOR_NDHWC,
    MUDNN_TENSOR_DHWCN
} mudnnTensorFormat_t;

/* How products are computed: all modes are the same here. */
typedef enum { MUDNN_DEFAULT_MATH, MUDNN_TENSOR_OP_MATH, MUDNN_FMA_MATH } mudnnMathType_t;

/* The type of a parameter at an address. POINTER: the address is one in the device's memory. */
typedef enum {
    MUDNN_PARAM_DATA_NONE,
    MUDNN_PARAM_DATA_DOUBLE,
    MUDNN_PARAM_DATA_INT64,
    MUDNN_PARAM_DATA_UINT64,
    MUDNN_PARAM_DATA_POINTER
} mudnnParamDataType_t;

typedef enum {
    MUDNN_UNARY_ADD,
    MUDNN_UNARY_SUB,
    MUDNN_UNARY_MUL,
    MUDNN_UNARY_DIV,
    MUDNN_UNARY_POW,
    MUDNN_UNARY_SQRT,
    MUDNN_UNARY_ROUND,
    MUDNN_UNARY_RSQRT,
    MUDNN_UNARY_RECIPROCAL,
    MUDNN_UNARY_SQUARE,
    MUDNN_UNARY_IS_FINITE,
    MUDNN_UNARY_IS_INF,
    MUDNN_UNARY_IS_NAN,
    MUDNN_UNARY_IS_NONZERO,
    MUDNN_UNARY_LOGICAL_AND,
    MUDNN_UNARY_LOGICAL_OR,
    MUDNN_UNARY_LOGICAL_XOR,
    MUDNN_UNARY_EXP,
    MUDNN_UNARY_LOG,
    MUDNN_UNARY_LOG10,
    MUDNN_UNARY_LOG2,
    MUDNN_UNARY_LOG1P,
    MUDNN_UNARY_SIN,
    MUDNN_UNARY_COS,
    MUDNN_UNARY_ACOS,
    MUDNN_UNARY_TAN,
    MUDNN_UNARY_ATAN,
    MUDNN_UNARY_LT,
    MUDNN_UNARY_LE,
    MUDNN_UNARY_GT,
    MUDNN_UNARY_GE,
    MUDNN_UNARY_EQ,
    MUDNN_UNARY_NE,
    MUDNN_UNARY_MAX,
    MUDNN_UNARY_MIN,
    MUDNN_UNARY_CEIL,
    MUDNN_UNARY_FLOOR,
    MUDNN_UNARY_SIGMOID,
    MUDNN_UNARY_HARDSIGMOID,
    MUDNN_UNARY_RELU,
    MUDNN_UNARY_LEAKY_RELU,
    MUDNN_UNARY_RELU6,
    MUDNN_UNARY_TANH,
    MUDNN_UNARY_CLIP,
    MUDNN_UNARY_ELU,
    MUDNN_UNARY_SWISH,
    MUDNN_UNARY_HARDSWISH,
    MUDNN_UNARY_MISH,
    MUDNN_UNARY_SILU,
    MUDNN_UNARY_SOFTPLUS,
    MUDNN_UNARY_GELU,
    MUDNN_UNARY_GELU_TANH,
    MUDNN_UNARY_ABS,
    MUDNN_UNARY_ERF,
    MUDNN_UNARY_IDENTITY,
    MUDNN_UNARY_TRUEDIV,
    MUDNN_UNARY_FLOORDIV,
    MUDNN_UNARY_TRUNCATEDIV,
    MUDNN_UNARY_FLOORMOD,
    MUDNN_UNARY_TRUNCATEMOD,
    MUDNN_UNARY_SUB_BY_ALPHA,
    MUDNN_UNARY_DIV_BY_ALPHA,
    MUDNN_UNARY_TRUNCATEDIV_BY_ALPHA,
    MUDNN_UNARY_TRUEDIV_BY_ALPHA,
    MUDNN_UNARY_FLOORDIV_BY_ALPHA,
    MUDNN_UNARY_CAST,
    MUDNN_UNARY_SIGN
} mudnnUnaryMode_t;

typedef enum {
    MUDNN_BINARY_ADD,
    MUDNN_BINARY_SUB,
    MUDNN_BINARY_MUL,
    MUDNN_BINARY_DIV,
    MUDNN_BINARY_POW,
    MUDNN_BINARY_ADD_ALPHA,
    MUDNN_BINARY_SUB_ALPHA,
    MUDNN_BINARY_LOGICAL_AND,
    MUDNN_BINARY_LOGICAL_OR,
    MUDNN_BINARY_LOGICAL_XOR,
    MUDNN_BINARY_LT,
    MUDNN_BINARY_LE,
    MUDNN_BINARY_GT,
    MUDNN_BINARY_GE,
    MUDNN_BINARY_EQ,
    MUDNN_BINARY_NE,
    MUDNN_BINARY_MAX,
    MUDNN_BINARY_MIN,
    MUDNN_BINARY_PRELU,
    MUDNN_BINARY_LEAKY_RELU_BW,
    MUDNN_BINARY_RELU6_BW,
    MUDNN_BINARY_THRESHOLD_BW,
    MUDNN_BINARY_SIGMOID_BW,
    MUDNN_BINARY_SILU_BW,
    MUDNN_BINARY_TANH_BW,
    MUDNN_BINARY_GELU_NONE_BW,
    MUDNN_BINARY_GELU_TANH_BW,
    MUDNN_BINARY_RSQRT_BW,
    MUDNN_BINARY_TRUEDIV,
    MUDNN_BINARY_FLOORDIV,
    MUDNN_BINARY_TRUNCATEDIV,
    MUDNN_BINARY_FLOORMOD,
    MUDNN_BINARY_TRUNCATEMOD,
    MUDNN_BINARY_DIVNONAN,
    MUDNN_BINARY_SQUARED_DIFF
} mudnnBinaryMode_t;

typedef enum {
    MUDNN_TERNARY_SELECT,
    MUDNN_TERNARY_SELECTV2,
    MUDNN_TERNARY_ADDCMUL,
    MUDNN_TERNARY_ADDCMUL_ALPHA,
    MUDNN_TERNARY_ADDCDIV,
    MUDNN_TERNARY_ADDCDIV_ALPHA,
    MUDNN_TERNARY_CLAMP
} mudnnTernaryMode_t;

typedef enum {
    MUDNN_REDUCE_MAX,
    MUDNN_REDUCE_ADD,
    MUDNN_REDUCE_MUL,
    MUDNN_REDUCE_MEAN,
    MUDNN_REDUCE_MIN,
    MUDNN_REDUCE_PROD,
    MUDNN_REDUCE_AND,
    MUDNN_REDUCE_NORM,
    MUDNN_REDUCE_OR,
    MUDNN_REDUCE_MUL_NO_ZEROS,
    MUDNN_REDUCE_L2LOSS,
    MUDNN_REDUCE_MAX_UNSTABLE,
    MUDNN_REDUCE_MIN_UNSTABLE,
    MUDNN_REDUCE_VARIANCE,
    MUDNN_REDUCE_STD
} mudnnReduceMode_t;

typedef enum { MUDNN_CUM_ADD, MUDNN_CUM_MUL } mudnnCumMode_t;

typedef enum {
    MUDNN_SOFTMAX_MODE_SOFTMAX,
    MUDNN_SOFTMAX_MODE_LOG_SOFTMAX,
    MUDNN_SOFTMAX_MODE_LOG_SUM_EXP
} mudnnSoftmaxMode_t;

typedef enum { MUDNN_SOFTMAX_ACCURATE } mudnnSoftmaxAlgorithm_t;

typedef enum { MUDNN_MATMULLT_EPILOGUE_DEFAULT } mudnnMatMulLtEpilogueMode_t;

typedef enum { MUDNN_LAYER_NORM_MODE_DIRECT, MUDNN_LAYER_NORM_MODE_WELFORD } mudnnLayerNormMode_t;

typedef enum { MUDNN_RMS_NORM_MODE_DIRECT } mudnnRMSNormMode_t;

typedef enum {
    MUDNN_PAD_MODE_CONSTANT,
    MUDNN_PAD_MODE_REFLECT,
    MUDNN_PAD_MODE_REPLICATE,
    MUDNN_PAD_MODE_CIRCULAR
} mudnnPadMode_t;

typedef enum {
    MUDNN_SCATTER_MODE_UPDATE_ONLY,
    MUDNN_SCATTER_MODE_ADD,
    MUDNN_SCATTER_MODE_SUB,
    MUDNN_SCATTER_MODE_MUL
} mudnnScatterMode_t;

typedef enum {
    MUDNN_INTERPOLATE_NEAREST,
    MUDNN_INTERPOLATE_NEAREST_EXACT,
    MUDNN_INTERPOLATE_LINEAR,
    MUDNN_INTERPOLATE_BICUBIC
} mudnnInterpolateMode_t;

typedef enum {
    MUDNN_POOLING_MAX,
    MUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
    MUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
    MUDNN_POOLING_GLOBAL_AVGPOOL,
    MUDNN_POOLING_ADAPTIVE_MAXPOOL,
    MUDNN_POOLING_ADAPTIVE_AVGPOOL
} mudnnPoolingMode_t;

typedef enum { MUDNN_BATCHNORM_PER_ACTIVATION, MUDNN_BATCHNORM_SPATIAL } mudnnBatchNormMode_t;

typedef enum {
    MUDNN_LOSS_REDUCE_MODE_NONE,
    MUDNN_LOSS_REDUCE_MODE_MEAN,
    MUDNN_LOSS_REDUCE_MODE_SUM,
    MUDNN_LOSS_REDUCE_MODE_BATCHMEAN
} mudnnLossReduceMode_t;

typedef enum { MUDNN_CONVOLUTION, MUDNN_CROSS_CORRELATION } mudnnConvolutionMode_t;
typedef enum { MUDNN_NOT_PROPAGATE_NAN, MUDNN_PROPAGATE_NAN } mudnnNanPropagation_t;

typedef enum {
    MUDNN_ACTIVATION_IDENTITY,
    MUDNN_ACTIVATION_SIGMOID,
    MUDNN_ACTIVATION_RELU,
    MUDNN_ACTIVATION_TANH,
    MUDNN_ACTIVATION_CLIPPED_RELU,
    MUDNN_ACTIVATION_ELU,
    MUDNN_ACTIVATION_SILU
} mudnnActivationMode_t;

typedef enum {
    MUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
    MUDNN_CONVOLUTION_FWD_ALGO_DIRECT,
    MUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED,
    MUDNN_CONVOLUTION_FWD_ALGO_GEMM
} mudnnConvolutionFwdAlgo_t;

typedef enum {
    MUDNN_CONVOLUTION_BWD_DATA_ALGO_IMPLICIT_GEMM,
    MUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED,
    MUDNN_CONVOLUTION_BWD_DATA_ALGO_GEMM,
    MUDNN_CONVOLUTION_BWD_DATA_ALGO_DIRECT
} mudnnConvolutionBwdDataAlgo_t;

typedef enum {
    MUDNN_CONVOLUTION_BWD_FILTER_ALGO_IMPLICIT_GEMM,
    MUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED,
    MUDNN_CONVOLUTION_BWD_FILTER_ALGO_GEMM,
    MUDNN_CONVOLUTION_BWD_FILTER_ALGO_DIRECT
} mudnnConvolutionBwdFilterAlgo_t;

typedef struct {
    mudnnConvolutionFwdAlgo_t algo;
    mudnnStatus_t status;
    float time;
    size_t memory;
} mudnnConvolutionFwdAlgoPerf_t;
typedef struct {
    mudnnConvolutionBwdDataAlgo_t algo;
    mudnnStatus_t status;
    float time;
    size_t memory;
} mudnnConvolutionBwdDataAlgoPerf_t;
typedef struct {
    mudnnConvolutionBwdFilterAlgo_t algo;
    mudnnStatus_t status;
    float time;
    size_t memory;
} mudnnConvolutionBwdFilterAlgoPerf_t;

typedef struct mudnnHandleStruct* mudnnHandle_t;

/* Of the current device. */
mudnnStatus_t mudnnCreate(mudnnHandle_t* handle);
mudnnStatus_t mudnnDestroy(mudnnHandle_t handle);
mudnnStatus_t mudnnSetStream(mudnnHandle_t handle, musaStream_t stream);
const char* mudnnGetErrorString(mudnnStatus_t status);

/* The type of a descriptor, and what creates and destroys one. Destroying null does nothing. */
#define MUDNN_SIM_DESCRIPTOR(NAME)                                                              \
    typedef struct mudnn##NAME##Struct* mudnn##NAME##Descriptor_t;                              \
    mudnnStatus_t mudnnCreate##NAME##Descriptor(mudnn##NAME##Descriptor_t* descriptor);         \
    mudnnStatus_t mudnnDestroy##NAME##Descriptor(mudnn##NAME##Descriptor_t descriptor);
MUDNN_SIM_DESCRIPTOR(Tensor)
MUDNN_SIM_DESCRIPTOR(Filter)
MUDNN_SIM_DESCRIPTOR(Activation)
MUDNN_SIM_DESCRIPTOR(Unary)
MUDNN_SIM_DESCRIPTOR(Binary)
MUDNN_SIM_DESCRIPTOR(Ternary)
MUDNN_SIM_DESCRIPTOR(BatchMatMul)
MUDNN_SIM_DESCRIPTOR(GroupedMatMul)
MUDNN_SIM_DESCRIPTOR(MatMulLtParam)
MUDNN_SIM_DESCRIPTOR(Dot)
MUDNN_SIM_DESCRIPTOR(Convolution)
MUDNN_SIM_DESCRIPTOR(Softmax)
MUDNN_SIM_DESCRIPTOR(Reduce)
MUDNN_SIM_DESCRIPTOR(Cum)
MUDNN_SIM_DESCRIPTOR(Fill)
MUDNN_SIM_DESCRIPTOR(Permute)
MUDNN_SIM_DESCRIPTOR(Concat)
MUDNN_SIM_DESCRIPTOR(Pad)
MUDNN_SIM_DESCRIPTOR(Scatter)
MUDNN_SIM_DESCRIPTOR(Nonzero)
MUDNN_SIM_DESCRIPTOR(MaskedSelect)
MUDNN_SIM_DESCRIPTOR(MaskedScatter)
MUDNN_SIM_DESCRIPTOR(Sort)
MUDNN_SIM_DESCRIPTOR(SortByKey)
MUDNN_SIM_DESCRIPTOR(TopK)
MUDNN_SIM_DESCRIPTOR(LayerNorm)
MUDNN_SIM_DESCRIPTOR(RMSNorm)
MUDNN_SIM_DESCRIPTOR(GroupNorm)
MUDNN_SIM_DESCRIPTOR(BatchNorm)
MUDNN_SIM_DESCRIPTOR(Glu)
MUDNN_SIM_DESCRIPTOR(SwiGlu)
MUDNN_SIM_DESCRIPTOR(Rope)
MUDNN_SIM_DESCRIPTOR(Dropout)
MUDNN_SIM_DESCRIPTOR(Pooling)
MUDNN_SIM_DESCRIPTOR(Interpolate)
MUDNN_SIM_DESCRIPTOR(NLLLoss)
MUDNN_SIM_DESCRIPTOR(KLDivLoss)
MUDNN_SIM_DESCRIPTOR(CrossEntropyLoss)
MUDNN_SIM_DESCRIPTOR(CTCLoss)
MUDNN_SIM_DESCRIPTOR(ScaledDotProductAttention)
#undef MUDNN_SIM_DESCRIPTOR

/* A tensor is two arguments: its descriptor, and its address in the device's memory. */
#define MUDNN_SIM_D(NAME) mudnnTensorDescriptor_t NAME##_descriptor
#define MUDNN_SIM_IN(NAME) mudnnTensorDescriptor_t NAME##_descriptor, const void* NAME
#define MUDNN_SIM_OUT(NAME) mudnnTensorDescriptor_t NAME##_descriptor, void* NAME
#define MUDNN_SIM_OP(NAME) mudnnHandle_t handle, mudnn##NAME##Descriptor_t descriptor
#define MUDNN_SIM_WORKSPACE void *workspace, size_t workspace_size

/* Without strides, that is null, the last dimension is the innermost. */
mudnnStatus_t mudnnSetTensorNdDescriptorWithScale(mudnnTensorDescriptor_t descriptor, mudnnTensorFormat_t format,
                                                  mudnnDataType_t type, int dimensions, const int64_t* sizes,
                                                  const int64_t* strides, float scale);
/* The format is NCHW. */
mudnnStatus_t mudnnSetTensorNdDescriptor(mudnnTensorDescriptor_t descriptor, mudnnDataType_t type, int dimensions,
                                         const int* sizes, const int* strides);
/* Gives the first `requested` sizes and strides, and the number of all. */
mudnnStatus_t mudnnGetTensorNdDescriptor(mudnnTensorDescriptor_t descriptor, int requested, mudnnDataType_t* type,
                                         int* dimensions, int* sizes, int* strides);
/* Dense, with the sizes in the format's order. */
mudnnStatus_t mudnnSetFilterNdDescriptorWithScale(mudnnFilterDescriptor_t descriptor, mudnnDataType_t type,
                                                  mudnnTensorFormat_t format, int dimensions, const int* sizes, float scale);
mudnnStatus_t mudnnSetActivationDescriptor(mudnnActivationDescriptor_t descriptor, mudnnActivationMode_t mode,
                                           mudnnNanPropagation_t propagation, double coefficient);

mudnnStatus_t mudnnSetUnaryDescriptor(mudnnUnaryDescriptor_t descriptor, mudnnUnaryMode_t mode,
                                      mudnnParamDataType_t alpha_type, const void* alpha, mudnnParamDataType_t beta_type,
                                      const void* beta);
mudnnStatus_t mudnnUnary(MUDNN_SIM_OP(Unary), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(in));
mudnnStatus_t mudnnSetBinaryDescriptor(mudnnBinaryDescriptor_t descriptor, mudnnBinaryMode_t mode,
                                       mudnnParamDataType_t alpha_type, const void* alpha, mudnnParamDataType_t beta_type,
                                       const void* beta);
mudnnStatus_t mudnnBinary(MUDNN_SIM_OP(Binary), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(left), MUDNN_SIM_IN(right));
mudnnStatus_t mudnnSetTernaryDescriptor(mudnnTernaryDescriptor_t descriptor, mudnnTernaryMode_t mode,
                                        mudnnParamDataType_t alpha_type, const void* alpha, mudnnParamDataType_t beta_type,
                                        const void* beta, mudnnParamDataType_t gamma_type, const void* gamma);
mudnnStatus_t mudnnTernary(MUDNN_SIM_OP(Ternary), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(first), MUDNN_SIM_IN(second),
                           MUDNN_SIM_IN(third));

/* d = alpha * a * b + beta * c + gamma * bias, of batches or of two matrices. */
mudnnStatus_t mudnnSetBatchMatMulDescriptorEx(mudnnBatchMatMulDescriptor_t descriptor, mudnnMathType_t math,
                                              bool transpose_a, bool transpose_b, bool deterministic,
                                              mudnnMatMulLtEpilogueMode_t epilogue, int reserved, double alpha, double beta,
                                              double gamma);
mudnnStatus_t mudnnBatchMatmulGetWorkspaceSize(MUDNN_SIM_OP(BatchMatMul), MUDNN_SIM_D(a), MUDNN_SIM_D(b), MUDNN_SIM_D(c),
                                               MUDNN_SIM_D(d), size_t* size);
mudnnStatus_t mudnnBatchMatMulBias(MUDNN_SIM_OP(BatchMatMul), MUDNN_SIM_IN(a), MUDNN_SIM_IN(b), MUDNN_SIM_IN(c),
                                   MUDNN_SIM_OUT(d), MUDNN_SIM_IN(bias), MUDNN_SIM_WORKSPACE);
/* With factors, as BatchMatMul::RunLt; `tile` 0 is 128. The last four tensors, which no caller passes, are to be null. */
mudnnStatus_t mudnnBatchMatMulBiasTensorScaleEpilogue(
    MUDNN_SIM_OP(BatchMatMul), MUDNN_SIM_IN(a), MUDNN_SIM_IN(b), MUDNN_SIM_IN(c), MUDNN_SIM_OUT(d), MUDNN_SIM_IN(bias),
    MUDNN_SIM_IN(scale_a), MUDNN_SIM_IN(scale_b), MUDNN_SIM_IN(scale_c), MUDNN_SIM_IN(scale_d), int tile, bool transposed,
    MUDNN_SIM_OUT(largest), MUDNN_SIM_OUT(first), MUDNN_SIM_OUT(second), MUDNN_SIM_OUT(third), MUDNN_SIM_OUT(fourth),
    MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnSetMatMulLtParamScale(mudnnMatMulLtParamDescriptor_t descriptor, MUDNN_SIM_IN(scale_a),
                                         MUDNN_SIM_IN(scale_b), MUDNN_SIM_IN(scale_c), MUDNN_SIM_IN(scale_d), int tile,
                                         bool transposed);
mudnnStatus_t mudnnSetMatMulLtParamAmaxD(mudnnMatMulLtParamDescriptor_t descriptor, MUDNN_SIM_OUT(largest));
/* One product of matrices for each group. */
mudnnStatus_t mudnnSetGroupedMatMulDescriptorEx(mudnnGroupedMatMulDescriptor_t descriptor, mudnnMathType_t math,
                                                bool transpose_a, bool transpose_b, bool deterministic, int reserved,
                                                double alpha, double beta, double gamma);
mudnnStatus_t mudnnGroupedMatmulGetWorkspaceSizeLt(MUDNN_SIM_OP(GroupedMatMul), const mudnnTensorDescriptor_t* d_descriptors,
                                                   const mudnnTensorDescriptor_t* a_descriptors,
                                                   const mudnnTensorDescriptor_t* b_descriptors,
                                                   const mudnnTensorDescriptor_t* c_descriptors,
                                                   const mudnnMatMulLtParamDescriptor_t* params, int groups, size_t* size);
mudnnStatus_t mudnnGroupedMatMulRunLt(MUDNN_SIM_OP(GroupedMatMul), const mudnnTensorDescriptor_t* d_descriptors,
                                      void* const* d, const mudnnTensorDescriptor_t* a_descriptors, const void* const* a,
                                      const mudnnTensorDescriptor_t* b_descriptors, const void* const* b,
                                      const mudnnTensorDescriptor_t* c_descriptors, const void* const* c,
                                      const mudnnTensorDescriptor_t* bias_descriptors, const void* const* bias,
                                      const mudnnMatMulLtParamDescriptor_t* params, int groups, MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnSetDotMathType(mudnnDotDescriptor_t descriptor, mudnnMathType_t math);
mudnnStatus_t mudnnGetDotWorkspaceSize(MUDNN_SIM_OP(Dot), MUDNN_SIM_D(left), MUDNN_SIM_D(right), MUDNN_SIM_D(out),
                                       size_t* size);
mudnnStatus_t mudnnDot(MUDNN_SIM_OP(Dot), MUDNN_SIM_IN(left), MUDNN_SIM_IN(right), MUDNN_SIM_OUT(out), MUDNN_SIM_WORKSPACE);

/* Of convolutions, `alpha` is 1 and `beta` 0, floats in the host's memory. */
mudnnStatus_t mudnnSetConvolutionGroupCount(mudnnConvolutionDescriptor_t descriptor, int groups);
mudnnStatus_t mudnnSetConvolutionMathType(mudnnConvolutionDescriptor_t descriptor, mudnnMathType_t math);
mudnnStatus_t mudnnSetConvolutionNdDescriptor(mudnnConvolutionDescriptor_t descriptor, int dimensions, const int* padding,
                                              const int* stride, const int* dilation, mudnnConvolutionMode_t mode,
                                              mudnnDataType_t compute_type);
mudnnStatus_t mudnnGetConvolutionForwardAlgorithm_v7(mudnnHandle_t handle, MUDNN_SIM_D(in), mudnnFilterDescriptor_t filter,
                                                     mudnnConvolutionDescriptor_t descriptor, MUDNN_SIM_D(out), int requested,
                                                     int* returned, mudnnConvolutionFwdAlgoPerf_t* results);
mudnnStatus_t mudnnGetConvolutionBackwardDataAlgorithm_v7(mudnnHandle_t handle, mudnnFilterDescriptor_t filter,
                                                          MUDNN_SIM_D(grad_out), mudnnConvolutionDescriptor_t descriptor,
                                                          MUDNN_SIM_D(grad_in), int requested, int* returned,
                                                          mudnnConvolutionBwdDataAlgoPerf_t* results);
mudnnStatus_t mudnnGetConvolutionBackwardFilterAlgorithm_v7(mudnnHandle_t handle, MUDNN_SIM_D(in), MUDNN_SIM_D(grad_out),
                                                            mudnnConvolutionDescriptor_t descriptor,
                                                            mudnnFilterDescriptor_t grad_filter, int requested,
                                                            int* returned, mudnnConvolutionBwdFilterAlgoPerf_t* results);
mudnnStatus_t mudnnGetConvolutionForwardWorkspaceSize(mudnnHandle_t handle, MUDNN_SIM_D(in), mudnnFilterDescriptor_t filter,
                                                      mudnnConvolutionDescriptor_t descriptor, MUDNN_SIM_D(out),
                                                      mudnnConvolutionFwdAlgo_t algorithm, size_t* size);
mudnnStatus_t mudnnGetConvolutionBackwardDataWorkspaceSize(mudnnHandle_t handle, mudnnFilterDescriptor_t filter,
                                                           MUDNN_SIM_D(grad_out), mudnnConvolutionDescriptor_t descriptor,
                                                           MUDNN_SIM_D(grad_in), mudnnConvolutionBwdDataAlgo_t algorithm,
                                                           size_t* size);
mudnnStatus_t mudnnGetConvolutionBackwardFilterWorkspaceSize(mudnnHandle_t handle, MUDNN_SIM_D(in), MUDNN_SIM_D(grad_out),
                                                             mudnnConvolutionDescriptor_t descriptor,
                                                             mudnnFilterDescriptor_t grad_filter,
                                                             mudnnConvolutionBwdFilterAlgo_t algorithm, size_t* size);
mudnnStatus_t mudnnConvolutionForward(mudnnHandle_t handle, const void* alpha, MUDNN_SIM_IN(in),
                                      mudnnFilterDescriptor_t filter_descriptor, const void* filter,
                                      mudnnConvolutionDescriptor_t descriptor, mudnnConvolutionFwdAlgo_t algorithm,
                                      MUDNN_SIM_WORKSPACE, const void* beta, MUDNN_SIM_OUT(out));
/* `add` is omitted where `alpha_of_add` is 0; else that is 1. */
mudnnStatus_t mudnnConvolutionBiasActivationForward(
    mudnnHandle_t handle, const void* alpha, MUDNN_SIM_IN(in), mudnnFilterDescriptor_t filter_descriptor, const void* filter,
    mudnnConvolutionDescriptor_t descriptor, mudnnConvolutionFwdAlgo_t algorithm, MUDNN_SIM_WORKSPACE,
    const void* alpha_of_add, MUDNN_SIM_IN(add), MUDNN_SIM_IN(bias), mudnnActivationDescriptor_t activation,
    MUDNN_SIM_OUT(out));
mudnnStatus_t mudnnConvolutionBackwardData(mudnnHandle_t handle, const void* alpha, mudnnFilterDescriptor_t filter_descriptor,
                                           const void* filter, MUDNN_SIM_IN(grad_out),
                                           mudnnConvolutionDescriptor_t descriptor, mudnnConvolutionBwdDataAlgo_t algorithm,
                                           MUDNN_SIM_WORKSPACE, const void* beta, MUDNN_SIM_OUT(grad_in));
mudnnStatus_t mudnnConvolutionBackwardFilter(mudnnHandle_t handle, const void* alpha, MUDNN_SIM_IN(in),
                                             MUDNN_SIM_IN(grad_out), mudnnConvolutionDescriptor_t descriptor,
                                             mudnnConvolutionBwdFilterAlgo_t algorithm, MUDNN_SIM_WORKSPACE,
                                             const void* beta, mudnnFilterDescriptor_t grad_filter_descriptor,
                                             void* grad_filter);

mudnnStatus_t mudnnSetSoftmaxDescriptor(mudnnSoftmaxDescriptor_t descriptor, int dimension, mudnnSoftmaxAlgorithm_t algorithm,
                                        mudnnSoftmaxMode_t mode);
mudnnStatus_t mudnnGetSoftmaxForwardWorkspaceSize(MUDNN_SIM_OP(Softmax), MUDNN_SIM_D(in), MUDNN_SIM_D(out), size_t* size);
mudnnStatus_t mudnnSoftmaxForwardEx(MUDNN_SIM_OP(Softmax), MUDNN_SIM_IN(in), MUDNN_SIM_WORKSPACE, MUDNN_SIM_OUT(out));
mudnnStatus_t mudnnGetSoftmaxBackwardWorkspaceSize(MUDNN_SIM_OP(Softmax), MUDNN_SIM_D(out), MUDNN_SIM_D(grad_out),
                                                   MUDNN_SIM_D(grad_in), size_t* size);
mudnnStatus_t mudnnSoftmaxBackwardEx(MUDNN_SIM_OP(Softmax), MUDNN_SIM_IN(out), MUDNN_SIM_IN(grad_out), MUDNN_SIM_WORKSPACE,
                                     MUDNN_SIM_OUT(grad_in));

mudnnStatus_t mudnnSetReduceDescriptor(mudnnReduceDescriptor_t descriptor, mudnnReduceMode_t mode, int count,
                                       const int* dimensions, float order, int correction);
mudnnStatus_t mudnnGetReduceWorkspaceSize(MUDNN_SIM_OP(Reduce), size_t* size, MUDNN_SIM_D(out), MUDNN_SIM_D(in));
mudnnStatus_t mudnnReduce(MUDNN_SIM_OP(Reduce), MUDNN_SIM_IN(in), MUDNN_SIM_WORKSPACE, MUDNN_SIM_OUT(out));
/* torch_musa passes the next two sizes by value, so nothing comes back. */
mudnnStatus_t mudnnGetReduceIndicesWorkspaceSize(MUDNN_SIM_OP(Reduce), size_t size, MUDNN_SIM_D(indices), MUDNN_SIM_D(in));
mudnnStatus_t mudnnReduceOnlyIndices(MUDNN_SIM_OP(Reduce), MUDNN_SIM_IN(in), MUDNN_SIM_WORKSPACE, MUDNN_SIM_OUT(indices));
mudnnStatus_t mudnnGetReduceWithIndicesWorkspaceSize(MUDNN_SIM_OP(Reduce), size_t size, MUDNN_SIM_D(out),
                                                     MUDNN_SIM_D(indices), MUDNN_SIM_D(in));
mudnnStatus_t mudnnReduceWithIndices(MUDNN_SIM_OP(Reduce), MUDNN_SIM_IN(in), MUDNN_SIM_WORKSPACE, MUDNN_SIM_OUT(out),
                                     MUDNN_SIM_OUT(indices));
mudnnStatus_t mudnnSetCumDescriptor(mudnnCumDescriptor_t descriptor, int dimension, mudnnCumMode_t mode);
mudnnStatus_t mudnnGetCumWorkspaceSize(MUDNN_SIM_OP(Cum), MUDNN_SIM_D(out), MUDNN_SIM_D(in), size_t* size);
mudnnStatus_t mudnnCum(MUDNN_SIM_OP(Cum), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(in), MUDNN_SIM_WORKSPACE);

mudnnStatus_t mudnnSetFillDescriptor(mudnnFillDescriptor_t descriptor, mudnnParamDataType_t type, const void* value);
/* Without a mask, that is null, all elements. */
mudnnStatus_t mudnnFill(MUDNN_SIM_OP(Fill), MUDNN_SIM_IN(mask), MUDNN_SIM_OUT(out));
/* Copies between strides. */
mudnnStatus_t mudnnPermute(MUDNN_SIM_OP(Permute), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(in));
mudnnStatus_t mudnnSetConcatDescriptor(mudnnConcatDescriptor_t descriptor, int dimension);
mudnnStatus_t mudnnConcat(MUDNN_SIM_OP(Concat), const mudnnTensorDescriptor_t* in_descriptors, const void* const* in, int count,
                          MUDNN_SIM_OUT(out));
mudnnStatus_t mudnnSetPadDescriptor(mudnnPadDescriptor_t descriptor, mudnnPadMode_t mode, mudnnParamDataType_t type,
                                    const void* value, const int* padding, size_t count);
mudnnStatus_t mudnnPad(MUDNN_SIM_OP(Pad), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(in));
mudnnStatus_t mudnnSetScatterDescriptor(mudnnScatterDescriptor_t descriptor, mudnnScatterMode_t mode);
mudnnStatus_t mudnnScatterInplace(MUDNN_SIM_OP(Scatter), MUDNN_SIM_OUT(inout), MUDNN_SIM_IN(indices), MUDNN_SIM_IN(update),
                                  int dimension);
/* The descriptor of `out` has its sizes on return, here and of MaskedSelect. */
mudnnStatus_t mudnnGetNonzeroWorkspaceSize(MUDNN_SIM_OP(Nonzero), MUDNN_SIM_D(in), MUDNN_SIM_D(out), size_t* size);
mudnnStatus_t mudnnNonzero(MUDNN_SIM_OP(Nonzero), MUDNN_SIM_IN(in), MUDNN_SIM_WORKSPACE, MUDNN_SIM_OUT(out));
mudnnStatus_t mudnnGetMaskedSelectWorkspaceSize(MUDNN_SIM_OP(MaskedSelect), MUDNN_SIM_D(in), MUDNN_SIM_D(mask),
                                                MUDNN_SIM_D(out), size_t* size);
mudnnStatus_t mudnnMaskedSelect(MUDNN_SIM_OP(MaskedSelect), MUDNN_SIM_IN(in), MUDNN_SIM_IN(mask), MUDNN_SIM_OUT(out),
                                MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnGetMaskedScatterWorkspaceSize(MUDNN_SIM_OP(MaskedScatter), MUDNN_SIM_D(inout), MUDNN_SIM_D(mask),
                                                 MUDNN_SIM_D(source), size_t* size);
mudnnStatus_t mudnnMaskedScatter(MUDNN_SIM_OP(MaskedScatter), MUDNN_SIM_OUT(inout), MUDNN_SIM_IN(mask), MUDNN_SIM_IN(source),
                                 MUDNN_SIM_WORKSPACE);

mudnnStatus_t mudnnSetSortDescriptor(mudnnSortDescriptor_t descriptor, int dimension, bool stable, bool descending);
mudnnStatus_t mudnnGetSortWorkspaceSize(MUDNN_SIM_OP(Sort), MUDNN_SIM_D(values), MUDNN_SIM_D(indices), MUDNN_SIM_D(in),
                                        size_t* size);
mudnnStatus_t mudnnSort(MUDNN_SIM_OP(Sort), MUDNN_SIM_IN(in), MUDNN_SIM_WORKSPACE, MUDNN_SIM_OUT(values),
                        MUDNN_SIM_OUT(indices));
mudnnStatus_t mudnnSetSortByKeyDescriptor(mudnnSortByKeyDescriptor_t descriptor, int dimension, bool stable, bool descending);
mudnnStatus_t mudnnGetSortByKeyWorkspaceSize(MUDNN_SIM_OP(SortByKey), MUDNN_SIM_D(keys_out), MUDNN_SIM_D(values_out),
                                             MUDNN_SIM_D(keys), MUDNN_SIM_D(values), size_t* size);
mudnnStatus_t mudnnSortByKey(MUDNN_SIM_OP(SortByKey), MUDNN_SIM_IN(keys), MUDNN_SIM_IN(values), MUDNN_SIM_WORKSPACE,
                             MUDNN_SIM_OUT(keys_out), MUDNN_SIM_OUT(values_out));
mudnnStatus_t mudnnSetTopKDescriptor(mudnnTopKDescriptor_t descriptor, int count, int dimension, bool largest, bool sorted);
mudnnStatus_t mudnnGetTopKWorkspaceSize(MUDNN_SIM_OP(TopK), MUDNN_SIM_D(in), MUDNN_SIM_D(values), MUDNN_SIM_D(indices),
                                        size_t* size);
mudnnStatus_t mudnnTopK(MUDNN_SIM_OP(TopK), MUDNN_SIM_IN(in), MUDNN_SIM_WORKSPACE, MUDNN_SIM_OUT(values),
                        MUDNN_SIM_OUT(indices));

mudnnStatus_t mudnnSetLayerNormDescriptor(mudnnLayerNormDescriptor_t descriptor, double epsilon, mudnnLayerNormMode_t mode,
                                          const int* axes, size_t count);
mudnnStatus_t mudnnGetLayerNormForwardWorkspaceSize(MUDNN_SIM_OP(LayerNorm), MUDNN_SIM_D(out), MUDNN_SIM_D(mean),
                                                    MUDNN_SIM_D(inverse_deviation), MUDNN_SIM_D(in), MUDNN_SIM_D(gamma),
                                                    MUDNN_SIM_D(beta), size_t* size);
mudnnStatus_t mudnnLayerNormForward(MUDNN_SIM_OP(LayerNorm), MUDNN_SIM_OUT(out), MUDNN_SIM_OUT(mean),
                                    MUDNN_SIM_OUT(inverse_deviation), MUDNN_SIM_IN(in), MUDNN_SIM_IN(gamma),
                                    MUDNN_SIM_IN(beta), MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnGetLayerNormBackwardWorkspaceSize(MUDNN_SIM_OP(LayerNorm), MUDNN_SIM_OUT(grad_in),
                                                     MUDNN_SIM_OUT(grad_gamma), MUDNN_SIM_OUT(grad_beta),
                                                     MUDNN_SIM_D(grad_out), MUDNN_SIM_D(in), MUDNN_SIM_D(mean),
                                                     MUDNN_SIM_D(inverse_deviation), MUDNN_SIM_D(gamma), size_t* size);
mudnnStatus_t mudnnLayerNormBackward(MUDNN_SIM_OP(LayerNorm), MUDNN_SIM_OUT(grad_in), MUDNN_SIM_OUT(grad_gamma),
                                     MUDNN_SIM_OUT(grad_beta), MUDNN_SIM_IN(grad_out), MUDNN_SIM_IN(in), MUDNN_SIM_IN(mean),
                                     MUDNN_SIM_IN(inverse_deviation), MUDNN_SIM_IN(gamma), MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnSetRMSNormDescriptor(mudnnRMSNormDescriptor_t descriptor, mudnnRMSNormMode_t mode, double epsilon,
                                        const int* axes, int count);
mudnnStatus_t mudnnRMSNormForward(MUDNN_SIM_OP(RMSNorm), MUDNN_SIM_OUT(out), MUDNN_SIM_OUT(inverse_root), MUDNN_SIM_IN(in),
                                  MUDNN_SIM_IN(gamma));
mudnnStatus_t mudnnGetRMSNormBackwardWorkspaceSize(MUDNN_SIM_OP(RMSNorm), MUDNN_SIM_OUT(grad_in), MUDNN_SIM_OUT(grad_gamma),
                                                   MUDNN_SIM_D(grad_out), MUDNN_SIM_D(in), MUDNN_SIM_D(inverse_root),
                                                   MUDNN_SIM_D(gamma), size_t* size);
mudnnStatus_t mudnnRMSNormBackward(MUDNN_SIM_OP(RMSNorm), MUDNN_SIM_OUT(grad_in), MUDNN_SIM_OUT(grad_gamma),
                                   MUDNN_SIM_IN(grad_out), MUDNN_SIM_IN(in), MUDNN_SIM_IN(inverse_root), MUDNN_SIM_IN(gamma),
                                   MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnSetGroupNormDescriptor(mudnnGroupNormDescriptor_t descriptor, double epsilon, int axis, int groups);
mudnnStatus_t mudnnGroupNorm(MUDNN_SIM_OP(GroupNorm), MUDNN_SIM_OUT(out), MUDNN_SIM_OUT(mean),
                             MUDNN_SIM_OUT(inverse_deviation), MUDNN_SIM_IN(in), MUDNN_SIM_IN(gamma), MUDNN_SIM_IN(beta));
mudnnStatus_t mudnnSetBatchNormDescriptor(mudnnBatchNormDescriptor_t descriptor, mudnnBatchNormMode_t mode, double epsilon,
                                          bool training);
mudnnStatus_t mudnnBatchNormForwardInference(MUDNN_SIM_OP(BatchNorm), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(in),
                                             MUDNN_SIM_IN(mean), MUDNN_SIM_IN(variance), MUDNN_SIM_IN(gamma),
                                             MUDNN_SIM_IN(beta));
mudnnStatus_t mudnnGetBatchNormForwardTrainingWorkspaceSize(MUDNN_SIM_OP(BatchNorm), MUDNN_SIM_D(out), MUDNN_SIM_D(in),
                                                            MUDNN_SIM_D(running_mean), MUDNN_SIM_D(running_variance),
                                                            MUDNN_SIM_D(mean), MUDNN_SIM_D(inverse_deviation),
                                                            MUDNN_SIM_D(gamma), MUDNN_SIM_D(beta), size_t* size);
mudnnStatus_t mudnnBatchNormForwardTraining(MUDNN_SIM_OP(BatchNorm), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(in),
                                            MUDNN_SIM_OUT(running_mean), MUDNN_SIM_OUT(running_variance),
                                            MUDNN_SIM_OUT(mean), MUDNN_SIM_OUT(inverse_deviation), MUDNN_SIM_IN(gamma),
                                            MUDNN_SIM_IN(beta), double momentum, MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnGetBatchNormBackwardWorkspaceSize(MUDNN_SIM_OP(BatchNorm), MUDNN_SIM_D(grad_in), MUDNN_SIM_D(grad_mean),
                                                     MUDNN_SIM_D(grad_variance), MUDNN_SIM_D(grad_gamma),
                                                     MUDNN_SIM_D(grad_beta), MUDNN_SIM_D(in), MUDNN_SIM_D(grad_out),
                                                     MUDNN_SIM_D(mean), MUDNN_SIM_D(deviation), MUDNN_SIM_D(gamma),
                                                     size_t* size);
mudnnStatus_t mudnnBatchNormBackward(MUDNN_SIM_OP(BatchNorm), MUDNN_SIM_OUT(grad_in), MUDNN_SIM_OUT(grad_mean),
                                     MUDNN_SIM_OUT(grad_variance), MUDNN_SIM_OUT(grad_gamma), MUDNN_SIM_OUT(grad_beta),
                                     MUDNN_SIM_IN(in), MUDNN_SIM_IN(grad_out), MUDNN_SIM_IN(mean), MUDNN_SIM_IN(deviation),
                                     MUDNN_SIM_IN(gamma), MUDNN_SIM_WORKSPACE);

mudnnStatus_t mudnnSetGluDescriptor(mudnnGluDescriptor_t descriptor, int axis);
mudnnStatus_t mudnnGlu(MUDNN_SIM_OP(Glu), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(in));
mudnnStatus_t mudnnSwiGluForward(MUDNN_SIM_OP(SwiGlu), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(in));
mudnnStatus_t mudnnSwiGluBackward(MUDNN_SIM_OP(SwiGlu), MUDNN_SIM_OUT(grad_in), MUDNN_SIM_IN(in), MUDNN_SIM_IN(grad_out));
mudnnStatus_t mudnnSetRopeDescriptor(mudnnRopeDescriptor_t descriptor, bool interleaved, bool batch_first, bool multi_latent);
mudnnStatus_t mudnnRopeForward(MUDNN_SIM_OP(Rope), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(in), MUDNN_SIM_IN(angles));
mudnnStatus_t mudnnRopeBackward(MUDNN_SIM_OP(Rope), MUDNN_SIM_OUT(grad_in), MUDNN_SIM_IN(grad_out), MUDNN_SIM_IN(angles));
/* Seed and offset: a number (UINT64), or a POINTER to one in the device's memory, to which `more` is added. */
mudnnStatus_t mudnnSetDropoutDescriptorEx(mudnnDropoutDescriptor_t descriptor, double p, double scale,
                                          mudnnParamDataType_t seed_type, const void* seed, mudnnParamDataType_t offset_type,
                                          const void* offset, uint64_t more);
mudnnStatus_t mudnnDropoutForwardEx(MUDNN_SIM_OP(Dropout), MUDNN_SIM_IN(in), MUDNN_SIM_OUT(out), MUDNN_SIM_OUT(mask));
mudnnStatus_t mudnnDropoutBackwardEx(MUDNN_SIM_OP(Dropout), MUDNN_SIM_OUT(grad_in), MUDNN_SIM_IN(grad_out),
                                     MUDNN_SIM_IN(mask));
mudnnStatus_t mudnnSetPoolingNdDescriptorEx(mudnnPoolingDescriptor_t descriptor, mudnnPoolingMode_t mode, int divisor,
                                            int dimensions, const int* window, const int* padding, const int* stride,
                                            const int* dilation);
mudnnStatus_t mudnnPoolingForwardEx(MUDNN_SIM_OP(Pooling), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(in), MUDNN_SIM_OUT(indices));
mudnnStatus_t mudnnPoolingBackwardEx(MUDNN_SIM_OP(Pooling), MUDNN_SIM_OUT(grad_in), MUDNN_SIM_IN(grad_out),
                                     MUDNN_SIM_IN(indices));
mudnnStatus_t mudnnSetInterpolateDescriptor(mudnnInterpolateDescriptor_t descriptor, mudnnInterpolateMode_t mode, int count,
                                            const float* scales, bool align_corners, bool antialias);
mudnnStatus_t mudnnInterpolateForward(MUDNN_SIM_OP(Interpolate), MUDNN_SIM_OUT(out), MUDNN_SIM_IN(in));
mudnnStatus_t mudnnInterpolateBackward(MUDNN_SIM_OP(Interpolate), MUDNN_SIM_OUT(grad_in), MUDNN_SIM_IN(grad_out));

mudnnStatus_t mudnnSetNLLLossDescriptor(mudnnNLLLossDescriptor_t descriptor, mudnnLossReduceMode_t mode, int ignored);
mudnnStatus_t mudnnGetNLLLossForwardWorkspaceSize(MUDNN_SIM_OP(NLLLoss), MUDNN_SIM_D(in), MUDNN_SIM_D(target),
                                                  MUDNN_SIM_D(weight), MUDNN_SIM_D(out), MUDNN_SIM_D(total_weight),
                                                  size_t* size);
mudnnStatus_t mudnnNLLLossForward(MUDNN_SIM_OP(NLLLoss), MUDNN_SIM_IN(in), MUDNN_SIM_IN(target), MUDNN_SIM_IN(weight),
                                  MUDNN_SIM_OUT(out), MUDNN_SIM_OUT(total_weight), MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnGetNLLLossBackwardWorkspaceSize(MUDNN_SIM_OP(NLLLoss), MUDNN_SIM_D(grad_out), MUDNN_SIM_D(target),
                                                   MUDNN_SIM_D(weight), MUDNN_SIM_D(total_weight), MUDNN_SIM_D(grad_in),
                                                   size_t* size);
mudnnStatus_t mudnnNLLLossBackward(MUDNN_SIM_OP(NLLLoss), MUDNN_SIM_IN(grad_out), MUDNN_SIM_IN(target), MUDNN_SIM_IN(weight),
                                   MUDNN_SIM_IN(total_weight), MUDNN_SIM_OUT(grad_in), MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnSetKLDivLossDescriptor(mudnnKLDivLossDescriptor_t descriptor, mudnnLossReduceMode_t mode, bool log_target);
mudnnStatus_t mudnnGetKLDivLossForwardWorkspaceSize(MUDNN_SIM_OP(KLDivLoss), MUDNN_SIM_D(in), MUDNN_SIM_D(target),
                                                    MUDNN_SIM_D(out), size_t* size);
mudnnStatus_t mudnnKLDivLossForward(MUDNN_SIM_OP(KLDivLoss), MUDNN_SIM_IN(in), MUDNN_SIM_IN(target), MUDNN_SIM_WORKSPACE,
                                    MUDNN_SIM_OUT(out));
mudnnStatus_t mudnnGetKLDivLossBackwardWorkspaceSize(MUDNN_SIM_OP(KLDivLoss), MUDNN_SIM_D(grad_out), MUDNN_SIM_D(in),
                                                     MUDNN_SIM_D(target), MUDNN_SIM_D(grad_in), size_t* size);
mudnnStatus_t mudnnKLDivLossBackward(MUDNN_SIM_OP(KLDivLoss), MUDNN_SIM_IN(grad_out), MUDNN_SIM_IN(in), MUDNN_SIM_IN(target),
                                     MUDNN_SIM_WORKSPACE, MUDNN_SIM_OUT(grad_in));
mudnnStatus_t mudnnSetCrossEntropyLossDescriptor(mudnnCrossEntropyLossDescriptor_t descriptor, mudnnLossReduceMode_t mode,
                                                 int64_t ignored, float smoothing);
mudnnStatus_t mudnnGetCrossEntropyLossForwardWorkspaceSize(MUDNN_SIM_OP(CrossEntropyLoss), MUDNN_SIM_D(in),
                                                           MUDNN_SIM_D(target), MUDNN_SIM_D(weight), MUDNN_SIM_D(out),
                                                           size_t* size);
mudnnStatus_t mudnnCrossEntropyLossForward(MUDNN_SIM_OP(CrossEntropyLoss), MUDNN_SIM_IN(in), MUDNN_SIM_IN(target),
                                           MUDNN_SIM_IN(weight), MUDNN_SIM_WORKSPACE, MUDNN_SIM_OUT(out));
mudnnStatus_t mudnnGetCrossEntropyLossBackwardWorkspaceSize(MUDNN_SIM_OP(CrossEntropyLoss), MUDNN_SIM_D(in),
                                                            MUDNN_SIM_D(grad_out), MUDNN_SIM_D(target), MUDNN_SIM_D(weight),
                                                            MUDNN_SIM_D(grad_in), size_t* size);
mudnnStatus_t mudnnCrossEntropyLossBackward(MUDNN_SIM_OP(CrossEntropyLoss), MUDNN_SIM_IN(in), MUDNN_SIM_IN(grad_out),
                                            MUDNN_SIM_IN(target), MUDNN_SIM_IN(weight), MUDNN_SIM_WORKSPACE,
                                            MUDNN_SIM_OUT(grad_in));
mudnnStatus_t mudnnSetCTCLossDescriptor_v10(mudnnCTCLossDescriptor_t descriptor, int64_t blank, bool zero_infinity,
                                            int64_t longest_target);
mudnnStatus_t mudnnCTCLoss_v10(MUDNN_SIM_OP(CTCLoss), MUDNN_SIM_OUT(out), MUDNN_SIM_OUT(log_alpha), MUDNN_SIM_IN(in),
                               MUDNN_SIM_IN(targets), MUDNN_SIM_IN(in_lengths), MUDNN_SIM_IN(target_lengths));
mudnnStatus_t mudnnCTCLossGetWorkspaceSize_v10(MUDNN_SIM_OP(CTCLoss), MUDNN_SIM_D(grad_in), MUDNN_SIM_D(grad_out),
                                               MUDNN_SIM_D(in), MUDNN_SIM_D(targets), MUDNN_SIM_D(in_lengths),
                                               MUDNN_SIM_D(target_lengths), MUDNN_SIM_D(loss), MUDNN_SIM_D(log_alpha),
                                               size_t* size);
mudnnStatus_t mudnnCTCLossBackward_v10(MUDNN_SIM_OP(CTCLoss), MUDNN_SIM_OUT(grad_in), MUDNN_SIM_IN(grad_out),
                                       MUDNN_SIM_IN(in), MUDNN_SIM_IN(targets), MUDNN_SIM_IN(in_lengths),
                                       MUDNN_SIM_IN(target_lengths), MUDNN_SIM_IN(loss), MUDNN_SIM_IN(log_alpha),
                                       MUDNN_SIM_WORKSPACE);

/* Attention. A scale of 0 is the usual one, 1 / sqrt(elements). With dropout, here each call draws weights of its own: the
 * seeds are ignored. */
#define MUDNN_SIM_ATTENTION                                                                                              \
    mudnnScaledDotProductAttentionDescriptor_t descriptor, mudnnMathType_t math, int embed_dim, int batch_size, int heads, \
        double scale, bool padding_mask
#define MUDNN_SIM_DROPOUT                                                                                      \
    double p, uint64_t seed, uint64_t offset, int dropout_mode, uint64_t *device_seed, uint64_t *device_offset, \
        uint64_t graph_offset
mudnnStatus_t mudnnSetScaledDotProductAttentionDescriptor(MUDNN_SIM_ATTENTION, bool key_transposed, bool training, bool causal,
                                                          bool deterministic);
mudnnStatus_t mudnnSetScaledDotProductAttentionDescriptorEx(MUDNN_SIM_ATTENTION, bool key_transposed, bool training,
                                                            bool causal, bool deterministic, MUDNN_SIM_DROPOUT);
mudnnStatus_t mudnnSetScaledDotProductAttentionVarlenDescriptor(MUDNN_SIM_ATTENTION, bool training, bool causal,
                                                                bool deterministic, int longest_query, int longest_key);
mudnnStatus_t mudnnSetScaledDotProductAttentionVarlenDescriptorEx(MUDNN_SIM_ATTENTION, bool training, bool causal,
                                                                  bool deterministic, int longest_query, int longest_key,
                                                                  MUDNN_SIM_DROPOUT);
mudnnStatus_t mudnnScaledDotProductAttentionMathForwardGetWorkspaceSize(
    MUDNN_SIM_OP(ScaledDotProductAttention), MUDNN_SIM_D(weights), MUDNN_SIM_D(query), MUDNN_SIM_D(key), MUDNN_SIM_D(value),
    MUDNN_SIM_IN(mask), MUDNN_SIM_D(dropout_mask), MUDNN_SIM_D(out), size_t* size);
mudnnStatus_t mudnnScaledDotProductAttentionMathForward(mudnnHandle_t handle, MUDNN_SIM_OUT(weights), MUDNN_SIM_IN(query),
                                                        MUDNN_SIM_IN(key), MUDNN_SIM_IN(value), MUDNN_SIM_IN(mask),
                                                        mudnnScaledDotProductAttentionDescriptor_t descriptor,
                                                        MUDNN_SIM_OUT(dropout_mask), MUDNN_SIM_OUT(out),
                                                        MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnScaledDotProductAttentionMathBackwardGetWorkspaceSize(MUDNN_SIM_OP(ScaledDotProductAttention),
                                                                         MUDNN_SIM_D(grad_out), MUDNN_SIM_D(query),
                                                                         MUDNN_SIM_D(key), MUDNN_SIM_D(value),
                                                                         MUDNN_SIM_D(dropout_mask), size_t* size);
mudnnStatus_t mudnnScaledDotProductAttentionMathBackward(
    mudnnHandle_t handle, MUDNN_SIM_OUT(grad_weights), MUDNN_SIM_IN(grad_out), MUDNN_SIM_IN(query), MUDNN_SIM_IN(key),
    MUDNN_SIM_IN(value), MUDNN_SIM_IN(weights), MUDNN_SIM_IN(dropout_mask),
    mudnnScaledDotProductAttentionDescriptor_t descriptor, MUDNN_SIM_OUT(grad_query), MUDNN_SIM_OUT(grad_key),
    MUDNN_SIM_OUT(grad_value), MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnScaledDotProductAttentionFlashForward(mudnnHandle_t handle, MUDNN_SIM_OUT(log_sums), MUDNN_SIM_IN(query),
                                                         MUDNN_SIM_IN(key), MUDNN_SIM_IN(value), MUDNN_SIM_IN(mask),
                                                         mudnnScaledDotProductAttentionDescriptor_t descriptor,
                                                         MUDNN_SIM_OUT(dropout_mask), MUDNN_SIM_OUT(out));
mudnnStatus_t mudnnScaledDotProductAttentionFlashBackwardGetWorkspaceSize(
    MUDNN_SIM_OP(ScaledDotProductAttention), MUDNN_SIM_D(grad_out), MUDNN_SIM_D(query), MUDNN_SIM_D(key), MUDNN_SIM_D(value),
    MUDNN_SIM_D(mask), MUDNN_SIM_D(out), MUDNN_SIM_D(log_sums), MUDNN_SIM_D(dropout_mask), MUDNN_SIM_D(grad_query),
    MUDNN_SIM_D(grad_key), MUDNN_SIM_D(grad_value), size_t* size);
mudnnStatus_t mudnnScaledDotProductAttentionFlashBackward(
    mudnnHandle_t handle, MUDNN_SIM_IN(grad_out), MUDNN_SIM_IN(query), MUDNN_SIM_IN(key), MUDNN_SIM_IN(value),
    MUDNN_SIM_IN(mask), MUDNN_SIM_IN(out), MUDNN_SIM_IN(log_sums), MUDNN_SIM_IN(dropout_mask),
    mudnnScaledDotProductAttentionDescriptor_t descriptor, MUDNN_SIM_OUT(grad_query), MUDNN_SIM_OUT(grad_key),
    MUDNN_SIM_OUT(grad_value), MUDNN_SIM_WORKSPACE);
mudnnStatus_t mudnnScaledDotProductAttentionFlashVarlenForward(
    mudnnHandle_t handle, MUDNN_SIM_OUT(log_sums), MUDNN_SIM_IN(query), MUDNN_SIM_IN(key), MUDNN_SIM_IN(value),
    MUDNN_SIM_IN(mask), MUDNN_SIM_IN(query_begins), MUDNN_SIM_IN(key_begins),
    mudnnScaledDotProductAttentionDescriptor_t descriptor, MUDNN_SIM_OUT(dropout_mask), MUDNN_SIM_OUT(out));
mudnnStatus_t mudnnScaledDotProductAttentionFlashVarlenBackwardGetWorkspaceSize(
    MUDNN_SIM_OP(ScaledDotProductAttention), MUDNN_SIM_D(grad_out), MUDNN_SIM_D(query), MUDNN_SIM_D(key), MUDNN_SIM_D(value),
    MUDNN_SIM_D(mask), MUDNN_SIM_D(out), MUDNN_SIM_D(log_sums), MUDNN_SIM_D(dropout_mask), MUDNN_SIM_D(query_begins),
    MUDNN_SIM_D(key_begins), MUDNN_SIM_D(grad_query), MUDNN_SIM_D(grad_key), MUDNN_SIM_D(grad_value), size_t* size);
mudnnStatus_t mudnnScaledDotProductAttentionFlashVarlenBackward(
    mudnnHandle_t handle, MUDNN_SIM_IN(grad_out), MUDNN_SIM_IN(query), MUDNN_SIM_IN(key), MUDNN_SIM_IN(value),
    MUDNN_SIM_IN(mask), MUDNN_SIM_IN(out), MUDNN_SIM_IN(log_sums), MUDNN_SIM_IN(dropout_mask), MUDNN_SIM_IN(query_begins),
    MUDNN_SIM_IN(key_begins), mudnnScaledDotProductAttentionDescriptor_t descriptor, MUDNN_SIM_OUT(grad_query),
    MUDNN_SIM_OUT(grad_key), MUDNN_SIM_OUT(grad_value), MUDNN_SIM_WORKSPACE);

#undef MUDNN_SIM_D
#undef MUDNN_SIM_IN
#undef MUDNN_SIM_OUT
#undef MUDNN_SIM_OP
#undef MUDNN_SIM_WORKSPACE
#undef MUDNN_SIM_ATTENTION
#undef MUDNN_SIM_DROPOUT

#ifdef __cplusplus
}
#endif

#if defined(__cplusplus) && !defined(TORCH_MUSA_USE_MUDNN_C_API)
#include "mudnncxx/mudnn.h"
#endif

#endif
