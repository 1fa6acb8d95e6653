// The C interface: each function builds the tensors of the C++ interface and calls the class of its name.
#include <mudnn.h>

#include <new>

#include "../exported.h"
#include "elements.h"

// Descriptors. An operation's is unset until its setter has succeeded; those without a setter are always set.
struct mudnnHandleStruct {
    explicit mudnnHandleStruct(int device) : handle(device) {}
    musa::dnn::Handle handle;
};

struct mudnnTensorStruct {
    musa::dnn::Tensor tensor;
    bool is_set = false;
};
struct mudnnFilterStruct : mudnnTensorStruct {};

template <class Operation, bool has_setter = true>
struct MudnnOperation {
    Operation operation;
    bool is_set = !has_setter;
};

struct mudnnActivationStruct : MudnnOperation<musa::dnn::Convolution::FusedActivationDesc> {};
struct mudnnMatMulLtParamStruct : MudnnOperation<musa::dnn::MatMulLtParam, false> {};
struct mudnnBatchMatMulStruct : MudnnOperation<musa::dnn::BatchMatMul> {
    musa::dnn::MatMul of_two;  // with the same settings
};
struct mudnnGroupedMatMulStruct : MudnnOperation<musa::dnn::MatMul> {};
struct mudnnUnaryStruct : MudnnOperation<musa::dnn::Unary> {};
struct mudnnBinaryStruct : MudnnOperation<musa::dnn::Binary> {};
struct mudnnTernaryStruct : MudnnOperation<musa::dnn::Ternary> {};
struct mudnnDotStruct : MudnnOperation<musa::dnn::Dot, false> {};
struct mudnnConvolutionStruct : MudnnOperation<musa::dnn::Convolution> {};
struct mudnnSoftmaxStruct : MudnnOperation<musa::dnn::Softmax> {};
struct mudnnReduceStruct : MudnnOperation<musa::dnn::Reduce> {};
struct mudnnCumStruct : MudnnOperation<musa::dnn::Cum> {};
struct mudnnFillStruct : MudnnOperation<musa::dnn::Fill> {};
struct mudnnPermuteStruct : MudnnOperation<musa::dnn::Permute, false> {};
struct mudnnConcatStruct : MudnnOperation<musa::dnn::Concat> {};
struct mudnnPadStruct : MudnnOperation<musa::dnn::Pad> {};
struct mudnnScatterStruct : MudnnOperation<musa::dnn::Scatter> {};
struct mudnnNonzeroStruct : MudnnOperation<musa::dnn::Nonzero, false> {};
struct mudnnMaskedSelectStruct : MudnnOperation<musa::dnn::MaskedSelect, false> {};
struct mudnnMaskedScatterStruct : MudnnOperation<musa::dnn::MaskedScatter, false> {};
struct mudnnSortStruct : MudnnOperation<musa::dnn::Sort> {};
struct mudnnSortByKeyStruct : MudnnOperation<musa::dnn::SortByKey> {};
struct mudnnTopKStruct : MudnnOperation<musa::dnn::TopK> {};
struct mudnnLayerNormStruct : MudnnOperation<musa::dnn::LayerNorm> {};
struct mudnnRMSNormStruct : MudnnOperation<musa::dnn::RMSNorm> {};
struct mudnnGroupNormStruct : MudnnOperation<musa::dnn::GroupNorm> {};
struct mudnnBatchNormStruct : MudnnOperation<musa::dnn::BatchNorm> {};
struct mudnnGluStruct : MudnnOperation<musa::dnn::Glu> {};
struct mudnnSwiGluStruct : MudnnOperation<musa::dnn::SwiGlu, false> {};
struct mudnnRopeStruct : MudnnOperation<musa::dnn::Rope> {};
struct mudnnDropoutStruct : MudnnOperation<musa::dnn::Dropout> {};
struct mudnnPoolingStruct : MudnnOperation<musa::dnn::Pooling> {};
struct mudnnInterpolateStruct : MudnnOperation<musa::dnn::Interpolate> {};
struct mudnnNLLLossStruct : MudnnOperation<musa::dnn::NLLLoss> {};
struct mudnnKLDivLossStruct : MudnnOperation<musa::dnn::KLDivLoss> {};
struct mudnnCrossEntropyLossStruct : MudnnOperation<musa::dnn::CrossEntropyLoss> {};
struct mudnnCTCLossStruct : MudnnOperation<musa::dnn::CTCLoss> {};
struct mudnnScaledDotProductAttentionStruct : MudnnOperation<musa::dnn::ScaledDotProductAttention> {};

namespace mudnn::c_interface {

using namespace musa::dnn;

// A status that ends a function, wherever it is found.
struct Refusal {
    Status status;
};

void need(bool condition, Status otherwise = Status::INVALID_PARAMETER) {
    if (!condition) throw Refusal{otherwise};
}

void need(Status status) { need(status == Status::SUCCESS, status); }

// The numbers of both enumerations are the same.
mudnnStatus_t in_c(Status status) { return static_cast<mudnnStatus_t>(status); }

// Call `use`, which returns a Status or nothing. No exception leaves.
template <class Use>
mudnnStatus_t guarded(Use use) noexcept {
    try {
        if constexpr (std::is_void_v<decltype(use())>) {
            use();
            return MUDNN_STATUS_SUCCESS;
        } else {
            return in_c(use());
        }
    } catch (const Refusal& refusal) {
        return in_c(refusal.status);
    } catch (const std::bad_alloc&) {
        return MUDNN_STATUS_ALLOC_FAILED;
    } catch (...) {
        return MUDNN_STATUS_INTERNAL_ERROR;
    }
}

template <class Struct>
mudnnStatus_t create(Struct** descriptor) {
    return guarded([&] {
        need(descriptor);
        *descriptor = new Struct();
    });
}

// Run `use` on the handle and the operation of a descriptor that has been set.
template <class Struct, class Use>
mudnnStatus_t run(mudnnHandle_t handle, Struct* descriptor, Use use) {
    return guarded([&] {
        need(handle && descriptor && descriptor->is_set);
        return use(handle->handle, descriptor->operation);
    });
}

// Replace the operation of a descriptor by one that `use` sets up.
template <class Struct, class Use>
mudnnStatus_t set(Struct* descriptor, Use use) {
    return guarded([&] {
        need(descriptor);
        Struct made;
        use(made.operation);
        made.is_set = true;
        *descriptor = made;
    });
}

mudnnStatus_t no_workspace(mudnnHandle_t handle, bool is_operation, size_t* size) {
    if (!handle || !is_operation || !size) return MUDNN_STATUS_INVALID_PARAMETER;
    *size = 0;
    return MUDNN_STATUS_SUCCESS;
}

// A tensor that may be left out: it is empty without a descriptor or an address.
Tensor optional(const mudnnTensorStruct* descriptor, const void* address) {
    if (!descriptor || !address) return {};
    need(descriptor->is_set);
    Tensor tensor = descriptor->tensor;
    tensor.SetAddr(address);
    return tensor;
}

Tensor needed(const mudnnTensorStruct* descriptor, const void* address) {
    need(descriptor && descriptor->is_set && (address || count(descriptor->tensor.sizes()) == 0));
    Tensor tensor = descriptor->tensor;
    tensor.SetAddr(address);
    return tensor;
}

#define NEEDED(NAME) needed(NAME##_descriptor, NAME)
#define OPTIONAL(NAME) optional(NAME##_descriptor, NAME)

// A parameter of an operation.
struct Param {
    Param(mudnnParamDataType_t type, const void* at) : type(type), at(at) { need(at || type == MUDNN_PARAM_DATA_NONE); }

    bool is_given() const { return type != MUDNN_PARAM_DATA_NONE; }

    // Call `use` with the number.
    template <class Use>
    void with(Use use) const {
        switch (type) {
            case MUDNN_PARAM_DATA_NONE: return;
            case MUDNN_PARAM_DATA_DOUBLE: return need(use(*static_cast<const double*>(at)));
            case MUDNN_PARAM_DATA_INT64: return need(use(*static_cast<const int64_t*>(at)));
            default: throw Refusal{Status::NOT_SUPPORTED};
        }
    }

