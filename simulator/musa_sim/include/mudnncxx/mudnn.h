/* muDNN's C++ interface, under the name that it has from SDK 5.1 on: a part of it, for functions of one to three operands,
 * products of matrices, convolutions, softmax, reductions, norms, pooling, interpolation, attention, dropout, losses, and
 * what moves elements: fills, permutations, concatenations, padding, gathering, scattering, masks, sorting. mudnn.h, which
 * older SDKs have alone, includes it. Link with -lmudnn or -lmudnncxx.
 *
 * Moore Threads publishes no documentation of muDNN. The names are those that torch_musa uses; what they mean beyond
 * their names, and all numbers, are our assumptions (docs/unverified.md, mudnn-names). Everything runs in the order of
 * the handle's stream. What is not computed gives Status::NOT_SUPPORTED.
 */
#ifndef MUDNNCXX_MUDNN_H
#define MUDNNCXX_MUDNN_H

#include <mudnn_version.h>
#include <musa_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#define MUDNN_SIM_API __attribute__((visibility("default")))

namespace musa {
namespace dnn {

enum class Status {
    SUCCESS = 0,
    INVALID_PARAMETER = 1,
    NOT_INITIALIZED = 2,
    ALLOC_FAILED = 3,
    NOT_SUPPORTED = 4,
    INTERNAL_ERROR = 5,
    ARCH_MISMATCH = 6,
    EXECUTION_FAILED = 7
};

/* MUDNN_VERSION of the library. */
MUDNN_SIM_API size_t GetVersion();

/* Workspace of an operation, and its allocator. No operation in the simulator needs any. */
using MemoryHandler = std::unique_ptr<void, std::function<void(void*)>>;
using MemoryMaintainer = std::function<MemoryHandler(size_t)>;

class MUDNN_SIM_API Handle {
public:
    explicit Handle(int device = 0) : device_(device) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    Status SetStream(musaStream_t stream);
    musaStream_t GetStream() const { return stream_; }
    int GetDeviceId() const { return device_; }
    /* Has no effect: everything is computed in double. */
    Status SetAllowTF32(bool allowed);
    bool GetAllowTF32() const { return allows_tf32_; }

private:
    int device_;
    bool allows_tf32_ = false;
    musaStream_t stream_ = nullptr;
};

class MUDNN_SIM_API Tensor {
public:
    enum class Type {
        UNKNOWN,
        HALF,
        FLOAT,
        DOUBLE,
        BFLOAT16,
        BOOL,
        UINT8,
        UINT16,
        UINT32,
        UINT64,
        INT8,
        INT16,
        INT32,
        INT64,
        QINT8, /* convolutions and products alone: integers that a scale multiplies (SetQuantizationInfo) */
        FP8_E4M3, /* RunLt alone, as the next one */
        FP8_E5M2,
        QINT4 /* not computed */
    };
    enum class Format { UNKNOWN, NCW, NWC, NCHW, NHWC, HWCN, NCDHW, NDHWC, DHWCN };

    Status SetType(Type type);
    Status SetFormat(Format format);
    Status SetAddr(const void* address);
    /* The factor of a quantised integer; 1 without. There are no zero points. */
    Status SetQuantizationInfo(float scale);
    /* Without strides, the last dimension is the innermost. */
    Status SetNdInfo(std::initializer_list<int64_t> sizes);
    Status SetNdInfo(std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> strides);
    Status SetNdInfo(int64_t dimensions, const int64_t* sizes);
    Status SetNdInfo(int64_t dimensions, const int64_t* sizes, const int64_t* strides);

    /* Return the sizes and strides that SetNdInfo set, or those that an operation gave its result. */
    Status GetNdInfo(std::vector<int64_t>& sizes) const;
    Status GetNdInfo(std::vector<int64_t>& sizes, std::vector<int64_t>& strides) const;

    Type GetType() const { return type_; }
    Format format() const { return format_; }
    void* GetAddr() const { return address_; }
    const std::vector<int64_t>& sizes() const { return sizes_; }
    const std::vector<int64_t>& strides() const { return strides_; }
    float scale() const { return scale_; }

private:
    Type type_ = Type::UNKNOWN;
    Format format_ = Format::UNKNOWN;
    void* address_ = nullptr;
    std::vector<int64_t> sizes_, strides_;
    float scale_ = 1;
};

/* out = f(in), with one or two parameters. */
class MUDNN_SIM_API Unary {
public:
    enum class Mode {
        IDENTITY,
        CAST,
        ABS,
        NEG,
        RECIPROCAL,
        SQRT,
        RSQRT,
        SQUARE,
        EXP,
        LOG,
        LOG2,
        LOG10,
        SIN,
        COS,
        TAN,
        TANH,
        ATAN,
        ERF,
        FLOOR,
        CEIL,
        ROUND,
        SIGN,
        RELU,
        SIGMOID,
        SILU,
        GELU,
        GELU_TANH,
        SOFTPLUS,
        LEAKY_RELU,
        ELU,
        CLIP,
        POW,
        ADD,
        SUB,
        MUL,
        TRUEDIV,
        FLOORDIV,
        TRUNCATEDIV,
        FLOORMOD,
        EQ,
        NE,
        LT,
        LE,
        GT,
        GE,
        LOG1P,
        SUB_BY_ALPHA /* alpha - in */
    };

