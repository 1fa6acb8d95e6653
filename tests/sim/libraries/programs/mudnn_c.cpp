// As mudnn_layers.cpp, by muDNN's C interface alone: enumerators are settings. Each operation also asks for its workspace.
// `misuse` prints the statuses of wrong calls.
#define TORCH_MUSA_USE_MUDNN_C_API
#include <mudnn.h>

#include <cstdio>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "mudnn_operands.h"

// As torch_musa does, which the macro lets it do.
namespace musa::dnn {
class Unary {};
}  // namespace musa::dnn

namespace {

template <class Struct, mudnnStatus_t (*create)(Struct**), mudnnStatus_t (*destroy)(Struct*)>
struct Owned {
    Owned() {
        if (create(&at) != MUDNN_STATUS_SUCCESS) std::exit(4);
    }
    Owned(Owned&& other) noexcept : at(other.at) { other.at = nullptr; }
    ~Owned() {
        if (destroy(at) != MUDNN_STATUS_SUCCESS) std::exit(5);
    }
    operator Struct*() const { return at; }

    Struct* at = nullptr;
};
#define OWNED(NAME) Owned<mudnn##NAME##Struct, mudnnCreate##NAME##Descriptor, mudnnDestroy##NAME##Descriptor>

const std::map<std::string, mudnnDataType_t> types = {
    {"float", MUDNN_DATA_FLOAT}, {"double", MUDNN_DATA_DOUBLE}, {"half", MUDNN_DATA_HALF},   {"bfloat16", MUDNN_DATA_BFLOAT16},
    {"int32", MUDNN_DATA_INT32}, {"int64", MUDNN_DATA_INT64},   {"uint8", MUDNN_DATA_UINT8}, {"bool", MUDNN_DATA_BOOLEAN},
    {"e4m3", MUDNN_DATA_FP8_E4M3}, {"e5m2", MUDNN_DATA_FP8_E5M2}, {"qint8", MUDNN_DATA_QINT8}};

struct Operand : GivenOperand {
    explicit Operand(const std::string& word) : GivenOperand(word) {
        const int rank = static_cast<int>(sizes.size());
        if (role == "none") return;
        if (mudnnSetTensorNdDescriptorWithScale(tensor, format == "NHWC" ? MUDNN_TENSOR_NHWC : MUDNN_TENSOR_NCHW,
                                                types.at(type), rank, sizes.data(), nullptr, 1) != MUDNN_STATUS_SUCCESS)
            std::exit(6);
        const std::vector<int> dims(sizes.begin(), sizes.end());
        if (rank > 0) mudnnSetFilterNdDescriptorWithScale(filter, types.at(type), MUDNN_TENSOR_NCHW, rank, dims.data(), 1);
    }

    OWNED(Tensor) tensor;
    OWNED(Filter) filter;
};
using Operands = std::vector<Operand>;

mudnnStatus_t all(std::initializer_list<mudnnStatus_t> statuses) {
    for (mudnnStatus_t status : statuses) {
        if (status != MUDNN_STATUS_SUCCESS) return status;
    }
    return MUDNN_STATUS_SUCCESS;
}

// The alpha and beta of a setting: an integer where it is whole.
struct Param {
    Param(const Settings& s, const char* name) {
        if (!s.has(name)) return;
        number = s.number(name);
        integer = static_cast<int64_t>(number);
        type = static_cast<double>(integer) == number ? MUDNN_PARAM_DATA_INT64 : MUDNN_PARAM_DATA_DOUBLE;
    }
    const void* at() const {
        return type == MUDNN_PARAM_DATA_NONE  ? nullptr
               : type == MUDNN_PARAM_DATA_INT64 ? static_cast<const void*>(&integer)
                                                : static_cast<const void*>(&number);
    }