    mudnnParamDataType_t type;
    const void* at;
};

template <class Operation>
void set_alpha(Operation& operation, const Param& alpha) {
    alpha.with([&](auto number) { return operation.SetAlpha(number); });
}

Tensor::Type type_of(mudnnDataType_t type) {
    switch (type) {
        case MUDNN_DATA_FLOAT: return Tensor::Type::FLOAT;
        case MUDNN_DATA_DOUBLE: return Tensor::Type::DOUBLE;
        case MUDNN_DATA_HALF: return Tensor::Type::HALF;
        case MUDNN_DATA_BFLOAT16: return Tensor::Type::BFLOAT16;
        case MUDNN_DATA_BOOLEAN: return Tensor::Type::BOOL;
        case MUDNN_DATA_INT8: return Tensor::Type::INT8;
        case MUDNN_DATA_INT16: return Tensor::Type::INT16;
        case MUDNN_DATA_INT32: return Tensor::Type::INT32;
        case MUDNN_DATA_INT64: return Tensor::Type::INT64;
        case MUDNN_DATA_UINT8: return Tensor::Type::UINT8;
        case MUDNN_DATA_UINT16: return Tensor::Type::UINT16;
        case MUDNN_DATA_UINT32: return Tensor::Type::UINT32;
        case MUDNN_DATA_UINT64: return Tensor::Type::UINT64;
        case MUDNN_DATA_QINT8: return Tensor::Type::QINT8;
        case MUDNN_DATA_FP8_E5M2: return Tensor::Type::FP8_E5M2;
        case MUDNN_DATA_FP8_E4M3: return Tensor::Type::FP8_E4M3;
    }
    throw Refusal{Status::INVALID_PARAMETER};
}

mudnnDataType_t in_c(Tensor::Type type) {
    for (int each = MUDNN_DATA_FLOAT; each <= MUDNN_DATA_FP8_E4M3; ++each) {
        if (type_of(static_cast<mudnnDataType_t>(each)) == type) return static_cast<mudnnDataType_t>(each);
    }
    throw Refusal{Status::INTERNAL_ERROR};
}

Tensor::Format format_of(mudnnTensorFormat_t format) {
    switch (format) {
        case MUDNN_TENSOR_NCW: return Tensor::Format::NCW;
        case MUDNN_TENSOR_NWC: return Tensor::Format::NWC;
        case MUDNN_TENSOR_NCHW: return Tensor::Format::NCHW;
        case MUDNN_TENSOR_NHWC: return Tensor::Format::NHWC;
        case MUDNN_TENSOR_HWCN: return Tensor::Format::HWCN;
        case MUDNN_TENSOR_NCDHW: return Tensor::Format::NCDHW;
        case MUDNN_TENSOR_NDHWC: return Tensor::Format::NDHWC;
        case MUDNN_TENSOR_DHWCN: return Tensor::Format::DHWCN;
    }
    throw Refusal{Status::INVALID_PARAMETER};
}

// The modes that the classes compute: those of the same names.
#define MODE(NAME) \
    case PREFIX(NAME): return Mode::NAME;

Unary::Mode mode_of(mudnnUnaryMode_t mode) {
    using Mode = Unary::Mode;
#define PREFIX(NAME) MUDNN_UNARY_##NAME
    switch (mode) {
        MODE(ADD) MODE(SUB) MODE(MUL) MODE(POW) MODE(SQRT) MODE(ROUND) MODE(RSQRT) MODE(RECIPROCAL) MODE(SQUARE) MODE(EXP)
        MODE(LOG) MODE(LOG10) MODE(LOG2) MODE(LOG1P) MODE(SIN) MODE(COS) MODE(TAN) MODE(ATAN) MODE(LT) MODE(LE) MODE(GT)
        MODE(GE) MODE(EQ) MODE(NE) MODE(CEIL) MODE(FLOOR) MODE(SIGMOID) MODE(RELU) MODE(LEAKY_RELU) MODE(TANH) MODE(CLIP)
        MODE(ELU) MODE(SILU) MODE(SOFTPLUS) MODE(GELU) MODE(GELU_TANH) MODE(ABS) MODE(ERF) MODE(IDENTITY) MODE(TRUEDIV)
        MODE(FLOORDIV) MODE(TRUNCATEDIV) MODE(FLOORMOD) MODE(SUB_BY_ALPHA) MODE(CAST) MODE(SIGN)
        default: throw Refusal{Status::NOT_SUPPORTED};
    }
#undef PREFIX
}

Binary::Mode mode_of(mudnnBinaryMode_t mode) {
    using Mode = Binary::Mode;
#define PREFIX(NAME) MUDNN_BINARY_##NAME
    switch (mode) {
        MODE(ADD) MODE(SUB) MODE(MUL) MODE(DIV) MODE(POW) MODE(LOGICAL_AND) MODE(LOGICAL_OR) MODE(LOGICAL_XOR) MODE(LT)
        MODE(LE) MODE(GT) MODE(GE) MODE(EQ) MODE(NE) MODE(MAX) MODE(MIN) MODE(PRELU) MODE(LEAKY_RELU_BW) MODE(THRESHOLD_BW)
        MODE(SIGMOID_BW) MODE(SILU_BW) MODE(TANH_BW) MODE(GELU_NONE_BW) MODE(GELU_TANH_BW) MODE(RSQRT_BW) MODE(TRUEDIV)
        MODE(FLOORDIV) MODE(TRUNCATEDIV) MODE(FLOORMOD) MODE(DIVNONAN)
        default: throw Refusal{Status::NOT_SUPPORTED};
    }
#undef PREFIX
}

Ternary::Mode mode_of(mudnnTernaryMode_t mode) {
    using Mode = Ternary::Mode;
#define PREFIX(NAME) MUDNN_TERNARY_##NAME
    switch (mode) {
        MODE(SELECT) MODE(ADDCMUL) MODE(ADDCMUL_ALPHA) MODE(ADDCDIV) MODE(ADDCDIV_ALPHA) MODE(CLAMP)
        default: throw Refusal{Status::NOT_SUPPORTED};
    }
#undef PREFIX
}

Reduce::Mode mode_of(mudnnReduceMode_t mode) {
    using Mode = Reduce::Mode;
#define PREFIX(NAME) MUDNN_REDUCE_##NAME
    switch (mode) {
        MODE(MAX) MODE(ADD) MODE(MEAN) MODE(MIN) MODE(PROD) MODE(AND) MODE(NORM) MODE(OR) MODE(VARIANCE) MODE(STD)
        default: throw Refusal{Status::NOT_SUPPORTED};
    }
#undef PREFIX
}

Pad::Mode mode_of(mudnnPadMode_t mode) {
    using Mode = Pad::Mode;
#define PREFIX(NAME) MUDNN_PAD_MODE_##NAME
    switch (mode) {
        MODE(CONSTANT) MODE(REFLECT) MODE(REPLICATE) MODE(CIRCULAR)
        default: throw Refusal{Status::NOT_SUPPORTED};
    }
#undef PREFIX
}

Scatter::Mode mode_of(mudnnScatterMode_t mode) {
    using Mode = Scatter::Mode;
#define PREFIX(NAME) MUDNN_SCATTER_MODE_##NAME
    switch (mode) {
        MODE(UPDATE_ONLY) MODE(ADD) MODE(SUB)
        default: throw Refusal{Status::NOT_SUPPORTED};
    }
#undef PREFIX
}

Interpolate::Mode mode_of(mudnnInterpolateMode_t mode) {
    using Mode = Interpolate::Mode;
#define PREFIX(NAME) MUDNN_INTERPOLATE_##NAME
    switch (mode) {
        MODE(NEAREST) MODE(NEAREST_EXACT) MODE(LINEAR) MODE(BICUBIC)
        default: throw Refusal{Status::NOT_SUPPORTED};
    }
#undef PREFIX
}

template <class Mode>
Mode mode_of(mudnnLossReduceMode_t mode) {
#define PREFIX(NAME) MUDNN_LOSS_REDUCE_MODE_##NAME
    switch (mode) {
        MODE(NONE) MODE(MEAN) MODE(SUM)
        default: throw Refusal{Status::NOT_SUPPORTED};
    }
#undef PREFIX
}
#undef MODE

Pooling::Mode mode_of(mudnnPoolingMode_t mode) {
    switch (mode) {
        case MUDNN_POOLING_MAX: return Pooling::Mode::MAXPOOL;
        case MUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING: return Pooling::Mode::AVGPOOL_COUNT_PAD;
        case MUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING: return Pooling::Mode::AVGPOOL_COUNT_WITHOUT_PAD;
        case MUDNN_POOLING_GLOBAL_AVGPOOL: return Pooling::Mode::GLOBAL_AVGPOOL;
        case MUDNN_POOLING_ADAPTIVE_MAXPOOL: return Pooling::Mode::ADAPTIVE_MAXPOOL;
        case MUDNN_POOLING_ADAPTIVE_AVGPOOL: return Pooling::Mode::ADAPTIVE_AVGPOOL;
    }
    throw Refusal{Status::NOT_SUPPORTED};
}

void set_sizes(mudnnTensorStruct* descriptor, mudnnTensorFormat_t format, mudnnDataType_t type, int dimensions,
               const int64_t* sizes, const int64_t* strides, float scale) {
    need(descriptor && dimensions >= 0 && dimensions <= MUDNN_DIM_MAX && (sizes || dimensions == 0));
    for (int i = 0; i < dimensions; ++i) need(sizes[i] >= 0);
    mudnnTensorStruct made;
    need(made.tensor.SetType(type_of(type)));
    need(made.tensor.SetFormat(format_of(format)));
    need(made.tensor.SetQuantizationInfo(scale));
    need(strides ? made.tensor.SetNdInfo(dimensions, sizes, strides) : made.tensor.SetNdInfo(dimensions, sizes));
    made.is_set = true;
    *descriptor = made;
}

// Give a descriptor the sizes that an operation gave its result.
Status resized(Status status, mudnnTensorStruct* descriptor, const Tensor& result) {
    if (status == Status::SUCCESS) {
        need(descriptor->tensor.SetNdInfo(static_cast<int64_t>(result.sizes().size()), result.sizes().data(),
                                          result.strides().data()));
    }
    return status;
}

template <class Product>
void set_product(Product& product, bool transpose_a, bool transpose_b, double alpha, double beta, double gamma) {
    need(product.SetTranspose(transpose_a, transpose_b));
    need(product.SetAlpha(alpha));
    need(product.SetBeta(beta));
    need(product.SetGamma(gamma));
}

MatMulLtParam lt_param(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d, int tile, bool transposed) {
    MatMulLtParam param;
    need(param.SetScale(a, b, c, d, tile == 0 ? 128 : tile, transposed));
    return param;
}

// The factors of a convolution, which it computes without them.
void need_factors(const void* alpha, const void* beta) {
    need(alpha && beta);
    need(*static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0, Status::NOT_SUPPORTED);
}

// The one algorithm that there is.
template <class Result>
mudnnStatus_t one_algorithm(bool are_given, int requested, int* returned, Result* results) {
    return guarded([&] {
        need(are_given && requested > 0 && returned && results);
        *results = Result{};  // IMPLICIT_GEMM, which takes no time and no memory
        *returned = 1;
    });
}

void set_axes(Norm& norm, double epsilon, int count, const int* axes) {
    need(count > 0 && axes);
    need(norm.SetAxis(count, axes));
    need(norm.SetEpsilon(epsilon));
}

template <class Order>
void set_order(Order& order, int dimension, bool stable, bool descending) {
    need(order.SetDim(dimension));
    need(order.SetStable(stable));
    need(order.SetDescending(descending));
}

// `two` are the settings that only attention of equal or only of various lengths has.
template <class Two>
mudnnStatus_t set_attention(mudnnScaledDotProductAttentionDescriptor_t descriptor, int embed_dim, int batch_size, int heads,
                            double scale, bool padding_mask, bool training, bool causal, bool deterministic, double p,
                            Two two) {
    return set(descriptor, [&](ScaledDotProductAttention& attention) {
        need(attention.SetEmbedDim(embed_dim));
        need(attention.SetBatchSize(batch_size));
        need(attention.SetHeadsNum(heads));
        if (scale != 0) need(attention.SetScale(scale));
        need(attention.SetMaskMode(padding_mask));
        need(attention.SetTraining(training));
        need(attention.SetCausal(causal));
        need(attention.SetIsDeterministic(deterministic));
        need(attention.SetDropoutP(p));
        two(attention);
    });
}

// The arguments of the interface: a descriptor of a tensor, that and its address, an operation's first arguments.
#define D(NAME) mudnnTensorDescriptor_t NAME##_descriptor
#define IN(NAME) mudnnTensorDescriptor_t NAME##_descriptor, const void* NAME
#define OUT(NAME) mudnnTensorDescriptor_t NAME##_descriptor, void* NAME
#define OP(NAME) mudnnHandle_t handle, mudnn##NAME##Descriptor_t descriptor
#define WORKSPACE void*, size_t

// A function that tells how large a workspace an operation needs.
#define NO_WORKSPACE(FUNCTION, NAME, ...)                                          \
    MUSA_EXPORT mudnnStatus_t FUNCTION(OP(NAME), __VA_ARGS__, size_t* size) {      \
        return no_workspace(handle, descriptor, size);                            \
    }

#define DESCRIPTOR(NAME)                                                                                      \
    MUSA_EXPORT mudnnStatus_t mudnnCreate##NAME##Descriptor(mudnn##NAME##Descriptor_t* descriptor) {          \
        return create(descriptor);                                                                            \
    }                                                                                                         \
    MUSA_EXPORT mudnnStatus_t mudnnDestroy##NAME##Descriptor(mudnn##NAME##Descriptor_t descriptor) {          \
        delete descriptor;                                                                                    \
        return MUDNN_STATUS_SUCCESS;                                                                          \
    }