    Status SetMode(Mode mode);
    Status SetAlpha(double alpha);
    Status SetAlpha(int64_t alpha);
    Status SetBeta(double beta);
    Status SetBeta(int64_t beta);
    Status Run(Handle& handle, Tensor& out, const Tensor& in) const;

private:
    Mode mode_ = Mode::IDENTITY;
    double alpha_ = 0, beta_ = 0;
};

/* out = f(left, right); sizes of 1 are repeated. */
class MUDNN_SIM_API Binary {
public:
    enum class Mode {
        ADD,
        SUB,
        MUL,
        TRUEDIV,
        FLOORDIV,
        TRUNCATEDIV,
        FLOORMOD,
        POW,
        MAX,
        MIN,
        EQ,
        NE,
        LT,
        LE,
        GT,
        GE,
        LOGICAL_AND,
        LOGICAL_OR,
        LOGICAL_XOR,
        /* Gradients: left is that of the result; right is the function's argument, of SIGMOID_BW and TANH_BW its result. */
        SILU_BW,
        SIGMOID_BW,
        TANH_BW,
        GELU_NONE_BW,
        GELU_TANH_BW,
        THRESHOLD_BW, /* of arguments above alpha */
        LEAKY_RELU_BW, /* alpha is the slope of negative arguments */
        RSQRT_BW, /* here left is the result, and right the gradient, as TensorFlow passes them */
        DIV, /* of integers: rounded towards zero */
        DIVNONAN, /* 0 where right is 0 */
        PRELU /* right multiplies what is negative in left */
    };

    Status SetMode(Mode mode);
    Status SetAlpha(double alpha);
    Status SetAlpha(int64_t alpha);
    Status Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right) const;

private:
    Mode mode_ = Mode::ADD;
    double alpha_ = 0;
};

/* out = f(first, second, third); sizes of 1 are repeated. */
class MUDNN_SIM_API Ternary {
public:
    enum class Mode {
        SELECT,        /* first ? second : third */
        CLAMP,         /* first, at least second, at most third */
        ADDCMUL,       /* first + second * third */
        ADDCMUL_ALPHA, /* first + alpha * second * third */
        ADDCDIV,       /* first + second / third */
        ADDCDIV_ALPHA  /* first + alpha * second / third */
    };

    Status SetMode(Mode mode);
    Status SetAlpha(double alpha);
    Status SetAlpha(int64_t alpha);
    Status Run(Handle& handle, Tensor& out, const Tensor& first, const Tensor& second, const Tensor& third) const;

private:
    Mode mode_ = Mode::SELECT;
    double alpha_ = 1;
};

/* One type for all classes: torch_musa passes Convolution's to products and attention. All modes are the same here. */
enum class ComputeMode { SCALAR, TENSOR, ALL };

/* out = alpha * op(left) op(right) + beta * c + gamma * bias, where c is `out` unless it is passed. A bias has a number for
 * each column, or the sizes of `out`, some of them 1. Tensors without an address are omitted. */
class MUDNN_SIM_API MatrixProduct {
public:
    using ComputeMode = dnn::ComputeMode;

    Status SetComputeMode(ComputeMode mode);
    Status SetTranspose(bool left, bool right);
    Status SetAlpha(double alpha);
    Status SetBeta(double beta);
    Status SetGamma(double gamma);
    /* All results are. */
    Status SetDeterministic(bool deterministic);

protected:
    bool transpose_left_ = false, transpose_right_ = false;
    double alpha_ = 1, beta_ = 0, gamma_ = 1;
};

/* The factors and the epilogue of RunLt. */
class MUDNN_SIM_API MatMulLtParam {
public:
    /* BIAS: the bias that is passed is added in any case. */
    enum class MatMulLtEpilogueMode {
        MATMULLT_EPILOGUE_DEFAULT,
        MATMULLT_EPILOGUE_RELU,
        MATMULLT_EPILOGUE_BIAS,
        MATMULLT_EPILOGUE_RELU_BIAS,
        MATMULLT_EPILOGUE_GELU,
        MATMULLT_EPILOGUE_GELU_BIAS
    };

    /* Factors in float. Of left and right: one number, one for each row of left or column of right, or one for each tile
     * of `tile` elements along the sums: [rows, tiles] of left, [columns or tiles of them, tiles] of right, the other way
     * round with `transposed`. Of c and out: one number. */
    Status SetScale(const Tensor& left, const Tensor& right, const Tensor& c, const Tensor& out, int tile = 128,
                    bool transposed = false);
    /* Gets the largest magnitude of the result, before its factor. */
    Status SetAmaxD(const Tensor& largest);
    Status SetEpilogue(MatMulLtEpilogueMode mode);