    double number = 0;
    int64_t integer = 0;
    mudnnParamDataType_t type = MUDNN_PARAM_DATA_NONE;
};

// A tensor's descriptor, and its address, too.
#define D(I) t[I].tensor
#define P(I) t[I].tensor, t[I].memory
#define W workspace.data(), workspace.size()

size_t asked = 77;
std::vector<char> workspace;

// The workspace is as large as asked for, which is not at all.
mudnnStatus_t sized(mudnnStatus_t status) {
    if (status == MUDNN_STATUS_SUCCESS && asked != 0) std::exit(7);
    asked = 77;
    return status;
}

mudnnStatus_t product(mudnnHandle_t h, const Settings& s, Operands& t) {  // d, a, b, c, bias
    OWNED(BatchMatMul) op;
    const Operand& c = t[3].role == "none" ? t[0] : t[3];
    return all({mudnnSetBatchMatMulDescriptorEx(op, MUDNN_TENSOR_OP_MATH, s.whole("transpose_a"), s.whole("transpose_b"),
                                                false, MUDNN_MATMULLT_EPILOGUE_DEFAULT, 0, s.number("alpha", 1),
                                                s.number("beta"), s.number("gamma", 1)),
                sized(mudnnBatchMatmulGetWorkspaceSize(h, op, D(1), D(2), c.tensor, D(0), &asked)),
                t[4].role == "none"
                    ? mudnnBatchMatMulBias(h, op, P(1), P(2), c.tensor, c.memory, P(0), nullptr, nullptr, W)
                    : mudnnBatchMatMulBias(h, op, P(1), P(2), c.tensor, c.memory, P(0), P(4), W)});
}

mudnnStatus_t product_lt(mudnnHandle_t h, const Settings&, Operands& t) {  // d, a, b, factor of a, factor of b, the largest
    OWNED(BatchMatMul) op;
    return all({mudnnSetBatchMatMulDescriptorEx(op, MUDNN_FMA_MATH, false, false, false, MUDNN_MATMULLT_EPILOGUE_DEFAULT, 0, 1,
                                                0, 1),
                mudnnBatchMatMulBiasTensorScaleEpilogue(h, op, P(1), P(2), nullptr, nullptr, P(0), nullptr, nullptr, P(3), P(4),
                                                        nullptr, nullptr, nullptr, nullptr, 0, false, P(5), nullptr, nullptr,
                                                        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, W)});
}

mudnnStatus_t grouped(mudnnHandle_t h, const Settings& s, Operands& t) {  // for each group d, a, b
    OWNED(GroupedMatMul) op;
    std::vector<mudnnTensorDescriptor_t> descriptors[3];
    std::vector<void*> results;
    std::vector<const void*> left, right;
    std::vector<OWNED(MatMulLtParam)> params(t.size() / 3);
    std::vector<mudnnMatMulLtParamDescriptor_t> param_descriptors(params.begin(), params.end());
    for (size_t i = 0; i < t.size(); i += 3) {
        for (size_t j = 0; j < 3; ++j) descriptors[j].push_back(D(i + j));
        results.push_back(t[i].memory);
        left.push_back(t[i + 1].memory);
        right.push_back(t[i + 2].memory);
    }
    for (const auto& param : params) {
        const mudnnStatus_t status = all({mudnnSetMatMulLtParamScale(param, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                                                     nullptr, nullptr, 0, false),
                                          mudnnSetMatMulLtParamAmaxD(param, nullptr, nullptr)});
        if (status != MUDNN_STATUS_SUCCESS) return status;
    }
    const int groups = static_cast<int>(results.size());
    return all({mudnnSetGroupedMatMulDescriptorEx(op, MUDNN_DEFAULT_MATH, false, s.whole("transpose_b"), false, 0, 1, 0, 1),
                sized(mudnnGroupedMatmulGetWorkspaceSizeLt(h, op, descriptors[0].data(), descriptors[1].data(),
                                                           descriptors[2].data(), nullptr, param_descriptors.data(), groups,
                                                           &asked)),
                mudnnGroupedMatMulRunLt(h, op, descriptors[0].data(), results.data(), descriptors[1].data(), left.data(),
                                        descriptors[2].data(), right.data(), nullptr, nullptr, nullptr, nullptr,
                                        param_descriptors.data(), groups, W)});
}

// A convolution with its settings.
mudnnStatus_t set_up(mudnnConvolutionDescriptor_t op, const Settings& s) {
    const auto padding = s.integers("padding"), stride = s.integers("stride"), dilation = s.integers("dilation");
    return all({mudnnSetConvolutionGroupCount(op, s.whole("groups", 1)), mudnnSetConvolutionMathType(op, MUDNN_FMA_MATH),
                mudnnSetConvolutionNdDescriptor(op, static_cast<int>(padding.size()), padding.data(), stride.data(),
                                                dilation.data(), MUDNN_CROSS_CORRELATION, MUDNN_DATA_FLOAT)});
}

mudnnStatus_t convolution(mudnnHandle_t h, const Settings& s, Operands& t) {  // out, in, filter, grad_in, grad_filter
    OWNED(Convolution) op;
    const float one = static_cast<float>(s.number("alpha", 1)), zero = 0;
    int returned = 0;
    mudnnConvolutionFwdAlgoPerf_t forward;
    mudnnConvolutionBwdDataAlgoPerf_t data;
    mudnnConvolutionBwdFilterAlgoPerf_t filter;
    return all(
        {set_up(op, s), mudnnGetConvolutionForwardAlgorithm_v7(h, D(1), t[2].filter, op, D(0), 1, &returned, &forward),
         sized(mudnnGetConvolutionForwardWorkspaceSize(h, D(1), t[2].filter, op, D(0), forward.algo, &asked)),
         mudnnConvolutionForward(h, &one, P(1), t[2].filter, t[2].memory, op, forward.algo, W, &zero, P(0)),
         mudnnGetConvolutionBackwardDataAlgorithm_v7(h, t[2].filter, D(0), op, D(3), 1, &returned, &data),
         sized(mudnnGetConvolutionBackwardDataWorkspaceSize(h, t[2].filter, D(0), op, D(3), data.algo, &asked)),
         mudnnConvolutionBackwardData(h, &one, t[2].filter, t[2].memory, P(0), op, data.algo, W, &zero, P(3)),
         mudnnGetConvolutionBackwardFilterAlgorithm_v7(h, D(1), D(0), op, t[4].filter, 1, &returned, &filter),
         sized(mudnnGetConvolutionBackwardFilterWorkspaceSize(h, D(1), D(0), op, t[4].filter, filter.algo, &asked)),
         mudnnConvolutionBackwardFilter(h, &one, P(1), P(0), op, filter.algo, W, &zero, t[4].filter, t[4].memory)});
}

mudnnStatus_t fusion(mudnnHandle_t h, const Settings& s, Operands& t) {  // out, in, filter, bias, add
    OWNED(Convolution) op;
    OWNED(Activation) activation;
    const float one = 1, of_add = static_cast<float>(s.number("of_add", 1));
    return all({set_up(op, s),
                mudnnSetActivationDescriptor(activation, static_cast<mudnnActivationMode_t>(s.whole("activation")),
                                             MUDNN_NOT_PROPAGATE_NAN, 0),
                mudnnConvolutionBiasActivationForward(h, &one, P(1), t[2].filter, t[2].memory, op,
                                                      MUDNN_CONVOLUTION_FWD_ALGO_DIRECT, W, &of_add, P(4), P(3), activation,
                                                      P(0))});
}

using Operation = std::function<mudnnStatus_t(mudnnHandle_t, const Settings&, Operands&)>;
#define OPERATION(...) [](mudnnHandle_t h, const Settings& s, Operands& t) -> mudnnStatus_t { (void)h, (void)s, (void)t; __VA_ARGS__ }

const std::map<std::string, Operation> operations = {
    {"unary", OPERATION(OWNED(Unary) op; const Param alpha(s, "alpha"), beta(s, "beta"); return all(
                  {mudnnSetUnaryDescriptor(op, static_cast<mudnnUnaryMode_t>(s.whole("mode")), alpha.type, alpha.at(), beta.type,
                                           beta.at()),
                   mudnnUnary(h, op, P(0), P(1))});)},
    {"binary", OPERATION(OWNED(Binary) op; const Param alpha(s, "alpha"), beta(s, "beta"); return all(
                   {mudnnSetBinaryDescriptor(op, static_cast<mudnnBinaryMode_t>(s.whole("mode")), alpha.type, alpha.at(),
                                             beta.type, beta.at()),
                    mudnnBinary(h, op, P(0), P(1), P(2))});)},
    {"ternary", OPERATION(OWNED(Ternary) op; const Param alpha(s, "alpha"), none(s, "-"); return all(
                    {mudnnSetTernaryDescriptor(op, static_cast<mudnnTernaryMode_t>(s.whole("mode")), alpha.type, alpha.at(),
                                               none.type, none.at(), none.type, none.at()),
                     mudnnTernary(h, op, P(0), P(1), P(2), P(3))});)},
    {"product", product},
    {"product_lt", product_lt},
    {"grouped", grouped},
    {"convolution", convolution},
    {"fusion", fusion},
    {"dot", OPERATION(OWNED(Dot) op; return all({mudnnSetDotMathType(op, MUDNN_DEFAULT_MATH),
                                                 sized(mudnnGetDotWorkspaceSize(h, op, D(1), D(2), D(0), &asked)),
                                                 mudnnDot(h, op, P(1), P(2), P(0), W)});)},
    {"softmax", OPERATION(OWNED(Softmax) op; return all(
                    {mudnnSetSoftmaxDescriptor(op, s.whole("dim"), MUDNN_SOFTMAX_ACCURATE,
                                               static_cast<mudnnSoftmaxMode_t>(s.whole("mode"))),
                     sized(mudnnGetSoftmaxForwardWorkspaceSize(h, op, D(1), D(0), &asked)),
                     mudnnSoftmaxForwardEx(h, op, P(1), W, P(0))});)},
    {"softmax_backward", OPERATION(OWNED(Softmax) op; return all(
                             {mudnnSetSoftmaxDescriptor(op, s.whole("dim"), MUDNN_SOFTMAX_ACCURATE,
                                                        static_cast<mudnnSoftmaxMode_t>(s.whole("mode"))),
                              sized(mudnnGetSoftmaxBackwardWorkspaceSize(h, op, D(1), D(2), D(0), &asked)),
                              mudnnSoftmaxBackwardEx(h, op, P(1), P(2), W, P(0))});)},
    {"reduce", OPERATION(OWNED(Reduce) op; const int dim = s.whole("dim"); return all(
                   {mudnnSetReduceDescriptor(op, static_cast<mudnnReduceMode_t>(s.whole("mode")), 1, &dim,
                                             static_cast<float>(s.number("order", 2)), s.whole("correction", 1)),
                    sized(mudnnGetReduceWorkspaceSize(h, op, &asked, D(0), D(1))), mudnnReduce(h, op, P(1), W, P(0))});)},
    {"reduce_indices", OPERATION(OWNED(Reduce) op; const int dim = s.whole("dim"); return all(
                           {mudnnSetReduceDescriptor(op, static_cast<mudnnReduceMode_t>(s.whole("mode")), 1, &dim, 2, 1),
                            mudnnGetReduceIndicesWorkspaceSize(h, op, 0, D(2), D(3)),
                            mudnnReduceOnlyIndices(h, op, P(3), W, P(2)),
                            mudnnGetReduceWithIndicesWorkspaceSize(h, op, 0, D(0), D(1), D(3)),
                            mudnnReduceWithIndices(h, op, P(3), W, P(0), P(1))});)},
    {"cum", OPERATION(OWNED(Cum) op; return all(
                {mudnnSetCumDescriptor(op, s.whole("dim"), static_cast<mudnnCumMode_t>(s.whole("mode"))),
                 sized(mudnnGetCumWorkspaceSize(h, op, D(0), D(1), &asked)), mudnnCum(h, op, P(0), P(1), W)});)},
    {"fill", OPERATION(OWNED(Fill) op; const Param value(s, "value"); return all(
                 {mudnnSetFillDescriptor(op, value.type, value.at()), t.size() == 1 ? mudnnFill(h, op, nullptr, nullptr, P(0))
                                                                                    : mudnnFill(h, op, P(1), P(0))});)},
    {"permute", OPERATION(OWNED(Permute) op; OWNED(Tensor) turned; const int64_t sizes[] = {t[0].sizes[0], t[0].sizes[1]};
                          const int64_t strides[] = {1, t[0].sizes[0]}; return all(
                              {mudnnSetTensorNdDescriptorWithScale(turned, MUDNN_TENSOR_NCHW, types.at(t[1].type), 2, sizes,
                                                                   strides, 1),
                               mudnnPermute(h, op, P(0), turned, t[1].memory)});)},
    {"concat", OPERATION(OWNED(Concat) op; const mudnnTensorDescriptor_t in[] = {D(1), D(2)};
                         const void* data[] = {t[1].memory, t[2].memory};
                         return all({mudnnSetConcatDescriptor(op, s.whole("dim")), mudnnConcat(h, op, in, data, 2, P(0))});)},
    {"pad", OPERATION(OWNED(Pad) op; const Param value(s, "value"); const auto padding = s.integers("padding"); return all(
                {mudnnSetPadDescriptor(op, static_cast<mudnnPadMode_t>(s.whole("mode")), value.type, value.at(), padding.data(),
                                       padding.size()),
                 mudnnPad(h, op, P(0), P(1))});)},
    {"scatter", OPERATION(OWNED(Scatter) op; return all(
                    {mudnnSetScatterDescriptor(op, static_cast<mudnnScatterMode_t>(s.whole("mode"))),
                     mudnnScatterInplace(h, op, P(0), P(1), P(2), s.whole("dim"))});)},
    {"nonzero", OPERATION(OWNED(Nonzero) op; return all({sized(mudnnGetNonzeroWorkspaceSize(h, op, D(1), D(0), &asked)),
                                                         mudnnNonzero(h, op, P(1), W, P(0))});)},
    {"masked_select", OPERATION(OWNED(MaskedSelect) op; return all(
                          {sized(mudnnGetMaskedSelectWorkspaceSize(h, op, D(1), D(2), D(0), &asked)),
                           mudnnMaskedSelect(h, op, P(1), P(2), P(0), W)});)},
    {"masked_scatter", OPERATION(OWNED(MaskedScatter) op; return all(
                           {sized(mudnnGetMaskedScatterWorkspaceSize(h, op, D(0), D(1), D(2), &asked)),
                            mudnnMaskedScatter(h, op, P(0), P(1), P(2), W)});)},
    {"sort", OPERATION(OWNED(Sort) op; return all({mudnnSetSortDescriptor(op, s.whole("dim"), true, s.whole("descending")),
                                                   sized(mudnnGetSortWorkspaceSize(h, op, D(0), D(1), D(2), &asked)),
                                                   mudnnSort(h, op, P(2), W, P(0), P(1))});)},
    {"sort_by_key", OPERATION(OWNED(SortByKey) op; return all(
                        {mudnnSetSortByKeyDescriptor(op, s.whole("dim"), true, s.whole("descending")),
                         sized(mudnnGetSortByKeyWorkspaceSize(h, op, D(0), D(1), D(2), D(3), &asked)),
                         mudnnSortByKey(h, op, P(2), P(3), W, P(0), P(1))});)},
    {"topk", OPERATION(OWNED(TopK) op; return all(
                 {mudnnSetTopKDescriptor(op, s.whole("k"), s.whole("dim"), s.whole("largest"), true),
                  sized(mudnnGetTopKWorkspaceSize(h, op, D(2), D(0), D(1), &asked)), mudnnTopK(h, op, P(2), W, P(0), P(1))});)},
    {"layer_norm", OPERATION(OWNED(LayerNorm) op; const int axis = -1; return all(
                       {mudnnSetLayerNormDescriptor(op, s.number("epsilon"), MUDNN_LAYER_NORM_MODE_WELFORD, &axis, 1),
                        sized(mudnnGetLayerNormForwardWorkspaceSize(h, op, D(0), D(1), D(2), D(3), D(4), D(5), &asked)),
                        mudnnLayerNormForward(h, op, P(0), P(1), P(2), P(3), P(4), P(5), W)});)},
    {"layer_norm_backward",
     OPERATION(OWNED(LayerNorm) op; const int axis = -1; return all(
         {mudnnSetLayerNormDescriptor(op, s.number("epsilon"), MUDNN_LAYER_NORM_MODE_DIRECT, &axis, 1),
          sized(mudnnGetLayerNormBackwardWorkspaceSize(h, op, P(0), P(1), P(2), D(3), D(4), D(5), D(6), D(7), &asked)),
          mudnnLayerNormBackward(h, op, P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7), W)});)},
    {"rms_norm", OPERATION(OWNED(RMSNorm) op; const int axis = -1; return all(
                     {mudnnSetRMSNormDescriptor(op, MUDNN_RMS_NORM_MODE_DIRECT, s.number("epsilon"), &axis, 1),
                      mudnnRMSNormForward(h, op, P(0), P(1), P(2), P(3))});)},
    {"rms_norm_backward",
     OPERATION(OWNED(RMSNorm) op; const int axis = -1; return all(
         {mudnnSetRMSNormDescriptor(op, MUDNN_RMS_NORM_MODE_DIRECT, s.number("epsilon"), &axis, 1),
          sized(mudnnGetRMSNormBackwardWorkspaceSize(h, op, P(0), P(1), D(2), D(3), D(4), D(5), &asked)),
          mudnnRMSNormBackward(h, op, P(0), P(1), P(2), P(3), P(4), P(5), W)});)},
    {"group_norm", OPERATION(OWNED(GroupNorm) op; return all(
                       {mudnnSetGroupNormDescriptor(op, s.number("epsilon"), s.whole("axis"), s.whole("groups")),
                        mudnnGroupNorm(h, op, P(0), P(1), P(2), P(3), P(4), P(5))});)},
    {"batch_norm_inference", OPERATION(OWNED(BatchNorm) op; return all(
                                 {mudnnSetBatchNormDescriptor(op, MUDNN_BATCHNORM_SPATIAL, s.number("epsilon"), false),
                                  mudnnBatchNormForwardInference(h, op, P(0), P(1), P(2), P(3), P(4), P(5))});)},
    {"batch_norm_training",
     OPERATION(OWNED(BatchNorm) op; return all(
         {mudnnSetBatchNormDescriptor(op, MUDNN_BATCHNORM_SPATIAL, s.number("epsilon"), true),
          sized(mudnnGetBatchNormForwardTrainingWorkspaceSize(h, op, D(0), D(1), D(2), D(3), D(4), D(5), D(6), D(7), &asked)),
          mudnnBatchNormForwardTraining(h, op, P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7), 0.25, W)});)},
    {"batch_norm_backward",
     OPERATION(OWNED(BatchNorm) op; return all(
         {mudnnSetBatchNormDescriptor(op, MUDNN_BATCHNORM_SPATIAL, s.number("epsilon"), true),
          sized(mudnnGetBatchNormBackwardWorkspaceSize(h, op, D(0), D(1), D(2), D(3), D(4), D(5), D(6), D(7), D(8), D(9), &asked)),
          mudnnBatchNormBackward(h, op, P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7), P(8), P(9), W)});)},
    {"glu", OPERATION(OWNED(Glu) op; return all({mudnnSetGluDescriptor(op, s.whole("axis")), mudnnGlu(h, op, P(0), P(1))});)},
    {"swiglu", OPERATION(OWNED(SwiGlu) op; return mudnnSwiGluForward(h, op, P(0), P(1));)},
    {"swiglu_backward", OPERATION(OWNED(SwiGlu) op; return mudnnSwiGluBackward(h, op, P(0), P(1), P(2));)},
    {"rope", OPERATION(OWNED(Rope) op; return all({mudnnSetRopeDescriptor(op, s.whole("interleaved"), s.whole("batch_first"), false),
                                                   mudnnRopeForward(h, op, P(0), P(1), P(2))});)},
    {"rope_backward", OPERATION(OWNED(Rope) op; return all({mudnnSetRopeDescriptor(op, false, s.whole("batch_first"), false),
                                                            mudnnRopeBackward(h, op, P(0), P(1), P(2))});)},
    {"dropout", OPERATION(OWNED(Dropout) op; const uint64_t seed = 7, offset = 3; return all(
                    {mudnnSetDropoutDescriptorEx(op, s.number("p"), 1 / (1 - s.number("p")), MUDNN_PARAM_DATA_UINT64, &seed,
                                                 MUDNN_PARAM_DATA_UINT64, &offset, 0),
                     mudnnDropoutForwardEx(h, op, P(2), P(0), P(1))});)},
    {"dropout_backward", OPERATION(OWNED(Dropout) op; const uint64_t none = 0; return all(
                             {mudnnSetDropoutDescriptorEx(op, 0, s.number("scale"), MUDNN_PARAM_DATA_UINT64, &none,
                                                          MUDNN_PARAM_DATA_UINT64, &none, 0),
                              mudnnDropoutBackwardEx(h, op, P(0), P(1), P(2))});)},
    {"pool", OPERATION(OWNED(Pooling) op; const int window[] = {3, 2}; const int padding[] = {1, 0}; const int stride[] = {2, 1};
                       const int dilation[] = {1, 1}; return all(
                           {mudnnSetPoolingNdDescriptorEx(op, static_cast<mudnnPoolingMode_t>(s.whole("mode")), 0, 2, window,
                                                          padding, stride, dilation),
                            mudnnPoolingForwardEx(h, op, P(0), P(2), P(1)), mudnnPoolingBackwardEx(h, op, P(3), P(4), P(1))});)},
    {"interpolate", OPERATION(
                        OWNED(Interpolate) op; const float doubled[] = {0.5f, 0.5f}; const float halved[] = {2, 2};
                        const auto mode = static_cast<mudnnInterpolateMode_t>(s.whole("mode"));
                        return all({mudnnSetInterpolateDescriptor(op, mode, 2, doubled, false, false),
                                    mudnnInterpolateForward(h, op, P(0), P(2)),
                                    mudnnSetInterpolateDescriptor(op, mode, 2, halved, false, false),
                                    mudnnInterpolateBackward(h, op, P(1), P(3))});)},
    {"nll", OPERATION(OWNED(NLLLoss) op; return all(
                {mudnnSetNLLLossDescriptor(op, static_cast<mudnnLossReduceMode_t>(s.whole("mode")), -100),
                 sized(mudnnGetNLLLossForwardWorkspaceSize(h, op, D(3), D(4), D(5), D(0), D(1), &asked)),
                 mudnnNLLLossForward(h, op, P(3), P(4), P(5), P(0), P(1), W),
                 sized(mudnnGetNLLLossBackwardWorkspaceSize(h, op, D(6), D(4), D(5), D(1), D(2), &asked)),
                 mudnnNLLLossBackward(h, op, P(6), P(4), P(5), P(1), P(2), W)});)},
    {"kl_div", OPERATION(OWNED(KLDivLoss) op; return all(
                   {mudnnSetKLDivLossDescriptor(op, static_cast<mudnnLossReduceMode_t>(s.whole("mode")), false),
                    sized(mudnnGetKLDivLossForwardWorkspaceSize(h, op, D(2), D(3), D(0), &asked)),
                    mudnnKLDivLossForward(h, op, P(2), P(3), W, P(0)),
                    sized(mudnnGetKLDivLossBackwardWorkspaceSize(h, op, D(4), D(2), D(3), D(1), &asked)),
                    mudnnKLDivLossBackward(h, op, P(4), P(2), P(3), W, P(1))});)},
    {"cross_entropy", OPERATION(OWNED(CrossEntropyLoss) op; return all(
                          {mudnnSetCrossEntropyLossDescriptor(op, static_cast<mudnnLossReduceMode_t>(s.whole("mode")), -100, 0.25f),
                           sized(mudnnGetCrossEntropyLossForwardWorkspaceSize(h, op, D(2), D(3), D(4), D(0), &asked)),
                           mudnnCrossEntropyLossForward(h, op, P(2), P(3), P(4), W, P(0)),
                           sized(mudnnGetCrossEntropyLossBackwardWorkspaceSize(h, op, D(2), D(5), D(3), D(4), D(1), &asked)),
                           mudnnCrossEntropyLossBackward(h, op, P(2), P(5), P(3), P(4), W, P(1))});)},
    {"ctc", OPERATION(OWNED(CTCLoss) op; return all(
                {mudnnSetCTCLossDescriptor_v10(op, 0, true, s.whole("longest")), mudnnCTCLoss_v10(h, op, P(0), P(1), P(3), P(4), P(5), P(6)),
                 sized(mudnnCTCLossGetWorkspaceSize_v10(h, op, D(2), D(7), D(3), D(4), D(5), D(6), D(0), D(1), &asked)),
                 mudnnCTCLossBackward_v10(h, op, P(2), P(7), P(3), P(4), P(5), P(6), P(0), P(1), W)});)},
    // out, weights, gradients of query, key and value, query, key, value, gradient of out
    {"attention_math",
     OPERATION(OWNED(ScaledDotProductAttention) op; return all(
         {mudnnSetScaledDotProductAttentionDescriptor(op, MUDNN_TENSOR_OP_MATH, s.whole("embed"), s.whole("batch"), s.whole("heads"),
                                                      0, false, false, true, false, false),
          sized(mudnnScaledDotProductAttentionMathForwardGetWorkspaceSize(h, op, D(1), D(5), D(6), D(7), nullptr, nullptr, nullptr,
                                                                          D(0), &asked)),
          mudnnScaledDotProductAttentionMathForward(h, P(1), P(5), P(6), P(7), nullptr, nullptr, op, nullptr, nullptr, P(0), W),
          sized(mudnnScaledDotProductAttentionMathBackwardGetWorkspaceSize(h, op, D(8), D(5), D(6), D(7), nullptr, &asked)),
          mudnnScaledDotProductAttentionMathBackward(h, nullptr, nullptr, P(8), P(5), P(6), P(7), P(1), nullptr, nullptr, op, P(2),
                                                     P(3), P(4), W)});)},
    {"attention_flash",
     OPERATION(OWNED(ScaledDotProductAttention) op; return all(
         {mudnnSetScaledDotProductAttentionDescriptorEx(op, MUDNN_TENSOR_OP_MATH, s.whole("embed"), s.whole("batch"),
                                                        s.whole("heads"), 0, false, false, true, true, false, 0, 0, 0, 0, nullptr,
                                                        nullptr, 0),
          mudnnScaledDotProductAttentionFlashForward(h, P(1), P(5), P(6), P(7), nullptr, nullptr, op, nullptr, nullptr, P(0)),
          sized(mudnnScaledDotProductAttentionFlashBackwardGetWorkspaceSize(h, op, D(8), D(5), D(6), D(7), nullptr, D(0), D(1),
                                                                            nullptr, D(2), D(3), D(4), &asked)),
          mudnnScaledDotProductAttentionFlashBackward(h, P(8), P(5), P(6), P(7), nullptr, nullptr, P(0), P(1), nullptr, nullptr, op,
                                                      P(2), P(3), P(4), W)});)},
    // as these, of one sequence, then its begin and end
    {"attention_varlen",
     OPERATION(OWNED(ScaledDotProductAttention) op; const int longest = s.whole("longest"); return all(
         {mudnnSetScaledDotProductAttentionVarlenDescriptorEx(op, MUDNN_DEFAULT_MATH, 0, 1, 0, 3, true, false, false, false, 0, 0,
                                                              0, 0, 0, 0, nullptr, nullptr, 0),
          mudnnSetScaledDotProductAttentionVarlenDescriptor(op, MUDNN_DEFAULT_MATH, s.whole("embed"), 1, s.whole("heads"), 0, false,
                                                            true, true, false, longest, longest),
          mudnnScaledDotProductAttentionFlashVarlenForward(h, P(1), P(5), P(6), P(7), nullptr, nullptr, P(9), P(9), op, nullptr,
                                                           nullptr, P(0)),
          sized(mudnnScaledDotProductAttentionFlashVarlenBackwardGetWorkspaceSize(h, op, D(8), D(5), D(6), D(7), nullptr, D(0),
                                                                                  D(1), nullptr, D(9), D(9), D(2), D(3), D(4),
                                                                                  &asked)),
          mudnnScaledDotProductAttentionFlashVarlenBackward(h, P(8), P(5), P(6), P(7), nullptr, nullptr, P(0), P(1), nullptr,
                                                            nullptr, P(9), P(9), op, P(2), P(3), P(4), W)});)},
};

