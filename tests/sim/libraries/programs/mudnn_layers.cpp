// One operation of muDNN on tensors from stdin: OPERATION, then settings and tensors in the order of the operation's
// arguments (mudnn_operands.h).
#include <mudnn.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mudnn_operands.h"

using namespace musa::dnn;

namespace {

using Type = Tensor::Type;
using Format = Tensor::Format;
using Tensors = std::vector<Tensor>;

const std::map<std::string, Type> types = {
    {"float", Type::FLOAT}, {"double", Type::DOUBLE}, {"half", Type::HALF},   {"bfloat16", Type::BFLOAT16},
    {"int32", Type::INT32}, {"int64", Type::INT64},   {"uint8", Type::UINT8}, {"bool", Type::BOOL},
    {"e4m3", Type::FP8_E4M3}, {"e5m2", Type::FP8_E5M2}, {"qint8", Type::QINT8}};

const std::map<std::string, Format> formats = {{"", Format::NCHW},      {"NCW", Format::NCW},     {"NCHW", Format::NCHW},
                                               {"NHWC", Format::NHWC}, {"NCDHW", Format::NCDHW}, {"NDHWC", Format::NDHWC},
                                               {"HWCN", Format::HWCN}};

struct Operand : GivenOperand {
    explicit Operand(const std::string& word) : GivenOperand(word) {
        if (role == "none") return;
        tensor.SetType(types.at(type));
        tensor.SetFormat(formats.at(format));
        tensor.SetAddr(memory);
        tensor.SetNdInfo(static_cast<int64_t>(sizes.size()), sizes.data());
    }