    const Tensor& scale_of_left() const { return left_; }
    const Tensor& scale_of_right() const { return right_; }
    const Tensor& scale_of_c() const { return c_; }
    const Tensor& scale_of_out() const { return out_; }
    const Tensor& largest() const { return largest_; }
    int tile() const { return tile_; }
    bool are_scales_transposed() const { return transposed_; }
    MatMulLtEpilogueMode epilogue() const { return epilogue_; }

private:
    Tensor left_, right_, c_, out_, largest_;
    int tile_ = 128;
    bool transposed_ = false;
    MatMulLtEpilogueMode epilogue_ = MatMulLtEpilogueMode::MATMULLT_EPILOGUE_DEFAULT;
};

/* Of matrices. */
class MUDNN_SIM_API MatMul : public MatrixProduct {
public:
    Status Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
               const MemoryMaintainer& maintainer = nullptr) const;
    Status RunWithBiasAdd(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right, const Tensor& bias,
                          const MemoryMaintainer& maintainer = nullptr) const;
    Status RunWithBiasAdd(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right, const Tensor& c,
                          const Tensor& bias, const MemoryMaintainer& maintainer = nullptr) const;
    Status RunLt(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right, const Tensor& c, const Tensor& bias,
                 const MatMulLtParam& param, const MemoryMaintainer& maintainer = nullptr) const;
};

/* Of batches [count, rows, columns]. RunLt also multiplies two matrices. */
class MUDNN_SIM_API BatchMatMul : public MatrixProduct {
public:
    Status Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
               const MemoryMaintainer& maintainer = nullptr) const;
    Status RunWithBiasAdd(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right, const Tensor& bias,
                          const MemoryMaintainer& maintainer = nullptr) const;
    Status RunWithBiasAdd(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right, const Tensor& c,
                          const Tensor& bias, const MemoryMaintainer& maintainer = nullptr) const;
    Status RunLt(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right, const Tensor& c, const Tensor& bias,
                 const MatMulLtParam& param, const MemoryMaintainer& maintainer = nullptr) const;
};

/* Of images [count, channels, pixels...] with filters [out channels, in channels / groups, pixels...]. All algorithms
 * are the same here. */
class MUDNN_SIM_API Convolution {
public:
    using ComputeMode = dnn::ComputeMode;
    enum class Algorithm { DIRECT, IMPLICIT_GEMM };
    enum class AlgorithmBwdData { IMPLICIT_GEMM };
    enum class AlgorithmBwdFilter { IMPLICIT_GEMM };

    class MUDNN_SIM_API FusedActivationDesc {
    public:
        enum class Mode { IDENTITY = 0, RELU = 2, SILU = 3 };

        Status SetMode(Mode mode);
        Mode mode() const { return mode_; }

    private:
        Mode mode_ = Mode::IDENTITY;
    };

    Status SetComputeMode(ComputeMode mode);
    Status SetGroups(int groups);
    Status SetNdInfo(std::initializer_list<int> padding, std::initializer_list<int> stride,
                     std::initializer_list<int> dilation);
    Status SetNdInfo(int dimensions, const int* padding, const int* stride, const int* dilation);

    Status GetRecommendForwardAlgorithm(Handle& handle, Algorithm& algorithm, const Tensor& out, const Tensor& in,
                                        const Tensor& filter) const;
    Status GetRecommendBackwardDataAlgorithm(Handle& handle, AlgorithmBwdData& algorithm, const Tensor& grad_in,
                                             const Tensor& grad_out, const Tensor& filter) const;
    Status GetRecommendBackwardFilterAlgorithm(Handle& handle, AlgorithmBwdFilter& algorithm,
                                               const Tensor& grad_filter, const Tensor& in,
                                               const Tensor& grad_out) const;
    Status Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& filter, Algorithm algorithm,
               const MemoryMaintainer& maintainer) const;
    /* out = activation(convolution + bias + add); bias and add may have no address. Tensors of QINT8 are multiplied by their
     * scales, and the result is rounded and saturated; a bias is floating. */
    Status RunFusion(Handle& handle, Tensor& out, const Tensor& in, const Tensor& filter, const Tensor& bias,
                     const Tensor& add, const FusedActivationDesc& activation, Algorithm algorithm,
                     const MemoryMaintainer& maintainer) const;
    /* No workspace is needed. */
    Status GetForwardWorkspaceSize(Handle& handle, size_t& size, const Tensor& out, const Tensor& in, const Tensor& filter,
                                   Algorithm algorithm) const;
    Status GetBackwardDataWorkspaceSize(Handle& handle, size_t& size, const Tensor& grad_in, const Tensor& grad_out,
                                        const Tensor& filter, AlgorithmBwdData algorithm) const;
    Status GetBackwardFilterWorkspaceSize(Handle& handle, size_t& size, const Tensor& grad_filter, const Tensor& in,
                                          const Tensor& grad_out, AlgorithmBwdFilter algorithm) const;
    Status RunBwdData(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& filter,
                      AlgorithmBwdData algorithm, const MemoryMaintainer& maintainer) const;
    Status RunBwdFilter(Handle& handle, Tensor& grad_filter, const Tensor& in, const Tensor& grad_out,
                        AlgorithmBwdFilter algorithm, const MemoryMaintainer& maintainer) const;