DESCRIPTOR(Tensor)
DESCRIPTOR(Filter)
DESCRIPTOR(Activation)
DESCRIPTOR(Unary)
DESCRIPTOR(Binary)
DESCRIPTOR(Ternary)
DESCRIPTOR(BatchMatMul)
DESCRIPTOR(GroupedMatMul)
DESCRIPTOR(MatMulLtParam)
DESCRIPTOR(Dot)
DESCRIPTOR(Convolution)
DESCRIPTOR(Softmax)
DESCRIPTOR(Reduce)
DESCRIPTOR(Cum)
DESCRIPTOR(Fill)
DESCRIPTOR(Permute)
DESCRIPTOR(Concat)
DESCRIPTOR(Pad)
DESCRIPTOR(Scatter)
DESCRIPTOR(Nonzero)
DESCRIPTOR(MaskedSelect)
DESCRIPTOR(MaskedScatter)
DESCRIPTOR(Sort)
DESCRIPTOR(SortByKey)
DESCRIPTOR(TopK)
DESCRIPTOR(LayerNorm)
DESCRIPTOR(RMSNorm)
DESCRIPTOR(GroupNorm)
DESCRIPTOR(BatchNorm)
DESCRIPTOR(Glu)
DESCRIPTOR(SwiGlu)
DESCRIPTOR(Rope)
DESCRIPTOR(Dropout)
DESCRIPTOR(Pooling)
DESCRIPTOR(Interpolate)
DESCRIPTOR(NLLLoss)
DESCRIPTOR(KLDivLoss)
DESCRIPTOR(CrossEntropyLoss)
DESCRIPTOR(CTCLoss)
DESCRIPTOR(ScaledDotProductAttention)
#undef DESCRIPTOR

