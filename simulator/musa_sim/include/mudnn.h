/* muDNN: a part of it, for functions of one to three operands, products of matrices, convolutions, softmax, reductions,
 * norms, and what moves elements: fills, permutations, concatenations, gathering, sorting.
 *
 * Moore Threads publishes no documentation of muDNN. The names are those that torch_musa uses; what they mean beyond
 * their names, and all numbers, are our assumptions (docs/unverified.md, mudnn-names). Everything runs in the order of
 * the handle's stream. What is not computed gives Status::NOT_SUPPORTED.
 */
#ifndef MUDNN_H
#define MUDNN_H

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

/* Memory that an operation works in, and what allocates it. No operation here needs any. */
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

private:
    int device_;
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
        QINT8,
        FP8_E4M3,
        FP8_E5M2
    };
    enum class Format { UNKNOWN, NCW, NWC, NCHW, NHWC, HWCN, NCDHW, NDHWC, DHWCN };

    Status SetType(Type type);
    Status SetFormat(Format format);
    Status SetAddr(const void* address);
    /* Without strides, the last dimension is the innermost. */
    Status SetNdInfo(std::initializer_list<int64_t> sizes);
    Status SetNdInfo(std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> strides);
    Status SetNdInfo(int64_t dimensions, const int64_t* sizes);
    Status SetNdInfo(int64_t dimensions, const int64_t* sizes, const int64_t* strides);

    Type GetType() const { return type_; }
    void* GetAddr() const { return address_; }
    const std::vector<int64_t>& sizes() const { return sizes_; }
    const std::vector<int64_t>& strides() const { return strides_; }

private:
    Type type_ = Type::UNKNOWN;
    Format format_ = Format::UNKNOWN;
    void* address_ = nullptr;
    std::vector<int64_t> sizes_, strides_;
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
        GE
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
        LOGICAL_XOR
    };

    Status SetMode(Mode mode);
    Status Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right) const;

private:
    Mode mode_ = Mode::ADD;
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

/* out = alpha * op(left) op(right) + beta * out. */
class MUDNN_SIM_API MatrixProduct {
public:
    enum class ComputeMode { SCALAR, TENSOR, ALL };

    Status SetComputeMode(ComputeMode mode);
    Status SetTranspose(bool left, bool right);
    Status SetAlpha(double alpha);
    Status SetBeta(double beta);

protected:
    bool transpose_left_ = false, transpose_right_ = false;
    double alpha_ = 1, beta_ = 0;
};

/* Of matrices. */
class MUDNN_SIM_API MatMul : public MatrixProduct {
public:
    Status Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
               const MemoryMaintainer& maintainer = nullptr) const;
};

/* Of batches [count, rows, columns]. */
class MUDNN_SIM_API BatchMatMul : public MatrixProduct {
public:
    Status Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
               const MemoryMaintainer& maintainer = nullptr) const;
};

/* Of images [count, channels, pixels...] with filters [out channels, in channels / groups, pixels...]. All algorithms
 * are the same here. */
class MUDNN_SIM_API Convolution {
public:
    enum class ComputeMode { SCALAR, TENSOR, ALL };
    enum class Algorithm { DIRECT, IMPLICIT_GEMM };
    enum class AlgorithmBwdData { IMPLICIT_GEMM };
    enum class AlgorithmBwdFilter { IMPLICIT_GEMM };

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

/* The value everywhere, or where a mask is true. */
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

/* Copies between strides. ConfigDimStride makes `in` a view of its dimensions in the order that is given. */
class MUDNN_SIM_API Permute {
public:
    Status ConfigDimStride(Tensor& out, Tensor& in, int count, const int64_t* order);
    Status Run(Handle& handle, Tensor& out, const Tensor& in) const;
};

/* One after the other along a dimension. */
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

/* Along a dimension. Equal elements keep their order; NaN counts as the largest. */
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

/* The largest or smallest of each line, in order. */
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

/* Over some dimensions, over all if none is set. Integers are computed in 64 bits; means, variances and norms of integers
 * need a floating result. */
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

/* Over the last dimensions. Tensors of factors, means and deviations are dense; one without an address is left out. */
class MUDNN_SIM_API Norm {
public:
    Status SetAxis(int count, const int* axes);
    Status SetAxis(std::initializer_list<int> axes);
    Status SetEpsilon(double epsilon);

protected:
    Status run(Handle& handle, const Tensor& out, const Tensor* mean, const Tensor& scale, const Tensor& in,
               const Tensor& gamma, const Tensor* beta) const;

    std::vector<int> axes_{-1};
    double epsilon_ = 1e-5;
};

class MUDNN_SIM_API LayerNorm : public Norm {
public:
    enum class VarMode { DIRECT, WELFORD };

    Status SetVarMode(VarMode mode);
    Status Run(Handle& handle, Tensor& out, Tensor& mean, Tensor& inverse_deviation, const Tensor& in,
               const Tensor& gamma, const Tensor& beta, const MemoryMaintainer& maintainer = nullptr) const;
};

class MUDNN_SIM_API RMSNorm : public Norm {
public:
    Status Run(Handle& handle, Tensor& out, Tensor& inverse_root, const Tensor& in, const Tensor& gamma) const;
};

}  // namespace dnn
}  // namespace musa

#endif