private:
    int groups_ = 1;
    std::vector<int> padding_, stride_, dilation_;
};

/* Along one dimension. */
class MUDNN_SIM_API Softmax {
public:
    enum class Mode { SOFTMAX, LOGSOFTMAX, LOGSUMEXP };
    enum class Algorithm { DIRECT, FAST, ACCURATE };

    Status SetMode(Mode mode);
    Status SetDim(int dimension);
    Status SetAlgorithm(Algorithm algorithm);
    Status Run(Handle& handle, Tensor& out, const Tensor& in) const;
    /* `out` is what Run gave. */
    Status RunBwd(Handle& handle, Tensor& grad_in, const Tensor& out, const Tensor& grad_out) const;

private:
    Mode mode_ = Mode::SOFTMAX;
    int dimension_ = 0;
};

/* Sets all elements, or those where a mask is true, to a value. */
class MUDNN_SIM_API Fill {
public:
    Status SetValue(double value);
    Status SetValue(int64_t value);
    Status Run(Handle& handle, Tensor& out) const;
    Status Run(Handle& handle, Tensor& out, const Tensor& mask) const;

private:
    Status run(Handle& handle, const Tensor& out, const Tensor* mask) const;

    double value_ = 0;
    int64_t integer_ = 0;
};

/* Copies between strides. ConfigDimStride makes `in` a view with its dimensions in the given order. */
class MUDNN_SIM_API Permute {
public:
    Status ConfigDimStride(Tensor& out, Tensor& in, int count, const int64_t* order);
    Status Run(Handle& handle, Tensor& out, const Tensor& in) const;
};

/* Concatenates tensors along a dimension. */
class MUDNN_SIM_API Concat {
public:
    Status SetAxis(int axis);
    Status Run(Handle& handle, Tensor& out, int count, const Tensor* in) const;

private:
    int axis_ = 0;
};

/* Slices of `in` by their indices along a dimension; the first dimensions may be a batch. */
class MUDNN_SIM_API GatherX {
public:
    enum class Mode { GATHER };

    Status SetMode(Mode mode);
    Status SetAxis(int axis);
    Status SetBatchDims(int count);
    Status Run(Handle& handle, Tensor& out, const Tensor& indices, const Tensor& in) const;

private:
    Mode mode_ = Mode::GATHER;
    int axis_ = 0, batch_dimensions_ = 0;
};

/* Sorts along a dimension. Equal elements keep their order; NaN is the largest. */
class MUDNN_SIM_API Sorting {
public:
    Status SetDim(int dimension);
    Status SetDescending(bool descending);
    Status SetStable(bool stable);

protected:
    friend class TopK;
    Status partial(Handle& handle, const Tensor& values, const Tensor& indices, const Tensor& in, int dimension,
                   int64_t length) const;

    int dimension_ = -1;
    bool descending_ = false;
};

class MUDNN_SIM_API Sort : public Sorting {
public:
    Status Run(Handle& handle, Tensor& values, Tensor& indices, const Tensor& in,
               const MemoryMaintainer& maintainer = nullptr) const;
};

class MUDNN_SIM_API SortByKey : public Sorting {
public:
    Status Run(Handle& handle, Tensor& keys_out, Tensor& values_out, const Tensor& keys, const Tensor& values,
               const MemoryMaintainer& maintainer = nullptr) const;
};

/* The largest or smallest elements of each line, sorted. */
class MUDNN_SIM_API TopK {
public:
    Status SetK(int count);
    Status SetDim(int dimension);
    Status SetLargest(bool largest);
    Status SetSorted(bool sorted);
    Status Run(Handle& handle, Tensor& values, Tensor& indices, const Tensor& in,
               const MemoryMaintainer& maintainer = nullptr) const;

private:
    Sorting order_;
    int count_ = 1, dimension_ = -1;
};

/* Reduces some dimensions, or all if none is set. Integers are computed in 64 bits; means, variances and norms of
 * integers need a floating result. */
class MUDNN_SIM_API Reduce {
public:
    enum class Mode { ADD, MEAN, MAX, MIN, PROD, AND, OR, NORM, VARIANCE, STD };

    Status SetMode(Mode mode);
    Status SetDim(std::initializer_list<int> dimensions);
    Status SetDim(int count, const int* dimensions);
    Status SetCorrection(double correction);
    Status SetNormOrd(double order);
    Status Run(Handle& handle, Tensor& out, const Tensor& in, const MemoryMaintainer& maintainer = nullptr) const;
    /* The largest or smallest element and its index, the first of equal ones. */
    Status RunWithIndices(Handle& handle, Tensor& out, Tensor& indices, const Tensor& in,
                          const MemoryMaintainer& maintainer = nullptr) const;
    Status RunIndices(Handle& handle, Tensor& indices, const Tensor& in, const MemoryMaintainer& maintainer = nullptr) const;

private:
    Mode mode_ = Mode::ADD;
    std::vector<int> dimensions_;
    double correction_ = 1, order_ = 2;
};