MUSA_EXPORT mudnnStatus_t mudnnCreate(mudnnHandle_t* handle) {
    return guarded([&] {
        need(handle);
        int device = 0;
        need(musaGetDevice(&device) == musaSuccess, Status::EXECUTION_FAILED);
        *handle = new mudnnHandleStruct(device);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnDestroy(mudnnHandle_t handle) {
    delete handle;
    return MUDNN_STATUS_SUCCESS;
}

MUSA_EXPORT mudnnStatus_t mudnnSetStream(mudnnHandle_t handle, musaStream_t stream) {
    return guarded([&] {
        need(handle);
        return handle->handle.SetStream(stream);
    });
}

MUSA_EXPORT const char* mudnnGetErrorString(mudnnStatus_t status) {
    switch (status) {
        case MUDNN_STATUS_SUCCESS: return "MUDNN_STATUS_SUCCESS";
        case MUDNN_STATUS_INVALID_PARAMETER: return "MUDNN_STATUS_INVALID_PARAMETER";
        case MUDNN_STATUS_NOT_INITIALIZED: return "MUDNN_STATUS_NOT_INITIALIZED";
        case MUDNN_STATUS_ALLOC_FAILED: return "MUDNN_STATUS_ALLOC_FAILED";
        case MUDNN_STATUS_NOT_SUPPORTED: return "MUDNN_STATUS_NOT_SUPPORTED";
        case MUDNN_STATUS_INTERNAL_ERROR: return "MUDNN_STATUS_INTERNAL_ERROR";
        case MUDNN_STATUS_ARCH_MISMATCH: return "MUDNN_STATUS_ARCH_MISMATCH";
        case MUDNN_STATUS_EXECUTION_FAILED: return "MUDNN_STATUS_EXECUTION_FAILED";
    }
    return "unknown status of muDNN";
}

MUSA_EXPORT mudnnStatus_t mudnnSetTensorNdDescriptorWithScale(mudnnTensorDescriptor_t descriptor, mudnnTensorFormat_t format,
                                                              mudnnDataType_t type, int dimensions, const int64_t* sizes,
                                                              const int64_t* strides, float scale) {
    return guarded([&] { set_sizes(descriptor, format, type, dimensions, sizes, strides, scale); });
}

MUSA_EXPORT mudnnStatus_t mudnnSetTensorNdDescriptor(mudnnTensorDescriptor_t descriptor, mudnnDataType_t type, int dimensions,
                                                     const int* sizes, const int* strides) {
    return guarded([&] {
        need(dimensions >= 0 && dimensions <= MUDNN_DIM_MAX && (sizes || dimensions == 0));
        const std::vector<int64_t> wide_sizes(sizes, sizes + dimensions);
        const std::vector<int64_t> wide_strides(strides, strides ? strides + dimensions : strides);
        set_sizes(descriptor, MUDNN_TENSOR_NCHW, type, dimensions, wide_sizes.data(), strides ? wide_strides.data() : nullptr,
                  1);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnGetTensorNdDescriptor(mudnnTensorDescriptor_t descriptor, int requested, mudnnDataType_t* type,
                                                     int* dimensions, int* sizes, int* strides) {
    return guarded([&] {
        need(descriptor && descriptor->is_set && requested >= 0 && type && dimensions && sizes && strides);
        const Tensor& tensor = descriptor->tensor;
        *type = in_c(tensor.GetType());
        *dimensions = static_cast<int>(tensor.sizes().size());
        for (std::size_t i = 0; i < tensor.sizes().size() && static_cast<int>(i) < requested; ++i) {
            sizes[i] = static_cast<int>(tensor.sizes()[i]);
            strides[i] = static_cast<int>(tensor.strides()[i]);
        }
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetFilterNdDescriptorWithScale(mudnnFilterDescriptor_t descriptor, mudnnDataType_t type,
                                                              mudnnTensorFormat_t format, int dimensions, const int* sizes,
                                                              float scale) {
    return guarded([&] {
        need(dimensions > 0 && dimensions <= MUDNN_DIM_MAX && sizes);
        set_sizes(descriptor, format, type, dimensions, std::vector<int64_t>(sizes, sizes + dimensions).data(), nullptr, scale);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetActivationDescriptor(mudnnActivationDescriptor_t descriptor, mudnnActivationMode_t mode,
                                                       mudnnNanPropagation_t, double) {
    return set(descriptor, [&](Convolution::FusedActivationDesc& activation) {
        using Mode = Convolution::FusedActivationDesc::Mode;
        need(mode == MUDNN_ACTIVATION_IDENTITY || mode == MUDNN_ACTIVATION_RELU || mode == MUDNN_ACTIVATION_SILU,
             Status::NOT_SUPPORTED);
        need(activation.SetMode(mode == MUDNN_ACTIVATION_RELU   ? Mode::RELU
                                : mode == MUDNN_ACTIVATION_SILU ? Mode::SILU
                                                                : Mode::IDENTITY));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetUnaryDescriptor(mudnnUnaryDescriptor_t descriptor, mudnnUnaryMode_t mode,
                                                  mudnnParamDataType_t alpha_type, const void* alpha,
                                                  mudnnParamDataType_t beta_type, const void* beta) {
    return set(descriptor, [&](Unary& unary) {
        need(unary.SetMode(mode_of(mode)));
        set_alpha(unary, Param(alpha_type, alpha));
        Param(beta_type, beta).with([&](auto number) { return unary.SetBeta(number); });
    });
}

MUSA_EXPORT mudnnStatus_t mudnnUnary(OP(Unary), OUT(out), IN(in)) {
    return run(handle, descriptor, [&](Handle& h, const Unary& unary) {
        Tensor result = NEEDED(out);
        return unary.Run(h, result, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetBinaryDescriptor(mudnnBinaryDescriptor_t descriptor, mudnnBinaryMode_t mode,
                                                   mudnnParamDataType_t alpha_type, const void* alpha,
                                                   mudnnParamDataType_t beta_type, const void* beta) {
    return set(descriptor, [&](Binary& binary) {
        need(!Param(beta_type, beta).is_given(), Status::NOT_SUPPORTED);
        need(binary.SetMode(mode_of(mode)));
        set_alpha(binary, Param(alpha_type, alpha));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnBinary(OP(Binary), OUT(out), IN(left), IN(right)) {
    return run(handle, descriptor, [&](Handle& h, const Binary& binary) {
        Tensor result = NEEDED(out);
        return binary.Run(h, result, NEEDED(left), NEEDED(right));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetTernaryDescriptor(mudnnTernaryDescriptor_t descriptor, mudnnTernaryMode_t mode,
                                                    mudnnParamDataType_t alpha_type, const void* alpha,
                                                    mudnnParamDataType_t beta_type, const void* beta,
                                                    mudnnParamDataType_t gamma_type, const void* gamma) {
    return set(descriptor, [&](Ternary& ternary) {
        need(!Param(beta_type, beta).is_given() && !Param(gamma_type, gamma).is_given(), Status::NOT_SUPPORTED);
        need(ternary.SetMode(mode_of(mode)));
        set_alpha(ternary, Param(alpha_type, alpha));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnTernary(OP(Ternary), OUT(out), IN(first), IN(second),
                                       IN(third)) {
    return run(handle, descriptor, [&](Handle& h, const Ternary& ternary) {
        Tensor result = NEEDED(out);
        return ternary.Run(h, result, NEEDED(first), NEEDED(second), NEEDED(third));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetBatchMatMulDescriptorEx(mudnnBatchMatMulDescriptor_t descriptor, mudnnMathType_t,
                                                          bool transpose_a, bool transpose_b, bool,
                                                          mudnnMatMulLtEpilogueMode_t epilogue, int, double alpha,
                                                          double beta, double gamma) {
    return guarded([&] {
        need(descriptor);
        need(epilogue == MUDNN_MATMULLT_EPILOGUE_DEFAULT, Status::NOT_SUPPORTED);
        set_product(descriptor->operation, transpose_a, transpose_b, alpha, beta, gamma);
        set_product(descriptor->of_two, transpose_a, transpose_b, alpha, beta, gamma);
        descriptor->is_set = true;
    });
}

NO_WORKSPACE(mudnnBatchMatmulGetWorkspaceSize, BatchMatMul, D(a), D(b), D(c), D(d))

MUSA_EXPORT mudnnStatus_t mudnnBatchMatMulBias(OP(BatchMatMul), IN(a), IN(b), IN(c), OUT(d), IN(bias), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const BatchMatMul& batches) {
        Tensor result = NEEDED(d);
        if (result.sizes().size() == 2)
            return descriptor->of_two.RunWithBiasAdd(h, result, NEEDED(a), NEEDED(b), OPTIONAL(c), OPTIONAL(bias));
        return batches.RunWithBiasAdd(h, result, NEEDED(a), NEEDED(b), OPTIONAL(c), OPTIONAL(bias));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnBatchMatMulBiasTensorScaleEpilogue(OP(BatchMatMul), IN(a), IN(b), IN(c), OUT(d), IN(bias),
                                                                  IN(scale_a), IN(scale_b), IN(scale_c), IN(scale_d),
                                                                  int tile, bool transposed, OUT(largest), OUT(first),
                                                                  OUT(second), OUT(third), OUT(fourth), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const BatchMatMul& batches) {
        need(!first_descriptor && !first && !second_descriptor && !second && !third_descriptor && !third &&
                 !fourth_descriptor && !fourth,
             Status::NOT_SUPPORTED);
        MatMulLtParam param =
            lt_param(OPTIONAL(scale_a), OPTIONAL(scale_b), OPTIONAL(scale_c), OPTIONAL(scale_d), tile, transposed);
        need(param.SetAmaxD(OPTIONAL(largest)));
        Tensor result = NEEDED(d);
        return batches.RunLt(h, result, NEEDED(a), NEEDED(b), OPTIONAL(c), OPTIONAL(bias), param);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetMatMulLtParamScale(mudnnMatMulLtParamDescriptor_t descriptor, IN(scale_a), IN(scale_b),
                                                     IN(scale_c), IN(scale_d), int tile, bool transposed) {
    return guarded([&] {
        need(descriptor);
        const Tensor largest = descriptor->operation.largest();
        descriptor->operation =
            lt_param(OPTIONAL(scale_a), OPTIONAL(scale_b), OPTIONAL(scale_c), OPTIONAL(scale_d), tile, transposed);
        return descriptor->operation.SetAmaxD(largest);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetMatMulLtParamAmaxD(mudnnMatMulLtParamDescriptor_t descriptor, OUT(largest)) {
    return guarded([&] {
        need(descriptor);
        return descriptor->operation.SetAmaxD(OPTIONAL(largest));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetGroupedMatMulDescriptorEx(mudnnGroupedMatMulDescriptor_t descriptor, mudnnMathType_t,
                                                            bool transpose_a, bool transpose_b, bool, int, double alpha,
                                                            double beta, double gamma) {
    return set(descriptor,
               [&](MatMul& product) { set_product(product, transpose_a, transpose_b, alpha, beta, gamma); });
}

NO_WORKSPACE(mudnnGroupedMatmulGetWorkspaceSizeLt, GroupedMatMul, const mudnnTensorDescriptor_t*,
             const mudnnTensorDescriptor_t*, const mudnnTensorDescriptor_t*, const mudnnTensorDescriptor_t*,
             const mudnnMatMulLtParamDescriptor_t*, int)

MUSA_EXPORT mudnnStatus_t mudnnGroupedMatMulRunLt(
    OP(GroupedMatMul), const mudnnTensorDescriptor_t* d_descriptors, void* const* d,
    const mudnnTensorDescriptor_t* a_descriptors, const void* const* a, const mudnnTensorDescriptor_t* b_descriptors,
    const void* const* b, const mudnnTensorDescriptor_t* c_descriptors, const void* const* c,
    const mudnnTensorDescriptor_t* bias_descriptors, const void* const* bias, const mudnnMatMulLtParamDescriptor_t* params,
    int groups, WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const MatMul& product) {
        need(groups >= 0 && d_descriptors && d && a_descriptors && a && b_descriptors && b);
        for (int i = 0; i < groups; ++i) {
            Tensor result = needed(d_descriptors[i], d[i]);
            const Tensor added = c_descriptors && c ? optional(c_descriptors[i], c[i]) : Tensor();
            const Tensor row = bias_descriptors && bias ? optional(bias_descriptors[i], bias[i]) : Tensor();
            need(product.RunLt(h, result, needed(a_descriptors[i], a[i]), needed(b_descriptors[i], b[i]), added, row,
                               params && params[i] ? params[i]->operation : MatMulLtParam()));
        }
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetDotMathType(mudnnDotDescriptor_t descriptor, mudnnMathType_t) {
    return guarded([&] { need(descriptor); });
}

NO_WORKSPACE(mudnnGetDotWorkspaceSize, Dot, D(left), D(right), D(out))

MUSA_EXPORT mudnnStatus_t mudnnDot(OP(Dot), IN(left), IN(right), OUT(out), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const Dot& dot) {
        Tensor result = NEEDED(out);
        return dot.Run(h, result, NEEDED(left), NEEDED(right));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetConvolutionGroupCount(mudnnConvolutionDescriptor_t descriptor, int groups) {
    return guarded([&] {
        need(descriptor);
        return descriptor->operation.SetGroups(groups);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetConvolutionMathType(mudnnConvolutionDescriptor_t descriptor, mudnnMathType_t) {
    return guarded([&] { need(descriptor); });
}

MUSA_EXPORT mudnnStatus_t mudnnSetConvolutionNdDescriptor(mudnnConvolutionDescriptor_t descriptor, int dimensions,
                                                          const int* padding, const int* stride, const int* dilation,
                                                          mudnnConvolutionMode_t mode, mudnnDataType_t) {
    return guarded([&] {
        need(descriptor && padding && stride && dilation);
        need(mode == MUDNN_CROSS_CORRELATION, Status::NOT_SUPPORTED);
        need(descriptor->operation.SetNdInfo(dimensions, padding, stride, dilation));
        descriptor->is_set = true;
    });
}

MUSA_EXPORT mudnnStatus_t mudnnGetConvolutionForwardAlgorithm_v7(mudnnHandle_t handle, D(in), mudnnFilterDescriptor_t filter,
                                                                 mudnnConvolutionDescriptor_t descriptor, D(out),
                                                                 int requested, int* returned,
                                                                 mudnnConvolutionFwdAlgoPerf_t* results) {
    return one_algorithm(handle && in_descriptor && filter && descriptor && out_descriptor, requested, returned, results);
}

MUSA_EXPORT mudnnStatus_t mudnnGetConvolutionBackwardDataAlgorithm_v7(mudnnHandle_t handle, mudnnFilterDescriptor_t filter,
                                                                      D(grad_out), mudnnConvolutionDescriptor_t descriptor,
                                                                      D(grad_in), int requested, int* returned,
                                                                      mudnnConvolutionBwdDataAlgoPerf_t* results) {
    return one_algorithm(handle && filter && grad_out_descriptor && descriptor && grad_in_descriptor, requested, returned,
                         results);
}

MUSA_EXPORT mudnnStatus_t mudnnGetConvolutionBackwardFilterAlgorithm_v7(
    mudnnHandle_t handle, D(in), D(grad_out), mudnnConvolutionDescriptor_t descriptor, mudnnFilterDescriptor_t grad_filter,
    int requested, int* returned, mudnnConvolutionBwdFilterAlgoPerf_t* results) {
    return one_algorithm(handle && in_descriptor && grad_out_descriptor && descriptor && grad_filter, requested, returned,
                         results);
}

MUSA_EXPORT mudnnStatus_t mudnnGetConvolutionForwardWorkspaceSize(mudnnHandle_t handle, D(in), mudnnFilterDescriptor_t,
                                                                  mudnnConvolutionDescriptor_t descriptor, D(out),
                                                                  mudnnConvolutionFwdAlgo_t, size_t* size) {
    return no_workspace(handle, descriptor, size);
}

MUSA_EXPORT mudnnStatus_t mudnnGetConvolutionBackwardDataWorkspaceSize(mudnnHandle_t handle, mudnnFilterDescriptor_t,
                                                                       D(grad_out), mudnnConvolutionDescriptor_t descriptor,
                                                                       D(grad_in), mudnnConvolutionBwdDataAlgo_t,
                                                                       size_t* size) {
    return no_workspace(handle, descriptor, size);
}

MUSA_EXPORT mudnnStatus_t mudnnGetConvolutionBackwardFilterWorkspaceSize(mudnnHandle_t handle, D(in), D(grad_out),
                                                                         mudnnConvolutionDescriptor_t descriptor,
                                                                         mudnnFilterDescriptor_t,
                                                                         mudnnConvolutionBwdFilterAlgo_t, size_t* size) {
    return no_workspace(handle, descriptor, size);
}

MUSA_EXPORT mudnnStatus_t mudnnConvolutionForward(mudnnHandle_t handle, const void* alpha, IN(in),
                                                  mudnnFilterDescriptor_t filter_descriptor, const void* filter,
                                                  mudnnConvolutionDescriptor_t descriptor, mudnnConvolutionFwdAlgo_t,
                                                  WORKSPACE, const void* beta, OUT(out)) {
    return run(handle, descriptor, [&](Handle& h, const Convolution& convolution) {
        need_factors(alpha, beta);
        Tensor result = NEEDED(out);
        return convolution.Run(h, result, NEEDED(in), NEEDED(filter), Convolution::Algorithm::IMPLICIT_GEMM, nullptr);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnConvolutionBiasActivationForward(
    mudnnHandle_t handle, const void* alpha, IN(in), mudnnFilterDescriptor_t filter_descriptor, const void* filter,
    mudnnConvolutionDescriptor_t descriptor, mudnnConvolutionFwdAlgo_t, WORKSPACE, const void* alpha_of_add, IN(add),
    IN(bias), mudnnActivationDescriptor_t activation, OUT(out)) {
    return run(handle, descriptor, [&](Handle& h, const Convolution& convolution) {
        need(alpha && alpha_of_add && activation && activation->is_set);
        const float of_add = *static_cast<const float*>(alpha_of_add);
        need(*static_cast<const float*>(alpha) == 1 && (of_add == 0 || of_add == 1), Status::NOT_SUPPORTED);
        Tensor result = NEEDED(out);
        return convolution.RunFusion(h, result, NEEDED(in), NEEDED(filter), OPTIONAL(bias),
                                     of_add == 0 ? Tensor() : OPTIONAL(add), activation->operation,
                                     Convolution::Algorithm::IMPLICIT_GEMM, nullptr);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnConvolutionBackwardData(mudnnHandle_t handle, const void* alpha,
                                                       mudnnFilterDescriptor_t filter_descriptor, const void* filter,
                                                       IN(grad_out), mudnnConvolutionDescriptor_t descriptor,
                                                       mudnnConvolutionBwdDataAlgo_t, WORKSPACE, const void* beta,
                                                       OUT(grad_in)) {
    return run(handle, descriptor, [&](Handle& h, const Convolution& convolution) {
        need_factors(alpha, beta);
        Tensor result = NEEDED(grad_in);
        return convolution.RunBwdData(h, result, NEEDED(grad_out), NEEDED(filter),
                                      Convolution::AlgorithmBwdData::IMPLICIT_GEMM, nullptr);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnConvolutionBackwardFilter(mudnnHandle_t handle, const void* alpha, IN(in), IN(grad_out),
                                                         mudnnConvolutionDescriptor_t descriptor,
                                                         mudnnConvolutionBwdFilterAlgo_t, WORKSPACE, const void* beta,
                                                         mudnnFilterDescriptor_t grad_filter_descriptor,
                                                         void* grad_filter) {
    return run(handle, descriptor, [&](Handle& h, const Convolution& convolution) {
        need_factors(alpha, beta);
        Tensor result = NEEDED(grad_filter);
        return convolution.RunBwdFilter(h, result, NEEDED(in), NEEDED(grad_out),
                                        Convolution::AlgorithmBwdFilter::IMPLICIT_GEMM, nullptr);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetSoftmaxDescriptor(mudnnSoftmaxDescriptor_t descriptor, int dimension,
                                                    mudnnSoftmaxAlgorithm_t algorithm, mudnnSoftmaxMode_t mode) {
    return set(descriptor, [&](Softmax& softmax) {
        need(algorithm == MUDNN_SOFTMAX_ACCURATE, Status::NOT_SUPPORTED);
        need(mode >= MUDNN_SOFTMAX_MODE_SOFTMAX && mode <= MUDNN_SOFTMAX_MODE_LOG_SUM_EXP, Status::NOT_SUPPORTED);
        need(softmax.SetMode(mode == MUDNN_SOFTMAX_MODE_SOFTMAX       ? Softmax::Mode::SOFTMAX
                             : mode == MUDNN_SOFTMAX_MODE_LOG_SOFTMAX ? Softmax::Mode::LOGSOFTMAX
                                                                      : Softmax::Mode::LOGSUMEXP));
        need(softmax.SetDim(dimension));
        need(softmax.SetAlgorithm(Softmax::Algorithm::ACCURATE));
    });
}

NO_WORKSPACE(mudnnGetSoftmaxForwardWorkspaceSize, Softmax, D(in), D(out))
NO_WORKSPACE(mudnnGetSoftmaxBackwardWorkspaceSize, Softmax, D(out), D(grad_out), D(grad_in))

MUSA_EXPORT mudnnStatus_t mudnnSoftmaxForwardEx(OP(Softmax), IN(in), WORKSPACE, OUT(out)) {
    return run(handle, descriptor, [&](Handle& h, const Softmax& softmax) {
        Tensor result = NEEDED(out);
        return softmax.Run(h, result, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSoftmaxBackwardEx(OP(Softmax), IN(out), IN(grad_out), WORKSPACE, OUT(grad_in)) {
    return run(handle, descriptor, [&](Handle& h, const Softmax& softmax) {
        Tensor result = NEEDED(grad_in);
        return softmax.RunBwd(h, result, NEEDED(out), NEEDED(grad_out));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetReduceDescriptor(mudnnReduceDescriptor_t descriptor, mudnnReduceMode_t mode, int count,
                                                   const int* dimensions, float order, int correction) {
    return set(descriptor, [&](Reduce& reduce) {
        need(count >= 0 && (dimensions || count == 0));
        need(reduce.SetMode(mode_of(mode)));
        need(reduce.SetDim(count, dimensions));
        need(reduce.SetNormOrd(order));
        need(reduce.SetCorrection(correction));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnGetReduceWorkspaceSize(OP(Reduce), size_t* size, D(out), D(in)) {
    return no_workspace(handle, descriptor, size);
}

MUSA_EXPORT mudnnStatus_t mudnnGetReduceIndicesWorkspaceSize(OP(Reduce), size_t size, D(indices), D(in)) {
    return no_workspace(handle, descriptor, &size);
}

MUSA_EXPORT mudnnStatus_t mudnnGetReduceWithIndicesWorkspaceSize(OP(Reduce), size_t size, D(out), D(indices), D(in)) {
    return no_workspace(handle, descriptor, &size);
}

MUSA_EXPORT mudnnStatus_t mudnnReduce(OP(Reduce), IN(in), WORKSPACE, OUT(out)) {
    return run(handle, descriptor, [&](Handle& h, const Reduce& reduce) {
        Tensor result = NEEDED(out);
        return reduce.Run(h, result, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnReduceOnlyIndices(OP(Reduce), IN(in), WORKSPACE, OUT(indices)) {
    return run(handle, descriptor, [&](Handle& h, const Reduce& reduce) {
        Tensor result = NEEDED(indices);
        return reduce.RunIndices(h, result, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnReduceWithIndices(OP(Reduce), IN(in), WORKSPACE, OUT(out), OUT(indices)) {
    return run(handle, descriptor, [&](Handle& h, const Reduce& reduce) {
        Tensor result = NEEDED(out), positions = NEEDED(indices);
        return reduce.RunWithIndices(h, result, positions, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetCumDescriptor(mudnnCumDescriptor_t descriptor, int dimension, mudnnCumMode_t mode) {
    return set(descriptor, [&](Cum& cum) {
        need(mode == MUDNN_CUM_ADD || mode == MUDNN_CUM_MUL, Status::NOT_SUPPORTED);
        need(cum.SetMode(mode == MUDNN_CUM_ADD ? Cum::Mode::ADD : Cum::Mode::MUL));
        need(cum.SetDim(dimension));
    });
}

NO_WORKSPACE(mudnnGetCumWorkspaceSize, Cum, D(out), D(in))

MUSA_EXPORT mudnnStatus_t mudnnCum(OP(Cum), OUT(out), IN(in), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const Cum& cum) {
        Tensor result = NEEDED(out);
        return cum.Run(h, result, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetFillDescriptor(mudnnFillDescriptor_t descriptor, mudnnParamDataType_t type,
                                                 const void* value) {
    return set(descriptor, [&](Fill& fill) {
        const Param param(type, value);
        need(param.is_given());
        param.with([&](auto number) { return fill.SetValue(number); });
    });
}

MUSA_EXPORT mudnnStatus_t mudnnFill(OP(Fill), IN(mask), OUT(out)) {
    return run(handle, descriptor, [&](Handle& h, const Fill& fill) {
        Tensor result = NEEDED(out);
        return mask_descriptor ? fill.Run(h, result, NEEDED(mask)) : fill.Run(h, result);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnPermute(OP(Permute), OUT(out), IN(in)) {
    return run(handle, descriptor, [&](Handle& h, const Permute& permute) {
        Tensor result = NEEDED(out);
        return permute.Run(h, result, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetConcatDescriptor(mudnnConcatDescriptor_t descriptor, int dimension) {
    return set(descriptor, [&](Concat& concat) { need(concat.SetAxis(dimension)); });
}

MUSA_EXPORT mudnnStatus_t mudnnConcat(OP(Concat), const mudnnTensorDescriptor_t* in_descriptors, const void* const* in,
                                      int count, OUT(out)) {
    return run(handle, descriptor, [&](Handle& h, const Concat& concat) {
        need(count > 0 && in_descriptors && in);
        std::vector<Tensor> all;
        for (int i = 0; i < count; ++i) all.push_back(needed(in_descriptors[i], in[i]));
        Tensor result = NEEDED(out);
        return concat.Run(h, result, count, all.data());
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetPadDescriptor(mudnnPadDescriptor_t descriptor, mudnnPadMode_t mode,
                                                mudnnParamDataType_t type, const void* value, const int* padding,
                                                size_t count) {
    return set(descriptor, [&](Pad& pad) {
        need(padding && count > 0 && count <= 2 * MUDNN_DIM_MAX);
        need(pad.SetMode(mode_of(mode)));
        Param(type, value).with([&](auto number) { return pad.SetValue(number); });
        need(pad.SetPaddingInfo(static_cast<int>(count), padding));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnPad(OP(Pad), OUT(out), IN(in)) {
    return run(handle, descriptor, [&](Handle& h, const Pad& pad) {
        Tensor result = NEEDED(out);
        return pad.Run(h, result, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetScatterDescriptor(mudnnScatterDescriptor_t descriptor, mudnnScatterMode_t mode) {
    return set(descriptor, [&](Scatter& scatter) { need(scatter.SetMode(mode_of(mode))); });
}

MUSA_EXPORT mudnnStatus_t mudnnScatterInplace(OP(Scatter), OUT(inout), IN(indices), IN(update), int dimension) {
    return run(handle, descriptor, [&](Handle& h, const Scatter& scatter) {
        Tensor result = NEEDED(inout);
        return scatter.Run(h, result, NEEDED(indices), NEEDED(update), dimension);
    });
}

NO_WORKSPACE(mudnnGetNonzeroWorkspaceSize, Nonzero, D(in), D(out))

MUSA_EXPORT mudnnStatus_t mudnnNonzero(OP(Nonzero), IN(in), WORKSPACE, OUT(out)) {
    return run(handle, descriptor, [&](Handle& h, const Nonzero& nonzero) {
        Tensor result = NEEDED(out);
        return resized(nonzero.Run(h, result, NEEDED(in)), out_descriptor, result);
    });
}

NO_WORKSPACE(mudnnGetMaskedSelectWorkspaceSize, MaskedSelect, D(in), D(mask), D(out))

MUSA_EXPORT mudnnStatus_t mudnnMaskedSelect(OP(MaskedSelect), IN(in), IN(mask), OUT(out), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const MaskedSelect& select) {
        Tensor result = NEEDED(out);
        return resized(select.Run(h, result, NEEDED(in), NEEDED(mask)), out_descriptor, result);
    });
}

NO_WORKSPACE(mudnnGetMaskedScatterWorkspaceSize, MaskedScatter, D(inout), D(mask), D(source))

MUSA_EXPORT mudnnStatus_t mudnnMaskedScatter(OP(MaskedScatter), OUT(inout), IN(mask), IN(source), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const MaskedScatter& scatter) {
        Tensor result = NEEDED(inout);
        return scatter.Run(h, result, NEEDED(mask), NEEDED(source));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetSortDescriptor(mudnnSortDescriptor_t descriptor, int dimension, bool stable,
                                                 bool descending) {
    return set(descriptor, [&](Sort& sort) { set_order(sort, dimension, stable, descending); });
}

NO_WORKSPACE(mudnnGetSortWorkspaceSize, Sort, D(values), D(indices), D(in))

MUSA_EXPORT mudnnStatus_t mudnnSort(OP(Sort), IN(in), WORKSPACE, OUT(values), OUT(indices)) {
    return run(handle, descriptor, [&](Handle& h, const Sort& sort) {
        Tensor result = NEEDED(values), positions = NEEDED(indices);
        return sort.Run(h, result, positions, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetSortByKeyDescriptor(mudnnSortByKeyDescriptor_t descriptor, int dimension, bool stable,
                                                      bool descending) {
    return set(descriptor, [&](SortByKey& sort) { set_order(sort, dimension, stable, descending); });
}

NO_WORKSPACE(mudnnGetSortByKeyWorkspaceSize, SortByKey, D(keys_out), D(values_out), D(keys), D(values))

MUSA_EXPORT mudnnStatus_t mudnnSortByKey(OP(SortByKey), IN(keys), IN(values), WORKSPACE, OUT(keys_out), OUT(values_out)) {
    return run(handle, descriptor, [&](Handle& h, const SortByKey& sort) {
        Tensor sorted = NEEDED(keys_out), moved = NEEDED(values_out);
        return sort.Run(h, sorted, moved, NEEDED(keys), NEEDED(values));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetTopKDescriptor(mudnnTopKDescriptor_t descriptor, int count, int dimension, bool largest,
                                                 bool sorted) {
    return set(descriptor, [&](TopK& top) {
        need(top.SetK(count));
        need(top.SetDim(dimension));
        need(top.SetLargest(largest));
        need(top.SetSorted(sorted));
    });
}

NO_WORKSPACE(mudnnGetTopKWorkspaceSize, TopK, D(in), D(values), D(indices))

MUSA_EXPORT mudnnStatus_t mudnnTopK(OP(TopK), IN(in), WORKSPACE, OUT(values), OUT(indices)) {
    return run(handle, descriptor, [&](Handle& h, const TopK& top) {
        Tensor result = NEEDED(values), positions = NEEDED(indices);
        return top.Run(h, result, positions, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetLayerNormDescriptor(mudnnLayerNormDescriptor_t descriptor, double epsilon,
                                                      mudnnLayerNormMode_t mode, const int* axes, size_t count) {
    return set(descriptor, [&](LayerNorm& norm) {
        set_axes(norm, epsilon, static_cast<int>(count), axes);
        need(norm.SetVarMode(mode == MUDNN_LAYER_NORM_MODE_DIRECT ? LayerNorm::VarMode::DIRECT : LayerNorm::VarMode::WELFORD));
    });
}

NO_WORKSPACE(mudnnGetLayerNormForwardWorkspaceSize, LayerNorm, D(out), D(mean), D(inverse_deviation), D(in), D(gamma), D(beta))
NO_WORKSPACE(mudnnGetLayerNormBackwardWorkspaceSize, LayerNorm, OUT(grad_in), OUT(grad_gamma), OUT(grad_beta), D(grad_out),
             D(in), D(mean), D(inverse_deviation), D(gamma))

MUSA_EXPORT mudnnStatus_t mudnnLayerNormForward(OP(LayerNorm), OUT(out), OUT(mean), OUT(inverse_deviation), IN(in), IN(gamma),
                                                IN(beta), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const LayerNorm& norm) {
        Tensor result = NEEDED(out), means = OPTIONAL(mean), scales = OPTIONAL(inverse_deviation);
        return norm.Run(h, result, means, scales, NEEDED(in), OPTIONAL(gamma), OPTIONAL(beta));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnLayerNormBackward(OP(LayerNorm), OUT(grad_in), OUT(grad_gamma), OUT(grad_beta), IN(grad_out),
                                                 IN(in), IN(mean), IN(inverse_deviation), IN(gamma), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const LayerNorm& norm) {
        Tensor result = OPTIONAL(grad_in), of_gamma = OPTIONAL(grad_gamma), of_beta = OPTIONAL(grad_beta);
        return norm.RunBwd(h, result, of_gamma, of_beta, NEEDED(grad_out), NEEDED(in), NEEDED(mean),
                           NEEDED(inverse_deviation), OPTIONAL(gamma));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetRMSNormDescriptor(mudnnRMSNormDescriptor_t descriptor, mudnnRMSNormMode_t mode,
                                                    double epsilon, const int* axes, int count) {
    return set(descriptor, [&](RMSNorm& norm) {
        need(mode == MUDNN_RMS_NORM_MODE_DIRECT, Status::NOT_SUPPORTED);
        set_axes(norm, epsilon, count, axes);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnRMSNormForward(OP(RMSNorm), OUT(out), OUT(inverse_root), IN(in), IN(gamma)) {
    return run(handle, descriptor, [&](Handle& h, const RMSNorm& norm) {
        Tensor result = NEEDED(out), scales = OPTIONAL(inverse_root);
        return norm.Run(h, result, scales, NEEDED(in), OPTIONAL(gamma));
    });
}

NO_WORKSPACE(mudnnGetRMSNormBackwardWorkspaceSize, RMSNorm, OUT(grad_in), OUT(grad_gamma), D(grad_out), D(in),
             D(inverse_root), D(gamma))

MUSA_EXPORT mudnnStatus_t mudnnRMSNormBackward(OP(RMSNorm), OUT(grad_in), OUT(grad_gamma), IN(grad_out), IN(in),
                                               IN(inverse_root), IN(gamma), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const RMSNorm& norm) {
        Tensor result = OPTIONAL(grad_in), of_gamma = OPTIONAL(grad_gamma);
        return norm.RunBwd(h, result, of_gamma, NEEDED(grad_out), NEEDED(in), NEEDED(inverse_root), OPTIONAL(gamma));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetGroupNormDescriptor(mudnnGroupNormDescriptor_t descriptor, double epsilon, int axis,
                                                      int groups) {
    return set(descriptor, [&](GroupNorm& norm) {
        need(norm.SetEpsilon(epsilon));
        need(norm.SetAxis(axis));
        need(norm.SetGroup(groups));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnGroupNorm(OP(GroupNorm), OUT(out), OUT(mean), OUT(inverse_deviation), IN(in), IN(gamma),
                                         IN(beta)) {
    return run(handle, descriptor, [&](Handle& h, const GroupNorm& norm) {
        Tensor result = NEEDED(out), means = OPTIONAL(mean), scales = OPTIONAL(inverse_deviation);
        return norm.Run(h, result, means, scales, NEEDED(in), OPTIONAL(gamma), OPTIONAL(beta));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetBatchNormDescriptor(mudnnBatchNormDescriptor_t descriptor, mudnnBatchNormMode_t mode,
                                                      double epsilon, bool training) {
    return set(descriptor, [&](BatchNorm& norm) {
        need(norm.SetMode(mode == MUDNN_BATCHNORM_SPATIAL ? BatchNorm::Mode::PER_CHANNEL : BatchNorm::Mode::PER_ACTIVATION));
        need(norm.SetEpsilon(epsilon));
        need(norm.SetTraining(training));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnBatchNormForwardInference(OP(BatchNorm), OUT(out), IN(in), IN(mean), IN(variance), IN(gamma),
                                                         IN(beta)) {
    return run(handle, descriptor, [&](Handle& h, const BatchNorm& norm) {
        Tensor result = NEEDED(out);
        return norm.RunPure(h, result, NEEDED(in), NEEDED(mean), NEEDED(variance), OPTIONAL(gamma), OPTIONAL(beta));
    });
}

NO_WORKSPACE(mudnnGetBatchNormForwardTrainingWorkspaceSize, BatchNorm, D(out), D(in), D(running_mean), D(running_variance),
             D(mean), D(inverse_deviation), D(gamma), D(beta))
NO_WORKSPACE(mudnnGetBatchNormBackwardWorkspaceSize, BatchNorm, D(grad_in), D(grad_mean), D(grad_variance), D(grad_gamma),
             D(grad_beta), D(in), D(grad_out), D(mean), D(deviation), D(gamma))

MUSA_EXPORT mudnnStatus_t mudnnBatchNormForwardTraining(OP(BatchNorm), OUT(out), IN(in), OUT(running_mean),
                                                        OUT(running_variance), OUT(mean), OUT(inverse_deviation), IN(gamma),
                                                        IN(beta), double momentum, WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const BatchNorm& norm) {
        Tensor result = NEEDED(out), running[] = {OPTIONAL(running_mean), OPTIONAL(running_variance)};
        Tensor means = OPTIONAL(mean), scales = OPTIONAL(inverse_deviation);
        return norm.RunComposite(h, result, NEEDED(in), running[0], running[1], means, scales, OPTIONAL(gamma),
                                 OPTIONAL(beta), momentum);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnBatchNormBackward(OP(BatchNorm), OUT(grad_in), OUT(grad_mean), OUT(grad_variance),
                                                 OUT(grad_gamma), OUT(grad_beta), IN(in), IN(grad_out), IN(mean),
                                                 IN(deviation), IN(gamma), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const BatchNorm& norm) {
        Tensor of_in = OPTIONAL(grad_in), of_mean = OPTIONAL(grad_mean), of_variance = OPTIONAL(grad_variance);
        Tensor of_gamma = OPTIONAL(grad_gamma), of_beta = OPTIONAL(grad_beta);
        return norm.RunBwd(h, of_in, of_mean, of_variance, of_gamma, of_beta, NEEDED(in), NEEDED(grad_out), NEEDED(mean),
                           NEEDED(deviation), OPTIONAL(gamma));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetGluDescriptor(mudnnGluDescriptor_t descriptor, int axis) {
    return set(descriptor, [&](Glu& glu) { need(glu.SetAxis(axis)); });
}

MUSA_EXPORT mudnnStatus_t mudnnGlu(OP(Glu), OUT(out), IN(in)) {
    return run(handle, descriptor, [&](Handle& h, const Glu& glu) {
        Tensor result = NEEDED(out);
        return glu.Run(h, result, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSwiGluForward(OP(SwiGlu), OUT(out), IN(in)) {
    return run(handle, descriptor, [&](Handle& h, const SwiGlu& glu) {
        Tensor result = NEEDED(out);
        return glu.Run(h, result, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSwiGluBackward(OP(SwiGlu), OUT(grad_in), IN(in), IN(grad_out)) {
    return run(handle, descriptor, [&](Handle& h, const SwiGlu& glu) {
        Tensor result = NEEDED(grad_in);
        return glu.RunBwd(h, result, NEEDED(in), NEEDED(grad_out));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetRopeDescriptor(mudnnRopeDescriptor_t descriptor, bool interleaved, bool batch_first,
                                                 bool multi_latent) {
    return set(descriptor, [&](Rope& rope) {
        need(rope.SetRotaryInterleaved(interleaved));
        need(rope.SetBatchFirst(batch_first));
        need(rope.SetMultiLatentAttention(multi_latent));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnRopeForward(OP(Rope), OUT(out), IN(in), IN(angles)) {
    return run(handle, descriptor, [&](Handle& h, const Rope& rope) {
        Tensor result = NEEDED(out);
        return rope.Run(h, result, NEEDED(in), NEEDED(angles));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnRopeBackward(OP(Rope), OUT(grad_in), IN(grad_out), IN(angles)) {
    return run(handle, descriptor, [&](Handle& h, const Rope& rope) {
        Tensor result = NEEDED(grad_in);
        return rope.RunBwd(h, result, NEEDED(grad_out), NEEDED(angles));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetDropoutDescriptorEx(mudnnDropoutDescriptor_t descriptor, double p, double scale,
                                                      mudnnParamDataType_t seed_type, const void* seed,
                                                      mudnnParamDataType_t offset_type, const void* offset, uint64_t more) {
    return set(descriptor, [&](Dropout& dropout) {
        need(seed && offset);
        for (const auto type : {seed_type, offset_type}) {
            need(type == MUDNN_PARAM_DATA_UINT64 || type == MUDNN_PARAM_DATA_POINTER, Status::NOT_SUPPORTED);
        }
        const auto* seeds = static_cast<const uint64_t*>(seed);
        const auto* offsets = static_cast<const uint64_t*>(offset);
        need(dropout.SetP(p));
        need(dropout.SetScale(scale));
        need(seed_type == MUDNN_PARAM_DATA_POINTER ? dropout.SetSeed(seeds) : dropout.SetSeed(*seeds));
        need(offset_type == MUDNN_PARAM_DATA_POINTER ? dropout.SetOffset(offsets, more) : dropout.SetOffset(*offsets + more));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnDropoutForwardEx(OP(Dropout), IN(in), OUT(out), OUT(mask)) {
    return run(handle, descriptor, [&](Handle& h, const Dropout& dropout) {
        Tensor result = NEEDED(out), kept = NEEDED(mask);
        return dropout.RunDropout(h, result, NEEDED(in), kept);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnDropoutBackwardEx(OP(Dropout), OUT(grad_in), IN(grad_out), IN(mask)) {
    return run(handle, descriptor, [&](Handle& h, const Dropout& dropout) {
        Tensor result = NEEDED(grad_in);
        return dropout.RunDropoutBwd(h, result, NEEDED(grad_out), NEEDED(mask));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetPoolingNdDescriptorEx(mudnnPoolingDescriptor_t descriptor, mudnnPoolingMode_t mode,
                                                        int divisor, int dimensions, const int* window, const int* padding,
                                                        const int* stride, const int* dilation) {
    return set(descriptor, [&](Pooling& pooling) {
        need(dimensions >= 0 && (dimensions == 0 || (window && padding && stride && dilation)));
        need(pooling.SetMode(mode_of(mode)));
        if (dimensions > 0) need(pooling.SetNdInfo(dimensions, window, padding, stride, dilation));
        if (divisor != 0) need(pooling.SetDivisor(divisor));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnPoolingForwardEx(OP(Pooling), OUT(out), IN(in), OUT(indices)) {
    return run(handle, descriptor, [&](Handle& h, const Pooling& pooling) {
        Tensor result = NEEDED(out), positions = OPTIONAL(indices);
        return pooling.Run(h, result, NEEDED(in), positions);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnPoolingBackwardEx(OP(Pooling), OUT(grad_in), IN(grad_out), IN(indices)) {
    return run(handle, descriptor, [&](Handle& h, const Pooling& pooling) {
        Tensor result = NEEDED(grad_in);
        return pooling.RunBwd(h, result, NEEDED(grad_out), OPTIONAL(indices));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetInterpolateDescriptor(mudnnInterpolateDescriptor_t descriptor, mudnnInterpolateMode_t mode,
                                                        int count, const float* scales, bool align_corners,
                                                        bool antialias) {
    return set(descriptor, [&](Interpolate& interpolate) {
        need(count > 0 && scales);
        need(interpolate.SetMode(mode_of(mode)));
        need(interpolate.SetScaleInfo(count, scales));
        need(interpolate.SetAlignCorners(align_corners));
        need(interpolate.SetAntialias(antialias));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnInterpolateForward(OP(Interpolate), OUT(out), IN(in)) {
    return run(handle, descriptor, [&](Handle& h, const Interpolate& interpolate) {
        Tensor result = NEEDED(out);
        return interpolate.Run(h, result, NEEDED(in));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnInterpolateBackward(OP(Interpolate), OUT(grad_in), IN(grad_out)) {
    return run(handle, descriptor, [&](Handle& h, const Interpolate& interpolate) {
        Tensor result = NEEDED(grad_in);
        return interpolate.RunBackward(h, result, NEEDED(grad_out));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetNLLLossDescriptor(mudnnNLLLossDescriptor_t descriptor, mudnnLossReduceMode_t mode,
                                                    int ignored) {
    return set(descriptor, [&](NLLLoss& loss) {
        need(loss.SetReductionMode(mode_of<NLLLoss::Mode>(mode)));
        need(loss.SetIgnoreIndex(ignored));
    });
}

NO_WORKSPACE(mudnnGetNLLLossForwardWorkspaceSize, NLLLoss, D(in), D(target), D(weight), D(out), D(total_weight))
NO_WORKSPACE(mudnnGetNLLLossBackwardWorkspaceSize, NLLLoss, D(grad_out), D(target), D(weight), D(total_weight), D(grad_in))

MUSA_EXPORT mudnnStatus_t mudnnNLLLossForward(OP(NLLLoss), IN(in), IN(target), IN(weight), OUT(out), OUT(total_weight),
                                              WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const NLLLoss& loss) {
        Tensor result = NEEDED(out), total = OPTIONAL(total_weight);
        return loss.Run(h, result, total, NEEDED(in), NEEDED(target), OPTIONAL(weight));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnNLLLossBackward(OP(NLLLoss), IN(grad_out), IN(target), IN(weight), IN(total_weight),
                                               OUT(grad_in), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const NLLLoss& loss) {
        Tensor result = NEEDED(grad_in);
        return loss.RunBwd(h, result, NEEDED(grad_out), NEEDED(target), OPTIONAL(weight), OPTIONAL(total_weight));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetKLDivLossDescriptor(mudnnKLDivLossDescriptor_t descriptor, mudnnLossReduceMode_t mode,
                                                      bool log_target) {
    return set(descriptor, [&](KLDivLoss& loss) {
        need(loss.SetReductionMode(mode_of<KLDivLoss::Mode>(mode)));
        need(loss.SetLogTarget(log_target));
    });
}

NO_WORKSPACE(mudnnGetKLDivLossForwardWorkspaceSize, KLDivLoss, D(in), D(target), D(out))
NO_WORKSPACE(mudnnGetKLDivLossBackwardWorkspaceSize, KLDivLoss, D(grad_out), D(in), D(target), D(grad_in))

MUSA_EXPORT mudnnStatus_t mudnnKLDivLossForward(OP(KLDivLoss), IN(in), IN(target), WORKSPACE, OUT(out)) {
    return run(handle, descriptor, [&](Handle& h, const KLDivLoss& loss) {
        Tensor result = NEEDED(out);
        return loss.Run(h, result, NEEDED(in), NEEDED(target));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnKLDivLossBackward(OP(KLDivLoss), IN(grad_out), IN(in), IN(target), WORKSPACE, OUT(grad_in)) {
    return run(handle, descriptor, [&](Handle& h, const KLDivLoss& loss) {
        Tensor result = NEEDED(grad_in);
        return loss.RunBwd(h, result, NEEDED(grad_out), NEEDED(in), NEEDED(target));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetCrossEntropyLossDescriptor(mudnnCrossEntropyLossDescriptor_t descriptor,
                                                             mudnnLossReduceMode_t mode, int64_t ignored, float smoothing) {
    return set(descriptor, [&](CrossEntropyLoss& loss) {
        need(loss.SetReductionMode(mode_of<CrossEntropyLoss::ReductionMode>(mode)));
        need(loss.SetIgnoreIndex(ignored));
        need(loss.SetLabelSmoothing(smoothing));
    });
}

NO_WORKSPACE(mudnnGetCrossEntropyLossForwardWorkspaceSize, CrossEntropyLoss, D(in), D(target), D(weight), D(out))
NO_WORKSPACE(mudnnGetCrossEntropyLossBackwardWorkspaceSize, CrossEntropyLoss, D(in), D(grad_out), D(target), D(weight),
             D(grad_in))

MUSA_EXPORT mudnnStatus_t mudnnCrossEntropyLossForward(OP(CrossEntropyLoss), IN(in), IN(target), IN(weight), WORKSPACE,
                                                       OUT(out)) {
    return run(handle, descriptor, [&](Handle& h, const CrossEntropyLoss& loss) {
        Tensor result = NEEDED(out);
        return loss.Run(h, result, NEEDED(in), NEEDED(target), OPTIONAL(weight));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnCrossEntropyLossBackward(OP(CrossEntropyLoss), IN(in), IN(grad_out), IN(target), IN(weight),
                                                        WORKSPACE, OUT(grad_in)) {
    return run(handle, descriptor, [&](Handle& h, const CrossEntropyLoss& loss) {
        Tensor result = NEEDED(grad_in);
        return loss.RunBwd(h, result, NEEDED(in), NEEDED(grad_out), NEEDED(target), OPTIONAL(weight));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnSetCTCLossDescriptor_v10(mudnnCTCLossDescriptor_t descriptor, int64_t blank,
                                                        bool zero_infinity, int64_t longest_target) {
    return set(descriptor, [&](CTCLoss& loss) {
        need(loss.SetBlank(blank));
        need(loss.SetZeroInfinity(zero_infinity));
        need(loss.SetMaxTargetLength(longest_target));
    });
}

NO_WORKSPACE(mudnnCTCLossGetWorkspaceSize_v10, CTCLoss, D(grad_in), D(grad_out), D(in), D(targets), D(in_lengths),
             D(target_lengths), D(loss), D(log_alpha))

MUSA_EXPORT mudnnStatus_t mudnnCTCLoss_v10(OP(CTCLoss), OUT(out), OUT(log_alpha), IN(in), IN(targets), IN(in_lengths),
                                           IN(target_lengths)) {
    return run(handle, descriptor, [&](Handle& h, const CTCLoss& loss) {
        Tensor result = NEEDED(out), alphas = NEEDED(log_alpha);
        return loss.Run(h, result, alphas, NEEDED(in), NEEDED(targets), NEEDED(in_lengths), NEEDED(target_lengths));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnCTCLossBackward_v10(OP(CTCLoss), OUT(grad_in), IN(grad_out), IN(in), IN(targets),
                                                   IN(in_lengths), IN(target_lengths), IN(loss), IN(log_alpha), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const CTCLoss& op) {
        Tensor result = NEEDED(grad_in);
        return op.RunBwd(h, result, NEEDED(grad_out), NEEDED(in), NEEDED(targets), NEEDED(in_lengths),
                         NEEDED(target_lengths), NEEDED(loss), NEEDED(log_alpha));
    });
}

// The dropout's seeds and offsets are not used.
#define ATTENTION                                                                                                  \
    mudnnScaledDotProductAttentionDescriptor_t descriptor, mudnnMathType_t, int embed_dim, int batch_size, int heads, \
        double scale, bool padding_mask
#define DROPOUT double p, uint64_t, uint64_t, int, uint64_t *, uint64_t *, uint64_t

MUSA_EXPORT mudnnStatus_t mudnnSetScaledDotProductAttentionDescriptorEx(ATTENTION, bool key_transposed, bool training,
                                                                        bool causal, bool deterministic, DROPOUT) {
    return set_attention(descriptor, embed_dim, batch_size, heads, scale, padding_mask, training, causal, deterministic, p,
                         [&](ScaledDotProductAttention& attention) { need(attention.SetKeyFormat(key_transposed)); });
}

MUSA_EXPORT mudnnStatus_t mudnnSetScaledDotProductAttentionDescriptor(ATTENTION, bool key_transposed, bool training,
                                                                      bool causal, bool deterministic) {
    return mudnnSetScaledDotProductAttentionDescriptorEx(descriptor, MUDNN_DEFAULT_MATH, embed_dim, batch_size, heads, scale,
                                                         padding_mask, key_transposed, training, causal, deterministic, 0, 0,
                                                         0, 0, nullptr, nullptr, 0);
}

MUSA_EXPORT mudnnStatus_t mudnnSetScaledDotProductAttentionVarlenDescriptorEx(ATTENTION, bool training, bool causal,
                                                                              bool deterministic, int longest_query,
                                                                              int longest_key, DROPOUT) {
    return set_attention(descriptor, embed_dim, batch_size, heads, scale, padding_mask, training, causal, deterministic, p,
                         [&](ScaledDotProductAttention& attention) {
                             need(attention.SetMaxSeqlenQ(longest_query));
                             need(attention.SetMaxSeqlenK(longest_key));
                         });
}

MUSA_EXPORT mudnnStatus_t mudnnSetScaledDotProductAttentionVarlenDescriptor(ATTENTION, bool training, bool causal,
                                                                            bool deterministic, int longest_query,
                                                                            int longest_key) {
    return mudnnSetScaledDotProductAttentionVarlenDescriptorEx(descriptor, MUDNN_DEFAULT_MATH, embed_dim, batch_size, heads,
                                                               scale, padding_mask, training, causal, deterministic,
                                                               longest_query, longest_key, 0, 0, 0, 0, nullptr, nullptr, 0);
}

NO_WORKSPACE(mudnnScaledDotProductAttentionMathForwardGetWorkspaceSize, ScaledDotProductAttention, D(weights), D(query),
             D(key), D(value), IN(mask), D(dropout_mask), D(out))
NO_WORKSPACE(mudnnScaledDotProductAttentionMathBackwardGetWorkspaceSize, ScaledDotProductAttention, D(grad_out), D(query),
             D(key), D(value), D(dropout_mask))
NO_WORKSPACE(mudnnScaledDotProductAttentionFlashBackwardGetWorkspaceSize, ScaledDotProductAttention, D(grad_out), D(query),
             D(key), D(value), D(mask), D(out), D(log_sums), D(dropout_mask), D(grad_query), D(grad_key), D(grad_value))
NO_WORKSPACE(mudnnScaledDotProductAttentionFlashVarlenBackwardGetWorkspaceSize, ScaledDotProductAttention, D(grad_out),
             D(query), D(key), D(value), D(mask), D(out), D(log_sums), D(dropout_mask), D(query_begins), D(key_begins),
             D(grad_query), D(grad_key), D(grad_value))

MUSA_EXPORT mudnnStatus_t mudnnScaledDotProductAttentionMathForward(mudnnHandle_t handle, OUT(weights), IN(query), IN(key),
                                                                    IN(value), IN(mask),
                                                                    mudnnScaledDotProductAttentionDescriptor_t descriptor,
                                                                    OUT(dropout_mask), OUT(out), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const ScaledDotProductAttention& attention) {
        Tensor result = NEEDED(out), softmax = OPTIONAL(weights), kept = OPTIONAL(dropout_mask);
        return attention.RunMath(h, result, softmax, NEEDED(query), NEEDED(key), NEEDED(value), OPTIONAL(mask), kept);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnScaledDotProductAttentionMathBackward(
    mudnnHandle_t handle, OUT(grad_weights), IN(grad_out), IN(query), IN(key), IN(value), IN(weights), IN(dropout_mask),
    mudnnScaledDotProductAttentionDescriptor_t descriptor, OUT(grad_query), OUT(grad_key), OUT(grad_value), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const ScaledDotProductAttention& attention) {
        Tensor of_query = NEEDED(grad_query), of_key = NEEDED(grad_key), of_value = NEEDED(grad_value);
        Tensor of_weights = OPTIONAL(grad_weights);
        return attention.RunMathBwd(h, of_query, of_key, of_value, of_weights, NEEDED(grad_out), NEEDED(query), NEEDED(key),
                                    NEEDED(value), NEEDED(weights), OPTIONAL(dropout_mask));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnScaledDotProductAttentionFlashForward(mudnnHandle_t handle, OUT(log_sums), IN(query), IN(key),
                                                                     IN(value), IN(mask),
                                                                     mudnnScaledDotProductAttentionDescriptor_t descriptor,
                                                                     OUT(dropout_mask), OUT(out)) {
    return run(handle, descriptor, [&](Handle& h, const ScaledDotProductAttention& attention) {
        Tensor result = NEEDED(out), sums = OPTIONAL(log_sums), kept = OPTIONAL(dropout_mask);
        return attention.RunFlash(h, result, sums, NEEDED(query), NEEDED(key), NEEDED(value), OPTIONAL(mask), kept);
    });
}

MUSA_EXPORT mudnnStatus_t mudnnScaledDotProductAttentionFlashBackward(
    mudnnHandle_t handle, IN(grad_out), IN(query), IN(key), IN(value), IN(mask), IN(out), IN(log_sums), IN(dropout_mask),
    mudnnScaledDotProductAttentionDescriptor_t descriptor, OUT(grad_query), OUT(grad_key), OUT(grad_value), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const ScaledDotProductAttention& attention) {
        Tensor of_query = NEEDED(grad_query), of_key = NEEDED(grad_key), of_value = NEEDED(grad_value);
        return attention.RunFlashBwd(h, of_query, of_key, of_value, NEEDED(grad_out), NEEDED(query), NEEDED(key),
                                     NEEDED(value), OPTIONAL(mask), NEEDED(out), NEEDED(log_sums), OPTIONAL(dropout_mask));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnScaledDotProductAttentionFlashVarlenForward(
    mudnnHandle_t handle, OUT(log_sums), IN(query), IN(key), IN(value), IN(mask), IN(query_begins), IN(key_begins),
    mudnnScaledDotProductAttentionDescriptor_t descriptor, OUT(dropout_mask), OUT(out)) {
    return run(handle, descriptor, [&](Handle& h, const ScaledDotProductAttention& attention) {
        Tensor result = NEEDED(out), sums = OPTIONAL(log_sums);
        return attention.RunFlashVarlen(h, result, sums, NEEDED(query), NEEDED(key), NEEDED(value), OPTIONAL(mask),
                                        OPTIONAL(dropout_mask), NEEDED(query_begins), NEEDED(key_begins));
    });
}

MUSA_EXPORT mudnnStatus_t mudnnScaledDotProductAttentionFlashVarlenBackward(
    mudnnHandle_t handle, IN(grad_out), IN(query), IN(key), IN(value), IN(mask), IN(out), IN(log_sums), IN(dropout_mask),
    IN(query_begins), IN(key_begins), mudnnScaledDotProductAttentionDescriptor_t descriptor, OUT(grad_query), OUT(grad_key),
    OUT(grad_value), WORKSPACE) {
    return run(handle, descriptor, [&](Handle& h, const ScaledDotProductAttention& attention) {
        Tensor of_query = NEEDED(grad_query), of_key = NEEDED(grad_key), of_value = NEEDED(grad_value);
        return attention.RunFlashVarlenBwd(h, of_query, of_key, of_value, NEEDED(grad_out), NEEDED(query), NEEDED(key),
                                           NEEDED(value), OPTIONAL(mask), NEEDED(out), NEEDED(log_sums),
                                           OPTIONAL(dropout_mask), NEEDED(query_begins), NEEDED(key_begins));
    });
}

#undef NEEDED
#undef OPTIONAL
#undef D
#undef IN
#undef OUT
#undef OP
#undef WORKSPACE
#undef NO_WORKSPACE
#undef ATTENTION
#undef DROPOUT

}  // namespace mudnn::c_interface