    Tensor tensor;
};

// The first that is no success.
Status both(std::initializer_list<Status> all) {
    for (Status status : all) {
        if (status != Status::SUCCESS) return status;
    }
    return Status::SUCCESS;
}

Status set_up(Pooling& pooling, const Settings& s) {
    const auto window = s.integers("window"), padding = s.integers("padding"), stride = s.integers("stride");
    const auto dilation = s.integers("dilation");
    Status status = pooling.SetMode(static_cast<Pooling::Mode>(s.whole("mode")));
    if (!window.empty()) {
        status = both({status, pooling.SetNdInfo(static_cast<int>(window.size()), window.data(), padding.data(), stride.data(),
                                                 dilation.data())});
    }
    return s.has("divisor") ? both({status, pooling.SetDivisor(s.whole("divisor"))}) : status;
}

Status set_up(Interpolate& op, const Settings& s) {
    const auto scales = s.all.at("scales");
    std::vector<float> f(scales.begin(), scales.end());
    return both({op.SetMode(static_cast<Interpolate::Mode>(s.whole("mode"))), op.SetAlignCorners(s.whole("align")),
                 op.SetAntialias(s.whole("antialias")),
                 f.size() == 1   ? op.SetScaleInfo({f[0]})
                 : f.size() == 2 ? op.SetScaleInfo({f[0], f[1]})
                                 : op.SetScaleInfo({f[0], f[1], f[2]})});
}

Status set_up(BatchNorm& op, const Settings& s) {
    return both({op.SetEpsilon(s.number("epsilon")), op.SetTraining(s.whole("training")),
                 op.SetMode(BatchNorm::Mode::PER_CHANNEL)});
}

Status set_up(Norm& op, const Settings& s) {
    const auto axes = s.integers("axes");
    return both({op.SetAxis(static_cast<int>(axes.size()), axes.data()), op.SetEpsilon(s.number("epsilon"))});
}

Status set_up(NLLLoss& op, const Settings& s) {
    return both({op.SetReductionMode(static_cast<NLLLoss::Mode>(s.whole("reduction"))), op.SetIgnoreIndex(s.whole("ignore"))});
}

Status set_up(KLDivLoss& op, const Settings& s) {
    return both({op.SetReductionMode(static_cast<KLDivLoss::Mode>(s.whole("reduction"))), op.SetLogTarget(s.whole("log"))});
}

Status set_up(CrossEntropyLoss& op, const Settings& s) {
    return both({op.SetReductionMode(static_cast<CrossEntropyLoss::ReductionMode>(s.whole("reduction"))),
                 op.SetLabelSmoothing(s.number("smoothing")), op.SetIgnoreIndex(s.whole("ignore"))});
}

Status set_up(CTCLoss& op, const Settings& s) {
    return both({op.SetBlank(s.whole("blank")), op.SetZeroInfinity(s.whole("zero_infinity")),
                 op.SetMaxTargetLength(s.whole("longest"))});
}

// The second way reads its numbers from memory.
Status set_up(Dropout& op, const Settings& s) {
    static uint64_t* const numbers = [] {
        void* memory = nullptr;
        musaMallocManaged(&memory, 2 * sizeof(uint64_t));
        return static_cast<uint64_t*>(memory);
    }();
    const auto seed = static_cast<uint64_t>(s.number("seed")), offset = static_cast<uint64_t>(s.number("offset"));
    numbers[0] = seed;
    numbers[1] = offset - 1;
    const bool captured = s.has("captured");
    return both({op.SetP(s.number("p")), s.has("scale") ? op.SetScale(s.number("scale")) : Status::SUCCESS,
                 captured ? op.SetSeed(numbers) : op.SetSeed(seed),
                 captured ? op.SetOffset(numbers + 1, 1u) : op.SetOffset(offset)});
}

Status set_up(Rope& op, const Settings& s) {
    return both({op.SetRotaryInterleaved(s.whole("interleaved")), op.SetBatchFirst(s.whole("batch_first")),
                 op.SetMultiLatentAttention(s.whole("multi_latent"))});
}

Status set_up(ScaledDotProductAttention& op, const Settings& s) {
    return both({op.SetComputeMode(Convolution::ComputeMode::TENSOR), op.SetEmbedDim(s.whole("embed")),
                 op.SetHeadsNum(s.whole("heads")), op.SetMaskMode(s.whole("padding")), op.SetCausal(s.whole("causal")),
                 op.SetTraining(s.whole("training")), op.SetDropoutP(s.number("p")),
                 s.has("scale") ? op.SetScale(s.number("scale")) : Status::SUCCESS});
}

const std::map<std::string, Unary::Mode> functions_of_one = {{"log1p", Unary::Mode::LOG1P}, {"sub_by_alpha", Unary::Mode::SUB_BY_ALPHA}};
const std::map<std::string, Binary::Mode> functions_of_two = {
    {"div", Binary::Mode::DIV},     {"divnonan", Binary::Mode::DIVNONAN},           {"prelu", Binary::Mode::PRELU},
    {"rsqrt_backward", Binary::Mode::RSQRT_BW}, {"leaky_relu_backward", Binary::Mode::LEAKY_RELU_BW}};

// One of the functions, by its name.
Status function(const std::string& name, Handle& h, const Settings& s, Tensors& t) {
    if (functions_of_one.count(name)) {
        Unary op;
        return both({op.SetMode(functions_of_one.at(name)), op.SetAlpha(s.number("alpha")), op.Run(h, t[0], t[1])});
    }
    Binary op;
    return both({op.SetMode(functions_of_two.at(name)), op.SetAlpha(s.number("alpha")), op.Run(h, t[0], t[1], t[2])});
}

template <class Product>
Status set_up_product(Product& op, const Settings& s) {
    return both({op.SetComputeMode(ComputeMode::TENSOR), op.SetDeterministic(true),
                 op.SetTranspose(s.whole("transpose_left"), s.whole("transpose_right")), op.SetAlpha(s.number("alpha", 1)),
                 s.has("beta") ? op.SetBeta(s.number("beta")) : Status::SUCCESS,
                 s.has("gamma") ? op.SetGamma(s.number("gamma")) : Status::SUCCESS});
}

// out, left, right, [c,] bias
template <class Product>
Status with_bias(Handle& h, const Settings& s, Tensors& t) {
    Product op;
    const Status status = set_up_product(op, s);
    if (status != Status::SUCCESS) return status;
    const MemoryMaintainer none;
    return t.size() == 4 ? op.RunWithBiasAdd(h, t[0], t[1], t[2], t[3], none) : op.RunWithBiasAdd(h, t[0], t[1], t[2], t[3], t[4]);
}

// out, left, right, c, bias, factors of left, right, c and out, the largest magnitude
Status product_lt(Handle& h, const Settings& s, Tensors& t) {
    using Epilogue = MatMulLtParam::MatMulLtEpilogueMode;
    const std::map<int, Epilogue> epilogues = {{0, Epilogue::MATMULLT_EPILOGUE_DEFAULT},
                                               {1, Epilogue::MATMULLT_EPILOGUE_RELU_BIAS},
                                               {2, Epilogue::MATMULLT_EPILOGUE_GELU_BIAS}};
    MatMulLtParam param;
    BatchMatMul op;
    return both({set_up_product(op, s), param.SetScale(t[5], t[6], t[7], t[8], s.whole("tile", 128), s.whole("across")),
                 param.SetAmaxD(t[9]), param.SetEpilogue(epilogues.at(s.whole("epilogue"))),
                 op.RunLt(h, t[0], t[1], t[2], t[3], t[4], param)});
}

// out, in, filter, bias, add; `scales` are those of out, in, filter and add.
Status fusion(Handle& h, const Settings& s, Tensors& t) {
    using Activation = Convolution::FusedActivationDesc;
    Convolution op;
    Activation activation;
    const auto padding = s.integers("padding"), stride = s.integers("stride"), dilation = s.integers("dilation");
    if (s.has("scales")) {
        const auto& scales = s.all.at("scales");
        for (std::size_t i = 0; i < 3; ++i) t[i].SetQuantizationInfo(static_cast<float>(scales[i]));
        t[4].SetQuantizationInfo(static_cast<float>(scales[3]));
    }
    std::size_t workspace = 1;
    Convolution::Algorithm algorithm;
    const Status status = both(
        {op.SetGroups(s.whole("groups", 1)),
         op.SetNdInfo(static_cast<int>(padding.size()), padding.data(), stride.data(), dilation.data()),
         activation.SetMode(static_cast<Activation::Mode>(s.whole("activation"))),
         op.GetRecommendForwardAlgorithm(h, algorithm, t[0], t[1], t[2]),
         op.GetForwardWorkspaceSize(h, workspace, t[0], t[1], t[2], algorithm)});
    if (status != Status::SUCCESS || workspace != 0) return Status::INTERNAL_ERROR;
    return op.RunFusion(h, t[0], t[1], t[2], t[3], t[4], activation, algorithm, nullptr);
}

// Runs an operation that `set_up` has set up.
template <class Operation, class Run>
std::function<Status(Handle&, const Settings&, Tensors&)> operation(Run run) {
    return [run](Handle& handle, const Settings& settings, Tensors& t) {
        Operation op;
        const Status status = set_up(op, settings);
        return status == Status::SUCCESS ? run(op, handle, t) : status;
    };
}

using Attention = ScaledDotProductAttention;

const std::map<std::string, std::function<Status(Handle&, const Settings&, Tensors&)>> operations = {
    {"dot",
     [](Handle& h, const Settings&, Tensors& t) {
         Dot op;
         return both({op.SetComputeMode(Convolution::ComputeMode::TENSOR), op.Run(h, t[0], t[1], t[2], nullptr)});
     }},
    {"matmul_bias", with_bias<MatMul>},
    {"batches_bias", with_bias<BatchMatMul>},
    {"product_lt", product_lt},
    {"fusion", fusion},
    {"indices",
     [](Handle& h, const Settings& s, Tensors& t) {
         Reduce op;
         return both({op.SetMode(s.whole("smallest") ? Reduce::Mode::MIN : Reduce::Mode::MAX), op.SetDim({s.whole("axis")}),
                      op.RunIndices(h, t[0], t[1])});
     }},
    {"glu",
     [](Handle& h, const Settings& s, Tensors& t) {
         Glu op;
         return both({op.SetAxis(s.whole("axis")), op.Run(h, t[0], t[1])});
     }},
    {"swiglu", [](Handle& h, const Settings&, Tensors& t) { return SwiGlu().Run(h, t[0], t[1]); }},
    {"swiglu_backward", [](Handle& h, const Settings&, Tensors& t) { return SwiGlu().RunBwd(h, t[0], t[1], t[2]); }},
    {"pad",
     [](Handle& h, const Settings& s, Tensors& t) {
         Pad op;
         const auto padding = s.integers("padding");
         return both({op.SetMode(static_cast<Pad::Mode>(s.whole("mode"))), op.SetValue(s.number("value")),
                      op.SetPaddingInfo(static_cast<int>(padding.size()), padding.data()), op.Run(h, t[0], t[1])});
     }},
    {"nonzero", [](Handle& h, const Settings&, Tensors& t) { return Nonzero().Run(h, t[0], t[1], nullptr); }},
    {"masked_select", [](Handle& h, const Settings&, Tensors& t) { return MaskedSelect().Run(h, t[0], t[1], t[2], nullptr); }},
    {"masked_scatter", [](Handle& h, const Settings&, Tensors& t) { return MaskedScatter().Run(h, t[0], t[1], t[2], nullptr); }},
    {"unique",
     [](Handle& h, const Settings&, Tensors& t) {
         Unique op;
         return both({op.SetMode(Unique::Mode::UNSORTED), op.Run(h, t[0], t[1], t[2], t[3], nullptr)});
     }},
    {"scatter",
     [](Handle& h, const Settings& s, Tensors& t) {
         Scatter op;
         return both({op.SetMode(static_cast<Scatter::Mode>(s.whole("mode"))),
                      op.Run(h, t[0], t[1], t[2], s.whole("axis"), nullptr)});
     }},
    {"scatter_nd",
     [](Handle& h, const Settings& s, Tensors& t) {
         ScatterND op;
         return both({op.SetMode(static_cast<ScatterND::Mode>(s.whole("mode"))), op.Run(h, t[0], t[1], t[2], nullptr)});
     }},
    {"group_norm",
     [](Handle& h, const Settings& s, Tensors& t) {
         GroupNorm op;
         return both({op.SetEpsilon(s.number("epsilon")), op.SetAxis(s.whole("axis")), op.SetGroup(s.whole("groups")),
                      op.Run(h, t[0], t[1], t[2], t[3], t[4], t[5])});
     }},
    {"convolution",
     [](Handle& h, const Settings&, Tensors& t) {
         Convolution op;
         return both({op.SetNdInfo({1, 0}, {1, 2}, {1, 1}),
                      op.Run(h, t[0], t[1], t[2], Convolution::Algorithm::IMPLICIT_GEMM, nullptr)});
     }},
    {"pool", operation<Pooling>([](auto& op, Handle& h, Tensors& t) { return op.Run(h, t[0], t[1], t[2]); })},
    {"pool_backward", operation<Pooling>([](auto& op, Handle& h, Tensors& t) { return op.RunBwd(h, t[0], t[1], t[2]); })},
    {"interpolate", operation<Interpolate>([](auto& op, Handle& h, Tensors& t) { return op.Run(h, t[0], t[1]); })},
    {"interpolate_backward",
     operation<Interpolate>([](auto& op, Handle& h, Tensors& t) { return op.RunBackward(h, t[0], t[1]); })},
    {"batch_norm_pure",
     operation<BatchNorm>([](auto& op, Handle& h, Tensors& t) { return op.RunPure(h, t[0], t[1], t[2], t[3], t[4], t[5]); })},
    {"batch_norm_composite", operation<BatchNorm>([](auto& op, Handle& h, Tensors& t) {
         return op.RunComposite(h, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], 0.25, nullptr);
     })},
    {"batch_norm_backward", operation<BatchNorm>([](auto& op, Handle& h, Tensors& t) {
         return op.RunBwd(h, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], nullptr);
     })},
    {"layer_norm_backward", operation<LayerNorm>([](auto& op, Handle& h, Tensors& t) {
         return op.RunBwd(h, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], nullptr);
     })},
    {"rms_norm_backward", operation<RMSNorm>([](auto& op, Handle& h, Tensors& t) {
         return op.RunBwd(h, t[0], t[1], t[2], t[3], t[4], t[5], nullptr);
     })},
    {"nll", operation<NLLLoss>([](auto& op, Handle& h, Tensors& t) { return op.Run(h, t[0], t[1], t[2], t[3], t[4], nullptr); })},
    {"nll_backward",
     operation<NLLLoss>([](auto& op, Handle& h, Tensors& t) { return op.RunBwd(h, t[0], t[1], t[2], t[3], t[4], nullptr); })},
    {"kl_div", operation<KLDivLoss>([](auto& op, Handle& h, Tensors& t) { return op.Run(h, t[0], t[1], t[2], nullptr); })},
    {"kl_div_backward", operation<KLDivLoss>([](auto& op, Handle& h, Tensors& t) { return op.RunBwd(h, t[0], t[1], t[2], t[3]); })},
    {"cross_entropy",
     operation<CrossEntropyLoss>([](auto& op, Handle& h, Tensors& t) { return op.Run(h, t[0], t[1], t[2], t[3], nullptr); })},
    {"cross_entropy_backward", operation<CrossEntropyLoss>([](auto& op, Handle& h, Tensors& t) {
         return op.RunBwd(h, t[0], t[1], t[2], t[3], t[4], nullptr);
     })},
    {"ctc", operation<CTCLoss>([](auto& op, Handle& h, Tensors& t) { return op.Run(h, t[0], t[1], t[2], t[3], t[4], t[5]); })},
    {"ctc_backward", operation<CTCLoss>([](auto& op, Handle& h, Tensors& t) {
         return op.RunBwd(h, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], nullptr);
     })},
    {"dropout", operation<Dropout>([](auto& op, Handle& h, Tensors& t) { return op.RunDropout(h, t[0], t[1], t[2]); })},
    {"dropout_backward", operation<Dropout>([](auto& op, Handle& h, Tensors& t) { return op.RunDropoutBwd(h, t[0], t[1], t[2]); })},
    {"rope", operation<Rope>([](auto& op, Handle& h, Tensors& t) { return op.Run(h, t[0], t[1], t[2]); })},
    {"rope_backward", operation<Rope>([](auto& op, Handle& h, Tensors& t) { return op.RunBwd(h, t[0], t[1], t[2]); })},
    {"math", operation<Attention>([](auto& op, Handle& h, Tensors& t) {
         return op.RunMath(h, t[0], t[1], t[2], t[3], t[4], t[5], t[6], nullptr);
     })},
    {"math_backward", operation<Attention>([](auto& op, Handle& h, Tensors& t) {
         return op.RunMathBwd(h, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], nullptr);
     })},
    {"flash", operation<Attention>([](auto& op, Handle& h, Tensors& t) {
         return op.RunFlash(h, t[0], t[1], t[2], t[3], t[4], t[5], t[6]);
     })},
    {"flash_backward", operation<Attention>([](auto& op, Handle& h, Tensors& t) {
         return op.RunFlashBwd(h, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], t[10], nullptr);
     })},
    {"varlen", operation<Attention>([](auto& op, Handle& h, Tensors& t) {
         return op.RunFlashVarlen(h, t[0], t[1], t[2], t[3], t[4], Tensor(), t[5], t[6], t[7], nullptr);
     })},
    {"varlen_backward", operation<Attention>([](auto& op, Handle& h, Tensors& t) {
         return op.RunFlashVarlenBwd(h, t[0], t[1], t[2], t[3], t[4], t[5], t[6], Tensor(), t[7], t[8], Tensor(), t[9], t[10],
                                     nullptr);
     })},
};

}  // namespace

int main(int, char** words) {
    Settings settings;
    const auto operands = operands_and<Operand>(settings, words + 2);
    Tensors tensors;
    for (const Operand& operand : operands) tensors.push_back(operand.tensor);
    musaStream_t stream;
    musaStreamCreate(&stream);
    Handle handle(0);
    handle.SetStream(stream);
    handle.SetAllowTF32(false);
    const auto found = operations.find(words[1]);
    const Status status = found == operations.end() ? function(words[1], handle, settings, tensors)
                                                    : found->second(handle, settings, tensors);
    if (status != Status::SUCCESS) {
        std::fprintf(stderr, "status %d", static_cast<int>(status));
        return 3;
    }
    musaDeviceSynchronize();
    for (size_t i = 0; i < operands.size(); ++i) {
        std::vector<int64_t> sizes, strides;
        tensors[i].GetNdInfo(sizes, strides);
        if (operands[i].is_written()) show(operands[i], sizes);
    }
}