/* Running sums or products. */
class MUDNN_SIM_API Cum {
public:
    enum class Mode { ADD, MUL };

    Status SetMode(Mode mode);
    Status SetDim(int dimension);
    Status Run(Handle& handle, Tensor& out, const Tensor& in, const MemoryMaintainer& maintainer = nullptr) const;

private:
    Mode mode_ = Mode::ADD;
    int dimension_ = 0;
};

/* Normalises over the last dimensions. Tensors of factors, means and deviations are dense; those without an address are
 * omitted. */
class MUDNN_SIM_API Norm {
public:
    Status SetAxis(int count, const int* axes);
    Status SetAxis(std::initializer_list<int> axes);
    Status SetEpsilon(double epsilon);

protected:
    Status run(Handle& handle, const Tensor& out, const Tensor* mean, const Tensor& scale, const Tensor& in,
               const Tensor& gamma, const Tensor* beta) const;
    Status run_backward(Handle& handle, const Tensor& grad_in, const Tensor& grad_gamma, const Tensor* grad_beta,
                        const Tensor& grad_out, const Tensor& in, const Tensor* mean, const Tensor& scale,
                        const Tensor& gamma) const;

    std::vector<int> axes_{-1};
    double epsilon_ = 1e-5;
};

class MUDNN_SIM_API LayerNorm : public Norm {
public:
    enum class VarMode { DIRECT, WELFORD };

    Status SetVarMode(VarMode mode);
    Status Run(Handle& handle, Tensor& out, Tensor& mean, Tensor& inverse_deviation, const Tensor& in,
               const Tensor& gamma, const Tensor& beta, const MemoryMaintainer& maintainer = nullptr) const;
    Status RunBwd(Handle& handle, Tensor& grad_in, Tensor& grad_gamma, Tensor& grad_beta, const Tensor& grad_out,
                  const Tensor& in, const Tensor& mean, const Tensor& inverse_deviation, const Tensor& gamma,
                  const MemoryMaintainer& maintainer = nullptr) const;
};

class MUDNN_SIM_API RMSNorm : public Norm {
public:
    Status Run(Handle& handle, Tensor& out, Tensor& inverse_root, const Tensor& in, const Tensor& gamma) const;
    Status RunBwd(Handle& handle, Tensor& grad_in, Tensor& grad_gamma, const Tensor& grad_out, const Tensor& in,
                  const Tensor& inverse_root, const Tensor& gamma, const MemoryMaintainer& maintainer = nullptr) const;
};

/* The sum of the products of two vectors' elements. */
class MUDNN_SIM_API Dot {
public:
    using ComputeMode = dnn::ComputeMode;

    Status SetComputeMode(ComputeMode mode);
    Status Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
               const MemoryMaintainer& maintainer = nullptr) const;
};

/* The first half of a dimension times the sigmoid of the second. */
class MUDNN_SIM_API Glu {
public:
    Status SetAxis(int axis);
    Status Run(Handle& handle, Tensor& out, const Tensor& in) const;

private:
    int axis_ = -1;
};

/* SiLU of the first half of the last dimension, times the second. */
class MUDNN_SIM_API SwiGlu {
public:
    Status Run(Handle& handle, Tensor& out, const Tensor& in) const;
    Status RunBwd(Handle& handle, Tensor& grad_in, const Tensor& in, const Tensor& grad_out) const;
};

/* Pads tensors: two numbers for each dimension, the innermost first. Numbers for pixels alone apply to the pixels of
 * the tensors' format. */
class MUDNN_SIM_API Pad {
public:
    enum class Mode { CONSTANT, REFLECT, REPLICATE, CIRCULAR };

    Status SetMode(Mode mode);
    Status SetValue(double value);
    Status SetValue(int64_t value);
    Status SetPaddingInfo(int count, const int* padding);
    Status Run(Handle& handle, Tensor& out, const Tensor& in) const;

private:
    Mode mode_ = Mode::CONSTANT;
    double value_ = 0;
    int64_t integer_ = 0;
    std::vector<int> padding_;
};

/* The indices of nonzero elements, [count, dimensions]. Waits for the stream: `out` has its sizes on return. */
class MUDNN_SIM_API Nonzero {
public:
    Status Run(Handle& handle, Tensor& out, const Tensor& in, const MemoryMaintainer& maintainer = nullptr) const;
};

/* The elements where a mask is true. Waits for the stream: `out` has its size on return. */
class MUDNN_SIM_API MaskedSelect {
public:
    Status Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& mask,
               const MemoryMaintainer& maintainer = nullptr) const;
};

/* Replaces the elements where a mask is true by the elements of `source` in order. */
class MUDNN_SIM_API MaskedScatter {
public:
    Status Run(Handle& handle, Tensor& inout, const Tensor& mask, const Tensor& source,
               const MemoryMaintainer& maintainer = nullptr) const;
};