// Wrong calls; `name`, then the status's.
int misuse(mudnnHandle_t h) {
    OWNED(Tensor) unset, tensor;
    OWNED(Unary) without_mode, op;
    const int64_t two[] = {2, 2}, wrong[] = {-1, 2};
    void* memory = nullptr;
    musaMallocManaged(&memory, 64);
    const int narrow[] = {2, 2}, along[] = {2, 1};
    mudnnSetTensorNdDescriptor(tensor, MUDNN_DATA_FLOAT, 2, narrow, along);
    mudnnSetUnaryDescriptor(op, MUDNN_UNARY_EXP, MUDNN_PARAM_DATA_NONE, nullptr, MUDNN_PARAM_DATA_NONE, nullptr);
    size_t size = 0;
    mudnnDataType_t type;
    int rank, sizes[MUDNN_DIM_MAX], strides[MUDNN_DIM_MAX];
    const std::pair<const char*, mudnnStatus_t> found[] = {
        {"no handle", mudnnUnary(nullptr, op, tensor, memory, tensor, memory)},
        {"no operation", mudnnUnary(h, nullptr, tensor, memory, tensor, memory)},
        {"no tensor", mudnnUnary(h, op, nullptr, memory, tensor, memory)},
        {"no address", mudnnUnary(h, op, tensor, nullptr, tensor, memory)},
        {"unset tensor", mudnnUnary(h, op, tensor, memory, unset, memory)},
        {"unset operation", mudnnUnary(h, without_mode, tensor, memory, tensor, memory)},
        {"unset tensor's sizes", mudnnGetTensorNdDescriptor(unset, 2, &type, &rank, sizes, strides)},
        {"negative size", mudnnSetTensorNdDescriptorWithScale(unset, MUDNN_TENSOR_NCHW, MUDNN_DATA_FLOAT, 2, wrong, nullptr, 1)},
        {"too many dimensions",
         mudnnSetTensorNdDescriptorWithScale(unset, MUDNN_TENSOR_NCHW, MUDNN_DATA_FLOAT, MUDNN_DIM_MAX + 1, two, nullptr, 1)},
        {"no such type",
         mudnnSetTensorNdDescriptorWithScale(unset, MUDNN_TENSOR_NCHW, static_cast<mudnnDataType_t>(99), 2, two, nullptr, 1)},
        {"no pointer to a handle", mudnnCreate(nullptr)},
        {"no pointer to a descriptor", mudnnCreateTopKDescriptor(nullptr)},
        {"no pointer to a size", mudnnGetTopKWorkspaceSize(h, nullptr, tensor, tensor, tensor, &size)},
        {"no address of alpha", mudnnSetUnaryDescriptor(op, MUDNN_UNARY_ADD, MUDNN_PARAM_DATA_DOUBLE, nullptr,
                                                        MUDNN_PARAM_DATA_NONE, nullptr)},
        {"nothing to destroy", mudnnDestroyTensorDescriptor(nullptr)},
        {"sizes", mudnnGetTensorNdDescriptor(tensor, 2, &type, &rank, sizes, strides)},
    };
    for (const auto& each : found) std::printf("%s: %s\n", each.first, mudnnGetErrorString(each.second));
    std::printf("%d %d: %d %d, %d %d\n", static_cast<int>(type), rank, sizes[0], sizes[1], strides[0], strides[1]);
    return 0;
}

}  // namespace