/* Each element of `in` once, in the order of their first occurrences; for each element its index there; and how often
 * each occurs. Waits for the stream: `values` and `counts` have their size on return. */
class MUDNN_SIM_API Unique {
public:
    enum class Mode { UNSORTED };

    Status SetMode(Mode mode);
    Status Run(Handle& handle, Tensor& values, Tensor& indices, Tensor& counts, const Tensor& in,
               const MemoryMaintainer& maintainer = nullptr) const;
};

/* inout[..., indices[i], ...] = update[i], along a dimension. Indices that do not exist are skipped. */
class MUDNN_SIM_API Scatter {
public:
    enum class Mode { UPDATE_ONLY, ADD, SUB };

    Status SetMode(Mode mode);
    Status Run(Handle& handle, Tensor& inout, const Tensor& indices, const Tensor& update, int dimension,
               const MemoryMaintainer& maintainer = nullptr) const;

private:
    Mode mode_ = Mode::UPDATE_ONLY;
};

/* inout[indices[i, ...]] = update[i, ...]: the last dimension of the indices selects a slice. */
class MUDNN_SIM_API ScatterND {
public:
    enum class Mode { UPDATE_ONLY, ADD, SUB };

    Status SetMode(Mode mode);
    Status Run(Handle& handle, Tensor& inout, const Tensor& indices, const Tensor& update,
               const MemoryMaintainer& maintainer = nullptr) const;

private:
    Mode mode_ = Mode::UPDATE_ONLY;
};

/* Of windows of pixels, in tensors [count, channels, pixels...] or, by their format, [count, pixels..., channels]; the
 * first dimension may be left out. Indices are those of a pixel among the channel's. */
class MUDNN_SIM_API Pooling {
public:
    enum class Mode {
        MAXPOOL,
        AVGPOOL_COUNT_PAD,
        AVGPOOL_COUNT_WITHOUT_PAD,
        GLOBAL_AVGPOOL,
        ADAPTIVE_AVGPOOL,
        ADAPTIVE_MAXPOOL
    };

    Status SetMode(Mode mode);
    Status SetNdInfo(std::initializer_list<int> window, std::initializer_list<int> padding,
                     std::initializer_list<int> stride, std::initializer_list<int> dilation);
    Status SetNdInfo(int dimensions, const int* window, const int* padding, const int* stride, const int* dilation);
    Status SetDivisor(int divisor);
    /* `indices` without an address are left out. */
    Status Run(Handle& handle, Tensor& out, const Tensor& in, Tensor& indices) const;
    Status RunBwd(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& indices) const;

private:
    Mode mode_ = Mode::MAXPOOL;
    int divisor_ = 0;
    std::vector<int> window_, padding_, stride_, dilation_;
};

/* Resizes pixels. The scales are those from the sizes of `in` to those of `out` in Run, and the reverse in RunBackward.
 * */
class MUDNN_SIM_API Interpolate {
public:
    enum class Mode { NEAREST, NEAREST_EXACT, LINEAR, BICUBIC };

    Status SetMode(Mode mode);
    Status SetAlignCorners(bool align);
    Status SetAntialias(bool antialias);
    Status SetScaleInfo(std::initializer_list<float> scales);
    Status SetScaleInfo(int count, const float* scales);
    Status Run(Handle& handle, Tensor& out, const Tensor& in) const;
    Status RunBackward(Handle& handle, Tensor& grad_in, const Tensor& grad_out) const;

private:
    Mode mode_ = Mode::NEAREST;
    bool align_corners_ = false, antialias_ = false;
    std::vector<float> scales_;
};

/* Normalises over all dimensions but the channels, whose dimension the tensor's format gives. Tensors of factors, means
 * and variances are dense; those without an address are omitted. */
class MUDNN_SIM_API BatchNorm {
public:
    enum class Mode { PER_CHANNEL, PER_ACTIVATION };

    Status SetMode(Mode mode);
    Status SetEpsilon(double epsilon);
    Status SetTraining(bool training);
    Status RunPure(Handle& handle, Tensor& out, const Tensor& in, const Tensor& mean, const Tensor& variance,
                   const Tensor& gamma, const Tensor& beta) const;
    /* Moves the running statistics by `momentum` towards those of `in`, and returns its mean and inverse deviation. */
    Status RunComposite(Handle& handle, Tensor& out, const Tensor& in, Tensor& running_mean, Tensor& running_variance,
                        Tensor& mean, Tensor& inverse_deviation, const Tensor& gamma, const Tensor& beta, double momentum,
                        const MemoryMaintainer& maintainer = nullptr) const;
    /* `deviation`: the inverse one in training, else the running variance. The gradients of mean and variance, which no
     * caller reads, are not computed. */
    Status RunBwd(Handle& handle, Tensor& grad_in, Tensor& grad_mean, Tensor& grad_variance, Tensor& grad_gamma,
                  Tensor& grad_beta, const Tensor& in, const Tensor& grad_out, const Tensor& mean, const Tensor& deviation,
                  const Tensor& gamma, const MemoryMaintainer& maintainer = nullptr) const;

private:
    Mode mode_ = Mode::PER_CHANNEL;
    bool training_ = false;
    double epsilon_ = 1e-5;
};