int main(int, char** words) {
    musaStream_t stream;
    musaStreamCreate(&stream);
    mudnnHandle_t handle = nullptr;
    if (all({mudnnCreate(&handle), mudnnSetStream(handle, stream)}) != MUDNN_STATUS_SUCCESS) return 4;
    if (std::string(words[1]) == "misuse") return misuse(handle);
    Settings settings;
    auto operands = operands_and<Operand>(settings, words + 2);
    const mudnnStatus_t status = operations.at(words[1])(handle, settings, operands);
    if (status != MUDNN_STATUS_SUCCESS) {
        std::fprintf(stderr, "status %d", static_cast<int>(status));
        return 3;
    }
    musaDeviceSynchronize();
    for (const Operand& operand : operands) {
        if (!operand.is_written()) continue;
        mudnnDataType_t type;
        int rank = 0, sizes[MUDNN_DIM_MAX], strides[MUDNN_DIM_MAX];
        if (mudnnGetTensorNdDescriptor(operand.tensor, MUDNN_DIM_MAX, &type, &rank, sizes, strides) != MUDNN_STATUS_SUCCESS ||
            type != types.at(operand.type))
            return 8;
        show(operand, std::vector<int64_t>(sizes, sizes + rank));
    }
    return mudnnDestroy(handle) == MUDNN_STATUS_SUCCESS ? 0 : 9;
}