/* Normalises over groups of channels. The axis is the channels'. */
class MUDNN_SIM_API GroupNorm {
public:
    Status SetEpsilon(double epsilon);
    Status SetAxis(int axis);
    Status SetGroup(int groups);
    Status Run(Handle& handle, Tensor& out, Tensor& mean, Tensor& inverse_deviation, const Tensor& in, const Tensor& gamma,
               const Tensor& beta) const;

private:
    double epsilon_ = 1e-5;
    int axis_ = 1, groups_ = 1;
};

/* -weight[target] * in[target] of each line, and the weights' sum. */
class MUDNN_SIM_API NLLLoss {
public:
    enum class Mode { NONE, MEAN, SUM };

    Status SetReductionMode(Mode mode);
    Status SetIgnoreIndex(int64_t index);
    Status Run(Handle& handle, Tensor& out, Tensor& total_weight, const Tensor& in, const Tensor& target,
               const Tensor& weight, const MemoryMaintainer& maintainer = nullptr) const;
    Status RunBwd(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& target, const Tensor& weight,
                  const Tensor& total_weight, const MemoryMaintainer& maintainer = nullptr) const;

private:
    Mode mode_ = Mode::MEAN;
    int64_t ignored_ = -100;
};

/* target * (log(target) - in), the mean over all elements. */
class MUDNN_SIM_API KLDivLoss {
public:
    enum class Mode { NONE, MEAN, SUM };

    Status SetReductionMode(Mode mode);
    Status SetLogTarget(bool log_target);
    Status Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& target,
               const MemoryMaintainer& maintainer = nullptr) const;
    Status RunBwd(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& in, const Tensor& target) const;

private:
    Mode mode_ = Mode::MEAN;
    bool log_target_ = false;
};

/* The loss of lines of logits and the index of the right class of each. */
class MUDNN_SIM_API CrossEntropyLoss {
public:
    enum class ReductionMode { NONE, MEAN, SUM };

    Status SetReductionMode(ReductionMode mode);
    Status SetLabelSmoothing(double smoothing);
    Status SetIgnoreIndex(int64_t index);
    Status Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& target, const Tensor& weight,
               const MemoryMaintainer& maintainer = nullptr) const;
    Status RunBwd(Handle& handle, Tensor& grad_in, const Tensor& in, const Tensor& grad_out, const Tensor& target,
                  const Tensor& weight, const MemoryMaintainer& maintainer = nullptr) const;

private:
    ReductionMode mode_ = ReductionMode::MEAN;
    double smoothing_ = 0;
    int64_t ignored_ = -100;
};

/* Of logarithms of probabilities, [time, count, classes], and targets [count, longest] or one after the other; the lengths
 * are those of times and targets. `log_alpha`, [count, time, 2 * longest target + 1], are logarithms, too. */
class MUDNN_SIM_API CTCLoss {
public:
    Status SetBlank(int64_t label);
    /* With zero infinity, losses without a way to the target have zero gradients. */
    Status SetZeroInfinity(bool zero);
    Status SetMaxTargetLength(int64_t length);
    Status Run(Handle& handle, Tensor& out, Tensor& log_alpha, const Tensor& in, const Tensor& targets,
               const Tensor& in_lengths, const Tensor& target_lengths) const;
    Status RunBwd(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& in, const Tensor& targets,
                  const Tensor& in_lengths, const Tensor& target_lengths, const Tensor& loss, const Tensor& log_alpha,
                  const MemoryMaintainer& maintainer = nullptr) const;

private:
    int64_t blank_ = 0, longest_ = 0;
    bool zero_infinity_ = false;
};

/* Keeps an element with probability 1 - p, times 1 / (1 - p) if no scale is set. The numbers are the simulator's own: a
 * seed and an offset give the same mask each time, and not the one of a card. */
class MUDNN_SIM_API Dropout {
public:
    Status SetP(double p);
    Status SetScale(double scale);
    Status SetSeed(uint64_t seed);
    Status SetSeed(const uint64_t* seed);
    Status SetOffset(uint64_t offset);
    /* The offset is the number at the address, when the operation runs, plus the second number. */
    Status SetOffset(const uint64_t* offset, uint64_t more);
    Status RunDropout(Handle& handle, Tensor& out, const Tensor& in, Tensor& mask) const;
    Status RunDropoutBwd(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& mask) const;

private:
    double p_ = 0.5, scale_ = 0;
    bool is_scale_set_ = false;
    uint64_t seed_ = 0, offset_ = 0;
    const uint64_t *seed_at_ = nullptr, *offset_at_ = nullptr;
};

/* Rotates the first elements of each line of [length, count, heads, elements], or [count, length, ...], by the angles
 * [length, rotated]: element i with element i + rotated / 2. In multi-latent attention the even elements come first. */
class MUDNN_SIM_API Rope {
public:
    Status SetRotaryInterleaved(bool interleaved);
    Status SetBatchFirst(bool first);
    Status SetMultiLatentAttention(bool multi_latent);
    Status Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& angles) const;
    Status RunBwd(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& angles) const;

private:
    Status run(Handle& handle, const Tensor& out, const Tensor& in, const Tensor& angles, bool backward) const;

    bool interleaved_ = false, batch_first_ = false, multi_latent_ = false;
};

/* softmax(scale * query * key^T + mask) * value, of tensors [count, heads, length, elements]; keys and values may have
 * fewer heads. A mask is true where a key counts, or a number to add; its sizes are repeated. Tensors without elements are
 * left out. No dropout. */
class MUDNN_SIM_API ScaledDotProductAttention {
public:
    using ComputeMode = dnn::ComputeMode;

    Status SetComputeMode(ComputeMode mode);
    Status SetEmbedDim(int elements);
    Status SetHeadsNum(int heads);
    Status SetBatchSize(int count);
    Status SetMaxSeqlenQ(int length);
    Status SetMaxSeqlenK(int length);
    /* The mask is [count, length of the keys]. */
    Status SetMaskMode(bool padding);
    Status SetKeyFormat(bool transposed);
    Status SetCausal(bool causal);
    Status SetTraining(bool training);
    Status SetIsDeterministic(bool deterministic);
    Status SetScale(double scale);
    /* While training, a weight is dropped with this probability, and the others are divided by 1 - p. Each call draws
     * other weights; the mask [count, heads, queries, keys], of bool or uint8, says which were kept, and their gradient
     * needs it and the same p. */
    Status SetDropoutP(double p);

    /* `weights` are the softmax, before weights are dropped. */
    Status RunMath(Handle& handle, Tensor& out, Tensor& weights, const Tensor& query, const Tensor& key,
                   const Tensor& value, const Tensor& mask, Tensor& dropout_mask,
                   const MemoryMaintainer& maintainer = nullptr) const;
    /* `grad_weights` is the gradient of the softmax's result. */
    Status RunMathBwd(Handle& handle, Tensor& grad_query, Tensor& grad_key, Tensor& grad_value, Tensor& grad_weights,
                      const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
                      const Tensor& weights, const Tensor& dropout_mask, const MemoryMaintainer& maintainer = nullptr) const;
    /* `log_sums` are the logarithms of the sums of exponentials, [count, heads, length]. */
    Status RunFlash(Handle& handle, Tensor& out, Tensor& log_sums, const Tensor& query, const Tensor& key,
                    const Tensor& value, const Tensor& mask, Tensor& dropout_mask,
                    const MemoryMaintainer& maintainer = nullptr) const;
    Status RunFlashBwd(Handle& handle, Tensor& grad_query, Tensor& grad_key, Tensor& grad_value, const Tensor& grad_out,
                       const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, const Tensor& out,
                       const Tensor& log_sums, const Tensor& dropout_mask,
                       const MemoryMaintainer& maintainer = nullptr) const;
    /* Sequences follow each other, [all lengths, heads, elements]; `begins` has the beginning of each, which is the end
     * of the previous one. */
    Status RunFlashVarlen(Handle& handle, Tensor& out, Tensor& log_sums, const Tensor& query, const Tensor& key,
                          const Tensor& value, const Tensor& mask, const Tensor& dropout_mask, const Tensor& query_begins,
                          const Tensor& key_begins, const MemoryMaintainer& maintainer = nullptr) const;
    Status RunFlashVarlenBwd(Handle& handle, Tensor& grad_query, Tensor& grad_key, Tensor& grad_value,
                             const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
                             const Tensor& mask, const Tensor& out, const Tensor& log_sums, const Tensor& dropout_mask,
                             const Tensor& query_begins, const Tensor& key_begins,
                             const MemoryMaintainer& maintainer = nullptr) const;

private:
    Status check(const Tensor& query, const Tensor& value) const;
    double scale_for(const Tensor& query) const;
    Status run(Handle& handle, const Tensor& out, const Tensor& beside, bool are_weights, const Tensor& query,
               const Tensor& key, const Tensor& value, const Tensor& mask, const Tensor& dropout_mask) const;
    Status run_backward(Handle& handle, const Tensor& grad_query, const Tensor& grad_key, const Tensor& grad_value,
                        const Tensor& grad_scores, const Tensor& grad_out, const Tensor& query, const Tensor& key,
                        const Tensor& value, const Tensor& mask, const Tensor& beside, bool are_weights,
                        const Tensor& dropout_mask) const;

    int heads_ = 0, elements_ = 0;
    bool is_padding_mask_ = false, key_transposed_ = false, causal_ = false, training_ = false, is_scale_set_ = false;
    double scale_ = 0, dropout_ = 0;
};

}  // namespace dnn
}  // namespace musa

#endif
